# The methods of Tensor that write numbers. All values are checked before the first is stored, so
# that a call that fails changes nothing.

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from . import tensor as tensors
from .collect import check_length, collect, fail_no_numbers, is_number, real, single
from .memory import buffer_of, bytes_of
from .values import Array, Scaling, Values, convert, find_infinite, from_buffer

if TYPE_CHECKING:
    from .tensor import Tensor

ABSENT: Any = object()


# --- write() ---


def _is_in_place(value: Any) -> bool:
    return value is ABSENT or is_number(value) or buffer_of(value) is not None


def _factors(tensor: Tensor, what: str, given: Any, otherwise: float) -> Values:
    shape = tensor.edge.shape
    n = shape[-1] if shape else 1
    if given is ABSENT or is_number(given):
        number = np.float32(otherwise) if given is ABSENT else real(tensor, what, 0, given)
        return Values(np.array([number], np.float32), "f")
    view = buffer_of(given)
    if view is None:
        return collect(tensor, what, n, False, given)[0]
    row = from_buffer(view)
    if row is None or row.code == "B":
        fail_no_numbers(tensor, what, given)
    if np.may_share_memory(row.data, tensor.memory):
        tensor.fail(ValueError, f"{what}overlaps the tensor")
    check_length(tensor, what, n, len(row.data))
    return row


def _starts_at(a: Array, b: Array) -> bool:
    same = a.__array_interface__["data"][0] == b.__array_interface__["data"][0]
    return bool(same) and a.itemsize == b.itemsize


def _buffer(tensor: Tensor, given: Any, is_scaled: bool, dst: Values) -> Values:
    """Whether bytes are pixels, raw numbers or values is only told when they are scaled."""
    view = buffer_of(given)
    row = None if view is None else from_buffer(view)
    if row is None:
        tensor.fail(TypeError, f"{type(given).__name__} without numbers")
    if row.code == "B" and not is_scaled:
        tensor.fail(
            TypeError,
            "bytes need mul= or add= to be real values; write_image() takes frames, "
            "write_raw() the tensor's own representation",
        )
    if not _starts_at(row.data, dst.data) and np.may_share_memory(row.data, dst.data):
        tensor.fail(ValueError, "the values overlap the tensor")
    return row


def _is_one(row: Values, number: float) -> bool:
    return len(row.data) == 1 and row.data[0] == number


def write(tensor: Tensor, given: Any, mul: Any, add: Any) -> int:
    is_scaled = mul is not ABSENT or add is not ABSENT
    tensor.check_writable()
    dst = tensor.values()
    exact = not is_scaled and dst.scales is None and dst.code != "f"
    n = len(dst.data)
    beyond = 0
    source = given if isinstance(given, tensors.Tensor) else None
    src = None
    # Python code may run while numbers are collected, and resize buffers: these come afterwards.
    if source is None and not _is_in_place(given):
        src, beyond = collect(tensor, "", n, exact, given)
    mul, add = (
        factors if _is_in_place(factors) else _factors(tensor, what, factors, 0).data
        for what, factors in (("mul: ", mul), ("add: ", add))
    )
    with ExitStack() as taken:
        if source is not None:
            if source.model is not tensor.model:
                taken.enter_context(source.model.take())
            else:
                source.model.check()
            source.check_readable()
            src = source.values()
        elif src is None and is_number(given):
            src, beyond = single(tensor, exact, given)
        elif src is None:
            src = _buffer(tensor, given, is_scaled, dst)
        check_length(tensor, "", n, len(src.data))
        scaling: Scaling | None = Scaling(
            _factors(tensor, "mul: ", mul, 1), _factors(tensor, "add: ", add, 0)
        )
        if scaling and _is_one(scaling.mul, 1) and _is_one(scaling.add, 0):
            scaling = None
        taken.enter_context(tensor.model.take())
        infinite = find_infinite(src, scaling)
        if infinite is not None:
            words = " * mul + add" if scaling else ""
            tensor.fail(ValueError, f"value {infinite}{words} is NaN or infinite")
        saturated = convert(dst, src, scaling)
        tensor.stale = False
    return saturated + beyond if dst.code == "q" else saturated


# --- write_raw() ---


def write_raw(tensor: Tensor, buffer: Any) -> None:
    tensor.check_writable()
    dtype = tensor.edge.dtype
    view = buffer_of(buffer)
    raw = None if view is None else from_buffer(view)
    if view is None or raw is None or raw.code not in ("B", dtype.view):
        tensor.fail(TypeError, f"bytes or array('{dtype.view}') needed")
    if view.nbytes != tensor.edge.nbytes:
        n = tensor.edge.nbytes
        tensor.fail(ValueError, f"{n} byte{'' if n == 1 else 's'} needed, {view.nbytes} given")
    data = bytes_of(view)
    if dtype.code == "?" and (data > 1).any():
        tensor.fail(ValueError, "bools are bytes 0 and 1")
    with tensor.model.take():
        tensor.memory[:] = data
        tensor.stale = False
