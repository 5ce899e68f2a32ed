"""The C module under the package microlite, which is what applications import.

Its types are those of the package, but for Model, which the package wraps."""

from array import array
from collections.abc import Callable, Generator

from typing_extensions import Buffer

from microlite import ArenaError as ArenaError
from microlite import InvokeError as InvokeError
from microlite import ModelError as ModelError
from microlite import OpError as OpError
from microlite import Tensor as Tensor
from microlite import mse as mse
from microlite import spectrum as spectrum
from microlite._reports import _TensorInfo
from microlite._types import State, Values
from microlite.audio import FrontEnd as FrontEnd
from microlite.audio import cmvn as cmvn

API: int
"""Number of the interface between the C module and the package."""

def block(size: int, name: str | None, /) -> bytearray:
    """A new bytearray of size bytes for the file called name. Its contents are undefined.

    Raises:
        ArenaError: the heap has no such block; with its figures.
    """

def check(
    model: Buffer, name: str | None, /
) -> tuple[
    tuple[str, ...],
    tuple[str, ...],
    tuple[str, ...],
    tuple[_TensorInfo, ...],
    tuple[_TensorInfo, ...],
]:
    """`problems`, `missing_ops`, `ops`, `inputs` and `outputs` of `microlite.check()`.

    Raises:
        TypeError: `model` is no buffer.
    """

def slide(array: Buffer, row: Buffer, columns: int, /) -> None:
    """Drop so many numbers at the start of an array, and put a row of as many at its end.

    Raises:
        TypeError: they are of different types, or no buffers.
        ValueError: the row has another number of them, or more than the array.
    """

def calibrate() -> tuple[str, float]:
    """`source` and `cycles_per_us` of `microlite.timing`, found anew."""

def cycles() -> int:
    """`microlite.timing.cycles()`."""

def ops() -> tuple[str, ...]:
    """`microlite.ops()`."""

def info() -> tuple[str, str, int, int, int]:
    """`library`, `kernels`, `abi`, `alignment` and `float_bits` of `microlite.info()`."""

class Model:
    """An engine with its model's bytes and its arena: `microlite.Model` without files.

    What is not described here is described there.
    """

    def __init__(
        self,
        model: Buffer,
        *,
        arena: int | Buffer | None = None,
        copy: bool = False,
        keep_inputs: bool = False,
        state: State | None = None,
        name: str | None = None,
    ) -> None:
        """Load a model.

        Args:
            model: its bytes. A bytearray with a name holds a file that was read.
            arena: as for `microlite.Model`, and so are `copy`, `keep_inputs` and `state`.
            name: the file's, which stands before the messages of errors.

        Raises:
            ModelError, OpError, ArenaError, TypeError, ValueError, KeyError: as `Model`.
        """

    @property
    def file(self) -> str | None:
        """The name."""

    @property
    def _bytes(self) -> memoryview:
        """The bytes of the model."""

    @property
    def inputs(self) -> tuple[Tensor, ...]: ...
    @property
    def outputs(self) -> tuple[Tensor, ...]: ...
    @property
    def arena_size(self) -> int: ...
    @property
    def arena_used(self) -> int: ...
    @property
    def arena_needed(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def in_place(self) -> bool: ...
    @property
    def ops(self) -> tuple[str, ...]: ...
    @property
    def last_us(self) -> int | None: ...
    @property
    def on_op(self) -> Callable[[], object] | None: ...
    @on_op.setter
    def on_op(self, function: Callable[[], object] | None) -> None: ...
    def input(self, key: int | str = 0, /) -> Tensor: ...
    def output(self, key: int | str = 0, /) -> Tensor: ...
    def predict(self, *inputs: Values, **named: Values) -> array[float] | array[int]: ...
    def predict_all(
        self, *inputs: Values, **named: Values
    ) -> tuple[array[float] | array[int], ...]: ...
    def invoke(self) -> None: ...
    def _slices(self, slice_ms: int, /) -> Generator[None]:
        """Start a run, each step of which goes on for slice_ms milliseconds.

        The model is in use until the run has ended or is closed.

        Raises:
            ValueError: `slice_ms` is negative; else as `invoke()`.
            InvokeError, RuntimeError: as `Model.invoke`.
        """

    def profile(self, runs: int, /) -> array[float]:
        """Microseconds of each operator in all runs together.

        Raises:
            InvokeError, RuntimeError: as `Model.invoke`.
        """

    def reset(self) -> None: ...
    def close(self) -> None: ...
