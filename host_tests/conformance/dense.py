# Layers without windows, and pooling: sizes around every step of the loops, zero points at both
# ends, one scale and one for each channel.

from collections.abc import Iterator

import numpy as np
import tflite

from builder import Array, Tensor, activation, constant
from goldens import DTYPES
from one_op import (
    NONE,
    RELU,
    RELU6,
    Case,
    by_formula,
    number,
    one_op,
    random,
    real,
    weights,
)

CHANNELS = 1, 2, 3, 4, 5, 7, 8, 255, 257, 1001, 1280
DEPTHS = 1, 2, 3, 4, 5, 6, 7, 9, 64, 257
LIMITS = {NONE: (-np.inf, np.inf), RELU: (0, np.inf), RELU6: (0, 6)}
ZERO_POINTS = {"int8": (-128, 0, 127), "uint8": (0, 128, 255), "int16": (0,), "float32": (0,)}


def _activation(shape: list[int], dtype: str, scale: float, zero_point: int) -> Tensor:
    return activation(shape, dtype, None if dtype == "float32" else scale, zero_point)


def _bias(seed: int, n: int, dtype: str, scale: float) -> Tensor:
    if dtype == "float32":
        return constant(random(seed, [n], dtype))
    return constant(random(seed, [n], "int64" if dtype == "int16" else "int32"), scale)


def _data(tensor: Tensor) -> Array:
    assert tensor.data is not None
    return np.frombuffer(tensor.data, DTYPES[tensor.type]).reshape(tensor.shape)


def _fully_connected(
    name: str, dtype: str, batches: int, depth: int, channels: int, **how: int
) -> Case:
    per_channel = how.get("per_channel", 0)
    in_zero, out_zero = how.get("in_zero", 0), how.get("out_zero", 0)
    x = _activation([batches, depth], dtype, 0.05, in_zero)
    w = weights(
        depth + channels,
        [channels, depth],
        "int8" if dtype == "int16" else dtype,
        channels if per_channel else 0,
    )
    y = _activation([batches, channels], dtype, 0.05 * depth**0.5, out_zero)
    bias = _bias(channels, channels, dtype, 0.05 * 0.02)
    function = how.get("activation", NONE)
    case = one_op(
        f"{name}_{dtype}",
        "FULLY_CONNECTED",
        [x, w, bias],
        [y],
        "FullyConnectedOptions",
        FusedActivationFunction=function,
    )

    def formula(values: list[Array]) -> list[Array]:
        sums = real(values[0], x) @ real(_data(w), w).T + real(_data(bias), bias)
        return [number(np.clip(sums, *LIMITS[function]), y)]

    return by_formula(case, formula, 1) if dtype == "uint8" else case


def fully_connected() -> Iterator[Case]:
    for dtype, zero_points in ZERO_POINTS.items():
        many = {"per_channel": 1} if dtype in ("int8", "int16") else {}
        for channels in CHANNELS:
            yield _fully_connected(f"channels_{channels}", dtype, 2, 7, channels, **many)
        for depth in DEPTHS:
            yield _fully_connected(f"depth_{depth}", dtype, 3, depth, 6)
        for in_zero in zero_points:
            for out_zero in zero_points:
                for activation_function in NONE, RELU, RELU6:
                    yield _fully_connected(
                        f"zero_{in_zero}_{out_zero}_{activation_function}",
                        dtype,
                        *(1, 13, 5),
                        in_zero=in_zero,
                        out_zero=out_zero,
                        activation=activation_function,
                    )


WINDOWS = {  # image, filter, stride
    "all": ([1, 4, 6, 5], (4, 6), (1, 1)),
    "wide": ([2, 3, 9, 3], (1, 4), (1, 2)),
    "large": ([1, 2, 2, 1], (5, 5), (1, 1)),
    "apart": ([1, 7, 7, 2], (2, 2), (3, 3)),
    "channels": ([1, 3, 3, 257], (2, 2), (1, 1)),
}


def _pool(name: str, op: str, dtype: str, padding: int) -> Case | None:
    image, filters, strides = WINDOWS[name]
    same = padding == tflite.Padding.SAME
    size = [(image[i + 1] - (1 if same else filters[i])) // strides[i] + 1 for i in (0, 1)]
    if min(size) < 1:
        return None
    zero = ZERO_POINTS[dtype][len(name) % len(ZERO_POINTS[dtype])]
    x = _activation(image, dtype, 0.05, zero)
    y = _activation([image[0], *size, image[3]], dtype, 0.05, zero)
    function = RELU6 if name == "wide" else NONE
    case = one_op(
        f"{name}_{padding}_{dtype}",
        op,
        [x],
        [y],
        "Pool2DOptions",
        Padding=padding,
        StrideH=strides[0],
        StrideW=strides[1],
        FilterHeight=filters[0],
        FilterWidth=filters[1],
        FusedActivationFunction=function,
    )

    def formula(values: list[Array]) -> list[Array]:
        source = real(values[0], x)
        out = np.empty(y.shape)
        pads = [
            max(0, (size[i] - 1) * strides[i] + filters[i] - image[i + 1]) // 2 for i in (0, 1)
        ]
        for row, column in np.ndindex(*size):
            top, left = row * strides[0] - pads[0], column * strides[1] - pads[1]
            part = source[:, max(0, top) : top + filters[0], max(0, left) : left + filters[1]]
            pool = np.max if op == "MAX_POOL_2D" else np.mean
            out[:, row, column] = pool(part, axis=(1, 2))
        return [number(np.clip(out, *LIMITS[function]), y)]

    return by_formula(case, formula, 1) if dtype == "uint8" else case


def pools() -> Iterator[Case]:
    for dtype in ZERO_POINTS:
        for op in "AVERAGE_POOL_2D", "MAX_POOL_2D":
            for name in WINDOWS:
                for padding in tflite.Padding.SAME, tflite.Padding.VALID:
                    case = _pool(name, op, dtype, padding)
                    if case:
                        yield case


def cases() -> Iterator[Case]:
    yield from fully_connected()
    yield from pools()
