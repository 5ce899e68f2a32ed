# Models for what surrounds a run: several inputs and outputs, odd shapes, and recurrent ones whose
# state goes out and comes in again.

from collections.abc import Sequence
from typing import Any

import numpy as np
import tflite

from builder import Array, Model, Op, Tensor, activation, constant
from recurrent_models import svdf
from variable_models import stream

Options = tflite.BuiltinOperator


def _tensor(
    model: Model, name: str, shape: Sequence[int], dtype: str, scale: float | None, zero: int = 0
) -> int:
    tensor = activation(shape, dtype, scale, zero)
    tensor.name = name
    return model.add(tensor)


def _op(model: Model, name: str, inputs: list[int], output: int, **values: Any) -> int:
    words = {"FULLY_CONNECTED": "FullyConnectedOptions", "CONV_2D": "Conv2DOptions"}
    options = words.get(name, "AddOptions" if name == "ADD" else None)
    model.ops.append(Op(getattr(Options, name), inputs, [output], options, values))
    return output


def _random(seed: int, shape: Sequence[int], dtype: str) -> Array:
    rng = np.random.default_rng(seed)
    if dtype == "float32":
        return rng.uniform(-0.5, 0.5, shape).astype(np.float32)
    return rng.integers(-100, 101, shape).astype(dtype)


def three() -> Model:
    """Three inputs and outputs of different shapes, types and scales, in different orders."""
    model = Model()
    a = _tensor(model, "serving_default_a:0", [1, 4], "float32", None)
    b = _tensor(model, "serving_default_b:0", [1, 3, 2, 1], "int8", 0.03, -7)
    c = _tensor(model, "c", [2, 5], "int16", 0.001)
    model.inputs = [a, b, c]
    steps = _tensor(model, "StatefulPartitionedCall:0", [1, 4], "int8", 0.02, 4)
    chances = _tensor(model, "StatefulPartitionedCall:1", [1, 3, 2, 1], "int8", 1 / 256, -128)
    reals = _tensor(model, "reals", [2, 5], "float32", None)
    _op(model, "QUANTIZE", [a], steps)
    _op(model, "LOGISTIC", [b], chances)
    _op(model, "DEQUANTIZE", [c], reals)
    model.outputs = [chances, reals, steps]
    return model


def image() -> Model:
    """A grey image, higher than it is wide."""
    model = Model()
    frame = _tensor(model, "frame", [1, 10, 6, 1], "int8", 1 / 128, 0)
    weights = model.add(constant(_random(1, [2, 3, 3, 1], "int8"), [0.01, 0.02]))
    bias = model.add(constant(_random(2, [2], "int32"), [0.01 / 128, 0.02 / 128]))
    maps = _tensor(model, "maps", [1, 5, 3, 2], "int8", 0.05, -30)
    values = {"Padding": tflite.Padding.SAME, "StrideH": 2, "StrideW": 2}
    _op(model, "CONV_2D", [frame, weights, bias], maps, **values)
    model.inputs, model.outputs = [frame], [maps]
    return model


def scalar() -> Model:
    """Tensors without dimensions."""
    model = Model()
    x = _tensor(model, "x", [], "float32", None)
    y = _tensor(model, "y", [], "float32", None)
    _op(model, "NEG", [x], y)
    model.inputs, model.outputs = [x], [y]
    return model


def recurrent(dtype: str) -> Model:
    """h_out = tanh(A x + B h), y = C h_out; h and h_out have different scales when quantised."""
    model = Model()
    is_float = dtype == "float32"

    def tensor(name: str, size: int, scale: float, zero: int) -> int:
        return _tensor(model, name, [1, size], dtype, None if is_float else scale, zero)

    def layer(seed: int, source: int, target: int) -> int:
        sizes = [model.tensors[i].shape[1] for i in (target, source)]
        weights = constant(_random(seed, sizes, dtype), None if is_float else 0.01)
        scale = None if is_float else _scale(model.tensors[source]) * 0.01
        bias = constant(_random(seed + 1, sizes[:1], dtype if is_float else "int32"), scale)
        inputs = [source, model.add(weights), model.add(bias)]
        return _op(model, "FULLY_CONNECTED", inputs, target)

    x = tensor("serving_default_x:0", 4, 0.02, 5)
    h = tensor("serving_default_h:0", 6, 0.01, -20)
    of_x = layer(1, x, tensor("of_x", 6, 0.03, 0))
    of_h = layer(3, h, tensor("of_h", 6, 0.02, 1))
    both = _op(model, "ADD", [of_x, of_h], tensor("both", 6, 0.04, 3))
    h_out = _op(model, "TANH", [both], tensor("h_out", 6, 1 / 128, 0))
    y = layer(5, h_out, tensor("StatefulPartitionedCall:0", 2, 0.03, 10))
    model.inputs, model.outputs = [x, h], [y, h_out]
    return model


def accumulator() -> Model:
    """sum = total + x, in floats, where total comes in quantised."""
    model = Model()
    x = _tensor(model, "x", [1, 3], "float32", None)
    total = _tensor(model, "total", [1, 3], "int8", 0.25, 10)
    reals = _tensor(model, "reals", [1, 3], "float32", None)
    result = _tensor(model, "sum", [1, 3], "float32", None)
    _op(model, "DEQUANTIZE", [total], reals)
    _op(model, "ADD", [reals, x], result)
    model.inputs, model.outputs = [x, total], [result]
    return model


def delay() -> Model:
    """x comes out as it is, besides -y."""
    model = Model()
    x, y, minus_y = (_tensor(model, name, [1, 2], "float32", None) for name in ("x", "y", "-y"))
    _op(model, "NEG", [y], minus_y)
    model.inputs, model.outputs = [x, y], [x, minus_y]
    return model


def with_variables() -> Model:
    """A model that keeps a state of its own."""
    return next(case.model for case in svdf() if case.name == "svdf_float32")


def _scale(tensor: Tensor) -> float:
    assert tensor.quantization
    return tensor.quantization.scales[0]


def collect() -> dict[str, bytes]:
    """The bytes of all models by their names."""
    models = {
        "three": three(),
        "image": image(),
        "scalar": scalar(),
        "recurrent_float": recurrent("float32"),
        "recurrent_int8": recurrent("int8"),
        "accumulator": accumulator(),
        "delay": delay(),
        "variables": with_variables(),
        "stream": stream("float32", np.arange(6, dtype=np.float32).reshape(1, 2, 3)),
    }
    return {name: model.to_bytes() for name, model in models.items()}
