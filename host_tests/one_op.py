# Models of one operator, and the tensors they are made of.

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import tflite

from builder import NO_INDEX, Array, Model, Op, Tensor, activation, constant

NONE, RELU, RELU_N1, RELU6 = 0, 1, 2, 3  # ActivationFunctionType


@dataclass(frozen=True)
class Case:
    name: str
    model: Model


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


EIGHT_BITS = "float32", "int8", "uint8"
