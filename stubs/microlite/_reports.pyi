"""What microlite.check(), microlite.info() and Model.profile() return."""

from collections.abc import Iterator
from typing import NamedTuple

class _TensorInfo(NamedTuple):
    """An input or an output of a model, as the attributes of Tensor."""

    name: str
    """The name in the model."""
    shape: tuple[int, ...]
    """Such as `(1, 96, 96, 1)`."""
    dtype: str
    """Such as 'int8'."""
    scale: float | None
    """Step between two real values; None when there is none or several."""
    zero_point: int | None
    """The number that means 0.0; None as for `scale`."""

class Report:
    """What check() found. True when the model can run here, given the memory; as str a table."""

    file: str | None
    """The path, if it was one."""
    problems: tuple[str, ...]
    """All that is wrong, one sentence each, but for missing operators."""
    missing_ops: tuple[str, ...]
    """The names of the operators that this firmware lacks, each once."""
    ops: tuple[str, ...]
    """The names of the model's operators in their order; empty when there are problems."""
    inputs: tuple[_TensorInfo, ...]
    """The inputs; empty when there are problems."""
    outputs: tuple[_TensorInfo, ...]
    """The outputs; empty when there are problems."""
    arena: int | None
    """Bytes of arena that the model needs at least, None when that could not be found out."""
    reason: str | None
    """Why there is no size of the arena; None when there is one."""

    def __bool__(self) -> bool:
        """Whether the model can run here, given the memory."""

class Info:
    """What the firmware was built with; as str a table."""

    version: str
    """Of the package microlite."""
    api: int
    """Number of the interface between package and C module."""
    abi: int
    """What engine and C module have in common."""
    micropython: str
    """MicroPython's version, such as "1.25.0"."""
    machine: str
    """The board."""
    library: str
    """The library under the engine."""
    kernels: str
    """The kernels that were built: "dsp" for Arm's DSP extension, "portable" for plain C, or
    "reference" for TensorFlow Lite Micro's own."""
    n_ops: int
    """Number of operators, see microlite.ops()."""
    alignment: int
    """What a model's address must be a multiple of to be used in place."""
    float_bits: int
    """Bits of MicroPython's floats, 32 or 64. Models compute with 32 everywhere."""

    def __init__(self, version: str) -> None:
        """Of the package with this version."""

class Profile:
    """The time of each operator: a sequence of (index, operator, microseconds of one run, share of
    all of them); as str a table."""

    rows: list[tuple[int, str, float, float]]
    """The same as a list."""
    us: float
    """Microseconds of all operators together in one run."""
    runs: int
    """How many runs were averaged."""

    def __iter__(self) -> Iterator[tuple[int, str, float, float]]:
        """The rows in the order of the run."""

    def __len__(self) -> int:
        """Number of operators."""

    def __getitem__(self, index: int, /) -> tuple[int, str, float, float]:
        """One row.

        Raises:
            IndexError: no such row.
        """
