# Operators with two inputs: every way to broadcast, zero points at both ends, scales far apart,
# and all pairs of int8.

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from binary_models import (
    BOOL_OPS,
    COMPARISONS,
    DIVISIONS,
    MORE_TYPES,
    OPTIONS,
    SAME_SCALE,
    divisor,
    pair,
    types_of,
)
from builder import Array, Tensor, activation
from one_op import NONE, RELU, RELU6, RELU_N1, Case

SHAPES = [
    ([], [], []),
    ([], [5], [5]),
    ([1], [1, 1], [1, 1]),
    ([7], [], [7]),
    ([3, 1], [1, 4], [3, 4]),
    ([257], [257], [257]),
    ([2, 3, 1], [3, 5], [2, 3, 5]),
    ([1, 2, 2, 255], [255], [1, 2, 2, 255]),
    ([1, 4, 1, 3], [2, 1, 5, 1], [2, 4, 5, 3]),
    ([2, 1, 2, 1, 3], [3, 1, 2, 1], [2, 3, 2, 2, 3]),
    ([2, 3, 1, 2, 2], [2, 3, 2, 1, 1], [2, 3, 2, 2, 2]),
    ([1, 1, 1, 1, 9], [2, 2, 1, 1, 1], [2, 2, 1, 1, 9]),
]
ENDS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (0,)}
SCALES = [  # of both inputs and the output
    (0.05, 0.05, 0.1),
    (1 / 128, 0.04, 0.05),
    (2.0, 0.001, 0.7),
    (1e-6, 3e-6, 2e-6),
    (9.0, 0.4, 300.0),
    (0.1, 0.1, 0.01),
    (0.02, 0.5, 100.0),
]
PRODUCTS = "MUL", "SQUARED_DIFFERENCE"


def _scales(op: str, dtype: str, scales: tuple[float, float, float]) -> tuple[float, ...]:
    """Such that results are within reach of the output, as converters choose them."""
    a, b, out = scales
    if op in SAME_SCALE:
        return a, a, a
    if op in COMPARISONS:
        if dtype == "int8":
            return min(a, 0.9), min(b, 0.9), 1
        return (a, a, 1) if 1 / 256 < a < 1 else (0.5, 0.25, 1)
    if op in PRODUCTS:
        largest = 255 if dtype != "int16" else 1 << 15
        wide = a * b if op == "MUL" else max(a, b) ** 2
        return a, b, wide * largest * (out / (a + b))
    if op == "DIV":
        return a, b, a / b * 0.1
    return scales


def _tensor(shape: list[int], dtype: str, scale: float, zero_point: int) -> Tensor:
    return activation(shape, dtype, scale if dtype in ENDS else None, zero_point)


def _case(
    op: str,
    name: str,
    dtype: str,
    shapes: tuple[list[int], ...],
    scales: tuple[float, float, float] = SCALES[1],
    zeros: tuple[int, ...] = (0, 0, 0),
    function: int = NONE,
) -> Case:
    sizes = _scales(op, dtype, scales)
    a, b = (_tensor(shapes[i], dtype, sizes[i], zeros[i]) for i in (0, 1))
    out_type = "bool" if op in COMPARISONS else dtype
    out = _tensor(shapes[2], out_type, sizes[2], zeros[0] if op in SAME_SCALE else zeros[2])
    if op in SAME_SCALE:
        b = _tensor(shapes[1], dtype, sizes[1], zeros[0])
    return pair(op, f"{name}_{dtype}", a, divisor(b) if op in DIVISIONS else b, out, function)


def broadcasting() -> Iterator[Case]:
    for op in MORE_TYPES:
        for dtype in types_of(op):
            for i, (a, b, out) in enumerate(SHAPES):
                yield _case(op, f"shapes_{i}", dtype, (a, b, out))
                if a != b:
                    yield _case(op, f"shapes_{i}_turned", dtype, (b, a, out))
    for op in BOOL_OPS:
        for i, (a, b, out) in enumerate(SHAPES):
            x, y, z = (activation(shape, "bool") for shape in (a, b, out))
            yield pair(op, f"shapes_{i}_bool", x, y, z)


def activations() -> Iterator[Case]:
    same = ([2, 3, 17],) * 3
    for op in OPTIONS:
        for dtype in types_of(op):
            for function in RELU, RELU_N1, RELU6:
                zeros = {"int8": (-3, 5, -20), "uint8": (125, 133, 108)}.get(dtype, (0, 0, 0))
                yield _case(
                    *(op, f"activation_{function}", dtype, same),
                    zeros=zeros,
                    function=function,
                )


def quantisations() -> Iterator[Case]:
    shapes = [2, 1, 64], [2, 4, 1], [2, 4, 64]
    for op in MORE_TYPES:
        for dtype in ENDS:
            if dtype not in types_of(op):
                continue
            for i, scales in enumerate(SCALES):
                yield _case(op, f"scales_{i}", dtype, shapes, scales)
            low, high = ENDS[dtype][0], ENDS[dtype][-1]
            for i, zeros in enumerate(
                ((low, low, low), (high, high, high), (low, high, low), (high, low, high))
            ):
                yield _case(op, f"zeros_{i}", dtype, shapes, SCALES[0], zeros)
                if op in OPTIONS:
                    yield _case(op, f"zeros_{i}_relu", dtype, shapes, SCALES[2], zeros, RELU)


def all_pairs() -> Iterator[Case]:
    """Every int8 with every other."""
    values = np.arange(-128, 128, dtype=np.int8)

    def inputs(rng: np.random.Generator) -> list[Array]:
        return [values.reshape(256, 1), values.reshape(1, 256)]

    for op in MORE_TYPES:
        if op in DIVISIONS or "int8" not in types_of(op):
            continue
        for i, zeros in enumerate(((0, 0, 0), (-128, 127, -128), (127, -128, 5))):
            for j, scales in enumerate(SCALES):
                shapes = [256, 1], [1, 256], [256, 256]
                case = _case(op, f"pairs_{i}_{j}", "int8", shapes, scales, zeros)
                yield replace(case, inputs=inputs)


def cases() -> Iterator[Case]:
    yield from broadcasting()
    yield from activations()
    yield from quantisations()
    yield from all_pairs()
