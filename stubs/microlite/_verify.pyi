"""What microlite.verify() returns."""

from typing_extensions import Buffer

import microlite

class Verification:
    """Golden outputs and what the model answered. True when all are equal, floats nearly so; as
    str a table."""

    cases: int
    """How many cases were run."""
    rows: list[list[str | int | float]]
    """Of each output [name, dtype, values, how many of them differ, the largest difference]."""
    differences: list[tuple[int, str, int, float, float]]
    """The first values that differ, at most ten, as (case, name of the output, index in the
    flattened output, expected, got), in the numbers that stand in the tensor."""
    rtol: float
    """Relative tolerance of floats."""
    atol: float
    """Absolute tolerance of floats."""

    @property
    def largest(self) -> float:
        """The largest difference of all outputs, also when it does not count."""

    def __bool__(self) -> bool:
        """Whether all are equal, floats within the tolerance."""

def verify(
    model: microlite.Model | str | Buffer, cases: str | Buffer, rtol: float, atol: float
) -> Verification:
    """microlite.verify() without defaults."""
