# The type Tensor: an input or an output of a Model, which it keeps alive.

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from . import writing
from .collect import check_length, real
from .graph import Edge
from .image import write_image
from .memory import Bytes, buffer_of
from .values import TYPES, Values, argmax, convert, find_infinite, from_buffer

if TYPE_CHECKING:
    from .model import Model


class Tensor:
    # Internals come first; all else is what a board's Tensor has.
    __slots__ = ("_viewed", "edge", "kind", "memory", "model", "overwritten", "place", "stale")

    def __init__(self, model: Model, kind: str, place: int, edge: Edge, overwritten: bool) -> None:
        self.model = model
        self.kind = kind
        self.place = place
        self.edge = edge
        self.overwritten = overwritten
        self.memory: Bytes = np.empty(0, np.uint8)
        self.stale = False
        self._viewed = False

    def fail(self, error: type[Exception], text: str) -> NoReturn:
        raise error(f"{self._called()}: {text}")

    def _called(self) -> str:
        name = f" ({self.edge.name})" if self.edge.name else ""
        return f"{self.kind} {self.place}{name}"

    def values(self) -> Values:
        """The numbers of the tensor; TypeError when they have no use here."""
        edge = self.edge
        if not edge.dtype.code:
            words = "has no real values here; use write_raw() and data"
            self.fail(TypeError, f"{edge.dtype.name} {words}")
        data = self.memory.view(TYPES[edge.dtype.code])
        if not edge.is_quantised:
            return Values(data, edge.dtype.code)
        if edge.slice == 0:
            self.fail(TypeError, "the scales make no sense; use write_raw() and data")
        scales = np.array(edge.scales, np.float32)
        zero_points = np.array(edge.zero_points, np.int64).astype(np.int32).astype(np.int64)
        return Values(data, edge.dtype.code, scales, zero_points, edge.slice)

    def clear(self) -> None:
        """Real zeros, zero bytes when there are no real values."""
        self.memory[:] = 0
        if self.edge.is_quantised and self.edge.slice:
            self.values().clear()

    def expire(self) -> None:
        """A run begins, after which the numbers are no longer there."""
        self.stale = self.overwritten and not self._viewed

    def check_writable(self) -> None:
        self.model.check()
        if self.kind == "output":
            self.fail(TypeError, "outputs are read-only")
        if self.edge.constant is not None:
            self.fail(TypeError, "constants are read-only")

    def check_readable(self) -> None:
        """With the model taken."""
        if self.kind == "input":
            if self.stale:
                self.fail(RuntimeError, "its memory was reused by invoke(); keep a copy")
        elif not self.model.has_results:
            started = "no result: the last run did not finish"
            self.fail(
                RuntimeError,
                started if self.model.has_run else "no result yet: invoke() first",
            )

    # --- Attributes ---

    @property
    def name(self) -> str:
        self.model.check()
        return self.edge.name

    @property
    def index(self) -> int:
        self.model.check()
        return self.place

    @property
    def shape(self) -> tuple[int, ...]:
        self.model.check()
        return self.edge.shape

    @property
    def dtype(self) -> str:
        self.model.check()
        return self.edge.dtype.name

    @property
    def typecode(self) -> str:
        self.model.check()
        return self.edge.dtype.view

    @property
    def size(self) -> int:
        self.model.check()
        return self.edge.size

    @property
    def nbytes(self) -> int:
        self.model.check()
        return self.edge.nbytes

    @property
    def scale(self) -> float | None:
        self.model.check()
        return self.edge.scales[0] if self.edge.one_scale else None

    @property
    def zero_point(self) -> int | None:
        self.model.check()
        return self.edge.zero_points[0] if self.edge.one_scale else None

    @property
    def scales(self) -> tuple[float, ...]:
        self.model.check()
        return self.edge.scales if self.edge.is_quantised else ()

    @property
    def zero_points(self) -> tuple[int, ...]:
        self.model.check()
        return self.edge.zero_points if self.edge.is_quantised else ()

    @property
    def quantized_dimension(self) -> int:
        self.model.check()
        return self.edge.dimension

    @property
    def data(self) -> memoryview[Any]:
        with self.model.take():
            self._viewed = self.kind == "input"
            self.stale = False
        if len(self.memory) == 0:
            return memoryview(array(self.edge.dtype.view))
        view: memoryview[Any] = self.memory.data.cast(self.edge.dtype.view)  # type: ignore[call-overload]
        writable = self.kind == "input" and self.edge.constant is None
        return view if writable else view.toreadonly()

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        edge = self.edge
        if self.model.is_closed:
            return f"Tensor({self.kind} {self.place} of a closed model)"
        text = f"Tensor({self._called()}, {edge.dtype.name} {edge.shape}"
        if edge.one_scale:
            text += f", scale {edge.scales[0]:g}, zero point {edge.zero_points[0]}"
        elif edge.is_quantised:
            text += f", {len(edge.scales)} scales along dimension {edge.dimension}"
        return text + ")"

    # --- Writing ---

    def write(self, values: Any, *, mul: Any = writing.ABSENT, add: Any = writing.ABSENT) -> int:
        return writing.write(self, values, mul, add)

    def write_raw(self, buffer: Any, /) -> None:
        writing.write_raw(self, buffer)

    def write_image(
        self,
        frame: Any,
        width: int,
        height: int,
        format: str = "gray8",
        *,
        stride: int | None = None,
        crop: Any = None,
        fit: str = "crop",
        resample: str = "bilinear",
        range: Any = None,
    ) -> None:
        write_image(self, frame, width, height, format, stride, crop, fit, resample, range)

    # --- Reading ---

    def read(self) -> array[Any]:
        with self.model.take():
            self.check_readable()
            values = self.values()
            result = array(values.real_code, bytes(len(values.data) * _item_size(values)))
            row = from_buffer(memoryview(result))
            assert row is not None
            convert(row, values)
        return result

    def read_into(self, buffer: Any, /) -> None:
        with self.model.take():
            self.check_readable()
            values = self.values()
            code = values.real_code
            view = buffer_of(buffer)
            row = None if view is None or view.readonly else from_buffer(view)
            if row is None or not (row.code == code or (code == "f" and row.code == "d")):
                self.fail(TypeError, f"a writable array('{code}') needed")
            check_length(self, "", len(values.data), len(row.data))
            if np.may_share_memory(row.data, values.data):
                self.fail(ValueError, "the buffer overlaps the tensor")
            convert(row, values)

    def argmax(self) -> int:
        self.model.check()
        values = self.values()
        with self.model.take():
            self.check_readable()
            best = argmax(values)
        if best is None:
            self.fail(ValueError, "NaN among the values")
        return best

    def _read_one(self, index: int) -> bool | int | float:
        with self.model.take():
            self.check_readable()
            return self.values().get(index)

    def _index(self, index: Any, n: int, dimension: int | None) -> int:
        if not isinstance(index, int) or isinstance(index, bool):
            kind = type(index).__name__
            self.fail(TypeError, f"index must be int, not {kind}; use read() or data for parts")
        if -n <= index < n:
            return index % n
        where = "" if dimension is None else f" in dimension {dimension}, which has {n}"
        return self.fail(IndexError, f"index {index}{where or f' of {n} values'}")

    def __getitem__(self, index: Any) -> bool | int | float:
        self.model.check()
        shape = self.edge.shape
        if not isinstance(index, tuple):
            return self._read_one(self._index(index, self.edge.size, None))
        if len(index) != len(shape):
            self.fail(IndexError, f"{len(index)} indices for {len(shape)} dimensions")
        place = 0
        for dimension, (each, n) in enumerate(zip(index, shape, strict=True)):
            place = place * n + self._index(each, n, dimension)
        return self._read_one(place)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.fail(TypeError, "single values cannot be set; use write() or data")

    def __delitem__(self, index: Any) -> None:
        self.fail(TypeError, "single values cannot be set; use write() or data")

    def __iter__(self) -> Iterator[bool | int | float]:
        return (self._read_one(i) for i in range(self.edge.size))

    # --- One number ---

    def _one_scale(self) -> Values:
        self.model.check()
        values = self.values()
        if values.scales is None:
            self.fail(TypeError, "not quantised")
        if len(values.scales) != 1:
            self.fail(TypeError, "several scales; use write() and read()")
        data = np.zeros(1, values.data.dtype)
        return Values(data, values.code, values.scales, values.zero_points)

    def quantize(self, x: float, /) -> int:
        value = self._one_scale()
        number = Values(np.array([real(self, "", 0, x)], np.float32), "f")
        if find_infinite(number) is not None:
            self.fail(ValueError, "the value is NaN or infinite")
        convert(value, number)
        return int(value.data[0])

    def dequantize(self, q: int, /) -> float:
        value = self._one_scale()
        if not isinstance(q, int) or isinstance(q, bool):
            self.fail(TypeError, f"int needed, not {type(q).__name__}")
        limits = np.iinfo(value.data.dtype)
        if not limits.min <= q <= limits.max:
            self.fail(ValueError, f"number beyond {self.edge.dtype.name}")
        value.data[0] = q
        return float(value.get(0))


def _item_size(values: Values) -> int:
    return TYPES[values.real_code].itemsize
