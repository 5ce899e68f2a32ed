# Running a model: in one go, in slices for asyncio, and with times taken.
#
# The runtime runs a model as a whole, which is done in the step of the last operator. The other
# steps do nothing, but between two operators things happen as they do on a board.

from __future__ import annotations

from array import array
from operator import index
from time import perf_counter_ns
from typing import TYPE_CHECKING

from . import state
from .errors import raise_invoke

if TYPE_CHECKING:
    from .model import Model

_JUNK = 0xA5  # what a run leaves in the memory of inputs, which boards use for something else
_MOST_MS = 1000000


def _begin(model: Model, *, timed: bool = False) -> None:
    """With the model taken: start a run, for which all inputs must have been written, unless only
    its times are wanted."""
    for tensor in model.inputs:
        if tensor.stale and not timed:
            words = "must be written again before each invoke(), its memory was reused"
            tensor.fail(RuntimeError, words)
    for tensor in model.inputs:
        tensor.expire()
    model.has_run = True
    model.has_results = False


def _compute(model: Model) -> None:
    try:
        model.runtime.run(
            [tensor.memory for tensor in model.inputs],
            [tensor.memory for tensor in model.outputs],
        )
    except (RuntimeError, ValueError) as er:
        raise_invoke(str(er), model.file)
    for tensor in model.inputs:
        if tensor.overwritten:
            tensor.memory[:] = _JUNK


def _step(model: Model, op: int, times: array[float] | None) -> None:
    start = perf_counter_ns()
    if op >= len(model.ops) - 1:
        _compute(model)
    if times is not None and len(times):
        times[op] += (perf_counter_ns() - start) / 1000


def _run_slice(model: Model, op: int, slice_us: float, times: array[float] | None = None) -> int:
    """Runs operators until the last one or until the slice is over. Returns the next one."""
    start = perf_counter_ns()
    n = max(len(model.ops), 1)
    while True:
        _step(model, op, times)
        op += 1
        if op == n:
            model.has_results = True
            return op
        if model.on_op is not None:
            model.on_op()
        if (perf_counter_ns() - start) / 1000 >= slice_us:
            return op


def _end(model: Model, spent_us: int) -> None:
    model.microseconds = spent_us
    not_carried = state.carry(model.state)
    if not_carried is not None:
        words = "NaN or infinity cannot be carried into an input of integers"
        not_carried.fail(ValueError, words)


def invoke(model: Model) -> None:
    with model.take():
        _begin(model)
        start = perf_counter_ns()
        _run_slice(model, 0, float("inf"))
        _end(model, (perf_counter_ns() - start) // 1000)


class Slices:
    """A run, each step of which goes on for so many milliseconds. It is its model's until it ends
    or is given up."""

    def __init__(self, model: Model, slice_ms: int) -> None:
        slice_ms = index(slice_ms)
        if slice_ms < 0:
            raise ValueError("slice_ms must not be negative")
        self._model = model
        self._slice_us = min(slice_ms, _MOST_MS) * 1000
        self._spent_ns = 0
        self._next = 0
        with model.take():
            _begin(model)
            model.slices = self

    def __iter__(self) -> Slices:
        return self

    def __next__(self) -> None:
        model = self._model
        with model.take(self):
            start = perf_counter_ns()
            is_over = True
            try:
                self._next = _run_slice(model, self._next, self._slice_us)
                is_over = model.has_results
            except StopIteration:  # the iterator would end with it as if the run had
                raise RuntimeError("StopIteration between operators") from None
            finally:
                self._spent_ns += perf_counter_ns() - start
                if is_over:
                    model.slices = None
            if is_over:
                _end(model, self._spent_ns // 1000)
        if is_over:
            raise StopIteration

    def close(self) -> None:
        """Gives the run up, if it has not ended."""
        self._model.end_slices(self)


def profile(model: Model, runs: int) -> array[float]:
    """Microseconds of each operator in all runs together. The inputs stay as they are."""
    runs = index(runs)
    model.check()
    times = array("f", bytes(4 * len(model.ops)))
    for _ in range(runs):
        with model.take():
            overwritten = [tensor for tensor in model.inputs if tensor.overwritten]
            before = [(tensor.memory.copy(), tensor.stale) for tensor in overwritten]
            _begin(model, timed=True)
            _run_slice(model, 0, float("inf"), times)
            for tensor, (memory, stale) in zip(overwritten, before, strict=True):
                tensor.memory[:] = memory
                tensor.stale = stale
            model.has_results &= not any(stale for _, stale in before)
    return times
