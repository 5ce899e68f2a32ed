"""The names of tf.lite.Interpreter over Model, for porting scripts."""

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from typing_extensions import Buffer

import microlite

class _Parameters(TypedDict):
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    quantized_dimension: int

class _Details(TypedDict):
    name: str
    index: int
    shape: tuple[int, ...]
    dtype: str
    quantization: tuple[float, int]
    quantization_parameters: _Parameters

class Interpreter:
    """A model with the methods of tf.lite.Interpreter.

    What differs, for want of numpy: shapes are tuples and dtypes str ('int8'); get_tensor() gives
    arrays, nested in lists as the shape is, and a number when there is no shape; shapes are fixed.
    Inputs are kept from run to run. The model is loaded at once."""

    model: microlite.Model
    """The model itself."""

    def __init__(
        self,
        model_path: str | None = None,
        model_content: Buffer | None = None,
        **ignored: object,
    ) -> None:
        """One of both, as for Model. Other arguments, such as num_threads, mean nothing here."""

    def allocate_tensors(self) -> None:
        """Nothing: the memory is there already."""

    def get_input_details(self) -> list[_Details]:
        """index is what the methods below take. quantization is (0.0, 0) for tensors that are
        not quantised."""

    def get_output_details(self) -> list[_Details]: ...
    def resize_tensor_input(
        self, input_index: int, tensor_size: Sequence[int], strict: bool = False
    ) -> None:
        """ValueError unless it is the shape that the tensor has."""

    def set_tensor(self, tensor_index: int, value: Buffer | Sequence[Any] | float) -> None:
        """Set the numbers that stand in the model, so quantised ones where they are: from bytes
        of the tensor's own representation, an array of its typecode, or numbers in lists, flat
        or nested.

        ValueError when they are too many or too few, or out of the range of integers; TypeError
        for what are no numbers of that type, for other arrays, and for outputs; IndexError."""

    def get_tensor(self, tensor_index: int) -> Any:
        """A copy of the numbers that stand in the model.

        Each row of the last dimension is an array of its own, so a large tensor whose last
        dimension is short takes much memory: tensor() takes none. RuntimeError for an output when
        there is no result; MemoryError; IndexError."""

    def tensor(self, tensor_index: int) -> Callable[[], memoryview]:
        """A function that returns a view of the numbers in place, flat. Of an output without a
        result they mean nothing."""

    def invoke(self) -> None: ...
    def reset_all_variables(self) -> None: ...
