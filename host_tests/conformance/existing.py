# Operators whose kernels are TFLM's own.

from collections.abc import Iterator
from typing import Any

import numpy as np

from builder import Array, Tensor, activation
from one_op import (
    NONE,
    Case,
    Formula,
    act,
    by_formula,
    ints,
    number,
    one_op,
    real,
    weights,
)

FLOAT_OPS = "ABS", "SIN", "COS", "LOG", "SQRT", "RSQRT", "SQUARE", "NEG", "CEIL", "FLOOR", "ROUND"
SHAPES = [[1], [257], [3, 7], [2, 1, 5], [1, 4, 3, 2], [2, 1, 3, 2, 2]]
ENDS = {"int8": (-128, 127), "uint8": (0, 255)}


def name_of(*parts: Any) -> str:
    return "_".join("x".join(map(str, p)) if isinstance(p, list) else str(p) for p in parts)


def elementwise() -> Iterator[Case]:
    for shape in SHAPES:
        for op in FLOAT_OPS:
            yield one_op(name_of(shape), op, [act(shape, "float32")], [act(shape, "float32")])
        boolean = act(shape, "bool")
        yield one_op(name_of(shape), "LOGICAL_NOT", [boolean], [boolean])


BROADCASTS = [
    ([4, 3], [4, 3]),
    ([2, 3, 4], [4]),
    ([1], [2, 5]),
    ([2, 1, 3], [4, 1]),
    ([2, 3, 1, 2], [1, 1, 4, 1]),
]


def logical() -> Iterator[Case]:
    for a, b in BROADCASTS:
        out = list(np.broadcast_shapes(tuple(a), tuple(b)))
        for op in "LOGICAL_AND", "LOGICAL_OR":
            pair = [act(a, "bool"), act(b, "bool")]
            yield one_op(name_of(a, b), op, pair, [act(out, "bool")])


def _unit_length(x: Tensor, y: Tensor) -> Formula:
    def formula(inputs: list[Array]) -> list[Array]:
        values = real(inputs[0], x)
        length = np.sqrt(np.maximum(np.sum(values**2, axis=-1, keepdims=True), 1e-6))
        return [number(values / length, y)]

    return formula


def l2_normalization() -> Iterator[Case]:
    for shape in [7], [2, 1], [3, 257], [1, 2, 2, 5]:
        values = {"FusedActivationFunction": NONE}
        x = act(shape, "float32")
        yield one_op(
            name_of("float32", shape), "L2_NORMALIZATION", [x], [x], "L2NormOptions", **values
        )
        for dtype, zero in ("int8", 0), ("uint8", 128):
            for at in *ENDS[dtype], zero + 3:
                x = activation(shape, dtype, 0.05, at)
                y = activation(shape, dtype, 1 / 128, zero)
                name = name_of(dtype, shape, at)
                case = one_op(name, "L2_NORMALIZATION", [x], [y], "L2NormOptions", **values)
                yield case if dtype == "int8" else by_formula(case, _unit_length(x, y), step=1)


def _leaky(x: Tensor, alpha: Tensor, y: Tensor) -> Formula:
    assert alpha.data
    slopes = np.frombuffer(alpha.data, "u1").reshape(alpha.shape)

    def formula(inputs: list[Array]) -> list[Array]:
        values = real(inputs[0], x)
        return [number(np.where(values < 0, values * real(slopes, alpha), values), y)]

    return formula


def prelu() -> Iterator[Case]:
    for shape, slope in ([1, 2, 3, 4], [1, 1, 4]), ([2, 3, 5], [5]), ([7], [1]), ([3, 2], [3, 2]):
        for dtype in "float32", "int8", "uint8":
            alpha = weights(1, slope, dtype)
            if dtype == "float32":
                x = act(shape, dtype)
                yield one_op(name_of(dtype, shape, slope), "PRELU", [x, alpha], [x])
                continue
            for at in ENDS[dtype]:
                x = activation(shape, dtype, 0.05, at)
                y = activation(shape, dtype, 0.07, sum(ENDS[dtype]) - at)
                case = one_op(name_of(dtype, shape, slope, at), "PRELU", [x, alpha], [y])
                yield case if dtype == "int8" else by_formula(case, _leaky(x, alpha, y), step=1)


def _nearest(x: Tensor, y: Tensor, aligned: bool) -> Formula:
    def indices(n_in: int, n_out: int) -> Array:
        """Arithmetic in float32 decides where halves go."""
        between = aligned and n_out > 1
        factor = np.float32((n_in - between) / (n_out - between))
        places = np.arange(n_out, dtype=np.float32) * factor
        rounded = np.floor(places + np.float32(0.5)) if aligned else np.floor(places)
        found: Array = np.minimum(rounded.astype(int), n_in - 1)
        return found

    def formula(inputs: list[Array]) -> list[Array]:
        rows, columns = (indices(x.shape[i], y.shape[i]) for i in (1, 2))
        return [inputs[0][:, rows][:, :, columns]]

    return formula


def resize_nearest_neighbor() -> Iterator[Case]:
    sizes = (
        ([2, 3], [5, 4]),
        ([7, 5], [3, 2]),
        ([1, 1], [4, 3]),
        ([4, 6], [1, 1]),
        ([3, 3], [6, 9]),
    )
    for source, target in sizes:
        for channels in 1, 3, 7:
            for dtype in "float32", "int8", "uint8":
                for aligned in False, True:
                    x = act([2, *source, channels], dtype)
                    y = act([2, *target, channels], dtype)
                    case = one_op(
                        name_of(dtype, source, target, channels, aligned),
                        "RESIZE_NEAREST_NEIGHBOR",
                        [x, ints(*target)],
                        [y],
                        "ResizeNearestNeighborOptions",
                        AlignCorners=aligned,
                    )
                    exact = dtype != "uint8"
                    yield case if exact else by_formula(case, _nearest(x, y, aligned))


LIMITS = {"RELU": (0, np.inf), "RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1)}


def relu() -> Iterator[Case]:
    def clamped(op: str, x: Tensor, y: Tensor) -> Formula:
        return lambda inputs: [number(np.clip(real(inputs[0], x), *LIMITS[op]), y)]

    for op in LIMITS:
        for dtype, scale in ("float32", None), ("uint8", 0.05), ("uint8", 0.02):
            for shape in SHAPES:
                x, y = activation(shape, dtype, scale, 131), activation(shape, dtype, 0.05, 120)
                y = y if scale else x
                case = one_op(name_of(dtype, scale, shape), op, [x], [y])
                yield by_formula(case, clamped(op, x, y), step=1)


def dequantize() -> Iterator[Case]:
    """To integers of another scale."""

    def rescaled(x: Tensor, y: Tensor) -> Formula:
        return lambda inputs: [number(real(inputs[0], x), y)]

    for dtype, zero_points in ("int8", (-128, 0, 127)), ("int16", (0,)):
        for zero_point in zero_points:
            for scale in 0.002, 0.05, 0.3:
                x = activation([3, 257], dtype, 0.05, zero_point)
                y = activation([3, 257], "int32", scale, 0)
                case = one_op(name_of(dtype, zero_point, scale), "DEQUANTIZE", [x], [y])
                yield by_formula(case, rescaled(x, y), step=1)


def cases() -> Iterator[Case]:
    families = elementwise, logical, l2_normalization, prelu, resize_nearest_neighbor, relu
    for family in *families, dequantize:
        yield from family()
