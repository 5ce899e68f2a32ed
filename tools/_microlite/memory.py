# The memory that models and tensors lie in: arrays of bytes, ours or on callers' buffers, and the
# models that are alive, so that no arena is given to two.

from __future__ import annotations

import gc
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .model import Model

ALIGNMENT = 16
Bytes = npt.NDArray[np.uint8]

_live: WeakSet[Model] = WeakSet()


def buffer_of(owner: Any) -> memoryview | None:
    """The buffer of an object; None when it has none that lies in one piece."""
    try:
        view = memoryview(owner)
    except TypeError:
        return None
    return view if view.c_contiguous else None


def bytes_of(view: memoryview) -> Bytes:
    return np.frombuffer(view, np.uint8).reshape(-1) if view.nbytes else np.empty(0, np.uint8)


def address(data: Bytes) -> int:
    return int(data.__array_interface__["data"][0])


def padding(data: Bytes) -> int:
    """Bytes to the next address that is aligned."""
    return -address(data) % ALIGNMENT


def aligned(size: int) -> Bytes:
    block = np.zeros(size + ALIGNMENT - 1, np.uint8)
    start = padding(block)
    return block[start : start + size]


@dataclass
class Region:
    """Bytes that a model works on. owner is the caller's object, None when they are ours."""

    data: Bytes
    owner: object = None

    def overlaps(self, other: Region) -> bool:
        start, other_start = address(self.data), address(other.data)
        return start < other_start + len(other.data) and other_start < start + len(self.data)


def _carries(region: Region) -> bool:
    return any(
        region.overlaps(taken)
        for model in _live
        for taken in (model.arena, model.bytes)
        if taken is not None
    )


def carries_model(region: Region) -> bool:
    """Whether the arena or the bytes of a live model lie there."""
    if _carries(region):
        gc.collect()  # the model may have been dropped without being closed
    return _carries(region)


def add_live(model: Model) -> None:
    _live.add(model)


def remove_live(model: Model) -> None:
    _live.discard(model)


def arena_region(arena: object) -> Region | None:
    """A caller's buffer as arena; None when the arena is a size or the model's need."""
    if arena is None:
        return None
    if type(arena) is int:
        if not 0 <= arena < 1 << 62:
            raise ValueError(f"arena: {arena} bytes are out of range")
        return None
    kind = type(arena).__name__
    view = buffer_of(arena) if isinstance(arena, (bytes, bytearray, memoryview, array)) else None
    if view is None:
        needed = "None, int, bytearray, memoryview or array of numbers"
        raise TypeError(f"arena: {needed} needed, not {kind}")
    if view.readonly:
        raise TypeError(f"arena: {kind} is read-only")
    region = Region(bytes_of(view), arena)
    if carries_model(region):
        raise ValueError("arena: the buffer carries a live model; close() that first")
    return region
