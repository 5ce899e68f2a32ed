# The arithmetic of tensors, to the bit and the same everywhere, against a model of it in numpy:
# real values written and read, for all 8-bit numbers and many others.

import hashlib
import json
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
import pytest

import targets
from builder import TYPES, Array, Model, Quantization, Tensor
from programs import Record, records
from targets import BOARDS, DEVICE, UNIX, Files

RUNNER = DEVICE / "values_runner.py"
LONG = 1024  # the runner tells more bytes by their SHA-256

F32 = np.float32
CODES = {"float32": "f", "int8": "b", "uint8": "B", "int16": "h", "int32": "i", "int64": "q"}
LEAST_SUBNORMAL, MOST = F32(1e-45), np.finfo(np.float32).max


# --- The model: IEEE float32, one operation at a time; wider types only where they are exact ---


@dataclass(frozen=True)
class Kind:
    """A tensor's type and quantisation."""

    dtype: str
    scales: tuple[float, ...] = ()
    zero_points: tuple[int, ...] = ()
    dimension: int = 0

    def spread(self, numbers: tuple[float, ...], shape: tuple[int, ...]) -> Array:
        if len(numbers) == 1:
            return np.full(shape, numbers[0])
        along = [1] * len(shape)
        along[self.dimension] = -1
        return np.broadcast_to(np.reshape(numbers, along), shape)

    def store(self, real: Array) -> tuple[Array, int]:
        """The numbers for real values, and how many of these are out of range."""
        if self.dtype == "float32":
            return real.astype(F32), 0
        limits = np.iinfo(self.dtype)
        scales = self.spread(self.scales or (1.0,), real.shape).astype(F32)
        zero_points = self.spread(self.zero_points or (0,), real.shape).astype(np.float64)
        with np.errstate(over="ignore"):
            steps = (real.astype(F32) / scales).astype(np.float64)
        numbers = np.copysign(np.floor(np.abs(steps) + 0.5), steps) + zero_points
        out = (numbers < limits.min) | (numbers > float(limits.max))
        within = np.where(out, 0, numbers).astype(self.dtype)
        ends = np.where(numbers > 0, limits.max, limits.min).astype(self.dtype)
        return np.where(out, ends, within), int(out.sum())

    def load(self, raw: Array) -> Array:
        if not self.scales:
            return raw
        zero_points = self.spread(self.zero_points, raw.shape).astype(F32)
        shifted = raw.astype(F32) - zero_points
        return shifted * self.spread(self.scales, raw.shape).astype(F32)

    def file(self, shape: tuple[int, ...]) -> bytes:
        """A model of nothing but one such tensor."""
        quantization = None
        if self.scales:
            quantization = Quantization([*self.scales], [*self.zero_points], self.dimension)
        tensor = Tensor([*shape], TYPES[self.dtype], None, quantization, name="x")
        return Model([tensor], [], [0], [0]).to_bytes()


def scaled(values: Array, mul: Array | None, add: Array | None) -> Array:
    product = values.astype(F32) * (F32(1) if mul is None else mul.astype(F32))
    return np.asarray(product + (F32(0) if add is None else add.astype(F32)))


# --- Cases ---

OTHERS = [Kind("int8", (0.37,), (-5,)), Kind("uint8", (0.01,), (255,)), Kind("float32")]


@dataclass(frozen=True)
class Case:
    name: str
    kind: Kind
    values: Array
    mul: Array | None = None
    add: Array | None = None
    others: list[Kind] = field(default_factory=lambda: OTHERS)

    @cached_property
    def expected(self) -> Record:
        is_scaled = self.mul is not None or self.add is not None
        real = scaled(self.values, self.mul, self.add) if is_scaled else self.values
        if real.dtype.kind in "iu" and not self.kind.scales and self.kind.dtype != "float32":
            real = real.astype(np.float64)  # the cases here have none beyond 2**53
        raw, saturated = self.kind.store(real)
        read = self.kind.load(raw)
        others = [kind.store(read) for kind in self.others]
        return {
            "name": self.name,
            "saturated": saturated,
            "raw": told(raw),
            "read": told(read),
            "others": [[n, told(numbers)] for numbers, n in others],
        }

    def stage(self, files: Files) -> dict[str, Any]:
        """Adds the files that the runner needs, and tells which."""
        row: dict[str, Any] = {"name": self.name, "model": f"{self.name}.tflite", "others": []}
        files[row["model"]] = self.kind.file(self.values.shape)
        for i, kind in enumerate(self.others):
            row["others"].append(f"{self.name}.{i}.tflite")
            files[row["others"][-1]] = kind.file(self.values.shape)
        for key in ("values", "mul", "add"):
            if (array := getattr(self, key)) is not None:
                row[key] = {
                    "file": f"{self.name}.{key}",
                    "code": array.dtype.char.replace("l", "q"),
                }
                files[row[key]["file"]] = array.tobytes()
        return row


def told(array: Array) -> str:
    data = np.ascontiguousarray(array).tobytes()
    return f"sha256:{hashlib.sha256(data).hexdigest()}" if len(data) > LONG else data.hex()


def around(numbers: Array, kind: Kind) -> Array:
    """Floats at which these numbers, and the halves between them, begin and end."""
    steps = np.concatenate([numbers, numbers + 0.5, numbers - 0.5]) - kind.zero_points[0]
    with np.errstate(over="ignore", under="ignore"):
        exact = (steps * np.float64(F32(kind.scales[0]))).astype(F32)
        far = np.array([0.0, -0.0, MOST, -MOST, LEAST_SUBNORMAL, -LEAST_SUBNORMAL], F32)
        values = [exact, np.nextafter(exact, F32(np.inf)), np.nextafter(exact, F32(-np.inf)), far]
    found = np.concatenate(values)
    return np.asarray(found[np.isfinite(found)])


def numbers_of(dtype: str) -> Array:
    limits = np.iinfo(dtype)
    if limits.bits == 8:
        return np.arange(limits.min, limits.max + 1, dtype=np.float64)
    rng = np.random.default_rng(limits.bits)
    some = rng.integers(limits.min, limits.max, 500, endpoint=True).astype(np.float64)
    return np.concatenate([some, [limits.min, limits.min + 1, 0, 1, limits.max - 1, limits.max]])


def rounding() -> list[Case]:
    scales = [1.0, 0.1, 1 / 255, 0.0078125, 3.0, 1e-45, 1e-38, 1e-18, 1e9, 2e36]
    zero_points = {"int8": (-128, 0, 127), "uint8": (0, 128, 255), "int16": (0, -32768, 32767)}
    kinds = [
        Kind(dtype, (float(F32(scale)),), (zero_points[dtype][i % 3],))
        for dtype in ("int8", "uint8", "int16")
        for i, scale in enumerate(scales)
    ]
    kinds += [Kind(d, (0.02,), (z,)) for d in ("int8", "uint8") for z in zero_points[d]]
    kinds += [Kind("int32", (0.001,), (0,)), Kind("int32", (0.5,), (2**31 - 1,))]
    return [
        Case(f"{kind.dtype}_{kind.scales[0]:.3g}_{kind.zero_points[0]}", kind, values)
        for kind in kinds
        for values in [around(numbers_of(kind.dtype), kind)]
    ]


def plain() -> list[Case]:
    rng = np.random.default_rng(1)
    floats = (rng.standard_normal(500) * 10.0 ** rng.integers(-3, 12, 500)).astype(F32)
    halves = np.arange(-300, 300, dtype=F32) / 2
    values = np.concatenate([floats, halves])
    return [Case(f"plain_{dtype}", Kind(dtype), values) for dtype in CODES]


def sources() -> list[Case]:
    """Numbers of each type into one type."""
    kind = Kind("int8", (0.3,), (7,))
    cases = []
    for code in "bhHiIqQfd":
        dtype = np.dtype(code)
        if dtype.kind == "f":
            values = np.linspace(-50, 50, 101).astype(dtype) / 3
        else:
            limits = np.iinfo(dtype)
            some = np.random.default_rng(3).integers(limits.min, limits.max, 100, dtype)
            ends = [limits.min, limits.max, limits.max - 1, limits.max // 2 + 1]
            values = np.array([*range(50), *some, *ends], dtype)
        cases.append(Case(f"from_{code}", kind, values))
        cases.append(Case(f"from_{code}_to_float", Kind("float32"), values))
    return cases


def slices() -> list[Case]:
    """A scale for each slice, and factors for each feature."""
    rng = np.random.default_rng(2)
    shape = (2, 3, 4, 5)
    values = (rng.standard_normal(shape) * 100).astype(F32)
    cases = []
    for dimension, n in enumerate(shape):
        scales = tuple(float(F32(0.1 * (i + 1))) for i in range(n))
        zeros = tuple(3 * i - 5 for i in range(n))
        kind = Kind("int8", scales, zeros, dimension)
        cases.append(Case(f"slices_{dimension}", kind, values, others=[*OTHERS, kind]))
    one_zero = Kind("int32", (0.25, 0.5, 1e-3, 7.0, 1.5), (0,), 3)
    cases.append(Case("slices_one_zero_point", one_zero, values))
    mul = np.array([1 / 3, -0.7, 1e3, 1e-3, 0], F32)
    add = np.array([0.1, 1e4, -1 / 3, 5, -6], np.float64)
    for name, m, a in (("mul", mul, None), ("add", None, add), ("mul_add", mul, add)):
        for kind in (Kind("float32"), Kind("int8", (0.1,), (-3,)), Kind("int32"), cases[3].kind):
            name_of = f"{name}_{kind.dtype}_{len(kind.scales)}"
            cases.append(Case(name_of, kind, values, m, a))
    pixels = rng.integers(0, 256, (1, 7, 9, 3)).astype(np.uint8)
    mul, add = np.array([1 / 58.4, 1 / 57.1, 1 / 57.4], F32), np.array([-2.1, -2.0, -1.8], F32)
    cases.append(Case("pixels", Kind("int8", (0.02,), (-1,)), pixels, mul, add))
    cases.append(Case("scalar", Kind("uint8", (0.5,), (9,)), np.array(1.25, F32)))
    return cases


CASES = [*rounding(), *plain(), *sources(), *slices()]


# --- Targets ---


@cache
def files() -> Files:
    found: Files = {}
    rows = [case.stage(found) for case in CASES]
    return found | {"values.json": json.dumps(rows).encode()}


@cache
def told_by(target: str) -> dict[str, Record]:
    output = targets.run(target, RUNNER.read_text(), files())
    lines = records(output)
    assert lines and lines[-1] == {"done": len(CASES)}, output[-2000:]
    return {record["name"]: record for record in lines[:-1]}


@pytest.mark.parametrize("target", [*UNIX, *BOARDS])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_same_bits(case: Case, target: str) -> None:
    assert told_by(target)[case.name] == case.expected
