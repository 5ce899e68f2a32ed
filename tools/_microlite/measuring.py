# mse(): how far two rows of numbers are from each other; slide(): a window of the last rows.

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from .memory import buffer_of
from .tensor import Tensor
from .values import Values, from_buffer, mean_square


def _side(given: Any, name: str) -> Values:
    if isinstance(given, Tensor):
        return given.values()
    view = buffer_of(given)
    row = None if view is None else from_buffer(view)
    if row is None:
        kind = type(given).__name__
        raise TypeError(f"{name}: tensor or array of numbers needed, not {kind}")
    return row


def mse(a: Any, b: Any, /) -> float:
    with ExitStack() as taken:
        tensors = [each for each in (a, b) if isinstance(each, Tensor)]
        for model in {id(each.model): each.model for each in tensors}.values():
            taken.enter_context(model.take())
        for each in tensors:
            each.check_readable()
        first, second = _side(a, "a"), _side(b, "b")
        if len(first.data) != len(second.data) or len(first.data) == 0:
            raise ValueError(f"a has {len(first.data)} values, b has {len(second.data)}")
        return mean_square(first, second)


def slide(window: Any, row: Any, columns: int, /) -> None:
    """Drop so many numbers at the start of an array, and put a row of as many at its end."""
    to, given = memoryview(window), buffer_of(row)
    if given is None:
        raise TypeError(f"row: array needed, not {type(row).__name__}")
    if to.format != given.format:
        raise TypeError(f"row: '{to.format}' needed, not '{given.format}'")
    if len(given) != columns or given.nbytes > to.nbytes:
        raise ValueError(f"row: {len(given)} values, {columns} needed")
    kept = bytes(to.cast("B")[given.nbytes :])
    to.cast("B")[:] = kept + bytes(given)
