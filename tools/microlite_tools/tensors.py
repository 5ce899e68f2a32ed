# What a tensor's bytes mean, as microlite.Tensor has it: real values and the tensor's own numbers,
# in float32, with the same results.

"""Tensors of a model on a target."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import UserError

Array = npt.NDArray[Any]

DTYPES = {
    name: np.dtype(name).newbyteorder("<")
    for name in ("float32", "int8", "uint8", "int16", "int32", "int64", "bool")
}


def load_npy(path: Path) -> Array:
    """The numbers in a file, in this PC's byte order."""
    try:
        with path.open("rb") as file:
            array: Any = np.lib.format.read_array(file, allow_pickle=False)
    except OSError:
        raise
    except Exception:  # whatever numpy makes of a damaged header
        array = None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iufb":
        raise UserError(f"{path}: not a .npy file of numbers, as numpy.save() makes them")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


@dataclass(frozen=True)
class Tensor:
    """An input or an output; arrays of scales and zero points fit its shape."""

    kind: str
    index: int
    name: str
    dtype: str
    shape: tuple[int, ...]
    scales: Array | None
    zero_points: Array

    @classmethod
    def told(cls, kind: str, index: int, words: list[Any]) -> Tensor:
        """From what DESCRIBE prints."""
        name, dtype, shape, scales, zero_points, dimension = words
        if dtype not in DTYPES:
            raise UserError(f"{kind} {index} ({name}) is {dtype}, which has no real values")
        fit = [1] * len(shape)
        if len(scales) > 1:
            fit[dimension] = len(scales)
        zeros = np.array(zero_points or [0], np.int64)
        zeros = zeros.reshape(fit if zeros.size > 1 else [1] * len(shape))
        reals = None
        if scales:
            reals = np.frombuffer(bytes.fromhex("".join(scales)), "<f4").reshape(fit)
        return cls(kind, index, name, dtype, tuple(shape), reals, zeros)

    def __str__(self) -> str:
        return f"{self.kind} {self.index} ({self.name})" if self.name else self.place

    @property
    def place(self) -> str:
        """As in "input 0"."""
        return f"{self.kind} {self.index}"

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
        return self.size * DTYPES[self.dtype].itemsize

    @property
    def type(self) -> str:
        """As in "int8 (1, 96, 96, 1)"."""
        return f"{self.dtype} {self.shape}"

    def quantize(self, values: Array, source: str) -> tuple[bytes, int]:
        """Real values in the tensor's own representation, and how many were beyond its range.

        Values of another size, NaN and infinity are the fault of `source`.
        """
        if values.size != self.size:
            raise UserError(f"{source}: {self} takes {self.size} values, {values.size} given")
        values = values.reshape(self.shape)
        if not np.isfinite(values).all():
            raise UserError(f"{source}: NaN or infinity for {self}")
        dtype = DTYPES[self.dtype]
        if dtype.kind == "f":
            with np.errstate(over="ignore"):
                reals = values.astype(dtype)
            if not np.isfinite(reals).all():
                raise UserError(f"{source}: too large for {self}, which is {self.dtype}")
            return reals.tobytes(), 0
        if self.scales is None:
            return self._whole(values, source).astype(dtype).tobytes(), 0
        steps = (values.astype(np.float32) / self.scales).astype(np.float64)
        numbers = np.sign(steps) * np.floor(np.abs(steps) + 0.5) + self.zero_points
        info = np.iinfo(dtype)
        clipped = np.clip(numbers, info.min, info.max)
        return clipped.astype(dtype).tobytes(), int((clipped != numbers).sum())

    def _whole(self, values: Array, source: str) -> Array:
        low, high = 0, 1
        if self.dtype != "bool":
            info = np.iinfo(DTYPES[self.dtype])
            low, high = int(info.min), int(info.max)
        wrong = (values < low) | (values > high)
        if values.dtype.kind == "f":
            wrong |= values != np.floor(values)
        if wrong.any():
            needed = f"whole numbers from {low} to {high}, not {values[wrong].flat[0]}"
            raise UserError(f"{source}: {self} is {self.dtype} and takes {needed}")
        return values

    def dequantize(self, data: bytes) -> Array:
        """Real values; integers that are not quantised stay as they are."""
        numbers = np.frombuffer(data, DTYPES[self.dtype]).reshape(self.shape)
        if self.scales is None:
            return numbers
        centred = numbers.astype(np.int64) - self.zero_points
        reals: Array = centred.astype(np.float32) * self.scales
        return reals
