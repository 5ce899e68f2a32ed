# Models of one operator, and the tensors they are made of.

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import tflite

from builder import NO_INDEX, Array, Model, Op, Tensor, activation, constant
from goldens import DTYPES

NONE, RELU, RELU_N1, RELU6 = 0, 1, 2, 3  # ActivationFunctionType


Formula = Callable[[list[Array]], list[Array]]  # inputs to outputs


@dataclass(frozen=True)
class Case:
    name: str
    model: Model
    expected: Formula | None = None  # None: what the other implementation gives
    step: int = 0  # how far integers may be off
    inputs: Callable[[np.random.Generator], list[Array]] | None = None  # None: any values


def by_formula(case: Case, formula: Formula, step: int = 0) -> Case:
    """For what the other implementation lacks or has wrong."""
    return replace(case, expected=formula, step=step)


Parts = Sequence[Tensor | None]


def one_op(
    name: str,
    op: str,
    inputs: Parts,
    outputs: Sequence[Tensor],
    options: str | None = None,
    **values: object,
) -> Case:
    """None is an absent input. What has no data and is no variable is an input of the model."""
    model = Model()
    ins = [NO_INDEX if tensor is None else model.add(tensor) for tensor in inputs]
    outs = [model.add(tensor) for tensor in outputs]
    for index, tensor in enumerate(model.tensors):
        tensor.name = f"tensor_{index}"
    given = [tensor.data is not None or tensor.variable for tensor in model.tensors]
    model.inputs = [i for i in ins if i >= 0 and not given[i]]
    model.outputs = outs
    code = getattr(tflite.BuiltinOperator, op)
    model.ops = [Op(code, ins, outs, options, dict(values))]
    return Case(f"{op.lower()}_{name}", model)


def ints(*values: int) -> Tensor:
    return constant(np.array(values, np.int32))


def quant(dtype: str, scale: float = 0.05) -> tuple[float | None, int]:
    """Scale and zero point for activations of a type."""
    zero_points = {"int8": 3, "uint8": 131, "int16": 0}
    return (scale, zero_points[dtype]) if dtype in zero_points else (None, 0)


def act(shape: Sequence[int], dtype: str, scale: float = 0.05) -> Tensor:
    return activation(shape, dtype, *quant(dtype, scale))


def random(seed: int, shape: Sequence[int], dtype: str) -> Array:
    rng = np.random.default_rng(seed)
    if dtype == "float32":
        return rng.uniform(-2, 2, shape).astype(np.float32)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    low, high = {"int8": (-127, 128), "uint8": (0, 256)}.get(dtype, (-1000, 1000))
    return rng.integers(low, high, shape).astype(dtype)


def weights(
    seed: int, shape: Sequence[int], dtype: str, channels: int = 0, axis: int = 0
) -> Tensor:
    """Int8 weights have as many scales as channels; 0 for one."""
    values = random(seed, shape, dtype)
    if dtype == "float32":
        return constant(values)
    scales: float | list[float] = [0.01 + 0.001 * i for i in range(channels)] if channels else 0.02
    return constant(values, scales, 125 if dtype == "uint8" else 0, axis)


def bias(seed: int, n: int, dtype: str, scale: float = 0.05 * 0.02) -> Tensor:
    if dtype == "float32":
        return constant(random(seed, [n], dtype))
    return constant(random(seed, [n], "int32"), scale)


def bias_for(weights: Tensor, n: int, dtype: str | None, in_scale: float) -> Tensor | None:
    """With the scales of the products, of a type where these are integers; None: there is none."""
    if dtype is None:
        return None
    if weights.quantization is None:
        return constant(random(1, [n], "float32"))
    scales = [in_scale * scale for scale in weights.quantization.scales]
    return constant(random(1, [n], dtype), scales)


def real(values: Array, tensor: Tensor) -> Array:
    """Real values of a tensor's numbers, in float64."""
    if tensor.quantization is None:
        return values.astype(np.float64)
    (scale,), (zero_point,) = tensor.quantization.scales, tensor.quantization.zero_points
    return (values.astype(np.float64) - zero_point) * np.float64(np.float32(scale))


def number(values: Array, tensor: Tensor) -> Array:
    """Numbers of a tensor for real values, halves away from zero, saturated."""
    dtype = DTYPES[tensor.type]
    if tensor.quantization is None:
        return values.astype(dtype)
    (scale,), (zero_point,) = tensor.quantization.scales, tensor.quantization.zero_points
    scaled = values / np.float64(np.float32(scale))
    rounded = np.sign(scaled) * np.floor(np.abs(scaled) + 0.5) + zero_point
    limits = np.iinfo(dtype)
    clipped: Array = np.clip(rounded, limits.min, limits.max).astype(dtype)
    return clipped


EIGHT_BITS = "float32", "int8", "uint8"
