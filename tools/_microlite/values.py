# Numbers: conversion between the types that tensors and buffers have. All arithmetic on reals is
# float32, one operation at a time, so that results have the same bits as on a board.

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float32]

# Codes of array.array and their types; a bool is a byte. The runtimes know the types of 64 bits by
# these names only.
TYPES: dict[str, np.dtype[Any]] = {code: np.dtype(code) for code in "bBhHiIfd"}
TYPES |= {"q": np.dtype(np.int64), "Q": np.dtype(np.uint64), "?": np.dtype(np.uint8)}

_INT64 = np.iinfo(np.int64)
_CHUNK = 32
_NARROW_LIMIT = 1 << 22  # beyond the results of 8 and 16 bits


@dataclass
class Values:
    """A row of numbers: a tensor's, or those of a buffer. When there are scales, the real values
    are (number - zero point) * scale."""

    data: Array
    code: str
    scales: Floats | None = None
    zero_points: npt.NDArray[np.int64] | None = None
    slice: int = 1  # numbers in sequence that share a scale

    @property
    def is_plain_int(self) -> bool:
        return self.code not in "fd" and self.scales is None

    @property
    def real_code(self) -> str:
        """The code of arrays for the real values."""
        return "f" if self.scales is not None else "B" if self.code == "?" else self.code

    def _lanes(self) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Scale and zero point of each number, or one of each for all."""
        if self.scales is None or self.zero_points is None:
            return np.ones(1, np.float32), np.zeros(1, np.int64)
        if len(self.scales) == 1:
            return self.scales, self.zero_points
        lanes = np.arange(len(self.data)) // self.slice % len(self.scales)
        return self.scales[lanes], self.zero_points[lanes]

    def reals(self) -> Floats:
        with np.errstate(all="ignore"):
            values = self.data.astype(np.float32)
            if self.scales is not None:
                scales, zero_points = self._lanes()
                values = (values - zero_points.astype(np.float32)) * scales
        return values

    def one(self, index: int) -> Values:
        """The row of one number, copied."""
        data = self.data[index : index + 1].copy()
        if self.scales is None or self.zero_points is None:
            return Values(data, self.code)
        lane = slice(0, 1)
        if len(self.scales) > 1:
            at = index // self.slice % len(self.scales)
            lane = slice(at, at + 1)
        return Values(data, self.code, self.scales[lane], self.zero_points[lane])

    def get(self, index: int) -> bool | int | float:
        """The real value, as int when the numbers are integers."""
        if self.code == "?":
            return bool(self.data[index])
        if self.is_plain_int:
            return int(self.data[index])
        return float(self.one(index).reals()[0])

    def store(self, reals: Floats) -> int:
        """Returns how many values were out of range."""
        if self.code in "fd":
            self.data[:] = reals
            return 0
        if self.code == "?":
            self.data[:] = reals != 0
            return 0
        scales, zero_points = self._lanes()
        with np.errstate(all="ignore"):
            steps = reals / scales
        round_all = _wide if self.code in "iq" else _narrow
        numbers, beyond = round_all(steps, zero_points)
        return self.store_ints(numbers, beyond)

    def store_ints(self, numbers: npt.NDArray[np.int64], beyond: npt.NDArray[np.bool_]) -> int:
        if self.code == "?":
            self.data[:] = numbers != 0
            return 0
        limits = np.iinfo(self.data.dtype)
        stored = np.clip(numbers, limits.min, limits.max)
        self.data[:] = stored
        return int(np.count_nonzero(beyond | (stored != numbers)))

    def clear(self) -> None:
        """Sets all real values to 0."""
        self.store(np.zeros(len(self.data), np.float32))


class Scaling(NamedTuple):
    """v * mul + add. A row that is shorter than the values starts again at its end."""

    mul: Values
    add: Values


def _rounded(values: Floats) -> npt.NDArray[np.int64]:
    """Half away from zero, for numbers that int64 has."""
    whole = values.astype(np.int64)
    rest = values - whole.astype(np.float32)
    return whole + (rest >= 0.5) - (rest <= -0.5)


def _narrow(
    steps: Floats, zero_points: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    with np.errstate(all="ignore"):
        whole = _rounded(np.clip(steps, -_NARROW_LIMIT, _NARROW_LIMIT))
    return whole + zero_points, np.zeros(len(steps), np.bool_)


def _wide(
    steps: Floats, zero_points: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    fits = (steps >= -(2.0**63)) & (steps < 2.0**63)
    whole = _rounded(np.where(fits, steps, np.float32(0)))
    with np.errstate(all="ignore"):
        numbers = whole + zero_points
    beyond = ~fits | (((whole ^ numbers) & (zero_points ^ numbers)) < 0)
    ends = np.where(steps < 0, _INT64.min, _INT64.max)
    return np.where(beyond, ends, numbers), beyond


def is_alike(a: Values, b: Values) -> bool:
    """Whether equal numbers mean equal values. Bools of a caller may be others than 0 and 1."""
    if a.code != b.code or (a.scales is None) != (b.scales is None):
        return False
    if a.scales is None or b.scales is None or a.zero_points is None or b.zero_points is None:
        return a.code != "?"
    if len(a.scales) != 1 or len(b.scales) != 1:
        return False
    return bool(a.scales[0] == b.scales[0] and a.zero_points[0] == b.zero_points[0])


def scaled(values: Values, scaling: Scaling | None) -> Floats:
    reals = values.reals()
    if scaling is None:
        return reals
    with np.errstate(all="ignore"):
        for row, combine in ((scaling.mul, np.multiply), (scaling.add, np.add)):
            reals = combine(reals, np.resize(row.reals(), len(reals)))
    return reals


def find_infinite(values: Values, scaling: Scaling | None = None) -> int | None:
    """The place of the first value that is not finite once it is scaled."""
    if scaling is None and values.is_plain_int:
        return None
    places = np.flatnonzero(~np.isfinite(scaled(values, scaling)))
    return int(places[0]) if len(places) else None


def convert(dst: Values, src: Values, scaling: Scaling | None = None) -> int:
    """dst = src * mul + add. Returns how many values were out of dst's range and saturated."""
    if scaling is None and is_alike(dst, src):
        dst.data[:] = src.data
        return 0
    if scaling is None and dst.is_plain_int and src.is_plain_int:
        beyond = src.data > _INT64.max if src.code == "Q" else np.zeros(len(src.data), np.bool_)
        return dst.store_ints(np.where(beyond, _INT64.max, src.data).astype(np.int64), beyond)
    return dst.store(scaled(src, scaling))


def argmax(values: Values) -> int | None:
    """The first index of the largest value; None when there is a NaN."""
    numbers = values.data if values.is_plain_int else values.reals()
    if len(numbers) == 0 or np.isnan(numbers).any():
        return None
    return int(np.argmax(numbers))


def from_buffer(view: memoryview) -> Values | None:
    """The numbers in a buffer, None when it does not hold any."""
    code = view.format.lstrip("@=<")
    if code in ("l", "L"):
        code = {4: "i", 8: "q"}[view.itemsize]
        code = code.upper() if view.format.endswith("L") else code
    if code not in TYPES or TYPES[code].itemsize != view.itemsize:
        return None
    if view.nbytes == 0:
        return Values(np.empty(0, TYPES[code]), code)
    return Values(np.frombuffer(view, TYPES[code]).reshape(-1), code)


def mean_square(a: Values, b: Values) -> float:
    """Of the differences. Sums are taken in the order of the C module, in pieces."""
    mean = _mean_square(a, b, 1.0)
    if mean == np.inf:  # smaller by a power of two, the sum of the squares is within float32
        mean = float(np.float32(_mean_square(a, b, 2.0**-64) * 2.0**128))
    return mean


def _mean_square(a: Values, b: Values, factor: float) -> float:
    with np.errstate(all="ignore"):
        scale = np.float32(factor)
        squares = np.square(a.reals() * scale - b.reals() * scale)
        pieces = np.zeros((-(-len(squares) // _CHUNK), _CHUNK), np.float32)
        pieces.reshape(-1)[: len(squares)] = squares
        sums = np.zeros(len(pieces), np.float32)
        for column in pieces.T:
            sums += column
        return float(np.add.accumulate(sums)[-1] / np.float32(len(squares)))
