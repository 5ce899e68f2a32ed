# What has one input, element by element, and the softmax family: all 256 numbers of 8 bits and all
# 65536 of 16 at many scales, zero points at both ends, rows of many lengths.

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from builder import Array, Tensor, activation, constant
from goldens import DTYPES
from one_op import Case, act, by_formula, one_op
from unary_models import (
    CAST_TYPES,
    FIXED,
    FLOAT_OPS,
    INTEGERS,
    by_real,
    cast_to,
    clamped,
    quantize,
    softmax_of,
)

ZERO_POINTS = {"int8": (-128, -3, 127), "uint8": (0, 131, 255), "int16": (0,), "int32": (0,)}
SCALES = 0.0001, 0.003, 0.0234, 0.1, 1.7, 40.0
RATIOS = 0.01, 0.37, 1.0, 1.9
DEPTHS = 1, 2, 3, 7, 257, 511
MANY = 512, 600, 1001, 4095  # sums of exponentials that the other implementation cannot divide by


def every(dtype: str) -> Array:
    """All numbers of up to 16 bits; of 32, some near all powers of two."""
    if dtype == "int32":
        powers = 2 ** np.arange(31, dtype=np.int64)
        values = np.concatenate([s * powers + d for s in (-1, 1) for d in (-1, 0, 1)])
        return values.astype(np.int32)
    limits = np.iinfo(dtype)
    return np.arange(limits.min, limits.max + 1).astype(dtype)


def tensor_of_every(dtype: str, scale: float, zero_point: int = 0) -> Tensor:
    """Of 8 bits twice: enough for kernels to use a table."""
    values = np.tile(every(dtype), 2 if np.dtype(dtype).itemsize == 1 else 1)
    return constant(values.reshape(2, -1), scale, zero_point)


def output(x: Tensor, dtype: str, scale: float | None, zero_point: int = 0) -> Tensor:
    return activation(x.shape, dtype, scale, zero_point)


def pairs(dtype: str) -> Iterator[tuple[str, Tensor, Tensor]]:
    """All numbers, and an output, at scales and zero points of many kinds."""
    ends = ZERO_POINTS[dtype]
    for scale in SCALES if dtype == "int8" else (0.0001, 0.003):
        for ratio in RATIOS:
            for a, b in zip(ends, reversed(ends), strict=True):
                name = f"{dtype}_{scale:.4g}_{a}_{ratio}_{b}"
                x = tensor_of_every(dtype, scale, a)
                yield name, x, output(x, dtype, scale * ratio, b)


def rescaling() -> Iterator[Case]:
    for dtype in "int8", "int16":
        for name, x, y in pairs(dtype):
            yield one_op(name, "ABS", [x], [y])
            for alpha in 0.01, -0.2, 1.5:
                yield one_op(
                    f"{name}_{alpha}", "LEAKY_RELU", [x], [y], "LeakyReluOptions", Alpha=alpha
                )
            yield one_op(name, "RELU", [x], [y])
            # The other implementation keeps RELU6's numbers as they are, whatever the scales.
            for op in "RELU6", "RELU_N1_TO_1":
                yield clamped(name, op, x, y)
    for name, x, y in pairs("int8"):
        yield one_op(name, "ELU", [x], [y])
        yield one_op(name, "HARD_SWISH", [x], [y])


def rsqrts() -> Iterator[Case]:
    for dtype in "int8", "int16":
        for scale in SCALES:
            for factor in 0.005, 0.1, 1.0:
                x = tensor_of_every("int8", scale, -128)
                if dtype == "int16":
                    x = constant(every("int16")[32769:], scale)
                name = f"{dtype}_{scale:.4g}_{factor}"
                yield one_op(name, "RSQRT", [x], [output(x, dtype, factor / scale**0.5)])


def fixed_outputs() -> Iterator[Case]:
    for scale in *SCALES, 8 / 32767, 2**-11, 4.9:
        for op in "LOGISTIC", "TANH":
            for zero_point in ZERO_POINTS["int8"]:
                x = tensor_of_every("int8", scale, zero_point)
                y = output(x, "int8", *FIXED[op]["int8"])
                yield one_op(f"int8_{scale:.4g}_{zero_point}", op, [x], [y])
            if scale < 5:
                x = tensor_of_every("int16", scale)
                yield one_op(
                    f"int16_{scale:.4g}", op, [x], [output(x, "int16", *FIXED[op]["int16"])]
                )


def rows(depth: int, dtype: str, spread: int) -> Array:
    """Row 0 has equal numbers, the others such as differ by up to the spread."""
    limits = np.iinfo(dtype)
    values = np.random.default_rng(depth).integers(-spread, spread + 1, (4, depth))
    values[0] = 0
    middle = (limits.max + limits.min + 1) // 2
    return np.clip(values + middle, limits.min, limits.max).astype(dtype)


def softmax(name: str, x: Tensor, dtype: str, beta: float = 1.0) -> Case:
    wide = 1 / 65536, -32768
    is_wide = dtype == "int16" and x.type != activation([], "int16").type
    y = output(x, dtype, *(wide if is_wide else FIXED["SOFTMAX"][dtype]))
    return one_op(name, "SOFTMAX", [x], [y], "SoftmaxOptions", Beta=beta)


def softmaxes() -> Iterator[Case]:
    for scale in SCALES:
        for depth in DEPTHS:
            for spread in 3, 200:
                name = f"{scale:.4g}_{depth}_{spread}"
                x = constant(rows(depth, "int8", spread), scale, -5)
                yield softmax(f"int8_{name}", x, "int8")
                yield softmax(f"int8_{name}_steep", x, "int8", 2.5)
                yield softmax(f"int8_int16_{name}", x, "int16")
                y = output(x, "int8", *FIXED["LOG_SOFTMAX"]["int8"])
                yield one_op(f"int8_{name}", "LOG_SOFTMAX", [x], [y])
                x = constant(rows(depth, "uint8", spread), scale, 131)
                yield by_real(softmax(f"uint8_{name}", x, "uint8"), softmax_of(1))
                if scale < 2:
                    x = constant(rows(depth, "int16", spread**2), scale / 40)
                    yield softmax(f"int16_{name}", x, "int16")
    for depth in MANY:
        x = constant(rows(depth, "int8", 3), 0.003, 0)
        yield by_real(softmax(f"int8_{depth}", x, "int8"), softmax_of(1))
    x = tensor_of_every("int16", 10 / 65535)
    x.shape = [32, 2048]
    yield softmax("int16_all", x, "int16")


def quantisations() -> Iterator[Case]:
    for of in INTEGERS:
        for to in INTEGERS:
            for scale in 0.003, 0.05:
                for ratio in 0.25, 1.0, 1.3, 300.0:
                    for a in ZERO_POINTS[of]:
                        for b in ZERO_POINTS[to]:
                            x = tensor_of_every(of, scale, a)
                            y = output(x, to, scale * ratio, b)
                            name = f"{of}_{to}_{scale}_{ratio}_{a}_{b}"
                            case = quantize(name, x, y)
                            # Products beyond 32 bits saturate here and wrap elsewhere.
                            yield (
                                by_real(case, np.asarray)
                                if of == "int32" or to == "int32"
                                else case
                            )
    for of in "int8", "uint8", "int16":
        for scale in SCALES:
            for zero_point in ZERO_POINTS[of]:
                x = tensor_of_every(of, scale, zero_point)
                name = f"{of}_{scale:.4g}_{zero_point}"
                yield one_op(name, "DEQUANTIZE", [x], [output(x, "float32", None)])
                edges = (every(of)[::7] - 0.5) * scale
                x = constant(edges.astype(np.float32))
                yield quantize(name, x, output(x, of, scale, zero_point))
                x = constant(np.array([1e30, -1e30, 3e9, -3e9, np.inf, -np.inf], np.float32))
                yield by_real(
                    one_op(f"{name}_far", "QUANTIZE", [x], [output(x, of, scale, zero_point)]),
                    np.asarray,
                )


def casts() -> Iterator[Case]:
    numbers = [0, -0.5, 0.9, -1, 2.5, 127.9, 128, -128.5, -129, 255.5, 256, 32768, -32769, 65536]
    numbers += [2147483520, 2147483648, -2147483648, 3e9, 9.3e18, -9.3e18, 1e30, -1e30, np.inf]
    for of in CAST_TYPES:
        if of == "float32":
            values = np.array(numbers, np.float32)
        else:
            kept = [int(n) for n in numbers if abs(n) < 2**62]
            values = np.array(kept, np.int64).astype(of)
        for to in CAST_TYPES:
            x = constant(values)
            case = one_op(f"{of}_{to}", "CAST", [x], [output(x, to, None)])
            yield by_formula(case, cast_to(to))


def floats() -> Iterator[Case]:
    for op in FLOAT_OPS:
        for shape in [], [1], [2, 3, 5, 1, 7], [257]:
            if shape or op != "LOG_SOFTMAX":
                yield one_op(
                    f"float32_{len(shape)}_{sum(shape)}",
                    op,
                    [act(shape, "float32")],
                    [act(shape, "float32")],
                )
    halves = constant(np.arange(-4, 4, 0.25, dtype=np.float32))
    for op in "ROUND", "CEIL", "FLOOR":
        yield one_op("float32_halves", op, [halves], [act(halves.shape, "float32")])
    for depth in DEPTHS:
        x = act([3, depth], "float32")
        for beta in 1.0, 0.3:
            case = one_op(
                f"float32_{depth}_{beta}", "SOFTMAX", [x], [x], "SoftmaxOptions", Beta=beta
            )
            yield case
    for alpha in 0.01, -0.5, 2.0:
        x, y = act([2, 100], "float32"), act([2, 100], "float32")
        yield one_op(f"float32_{alpha}", "LEAKY_RELU", [x], [y], "LeakyReluOptions", Alpha=alpha)
    x, y = act([2, 3], "bool"), act([2, 3], "bool")
    yield one_op("bool", "LOGICAL_NOT", [x], [y])


def fed(case: Case) -> Case:
    """With the input's data as what is fed to the model."""
    x, y = case.model.tensors
    if x.data is None:
        return case
    values = np.frombuffer(x.data, DTYPES[x.type]).reshape(x.shape)
    model = replace(case.model, tensors=[replace(x, data=None), y], inputs=[0])
    return replace(case, model=model, inputs=lambda _: [values])


def cases() -> Iterator[Case]:
    families = rescaling, rsqrts, fixed_outputs, softmaxes, quantisations, casts, floats
    for family in families:
        yield from map(fed, family())
