"""What the package microlite stands on, on a computer: application code runs under CPython."""

# In firmware this module is C, src_c/. Here it is Python over runtimes of TensorFlow Lite, with
# the same names, errors and words. docs/testing.md tells the differences.

from time import monotonic_ns as cycles

try:
    from .errors import ArenaError, InvokeError, ModelError, OpError, raise_no_block
    from .measuring import mse, slide
    from .memory import ALIGNMENT
    from .model import Model, check
    from .operators import OPERATORS
    from .runtime import describe, installed
    from .tensor import Tensor

    installed()
except ImportError as er:
    needed = "pip install 'microlite-tools[host]'"
    raise ImportError(f"_microlite: a computer needs what this installs: {needed} ({er})") from er

__all__ = [
    "API",
    "ArenaError",
    "InvokeError",
    "Model",
    "ModelError",
    "OpError",
    "Tensor",
    "block",
    "calibrate",
    "check",
    "cycles",
    "info",
    "mse",
    "ops",
    "slide",
]

API = 3


def block(size: int, name: str | None, /) -> bytearray:
    try:
        return bytearray(size)
    except MemoryError:
        raise_no_block(size, "model", name)


def calibrate() -> tuple[str, float]:
    """Name of the clock, and how much cycles() advances in a microsecond."""
    return "clock_gettime", 1000.0


def ops() -> tuple[str, ...]:
    return OPERATORS


def info() -> tuple[str, str, int, int, int]:
    """library, kernels, abi, alignment and float_bits of microlite.info()."""
    return describe(), "reference", 0, ALIGNMENT, 64
