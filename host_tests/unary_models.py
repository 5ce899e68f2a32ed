# Models of operators with one input, element by element, and of the softmax family.

from collections.abc import Callable, Iterator

import numpy as np

from builder import Array, Tensor, activation
from goldens import DTYPES
from one_op import EIGHT_BITS, NONE, Case, act, by_formula, number, one_op, quant, real

FLOAT_OPS = (
    *("ABS", "CEIL", "COS", "ELU", "EXP", "FLOOR", "HARD_SWISH", "LOG", "LOG_SOFTMAX"),
    *("LOGISTIC", "NEG", "ROUND", "RSQRT", "SIN", "SQRT", "SQUARE", "TANH"),
)
RANGES = {"RELU": (0, np.inf), "RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1)}
INTEGERS = "int8", "uint8", "int16", "int32"
OTHERS_QUANTIZE = {  # what the other implementation has
    *(("float32", to) for to in ("int8", "int16")),
    *(("int8", to) for to in INTEGERS),
    *(("int16", to) for to in ("int8", "int16", "int32")),
    *(("int32", to) for to in ("int8", "int16")),
    ("uint8", "int8"),
}
CAST_TYPES = "float32", *INTEGERS, "int64", "bool"
FIXED = {  # scales and zero points of outputs that operators are defined for
    "LOGISTIC": {"int8": (1 / 256, -128), "int16": (1 / 32768, 0)},
    "LOG_SOFTMAX": {"int8": (1 / 16, 127)},
    "SOFTMAX": {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 32768, 0)},
    "TANH": {"int8": (1 / 128, 0), "int16": (1 / 32768, 0)},
    "L2_NORMALIZATION": {"int8": (1 / 128, 0), "uint8": (1 / 128, 128)},
}


def scaled(shape: list[int], dtype: str, scale: float = 0.05) -> Tensor:
    """An activation with a scale, int32 too."""
    if dtype == "int32":
        return activation(shape, dtype, scale, 0)
    return act(shape, dtype, scale)


def output_of(op: str, shape: list[int], dtype: str) -> Tensor:
    return activation(shape, dtype, *FIXED.get(op, {}).get(dtype, quant(dtype)))


def by_real(case: Case, function: Callable[[Array], Array], step: int = 1) -> Case:
    """Expects a function of real values, rounded to the output's scale."""
    x, y = case.model.tensors

    def formula(inputs: list[Array]) -> list[Array]:
        return [number(function(real(inputs[0], x)), y)]

    return by_formula(case, formula, step)


def clamped(name: str, op: str, x: Tensor, y: Tensor) -> Case:
    return by_real(one_op(name, op, [x], [y]), lambda values: np.clip(values, *RANGES[op]))


def softmax_of(beta: float) -> Callable[[Array], Array]:
    def softmax(values: Array) -> Array:
        exps: Array = np.exp((values - values.max(-1, keepdims=True)) * beta)
        shares: Array = exps / exps.sum(-1, keepdims=True)
        return shares

    return softmax


def rsqrt(values: Array) -> Array:
    """What has no root gets the largest number."""
    with np.errstate(divide="ignore"):
        roots: Array = 1 / np.sqrt(np.maximum(values, 0))
    return roots


def functions() -> Iterator[Case]:
    shape = [2, 3, 4]
    for op in FLOAT_OPS:
        yield one_op("float32", op, [act(shape, "float32")], [act(shape, "float32")])
    yield one_op("bool", "LOGICAL_NOT", [act([2, 5], "bool")], [act([2, 5], "bool")])
    for op in "ABS", "ELU", "HARD_SWISH", "LOGISTIC", "LOG_SOFTMAX", "TANH":
        yield one_op("int8", op, [act(shape, "int8")], [output_of(op, shape, "int8")])
    for op in "ABS", "LOGISTIC", "TANH":
        x = act(shape, "int16", 0.001)
        yield one_op("int16", op, [x], [output_of(op, shape, "int16")])
    for dtype in "float32", "int8", "int16":
        x, y = act(shape, dtype), act(shape, dtype, 0.04)
        yield one_op(dtype, "LEAKY_RELU", [x], [y], "LeakyReluOptions", Alpha=0.1)
    for dtype, zero_point in ("int8", -128), ("int16", 0):
        x = activation(shape, dtype, 0.05, zero_point)
        yield by_real(one_op(dtype, "RSQRT", [x], [act(shape, dtype)]), rsqrt)


def relus() -> Iterator[Case]:
    for dtype in *EIGHT_BITS, "int16":
        for op in RANGES:
            yield clamped(dtype, op, act([1, 3, 4], dtype), act([1, 3, 4], dtype))
            yield clamped(
                f"{dtype}_rescaled", op, act([1, 3, 4], dtype), act([1, 3, 4], dtype, 0.03)
            )


def last_axis() -> Iterator[Case]:
    shape = [2, 6]
    for dtype in *EIGHT_BITS, "int16":
        x, y = act(shape, dtype, 0.05), output_of("SOFTMAX", shape, dtype)
        case = one_op(dtype, "SOFTMAX", [x], [y], "SoftmaxOptions", Beta=1.0)
        yield by_real(case, softmax_of(1)) if dtype == "uint8" else case
    wide = activation(shape, "int16", 1 / 65536, -32768)
    yield one_op("int8_int16", "SOFTMAX", [act(shape, "int8")], [wide], "SoftmaxOptions", Beta=1.0)
    for dtype in EIGHT_BITS:
        yield one_op(
            dtype,
            "L2_NORMALIZATION",
            [act(shape, dtype)],
            [output_of("L2_NORMALIZATION", shape, dtype)],
            "L2NormOptions",
            FusedActivationFunction=NONE,
        )


def quantize(name: str, x: Tensor, y: Tensor) -> Case:
    case = one_op(name, "QUANTIZE", [x], [y])
    types = DTYPES[x.type].name, DTYPES[y.type].name
    return case if types in OTHERS_QUANTIZE else by_real(case, np.asarray)


def conversions() -> Iterator[Case]:
    shape = [2, 5]
    for to in "int8", "uint8", "int16":
        yield quantize(f"float32_{to}", act(shape, "float32"), act(shape, to))
        yield one_op(to, "DEQUANTIZE", [act(shape, to)], [act(shape, "float32")])
    for of in INTEGERS:
        for to in INTEGERS:
            yield quantize(f"{of}_{to}", scaled(shape, of), scaled(shape, to, 0.04))
    for of in "int8", "int16":
        case = one_op(
            f"{of}_int32", "DEQUANTIZE", [act(shape, of)], [scaled(shape, "int32", 0.04)]
        )
        yield by_real(case, np.asarray)
    for of in CAST_TYPES:
        for to in CAST_TYPES:
            x, y = activation(shape, of), activation(shape, to)
            case = one_op(
                f"{of}_{to}",
                "CAST",
                [x],
                [y],
                "CastOptions",
                InDataType=x.type,
                OutDataType=y.type,
            )
            yield by_formula(case, cast_to(to))


def cast_to(dtype: str) -> Callable[[list[Array]], list[Array]]:
    """Fractions are cut off; integers keep the bits that there is room for, floats saturate."""

    def formula(inputs: list[Array]) -> list[Array]:
        (values,) = inputs
        if values.dtype.kind == "f" and np.dtype(dtype).kind in "iu":
            limits = np.iinfo(dtype)
            near = np.clip(values.astype(np.float64), limits.min, limits.max)
            whole = [min(int(value), limits.max) for value in near.flat]
            return [np.array(whole, dtype).reshape(values.shape)]
        return [values.astype(dtype)]

    return formula


FAMILIES: list[Callable[[], Iterator[Case]]] = [functions, relus, last_axis, conversions]
