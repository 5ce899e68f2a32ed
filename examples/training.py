# What the scripts train.py of the examples share, on a computer: dense layers that learn by
# gradient descent, their numbers in float32 and in int8, and the file of a model. Needs numpy,
# flatbuffers and tflite.
#
# Sums are those of numpy's own loops, not of a BLAS, whose order of additions depends on the
# processor: the same seed gives the same bytes everywhere.

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import flatbuffers
import numpy as np
import numpy.typing as npt
import tflite

RELU, NONE = tflite.ActivationFunctionType.RELU, tflite.ActivationFunctionType.NONE

Array: TypeAlias = npt.NDArray[Any]


# --- Data ---


def spectra(rows: Array) -> Array:
    """As microlite.spectrum() makes them, with a row for each."""
    n = rows.shape[1]
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / n)
    return np.round(np.abs(np.fft.rfft(rows * hann, axis=1)), 3)


# --- Training ---


@dataclass
class Layer:
    weights: Array  # [outputs, inputs]
    bias: Array  # [outputs]
    relu: bool

    def run(self, x: Array) -> Array:
        """x has a column for each sample."""
        y: Array = (self.weights[:, :, None] * x).sum(axis=1) + self.bias[:, None]
        return np.maximum(y, 0) if self.relu else y


def dense(rng: np.random.Generator, *widths: int, linear: tuple[int, ...] = ()) -> list[Layer]:
    """Layers between these widths, with ReLU but for the last one and those of `linear`."""
    layers = []
    for i, (inputs, outputs) in enumerate(pairwise(widths)):
        weights = rng.normal(0, (2 / inputs) ** 0.5, (outputs, inputs))
        relu = i < len(widths) - 2 and i not in linear
        layers.append(Layer(weights, np.zeros(outputs), relu))
    return layers


def run(layers: list[Layer], x: Array) -> Array:
    for layer in layers:
        x = layer.run(x)
    return x


def squared_error(wanted: Array) -> Callable[[Array], Array]:
    """The slope of the mean squared error at an output."""
    return lambda y: 2 * (y - wanted) / wanted.size


def cross_entropy(wanted: Array) -> Callable[[Array], Array]:
    """The slope of the cross entropy of softmax(output); wanted holds chances, 0 or 1."""

    def slope(y: Array) -> Array:
        chances = np.exp(y - y.max(axis=0))
        change: Array = (chances / chances.sum(axis=0) - wanted) / wanted.shape[1]
        return change

    return slope


def gradients(layers: list[Layer], x: Array, slope: Callable[[Array], Array]) -> list[Array]:
    """For weights and bias of each layer."""
    values = [x]
    for layer in layers:
        values.append(layer.run(values[-1]))
    back = slope(values[-1])
    found: list[Array] = []
    for layer, source, result in reversed(list(zip(layers, values, values[1:], strict=False))):
        if layer.relu:
            back = back * (result > 0)
        columns = back.T[:, :, None], source.T[:, None, :]
        found[:0] = [(columns[0] * columns[1]).sum(axis=0), back.T.sum(axis=0)]
        back = (layer.weights[:, :, None] * back[:, None, :]).sum(axis=0)
    return found


def train(layers: list[Layer], x: Array, slope: Callable[[Array], Array], steps: int) -> None:
    """By Adam, with steps that become smaller."""
    parameters = [each for layer in layers for each in (layer.weights, layer.bias)]
    means = [np.zeros_like(each) for each in parameters]
    squares = [np.zeros_like(each) for each in parameters]
    fade_mean = fade_square = 1.0
    for step in range(steps):
        fade_mean *= 0.9
        fade_square *= 0.999
        rate = 0.01 * (1 - step / steps)
        for each, mean, square, gradient in zip(
            parameters, means, squares, gradients(layers, x, slope), strict=True
        ):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            size = np.sqrt(square / (1 - fade_square)) + 1e-8
            each -= rate * (mean / (1 - fade_mean)) / size


# --- Numbers of a model ---


@dataclass
class Tensor:
    name: str
    shape: tuple[int, ...]
    dtype: str = "FLOAT32"
    data: Array | None = None
    scale: float | None = None
    zero_point: int = 0


@dataclass
class Op:
    """An operator by its name in the schema, with the indices of its tensors."""

    name: str
    inputs: list[int]
    outputs: list[int]
    options: str = ""
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass
class Graph:
    tensors: list[Tensor]
    ops: list[Op]
    inputs: list[int]
    outputs: list[int]


def fully_connected(inputs: list[int], output: int, relu: bool = False) -> Op:
    fields = {"FusedActivationFunction": RELU if relu else NONE}
    return Op("FULLY_CONNECTED", inputs, [output], "FullyConnectedOptions", fields)


def chain(layers: list[Layer], tensors: list[Tensor]) -> Graph:
    """Of the values between layers, then weights and bias of each."""
    n = len(layers)
    ops = [
        fully_connected([i, n + 1 + 2 * i, n + 2 + 2 * i], i + 1, layer.relu)
        for i, layer in enumerate(layers)
    ]
    return Graph(tensors, ops, [0], [n])


def names(layers: list[Layer], first: str, last: str) -> list[str]:
    return [first, *(f"hidden_{i}" for i in range(1, len(layers))), last]


def float_graph(layers: list[Layer], first: str, last: str) -> Graph:
    widths = [layers[0].weights.shape[1], *(len(layer.bias) for layer in layers)]
    tensors = [
        Tensor(name, (1, width))
        for name, width in zip(names(layers, first, last), widths, strict=True)
    ]
    for i, layer in enumerate(layers):
        for name, data in ((f"weights_{i}", layer.weights), (f"bias_{i}", layer.bias)):
            tensors.append(Tensor(name, data.shape, data=data.astype("<f4")))
    return chain(layers, tensors)


def round_away(values: Array) -> Array:
    """Halves away from zero."""
    rounded: Array = np.trunc(values + np.copysign(0.5, values))
    return rounded


def quantised_range(values: Array) -> tuple[float, int]:
    """Scale and zero point for int8, so that 0 is a number."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    scale = float(np.float32((high - low) / 255))
    return scale, int(round_away(np.array(-128 - low / scale)))


def int8_graph(layers: list[Layer], values: Array, first: str, last: str) -> Graph:
    """In int8, with the scales of what such values at the input lead to."""
    tensors: list[Tensor] = []
    constants: list[Tensor] = []
    for i, (name, layer) in enumerate(
        zip(names(layers, first, last), [*layers, None], strict=True)
    ):
        scale, zero_point = quantised_range(values)
        tensors.append(Tensor(name, (1, len(values)), "INT8", None, scale, zero_point))
        if layer is None:
            break
        step = float(np.float32(np.abs(layer.weights).max() / 127))
        weights = np.clip(round_away(layer.weights / step), -127, 127).astype("i1")
        bias = round_away(layer.bias / (scale * step)).astype("<i4")
        constants.append(Tensor(f"weights_{i}", weights.shape, "INT8", weights, step))
        constants.append(Tensor(f"bias_{i}", bias.shape, "INT32", bias, scale * step))
        values = layer.run(values)
    return chain(layers, tensors + constants)


# --- The file ---


class Writer:
    """A FlatBuffer of a model, inside out: what is referred to comes first."""

    def __init__(self) -> None:
        self.out = flatbuffers.Builder(1024)

    def table(self, name: str, **fields: Any) -> int:
        getattr(tflite, f"{name}Start")(self.out)
        for field_name, value in fields.items():
            getattr(tflite, f"{name}Add{field_name}")(self.out, value)
        return int(getattr(tflite, f"{name}End")(self.out))

    def tables(self, offsets: list[int]) -> int:
        self.out.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.out.PrependUOffsetTRelative(offset)
        return int(self.out.EndVector())

    def numbers(self, values: Any, dtype: str) -> int:
        return int(self.out.CreateNumpyVector(np.asarray(values, dtype)))

    def buffer(self, data: Array | None) -> int:
        if data is None:
            return self.table("Buffer")
        raw = data.tobytes()
        self.out.StartVector(1, len(raw), 16)  # boards use it where it is, aligned
        self.out.head -= len(raw)
        self.out.Bytes[self.out.head : self.out.head + len(raw)] = raw
        return self.table("Buffer", Data=self.out.EndVector())

    def tensor(self, tensor: Tensor, buffer: int) -> int:
        fields: dict[str, Any] = {
            "Shape": self.numbers(tensor.shape, "<i4"),
            "Name": self.out.CreateString(tensor.name),
        }
        if tensor.scale is not None:
            scale = self.numbers([tensor.scale], "<f4")
            zero_point = self.numbers([tensor.zero_point], "<i8")
            fields["Quantization"] = self.table(
                "QuantizationParameters", Scale=scale, ZeroPoint=zero_point
            )
        kind = getattr(tflite.TensorType, tensor.dtype)
        return self.table("Tensor", Type=kind, Buffer=buffer, **fields)

    def op(self, op: Op, code: int) -> int:
        fields: dict[str, Any] = {
            "Inputs": self.numbers(op.inputs, "<i4"),
            "Outputs": self.numbers(op.outputs, "<i4"),
        }
        if op.options:
            fields["BuiltinOptionsType"] = getattr(tflite.BuiltinOptions, op.options)
            fields["BuiltinOptions"] = self.table(op.options, **op.fields)
        if code:
            fields["OpcodeIndex"] = code
        return self.table("Operator", **fields)

    def code(self, name: str) -> int:
        code = getattr(tflite.BuiltinOperator, name)
        return self.table("OperatorCode", DeprecatedBuiltinCode=code, BuiltinCode=code, Version=1)


def write(graph: Graph) -> bytes:
    to = Writer()
    constants = [tensor.data for tensor in graph.tensors if tensor.data is not None]
    buffer_table = to.tables([to.buffer(data) for data in [None, *constants]])  # 0 is empty
    places = iter(range(1, len(constants) + 1))
    tensors = [
        to.tensor(tensor, 0 if tensor.data is None else next(places)) for tensor in graph.tensors
    ]
    tensor_table = to.tables(tensors)
    codes = list(dict.fromkeys(op.name for op in graph.ops))
    ops = to.tables([to.op(op, codes.index(op.name)) for op in graph.ops])
    inputs, outputs = to.numbers(graph.inputs, "<i4"), to.numbers(graph.outputs, "<i4")
    subgraph = to.table(
        "SubGraph", Tensors=tensor_table, Inputs=inputs, Outputs=outputs, Operators=ops
    )
    code_tables = [to.code(name) for name in codes]
    parts = {
        "OperatorCodes": to.tables(code_tables),
        "Subgraphs": to.tables([subgraph]),
        "Buffers": buffer_table,
    }
    to.out.Finish(to.table("Model", Version=3, **parts), b"TFL3")
    return bytes(to.out.Output())


def save(files: dict[str, bytes], script: str) -> None:
    """Into the folder that the command line names, or that of the script."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(script).parent)
    for name, data in files.items():
        (folder / name).write_bytes(data)
        print(f"{folder / name}: {len(data)} bytes")
