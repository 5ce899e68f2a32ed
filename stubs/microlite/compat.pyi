"""The names of tf.lite.Interpreter over Model, for porting scripts."""

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from typing_extensions import Buffer

import microlite

class _Parameters(TypedDict):
    """How real values follow from numbers: empty when they are not quantised."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    quantized_dimension: int

class _Details(TypedDict):
    """What tf.lite says of a tensor; `quantization` is `(scale, zero_point)`."""

    name: str
    index: int
    shape: tuple[int, ...]
    dtype: str
    quantization: tuple[float, int]
    quantization_parameters: _Parameters

class Interpreter:
    """A model with the methods of tf.lite.Interpreter.

    What differs, for want of numpy: shapes are tuples and dtypes str ('int8'); `get_tensor()`
    gives arrays, nested in lists as the shape is, and a number when there is no shape; shapes are
    fixed. Inputs are kept from run to run. The model is loaded at once.
    """

    model: microlite.Model
    """The model itself."""

    def __init__(
        self,
        model_path: str | None = None,
        model_content: Buffer | None = None,
        **ignored: object,
    ) -> None:
        """Load a model.

        Args:
            model_path: the path of a file.
            model_content: the bytes of a model, in place of `model_path`.
            ignored: other arguments, such as num_threads, mean nothing here.

        Raises:
            ValueError: neither or both of them.
            OSError, ModelError, OpError, ArenaError, TypeError: as `Model`.
        """

    def allocate_tensors(self) -> None:
        """Nothing: the memory is there already."""

    def get_input_details(self) -> list[_Details]:
        """Name, index, shape, dtype and quantisation of each input.

        Index is what the methods below take. "quantization" is `(scale, zero_point)`, and
        `(0.0, 0)` for tensors that are not quantised.
        """

    def get_output_details(self) -> list[_Details]:
        """The same of each output."""

    def resize_tensor_input(
        self, input_index: int, tensor_size: Sequence[int], strict: bool = False
    ) -> None:
        """Nothing when it is the shape that the tensor has: shapes are fixed.

        Raises:
            ValueError: another shape.
            IndexError: no such tensor.
            TypeError: the index is no int.
        """

    def set_tensor(self, tensor_index: int, value: Buffer | Sequence[Any] | float) -> None:
        """Set the numbers that stand in the model, so quantised ones where they are.

        Args:
            tensor_index: "index" of an input's details.
            value: bytes of the tensor's own representation, an array of its typecode, or numbers
                in lists, flat or nested.

        Raises:
            ValueError: too many or too few, or out of the range of integers.
            TypeError: what are no numbers of that type, other arrays, outputs.
            IndexError: no such tensor.
        """

    def get_tensor(self, tensor_index: int) -> Any:
        """A copy of the numbers that stand in the model.

        Each row of the last dimension is an array of its own, so a large tensor whose last
        dimension is short takes much memory: `tensor()` takes none.

        Raises:
            RuntimeError: an output when there is no result.
            MemoryError: no room for the lists.
            IndexError: no such tensor.
            TypeError: the index is no int.
        """

    def tensor(self, tensor_index: int) -> Callable[[], memoryview]:
        """A function that returns a view of the numbers in place, flat.

        Of an output without a result they mean nothing.

        Raises:
            IndexError: no such tensor.
            TypeError: the index is no int.
        """

    def invoke(self) -> None:
        """Run the model.

        Raises:
            InvokeError, RuntimeError: as `Model.invoke`.
        """

    def reset_all_variables(self) -> None:
        """Set the model's variables back to their initial values.

        Raises:
            RuntimeError: as `Model.reset`.
        """
