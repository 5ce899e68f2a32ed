# Models as plain objects, and their bytes: what tests change is an attribute, not an offset.

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import flatbuffers
import numpy as np
import numpy.typing as npt
import tflite

Array = npt.NDArray[Any]
Type = tflite.TensorType

TYPES: dict[str, int] = {
    "float32": Type.FLOAT32,
    "int8": Type.INT8,
    "uint8": Type.UINT8,
    "int16": Type.INT16,
    "int32": Type.INT32,
    "int64": Type.INT64,
    "bool": Type.BOOL,
    "resource": Type.RESOURCE,
}
ALIGNMENT = 16
NO_INDEX = -1


@dataclass
class Quantization:
    scales: list[float]
    zero_points: list[int]
    dimension: int = 0


@dataclass
class Tensor:
    shape: list[int]
    type: int
    data: bytes | None = None
    quantization: Quantization | None = None
    variable: bool = False
    name: str = ""
    buffer: int | None = None  # None: one of its own when there is data, else the empty one


@dataclass
class Op:
    code: int
    inputs: list[int]
    outputs: list[int]
    options: str | None = None  # such as "Conv2DOptions"
    values: dict[str, Any] = field(default_factory=dict)  # such as {"StrideW": 1}
    options_type: int | None = None  # None: that of options
    custom: str | None = None  # the name of a custom operator

    @property
    def kind(self) -> tuple[int, str]:
        return self.code, self.custom or ""


@dataclass
class Model:
    tensors: list[Tensor] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    version: int = 3
    subgraphs: list["Model"] = field(default_factory=list)  # beside the main one

    def add(self, tensor: Tensor) -> int:
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def to_bytes(self) -> bytes:
        return _Writer(self).write()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Model":
        """What this class can hold of a model with one subgraph."""
        source = tflite.Model.GetRootAsModel(data, 0)
        graph = source.Subgraphs(0)
        return cls(
            [_read_tensor(source, graph.Tensors(i)) for i in range(graph.TensorsLength())],
            [_read_op(source, graph.Operators(i)) for i in range(graph.OperatorsLength())],
            list(map(int, graph.InputsAsNumpy())),
            list(map(int, graph.OutputsAsNumpy())),
        )


def activation(
    shape: Sequence[int], dtype: str, scale: float | None = None, zero_point: int = 0
) -> Tensor:
    quantization = None if scale is None else Quantization([scale], [zero_point])
    return Tensor(list(shape), TYPES[dtype], None, quantization)


def constant(
    values: Array,
    scales: float | list[float] | None = None,
    zero_point: int = 0,
    dimension: int = 0,
) -> Tensor:
    """A tensor with the array's shape and type."""
    quantization = None
    if scales is not None:
        scales = scales if isinstance(scales, list) else [scales]
        quantization = Quantization(scales, [zero_point] * len(scales), dimension)
    data = np.ascontiguousarray(values)
    return Tensor(list(values.shape), TYPES[values.dtype.name], data.tobytes(), quantization)


def _read_tensor(model: tflite.Model, source: tflite.Tensor) -> Tensor:
    buffer = model.Buffers(source.Buffer())
    quantization = None
    parameters = source.Quantization()
    if parameters is not None and parameters.ScaleLength() and parameters.ZeroPointLength():
        quantization = Quantization(
            [parameters.Scale(i) for i in range(parameters.ScaleLength())],
            [parameters.ZeroPoint(i) for i in range(parameters.ZeroPointLength())],
            parameters.QuantizedDimension(),
        )
    return Tensor(
        [source.Shape(i) for i in range(source.ShapeLength())],
        source.Type(),
        buffer.DataAsNumpy().tobytes() if buffer.DataLength() else None,
        quantization,
        source.IsVariable(),
        (source.Name() or b"").decode(),
    )


def _read_options(source: tflite.Operator) -> tuple[str | None, dict[str, Any]]:
    names = {code: name for name, code in vars(tflite.BuiltinOptions).items() if name[0] != "_"}
    kind = names[source.BuiltinOptionsType()]
    table = source.BuiltinOptions()
    if table is None:
        return None, {}
    options = getattr(tflite, kind)()
    options.Init(table.Bytes, table.Pos)
    values = {}
    for name in dir(options):
        if hasattr(tflite, f"{kind}Add{name}"):
            vector = getattr(options, f"{name}AsNumpy", None)
            value = vector() if vector else getattr(options, name)()
            values[name] = [int(v) for v in np.atleast_1d(value)] if vector else value
    return kind, values


def _read_op(model: tflite.Model, source: tflite.Operator) -> Op:
    code = model.OperatorCodes(source.OpcodeIndex())
    return Op(
        max(code.BuiltinCode(), code.DeprecatedBuiltinCode()),
        [source.Inputs(i) for i in range(source.InputsLength())],
        [source.Outputs(i) for i in range(source.OutputsLength())],
        *_read_options(source),
    )


class _Writer:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.to = flatbuffers.Builder(1024)
        self.buffers: list[int] = []

    def write(self) -> bytes:
        self.buffers.append(self._buffer(None))
        parts = [self.model, *self.model.subgraphs]
        codes = sorted({op.kind for part in parts for op in part.ops})
        graphs = self._vector([self._graph(part, codes) for part in parts])
        code_tables = self._vector([self._code(*code) for code in codes])
        buffers = self._vector(self.buffers)
        tflite.ModelStart(self.to)
        tflite.ModelAddVersion(self.to, self.model.version)
        tflite.ModelAddOperatorCodes(self.to, code_tables)
        tflite.ModelAddSubgraphs(self.to, graphs)
        tflite.ModelAddBuffers(self.to, buffers)
        self.to.Finish(tflite.ModelEnd(self.to), b"TFL3")
        return bytes(self.to.Output())

    def _graph(self, graph: Model, codes: list[tuple[int, str]]) -> int:
        tensors = self._vector([self._tensor(tensor) for tensor in graph.tensors])
        ops = self._vector([self._op(op, codes.index(op.kind)) for op in graph.ops])
        inputs = self._ints(graph.inputs)
        outputs = self._ints(graph.outputs)
        tflite.SubGraphStart(self.to)
        tflite.SubGraphAddTensors(self.to, tensors)
        tflite.SubGraphAddInputs(self.to, inputs)
        tflite.SubGraphAddOutputs(self.to, outputs)
        tflite.SubGraphAddOperators(self.to, ops)
        return int(tflite.SubGraphEnd(self.to))

    def _vector(self, offsets: list[int]) -> int:
        self.to.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.to.PrependUOffsetTRelative(offset)
        return int(self.to.EndVector())

    def _ints(self, values: Sequence[int]) -> int:
        return int(self.to.CreateNumpyVector(np.array(values, np.int32)))

    def _buffer(self, data: bytes | None) -> int:
        vector = 0
        if data is not None:
            self.to.StartVector(1, len(data), ALIGNMENT)
            self.to.head -= len(data)
            self.to.Bytes[self.to.head : self.to.head + len(data)] = data
            vector = self.to.EndVector()
        tflite.BufferStart(self.to)
        if data is not None:
            tflite.BufferAddData(self.to, vector)
        return int(tflite.BufferEnd(self.to))

    def _quantization(self, quantization: Quantization) -> int:
        with np.errstate(over="ignore"):
            scales = self.to.CreateNumpyVector(np.array(quantization.scales, np.float32))
        zero_points = self.to.CreateNumpyVector(np.array(quantization.zero_points, np.int64))
        tflite.QuantizationParametersStart(self.to)
        tflite.QuantizationParametersAddScale(self.to, scales)
        tflite.QuantizationParametersAddZeroPoint(self.to, zero_points)
        tflite.QuantizationParametersAddQuantizedDimension(self.to, quantization.dimension)
        return int(tflite.QuantizationParametersEnd(self.to))

    def _tensor(self, tensor: Tensor) -> int:
        buffer = tensor.buffer
        if tensor.data is not None:
            self.buffers.append(self._buffer(tensor.data))
            buffer = len(self.buffers) - 1 if buffer is None else buffer
        name = self.to.CreateString(tensor.name)
        shape = self._ints(tensor.shape)
        quantization = self._quantization(tensor.quantization) if tensor.quantization else None
        tflite.TensorStart(self.to)
        tflite.TensorAddShape(self.to, shape)
        tflite.TensorAddType(self.to, tensor.type)
        tflite.TensorAddBuffer(self.to, buffer or 0)
        tflite.TensorAddName(self.to, name)
        if quantization is not None:
            tflite.TensorAddQuantization(self.to, quantization)
        tflite.TensorAddIsVariable(self.to, tensor.variable)
        return int(tflite.TensorEnd(self.to))

    def _options(self, op: Op) -> int:
        vectors = {k: self._ints(v) for k, v in op.values.items() if isinstance(v, list)}
        vectors |= {k: self.to.CreateString(v) for k, v in op.values.items() if isinstance(v, str)}
        getattr(tflite, f"{op.options}Start")(self.to)
        for name, value in {**op.values, **vectors}.items():
            getattr(tflite, f"{op.options}Add{name}")(self.to, value)
        return int(getattr(tflite, f"{op.options}End")(self.to))

    def _op(self, op: Op, code: int) -> int:
        inputs = self._ints(op.inputs)
        outputs = self._ints(op.outputs)
        options = self._options(op) if op.options else None
        tflite.OperatorStart(self.to)
        tflite.OperatorAddOpcodeIndex(self.to, code)
        tflite.OperatorAddInputs(self.to, inputs)
        tflite.OperatorAddOutputs(self.to, outputs)
        if options is not None:
            kind = op.options_type
            if kind is None:
                kind = getattr(tflite.BuiltinOptions, str(op.options))
            tflite.OperatorAddBuiltinOptionsType(self.to, kind)
            tflite.OperatorAddBuiltinOptions(self.to, options)
        return int(tflite.OperatorEnd(self.to))

    def _code(self, code: int, custom: str) -> int:
        name = self.to.CreateString(custom) if custom else None
        tflite.OperatorCodeStart(self.to)
        tflite.OperatorCodeAddDeprecatedBuiltinCode(self.to, min(code, 127))
        tflite.OperatorCodeAddBuiltinCode(self.to, code)
        tflite.OperatorCodeAddVersion(self.to, 1)
        if name is not None:
            tflite.OperatorCodeAddCustomCode(self.to, name)
        return int(tflite.OperatorCodeEnd(self.to))
