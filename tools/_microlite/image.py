# Camera frames into tensors of images: (1, height, width, channels) or, as some trainers have it,
# (1, channels, height, width), with one channel or three.

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from .collect import real
from .memory import Bytes, buffer_of, bytes_of
from .pixels import MAX_SIDE, SIZES, Part, scale, unpack
from .values import Scaling, Values, convert, from_buffer

if TYPE_CHECKING:
    from .tensor import Tensor

LARGE = 1 << 30  # no small int on boards


def _shape(tensor: Tensor) -> tuple[int, int, int, bool]:
    """Height, width, channels of the image that the tensor is; whether channels come first."""
    shape = tensor.edge.shape
    if len(shape) == 4 and shape[0] == 1:
        shape = shape[1:]
    if len(shape) == 3 and shape[2] in (1, 3):
        found = (shape[0], shape[1], shape[2], False)
    elif len(shape) == 3 and shape[0] in (1, 3):
        found = (shape[1], shape[2], shape[0], True)
    else:
        words = "no image of one channel or three; use write() with mul= and add="
        tensor.fail(ValueError, words)
    if max(found[:2]) > MAX_SIDE:
        tensor.fail(ValueError, f"more than {MAX_SIDE} pixels wide or high")
    return found


def _int(tensor: Tensor, what: str, number: Any) -> int:
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        tensor.fail(TypeError, f"{what}: int needed, not {type(number).__name__}")
    if abs(number) >= LARGE:
        tensor.fail(ValueError, f"{what}: {float(number):g} is too large")
    return index(number)


def _is_second(tensor: Tensor, what: str, word: object, first: str, second: str) -> bool:
    if word not in (first, second):
        tensor.fail(ValueError, f"{what}: '{first}' or '{second}' needed")
    return word == second


def _items(tensor: Tensor, items: Any, n: int, needed: str) -> Any:
    if not isinstance(items, (tuple, list)) or len(items) != n:
        tensor.fail(ValueError, f"{needed} needed")
    return items


def _part(tensor: Tensor, crop: Any, width: int, height: int) -> Part:
    if crop is None:
        return Part(0, 0, width, height)
    items = _items(tensor, crop, 4, "crop: (x, y, width, height)")
    part = Part(*(_int(tensor, "crop", item) for item in items))
    fits = 0 <= part.x < width and 1 <= part.width <= width - part.x
    if not fits or not (0 <= part.y < height and 1 <= part.height <= height - part.y):
        given = (part.x, part.y, part.width, part.height)
        frame = f"the frame of {width} by {height}"
        tensor.fail(ValueError, f"crop {given} is not within {frame}")
    return part


def _scaling(tensor: Tensor, limits: Any) -> Scaling | None:
    """What 0 and 255 mean; None for the whole range of the tensor's own bytes."""
    if limits is None:
        if tensor.edge.dtype.code not in ("b", "B"):
            words = "no 8-bit tensor; range=(lo, hi) needed, what 0 and 255 mean"
            tensor.fail(TypeError, words)
        return None
    items = _items(tensor, limits, 2, "range: (lo, hi)")
    low, high = (real(tensor, "range: ", i, item) for i, item in enumerate(items))
    with np.errstate(all="ignore"):
        mul = (high - low) / np.float32(255)
    if not (np.isfinite(low) and np.isfinite(mul)):
        tensor.fail(ValueError, "range: NaN, infinite or too large")
    scales = tensor.values().scales
    if scales is not None and len(scales) > 1:
        tensor.fail(TypeError, "range: several scales; use write() with mul= and add=")
    return Scaling(
        Values(np.array([mul], np.float32), "f"), Values(np.array([low], np.float32), "f")
    )


def _rows(
    tensor: Tensor, frame: Any, width: int, height: int, pixel_format: str, stride: Any
) -> Bytes:
    """The bytes of each row."""
    view = buffer_of(frame)
    item_size = 2 if pixel_format == "rgb565" else 1
    if view is None or from_buffer(view) is None or view.itemsize > item_size:
        tensor.fail(TypeError, "frame must be a buffer of bytes")
    row = width * SIZES[pixel_format]
    stride = row if stride is None else _int(tensor, "stride", stride)
    if not row <= stride <= 16 * MAX_SIDE:
        tensor.fail(ValueError, f"stride {stride}, but rows have {row} bytes")
    least = (height - 1) * stride + row
    if not least <= view.nbytes <= height * stride:
        tensor.fail(ValueError, f"a frame of {least} bytes needed, {view.nbytes} given")
    data = bytes_of(view)
    if np.may_share_memory(data, tensor.memory):
        tensor.fail(ValueError, "the frame overlaps the tensor")
    padded = np.zeros(height * stride, np.uint8)
    padded[: len(data)] = data
    return padded.reshape(height, stride)[:, :row]


def write_image(
    tensor: Tensor,
    frame: Any,
    width: Any,
    height: Any,
    pixel_format: Any,
    stride: Any,
    crop: Any,
    fit: Any,
    resample: Any,
    limits: Any,
) -> None:
    tensor.check_writable()
    out_height, out_width, channels, is_planar = _shape(tensor)
    if not isinstance(pixel_format, str) or pixel_format not in SIZES:
        words = "format: 'gray8', 'rgb565', 'rgb565be' or 'rgb888' needed"
        tensor.fail(ValueError, words)
    width, height = _int(tensor, "width", width), _int(tensor, "height", height)
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        words = f"a frame of {width} by {height} pixels; 1 to {MAX_SIDE} needed"
        tensor.fail(ValueError, words)
    part = _part(tensor, crop, width, height)
    stretches = _is_second(tensor, "fit", fit, "crop", "stretch")
    bilinear = _is_second(tensor, "resample", resample, "nearest", "bilinear")
    scaling = _scaling(tensor, limits)
    rows = _rows(tensor, frame, width, height, pixel_format, stride)
    if not stretches:
        part.crop(out_width, out_height)
    pixels = unpack(rows, pixel_format, channels)
    region = pixels[part.y : part.y + part.height, part.x : part.x + part.width]
    image = scale(region, out_width, out_height, bilinear)
    numbers = (image.transpose(2, 0, 1) if is_planar else image).reshape(-1)
    with tensor.model.take():
        if scaling is None:
            tensor.memory[:] = numbers ^ (0x80 if tensor.edge.dtype.code == "b" else 0)
        else:
            convert(tensor.values(), Values(numbers, "B"), scaling)
        tensor.stale = False
