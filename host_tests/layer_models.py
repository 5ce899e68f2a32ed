# Models of one layer with weights, or of pooling.

from collections.abc import Callable, Iterator

import tflite

from builder import activation, constant
from one_op import EIGHT_BITS, NONE, RELU, RELU6, Case, act, bias, one_op, quant, random, weights

SAME, VALID = tflite.Padding.SAME, tflite.Padding.VALID


def _window(padding: int, stride: int, dilation: int = 1) -> dict[str, int]:
    values = {"Padding": padding, "StrideH": stride, "StrideW": stride}
    if dilation > 1:
        values |= {"DilationHFactor": dilation, "DilationWFactor": dilation}
    return values


def conv_2d() -> Iterator[Case]:
    for dtype in EIGHT_BITS:
        channels = 8 if dtype == "int8" else 0
        out = act([1, 3, 3, 8], dtype, 0.4)
        parts = [
            act([1, 5, 5, 3], dtype),
            weights(1, [8, 3, 3, 3], dtype, channels),
            bias(2, 8, dtype),
        ]
        yield one_op(
            f"{dtype}_same",
            "CONV_2D",
            parts,
            [out],
            "Conv2DOptions",
            FusedActivationFunction=RELU,
            **_window(SAME, 2),
        )
        for absent, some in ("two", parts[:2]), ("absent", [*parts[:2], None]):
            yield one_op(
                f"{dtype}_{absent}", "CONV_2D", some, [out], "Conv2DOptions", **_window(VALID, 1)
            )
        parts = [act([1, 7, 7, 2], dtype), weights(1, [3, 3, 3, 2], dtype), bias(2, 3, dtype)]
        yield one_op(
            f"{dtype}_dilated",
            "CONV_2D",
            parts,
            [act([1, 7, 7, 3], dtype, 0.4)],
            "Conv2DOptions",
            FusedActivationFunction=RELU6,
            **_window(SAME, 1, 2),
        )


def depthwise_conv_2d() -> Iterator[Case]:
    for dtype in EIGHT_BITS:
        channels = 6 if dtype == "int8" else 0
        out = activation(
            [1, 3, 3, 6], dtype, *({"int8": (6 / 255, -128)}.get(dtype) or quant(dtype))
        )
        parts = [
            act([1, 6, 6, 3], dtype),
            weights(1, [1, 3, 3, 6], dtype, channels, 3),
            bias(2, 6, dtype),
        ]
        yield one_op(
            dtype,
            "DEPTHWISE_CONV_2D",
            parts,
            [out],
            "DepthwiseConv2DOptions",
            DepthMultiplier=2,
            FusedActivationFunction=RELU6,
            **_window(SAME, 2),
        )
        yield one_op(
            f"{dtype}_two",
            "DEPTHWISE_CONV_2D",
            parts[:2],
            [act([1, 2, 2, 6], dtype, 0.3)],
            "DepthwiseConv2DOptions",
            DepthMultiplier=2,
            **_window(VALID, 1, 2),
        )


def pool_2d() -> Iterator[Case]:
    for dtype in *EIGHT_BITS, "int16":
        for op in "AVERAGE_POOL_2D", "MAX_POOL_2D":
            for padding, size in (SAME, 3), (VALID, 2):
                yield one_op(
                    f"{dtype}_{padding}",
                    op,
                    [act([1, 5, 6, 3], dtype)],
                    [act([1, size, 3, 3], dtype)],
                    "Pool2DOptions",
                    FilterHeight=3,
                    FilterWidth=2,
                    FusedActivationFunction=RELU,
                    **_window(padding, 2),
                )


def fully_connected() -> Iterator[Case]:
    for dtype in *EIGHT_BITS, "int16":
        shapes_of = {
            "2": ([2, 12], [2, 7]),
            "4": ([1, 2, 2, 6], [2, 7]),
            "3": ([1, 3, 5], [1, 3, 6]),
        }
        for shapes, (a, b) in shapes_of.items():
            depth, channels = (5, 6) if shapes == "3" else (12, 7)
            each = channels if dtype in ("int8", "int16") and shapes == "4" else 0
            kind = "int8" if dtype == "int16" else dtype
            offsets = bias(2, channels, dtype)
            if dtype == "int16":
                offsets = constant(random(2, [channels], "int64"), 0.05 * 0.02)
            parts = [act(a, dtype), weights(1, [channels, depth], kind, each), offsets]
            yield one_op(
                f"{dtype}_{shapes}",
                "FULLY_CONNECTED",
                parts,
                [act(b, dtype, 0.3)],
                "FullyConnectedOptions",
                FusedActivationFunction=NONE,
            )
            yield one_op(
                f"{dtype}_{shapes}_absent",
                "FULLY_CONNECTED",
                [*parts[:2], None],
                [act(b, dtype, 0.3)],
                "FullyConnectedOptions",
                FusedActivationFunction=RELU,
            )
    parts = [act([1, 2, 6], "float32"), weights(1, [7, 6], "float32"), bias(2, 7, "float32")]
    yield one_op(
        "keep_num_dims",
        "FULLY_CONNECTED",
        parts,
        [act([1, 2, 7], "float32")],
        "FullyConnectedOptions",
        KeepNumDims=True,
    )


def svdf() -> Iterator[Case]:
    state = activation([2, 5 * 8], "float32")
    state.variable = True
    for name, offsets in ("float32", bias(3, 4, "float32")), ("float32_absent", None):
        yield one_op(
            name,
            "SVDF",
            [
                act([2, 6], "float32"),
                weights(1, [8, 6], "float32"),
                weights(2, [8, 5], "float32"),
                offsets,
                state,
            ],
            [act([2, 4], "float32")],
            "SVDFOptions",
            Rank=2,
            FusedActivationFunction=RELU,
        )
    state = activation([1, 5 * 8], "int16", 0.001)
    state.variable = True
    times = constant(random(2, [8, 5], "int16"), 0.0005)
    yield one_op(
        "int8",
        "SVDF",
        [act([1, 6], "int8"), weights(1, [8, 6], "int8"), times, bias(3, 4, "int8"), state],
        [activation([1, 4], "int8", 0.02, -128)],
        "SVDFOptions",
        Rank=2,
        FusedActivationFunction=RELU,
    )


FAMILIES: list[Callable[[], Iterator[Case]]] = [
    conv_2d,
    depthwise_conv_2d,
    pool_2d,
    fully_connected,
    svdf,
]
