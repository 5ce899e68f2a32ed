# Small models of one operator each, for every operator of ops.def and the types its kernel has.
# All of them are right: they must load, run and give what other implementations give.

from collections.abc import Iterator

import numpy as np
import tflite

import layer_models
from builder import Array, Tensor, activation, constant
from one_op import (
    EIGHT_BITS,
    NONE,
    RELU,
    Case,
    act,
    by_formula,
    ints,
    number,
    one_op,
    quant,
    real,
    weights,
)

FLOAT_OPS = "ABS", "SIN", "COS", "LOG", "SQRT", "RSQRT", "SQUARE", "NEG", "CEIL", "FLOOR", "ROUND"


RANGES = {"RELU": (0, np.inf), "RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1)}


def clamped(name: str, op: str, x: Tensor, y: Tensor) -> Case:
    def formula(inputs: list[Array]) -> list[Array]:
        return [number(np.clip(real(inputs[0], x), *RANGES[op]), y)]

    return by_formula(one_op(name, op, [x], [y]), formula, step=1)


def unary() -> Iterator[Case]:
    for op in FLOAT_OPS:
        yield one_op("float32", op, [act([2, 3, 4], "float32")], [act([2, 3, 4], "float32")])
    yield one_op("bool", "LOGICAL_NOT", [act([2, 5], "bool")], [act([2, 5], "bool")])
    for dtype in *EIGHT_BITS, "int16":
        for op in "RELU", "RELU6", "RELU_N1_TO_1":
            yield clamped(dtype, op, act([1, 3, 4], dtype), act([1, 3, 4], dtype))
            yield clamped(
                f"{dtype}_rescaled", op, act([1, 3, 4], dtype), act([1, 3, 4], dtype, 0.03)
            )
    for dtype in EIGHT_BITS:
        shape = [2, 6]
        fixed = {"int8": (1 / 256, -128), "uint8": (1 / 256, 0)}.get(dtype, (None, 0))
        softmax = activation(shape, dtype, *fixed)
        yield one_op(dtype, "SOFTMAX", [act(shape, dtype)], [softmax], "SoftmaxOptions", Beta=1.0)
        norm = {"int8": (1 / 128, 0), "uint8": (1 / 128, 128)}.get(dtype, (None, 0))
        yield one_op(
            dtype,
            "L2_NORMALIZATION",
            [act(shape, dtype)],
            [activation(shape, dtype, *norm)],
            "L2NormOptions",
            FusedActivationFunction=NONE,
        )
    wide = activation([2, 6], "int16", 1 / 65536, -32768)
    yield one_op("int16", "SOFTMAX", [act([2, 6], "int8")], [wide], "SoftmaxOptions", Beta=1.0)
    for op, scale, zero_point in ("LOGISTIC", 1 / 256, -128), ("TANH", 1 / 128, 0):
        yield one_op("float32", op, [act([2, 6], "float32")], [act([2, 6], "float32")])
        out = activation([2, 6], "int8", scale, zero_point)
        yield one_op("int8", op, [act([2, 6], "int8")], [out])


def conversion() -> Iterator[Case]:
    for dtype in "int8", "uint8":
        yield one_op(dtype, "QUANTIZE", [act([2, 5], "float32")], [act([2, 5], dtype)])
    yield one_op("int16", "QUANTIZE", [act([2, 5], "int16", 0.001)], [act([2, 5], "int8")])
    for dtype in "int8", "uint8", "int16":
        yield one_op(dtype, "DEQUANTIZE", [act([2, 5], dtype)], [act([2, 5], "float32")])
    for dtype in "int8", "int16":
        out = activation([2, 5], "int32", 0.002, 0)
        yield one_op(f"{dtype}_int32", "DEQUANTIZE", [act([2, 5], dtype)], [out])


SHAPES = {  # of both inputs and the output
    "same": ([1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]),
    "channels": ([1, 2, 3, 4], [4], [1, 2, 3, 4]),
    "both": ([2, 1, 3], [4, 1], [2, 4, 3]),
}


def binary() -> Iterator[Case]:
    for shapes, (a, b, c) in SHAPES.items():
        for dtype in EIGHT_BITS:
            pair = [act(a, dtype, 0.04), act(b, dtype, 0.07)]
            for op, options in ("ADD", "AddOptions"), ("SUB", "SubOptions"), ("MUL", "MulOptions"):
                yield one_op(
                    f"{dtype}_{shapes}",
                    op,
                    pair,
                    [act(c, dtype, 0.1)],
                    options,
                    FusedActivationFunction=RELU if shapes == "same" else NONE,
                )
        for dtype in *EIGHT_BITS, "int32", "int64":
            for op in "MAXIMUM", "MINIMUM":
                pair = [act(a, dtype), act(b, dtype)]
                yield one_op(f"{dtype}_{shapes}", op, pair, [act(c, dtype)])
            for op in "EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL":
                pair = [act(a, dtype, 0.5), act(b, dtype, 0.5)]
                yield one_op(f"{dtype}_{shapes}", op, pair, [act(c, "bool")])
        pair = [act(a, "bool"), act(b, "bool")]
        for op in "LOGICAL_AND", "LOGICAL_OR", "EQUAL", "NOT_EQUAL":
            yield one_op(f"bool_{shapes}", op, pair, [act(c, "bool")])
    for dtype in EIGHT_BITS:
        alpha = weights(1, [1, 1, 4], dtype)
        yield one_op(dtype, "PRELU", [act([1, 2, 3, 4], dtype), alpha], [act([1, 2, 3, 4], dtype)])


def axes() -> Iterator[Case]:
    for dtype in EIGHT_BITS:
        for op, options in ("ARG_MAX", "ArgMaxOptions"), ("ARG_MIN", "ArgMinOptions"):
            yield one_op(
                dtype,
                op,
                [act([2, 3, 4], dtype), ints(-1)],
                [activation([2, 3], "int32")],
                options,
                OutputType=tflite.TensorType.INT32,
            )
    for keep, shape in (True, [2, 1, 1, 5]), (False, [2, 5]):
        yield one_op(
            f"keep_{keep}".lower(),
            "MEAN",
            [act([2, 3, 4, 5], "float32"), ints(1, 2)],
            [act(shape, "float32")],
            "ReducerOptions",
            KeepDims=keep,
        )


def moves() -> Iterator[Case]:
    for dtype in *EIGHT_BITS, "int16", "int32", "int64", "bool":
        new = ints(2, -1)
        yield one_op(dtype, "RESHAPE", [act([2, 3, 4], dtype), new], [act([2, 12], dtype)])
        yield one_op(
            f"{dtype}_options",
            "RESHAPE",
            [act([2, 3, 4], dtype)],
            [act([24], dtype)],
            "ReshapeOptions",
            NewShape=[24],
        )
    for dtype in *EIGHT_BITS, "int32":
        paddings = constant(np.array([[0, 0], [1, 2], [0, 3], [0, 0]], np.int32))
        a, b = act([1, 2, 3, 2], dtype), act([1, 5, 6, 2], dtype)
        yield one_op(f"{dtype}_image", "PAD", [a, paddings], [b])
        value = constant(np.array([7], dtype), *quant(dtype))
        yield one_op(dtype, "PADV2", [a, paddings, value], [b])
        paddings = constant(np.array([[1, 0], [2, 1]], np.int32))
        yield one_op(dtype, "PAD", [act([2, 3], dtype), paddings], [act([3, 6], dtype)])


def pieces() -> Iterator[Case]:
    for dtype in *EIGHT_BITS, "int32", "int64":
        parts = [act([2, n, 3], dtype) for n in (1, 4, 2)]
        yield one_op(
            dtype,
            "CONCATENATION",
            parts,
            [act([2, 7, 3], dtype)],
            "ConcatenationOptions",
            Axis=-2,
            FusedActivationFunction=NONE,
        )
        parts = [act([2, 3], dtype) for _ in range(4)]
        yield one_op(
            dtype, "PACK", parts, [act([2, 4, 3], dtype)], "PackOptions", ValuesCount=4, Axis=1
        )
    for dtype in *EIGHT_BITS, "int32":
        yield one_op(
            dtype,
            "UNPACK",
            [act([2, 4, 3], dtype)],
            [act([2, 3], dtype) for _ in range(4)],
            "UnpackOptions",
            Num=4,
            Axis=-2,
        )
    for dtype in *EIGHT_BITS, "int16", "int32":
        yield one_op(
            dtype,
            "SPLIT",
            [ints(1), act([2, 6, 3], dtype)],
            [act([2, 2, 3], dtype) for _ in range(3)],
            "SplitOptions",
            NumSplits=3,
        )


def slices() -> Iterator[Case]:
    for dtype in EIGHT_BITS:
        yield one_op(
            dtype,
            "STRIDED_SLICE",
            [act([3, 5, 7], dtype), ints(-2, 4, 1), ints(9, 0, 6), ints(1, -2, 2)],
            [act([3, 3], dtype)],
            "StridedSliceOptions",
            EndMask=2,
            ShrinkAxisMask=1,
        )
        yield one_op(
            f"{dtype}_masks",
            "STRIDED_SLICE",
            [act([3, 5, 2, 2], dtype), ints(1, 0, 0, 0), ints(0, 3, 0, 0), ints(1, 1, 1, 1)],
            [act([2, 3, 2, 2], dtype)],
            "StridedSliceOptions",
            BeginMask=12,
            EndMask=13,
        )
        yield one_op(
            dtype,
            "RESIZE_NEAREST_NEIGHBOR",
            [act([1, 2, 3, 2], dtype), ints(5, 4)],
            [act([1, 5, 4, 2], dtype)],
            "ResizeNearestNeighborOptions",
            AlignCorners=False,
        )


def cases() -> list[Case]:
    families = unary, conversion, binary, axes, *layer_models.FAMILIES, moves, pieces, slices
    return [case for family in families for case in family()]
