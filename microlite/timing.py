# Time on the board: a counter of cycles that does not overflow, and measurements of functions with
# it.

from gc import collect as _collect

from _microlite import calibrate as _calibrate
from _microlite import cycles

from . import _check, _wrong_type

source, cycles_per_us = _calibrate()


class Timing:
    def __init__(self, times, number, overhead):
        n = len(times)
        ordered = sorted(times)
        self.times = times
        self.number = number
        self.overhead = overhead
        self.min = ordered[0]
        self.median = (ordered[n // 2] + ordered[(n - 1) // 2]) / 2
        self.mean = sum(times) / n
        self.stdev = 0.0
        if n > 1:
            self.stdev = (sum((t - self.mean) ** 2 for t in times) / (n - 1)) ** 0.5

    def __str__(self):
        figures = self.min, self.median, self.mean, self.stdev, len(self.times), self.number
        return "%.5g us (median %.5g, mean %.5g, stdev %.2g, %d x %d calls)" % figures


def _nothing():
    pass


def _closure():
    x = None
    return lambda: x


_PYTHON = (type(_nothing), type(_closure()))


# An empty function of the same kind, of those that differ much; globals is the smallest that is
# built in. Methods of Python have a name, built-in ones none.
def _empty_like(fn):
    method = type("", (), {"f": lambda _: None})().f
    if type(fn) is type(method) and hasattr(fn, "__name__"):
        return method
    return _nothing if type(fn) in _PYTHON else globals


# Cycles of so many calls, loop and all.
def _spend(fn, number):
    _collect()
    start = cycles()
    for _ in range(number):
        fn()
    return cycles() - start


# The number of calls that takes so many cycles.
def _find_number(fn, least):
    number = 1
    while True:
        spent = _spend(fn, number)
        if spent >= least:
            return number
        number = min(10 * number, int(1.1 * number * least / max(spent, 1)) + 1)


def evaluate(fn, *, number=None, repeat=3, min_repeat_ms=100):
    global source, cycles_per_us

    if not callable(fn):
        _wrong_type("fn", "callable", fn)
    if number is not None:
        _check("number", number, 1)
    _check("repeat", repeat, 1)
    _check("min_repeat_ms", min_repeat_ms, 0)
    source, cycles_per_us = _calibrate()
    if not cycles_per_us:
        raise RuntimeError("this firmware has no clock that advances")
    if number is None:
        number = _find_number(fn, int(min_repeat_ms * 1000 * cycles_per_us))
    scale = number * cycles_per_us
    nothing = _empty_like(fn)
    overhead = min([_spend(nothing, number) for _ in range(repeat)]) / scale
    times = [max(_spend(fn, number) / scale - overhead, 0.0) for _ in range(repeat)]
    return Timing(times, number, overhead)
