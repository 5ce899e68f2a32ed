# Pixels of a camera frame, scaled to the size of a tensor, to the bit as src_c/pixels.c has them.

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .memory import Bytes

Words: TypeAlias = npt.NDArray[np.uint32]

MAX_SIDE = 16384  # of frames and of what is made of them
SIZES = {"gray8": 1, "rgb565": 2, "rgb565be": 2, "rgb888": 3}  # bytes of a pixel, by format


@dataclass
class Part:
    """The part of a frame that is used."""

    x: int
    y: int
    width: int
    height: int

    def crop(self, out_width: int, out_height: int) -> None:
        """Take the largest part in the middle that has the output's proportions."""
        across, down = self.width * out_height, self.height * out_width
        width, height = self.width, self.height
        if across > down:
            width = min(max((down + out_height // 2) // out_height, 1), width)
        else:
            height = min(max((across + out_width // 2) // out_width, 1), height)
        self.x += (self.width - width) // 2
        self.y += (self.height - height) // 2
        self.width, self.height = width, height


def unpack(rows: Bytes, pixel_format: str, channels: int) -> Words:
    """[height, width, channels] of rows of bytes, without what fills their stride."""
    words = rows.reshape(len(rows), -1, SIZES[pixel_format]).astype(np.uint32)
    if pixel_format == "gray8":
        return np.repeat(words, channels, axis=2)
    if pixel_format != "rgb888":
        low, high = (0, 1) if pixel_format == "rgb565" else (1, 0)
        word = words[..., low] | words[..., high] << 8
        red, green, blue = word >> 11, word >> 5 & 0x3F, word & 0x1F
        red, green, blue = red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2
        words = np.stack([red, green, blue], axis=2)
    if channels == 1:
        # Luma of ITU-R BT.601, rounded.
        luma = (words * np.array([19595, 38470, 7471], np.uint32)).sum(axis=2, dtype=np.uint32)
        words = (luma + 32768 >> 16)[..., None]
    return words


def _taps(size: int, out_size: int, bilinear: bool) -> tuple[Words, Words, Words]:
    """Of each place the two that surround it, and how near it is to the second, in 1/256."""
    middle = (2 * np.arange(out_size) + 1) * size
    whole = 2 * out_size
    if not bilinear:
        nearest = (middle // whole).astype(np.uint32)
        return nearest, nearest, np.zeros(out_size, np.uint32)
    position = np.maximum(middle - out_size, 0)
    first = position // whole
    weight = np.where(first + 1 < size, position % whole * 256 // whole, 0)
    first = np.minimum(first, size - 1)
    second = np.minimum(first + 1, size - 1)
    return first.astype(np.uint32), second.astype(np.uint32), weight.astype(np.uint32)


def scale(pixels: Words, out_width: int, out_height: int, bilinear: bool) -> Bytes:
    top, bottom, down = _taps(pixels.shape[0], out_height, bilinear)
    left, right, across = _taps(pixels.shape[1], out_width, bilinear)
    across, down = across[None, :, None], down[:, None, None]
    rows: list[Words] = [
        pixels[row][:, left] * (256 - across) + pixels[row][:, right] * across
        for row in (top, bottom)
    ]
    mixed: Words = rows[0] * (256 - down) + rows[1] * down + np.uint32(32768)
    return (mixed >> 16).astype(np.uint8)
