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
from microlite import _State, _Values
from microlite._reports import _TensorInfo

API: int
"""Number of the interface between the C module and the package."""

def block(size: int, name: str | None, /) -> bytearray:
    """A new bytearray of size bytes for the file called name. Its contents are undefined.

    ArenaError with the figures of the heap when that has no such block."""

def check(
    model: Buffer, name: str | None, /
) -> tuple[
    tuple[str, ...],
    tuple[str, ...],
    tuple[str, ...],
    tuple[_TensorInfo, ...],
    tuple[_TensorInfo, ...],
]:
    """problems, missing_ops, ops, inputs and outputs of microlite.check()."""

def ops() -> tuple[str, ...]: ...
def info() -> tuple[str, str, int, int, int]:
    """library, kernels, abi, alignment and float_bits of microlite.info()."""

class Model:
    """An engine with its model's bytes and its arena, as microlite.Model without files."""

    def __init__(
        self,
        model: Buffer,
        *,
        arena: int | Buffer | None = None,
        copy: bool = False,
        keep_inputs: bool = False,
        state: _State | None = None,
        name: str | None = None,
    ) -> None:
        """name is that of the file and stands before the messages of errors. A bytearray with a
        name holds a file that was read."""

    @property
    def file(self) -> str | None: ...
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
    def predict(self, *inputs: _Values, **named: _Values) -> array[float] | array[int]: ...
    def predict_all(
        self, *inputs: _Values, **named: _Values
    ) -> tuple[array[float] | array[int], ...]: ...
    def invoke(self) -> None: ...
    def _slices(self, slice_ms: int, /) -> Generator[None]:
        """Start a run, each step of which goes on for slice_ms milliseconds. The model is in use
        until the run has ended or is closed."""

    def profile(self, runs: int, /) -> array[float]:
        """Microseconds of each operator in all runs together."""

    def reset(self) -> None: ...
    def close(self) -> None: ...
