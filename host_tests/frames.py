# Camera frames scaled to the size of a tensor, pixel by pixel and without haste: what
# write_image() is held against. Whole numbers only, so that results are equal, not near.

from __future__ import annotations

from dataclasses import dataclass
from random import Random

FORMATS = {"gray8": 1, "rgb565": 2, "rgb565be": 2, "rgb888": 3}  # with the bytes of a pixel
Pixel = tuple[int, ...]


@dataclass(frozen=True)
class Frame:
    width: int
    height: int
    format: str
    stride: int
    data: bytes

    def pixel(self, x: int, y: int, channels: int) -> Pixel:
        size = FORMATS[self.format]
        start = y * self.stride + x * size
        raw = self.data[start : start + size]
        if self.format == "gray8":
            return tuple(raw) * channels
        if self.format == "rgb888":
            colour: Pixel = tuple(raw)
        else:
            word = int.from_bytes(raw, "big" if self.format == "rgb565be" else "little")
            red, green, blue = word >> 11, word >> 5 & 63, word & 31
            colour = red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2
        if channels == 3:
            return colour
        weights = 19595, 38470, 7471  # 0.299, 0.587, 0.114 in 1/65536
        return (sum(w * v for w, v in zip(weights, colour, strict=True)) + 32768 >> 16,)


@dataclass(frozen=True)
class Scaling:
    crop: tuple[int, int, int, int]
    out_width: int
    out_height: int
    channels: int
    resample: str
    fit: str

    def region(self) -> tuple[int, int, int, int]:
        """The part of the frame that is used."""
        x, y, width, height = self.crop
        if self.fit == "stretch":
            return self.crop
        narrow, low = width, height
        if width * self.out_height > height * self.out_width:
            narrow = round_half_up(height * self.out_width, self.out_height)
        else:
            low = round_half_up(width * self.out_height, self.out_width)
        narrow, low = min(max(narrow, 1), width), min(max(low, 1), height)
        return x + (width - narrow) // 2, y + (height - low) // 2, narrow, low

    def apply(self, frame: Frame) -> bytes:
        """0..255 for each channel of each pixel of the output."""
        left, top, width, height = self.region()
        out = bytearray()
        for j in range(self.out_height):
            y0, y1, fy = self.tap(j, height, self.out_height)
            for i in range(self.out_width):
                x0, x1, fx = self.tap(i, width, self.out_width)
                rows = [
                    [frame.pixel(left + x, top + y, self.channels) for x in (x0, x1)]
                    for y in (y0, y1)
                ]
                for c in range(self.channels):
                    upper, lower = (a[c] * (256 - fx) + b[c] * fx for a, b in rows)
                    out.append(upper * (256 - fy) + lower * fy + 32768 >> 16)
        return bytes(out)

    def tap(self, i: int, size: int, out_size: int) -> tuple[int, int, int]:
        """Two neighbours of the centre of output pixel i, and the weight of the second."""
        if self.resample == "nearest":
            nearest = (2 * i + 1) * size // (2 * out_size)
            return nearest, nearest, 0
        position = max((2 * i + 1) * size - out_size, 0)
        first, rest = divmod(position, 2 * out_size)
        if first >= size - 1:
            return size - 1, size - 1, 0
        return first, first + 1, rest * 256 // (2 * out_size)


def round_half_up(dividend: int, divisor: int) -> int:
    return (dividend + divisor // 2) // divisor


def random_side(random: Random) -> int:
    """Small ones mostly, now and then up to a camera's."""
    return random.choice([random.randint(1, 9), random.randint(1, 60), random.randint(1, 640)])


def random_frame(random: Random) -> Frame:
    name = random.choice(list(FORMATS))
    width, height = random_side(random), random_side(random)
    row = width * FORMATS[name]
    stride = row + random.choice([0, 0, 1, random.randint(0, 40)])
    data = random.randbytes((height - 1) * stride + row)
    return Frame(width, height, name, stride, data)


def random_scaling(random: Random, frame: Frame, side: int = 24) -> Scaling:
    x, y = random.randrange(frame.width), random.randrange(frame.height)
    part = x, y, random.randint(1, frame.width - x), random.randint(1, frame.height - y)
    crop = random.choice([(0, 0, frame.width, frame.height), part])
    out_width, out_height = random.choice(
        [(random.randint(1, side), random.randint(1, side)), (min(crop[2], side), 1)]
    )
    return Scaling(
        crop,
        out_width,
        out_height,
        random.choice([1, 3]),
        random.choice(["nearest", "bilinear"]),
        random.choice(["crop", "stretch"]),
    )
