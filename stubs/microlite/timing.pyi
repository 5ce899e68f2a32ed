"""Time on the board.

    import microlite
    from microlite import timing

    with microlite.Model("sine.tflite", keep_inputs=True) as model:
        print(timing.evaluate(model.invoke))

Time is counted in cycles of the finest clock that advances: the cycle counter of the core, where
it has one. `cycles_per_us` makes microseconds of cycles.
"""

from collections.abc import Callable

source: str
"""The clock: "dwt_cyccnt" (cycle counter of Cortex-M3 and larger), "ticks_cpu" or "ticks_us" (as
in time), "clock_gettime" (nanoseconds of the operating system), or the port's own, such as
"cmsdk_timer0" on emulated boards."""

cycles_per_us: float
"""Cycles in a microsecond; 0.0 in firmware without any clock. Measured against the clock of
time.ticks_us() when this module is imported and by each `evaluate()`, as programs may change the
speed of the core."""

def cycles() -> int:
    """Cycles since some moment, never less than at the call before, soft resets included.

    A counter of 32 bits overflows within seconds. How often it did follows from time.ticks_ms():
    differences are exact over up to 2**44 cycles, and 49 days, without a call. Where the counter
    stops while the core sleeps, the time slept counts with a resolution of some milliseconds.

    Allocates the int that it returns, and nothing else.
    """

class Timing:
    """What `evaluate()` measured, in microseconds for one call; as str a line."""

    times: list[float]
    """Of each repetition, the mean of its calls."""
    number: int
    """Calls in a repetition."""
    overhead: float
    """Microseconds of an empty call, which were subtracted."""
    min: float
    """The fastest repetition: the best figure for what the code itself takes."""
    median: float
    """The middle one of the repetitions, or the mean of two."""
    mean: float
    """Of the repetitions."""
    stdev: float
    """Standard deviation of the repetitions, by n - 1; 0.0 for one."""

    def __init__(self, times: list[float], number: int, overhead: float) -> None:
        """Work the figures out."""

def evaluate(
    fn: Callable[[], object],
    *,
    number: int | None = None,
    repeat: int = 3,
    min_repeat_ms: int = 100,
) -> Timing:
    """Measure what a call takes, without what calling itself takes.

    Before each repetition garbage is collected; what fn leaves counts when it makes a collection
    necessary. Subtracted is what an empty function takes in the same loop: one of Python for
    functions and lambdas, a method for methods of Python (a little too much where they are native
    code), a built-in one, which takes the least, for other callables. Less than that measures as
    0.0.

    Args:
        fn: is called without arguments; what it raises comes out.
        number: calls in a repetition, at least 1; None for as many as take `min_repeat_ms`, which
            takes some more calls to find out.
        repeat: repetitions, at least 1.
        min_repeat_ms: milliseconds, at least 0.

    Raises:
        TypeError: an argument is no int, or fn cannot be called.
        ValueError: an argument is too small.
    """
