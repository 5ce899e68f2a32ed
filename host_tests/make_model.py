# Small float models with the shapes of graph that converters seldom write.

from dataclasses import dataclass, field

import flatbuffers
import numpy as np
import numpy.typing as npt
import tflite

Floats = npt.NDArray[np.float32]
TYPES = {"float32": tflite.TensorType.FLOAT32, "int32": tflite.TensorType.INT32}

# The table of an operator's options and the fields that are not at their defaults.
OPTIONS = {
    "ABS": ("AbsOptions", {}),
    "ADD": ("AddOptions", {}),
    "CONV_2D": ("Conv2DOptions", {"StrideW": 1, "StrideH": 1}),
    "FULLY_CONNECTED": ("FullyConnectedOptions", {}),
    "SPLIT": ("SplitOptions", {"NumSplits": 2}),
}


@dataclass
class Graph:
    """Grows by its methods, which return indices of tensors."""

    tensors: list[tuple[list[int], str, bytes]] = field(default_factory=list)
    ops: list[tuple[str, list[int], list[int]]] = field(default_factory=list)

    def tensor(self, *shape: int) -> int:
        self.tensors.append(([*shape], "float32", b""))
        return len(self.tensors) - 1

    def constant(self, values: npt.NDArray[np.generic]) -> int:
        self.tensors.append(([*values.shape], str(values.dtype), values.tobytes()))
        return len(self.tensors) - 1

    def op(self, name: str, inputs: list[int], *shape: int, outputs: int = 1) -> list[int]:
        made = [self.tensor(*shape) for _ in range(outputs)]
        self.ops.append((name, inputs, made))
        return made

    def build(self, inputs: list[int], outputs: list[int]) -> bytes:
        return _Writer(self).finish(inputs, outputs)


class _Writer:
    def __init__(self, graph: Graph) -> None:
        self.builder = flatbuffers.Builder(1024)
        self.graph = graph
        self.names = sorted({name for name, _, _ in graph.ops})

    def _ints(self, values: list[int]) -> int:
        return int(self.builder.CreateNumpyVector(np.array(values, np.int32)))

    def _tables(self, offsets: list[int]) -> int:
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return int(self.builder.EndVector())

    def _buffer(self, data: bytes) -> int:
        vector = 0
        if data:
            self.builder.StartVector(1, len(data), 16)
            self.builder.head -= len(data)
            self.builder.Bytes[self.builder.head : self.builder.head + len(data)] = data
            vector = self.builder.EndVector()
        tflite.BufferStart(self.builder)
        if data:
            tflite.BufferAddData(self.builder, vector)
        return int(tflite.BufferEnd(self.builder))

    def _tensor(self, index: int) -> int:
        shape, kind, _ = self.graph.tensors[index]
        name, dims = self.builder.CreateString(f"t{index}"), self._ints(shape)
        tflite.TensorStart(self.builder)
        tflite.TensorAddShape(self.builder, dims)
        tflite.TensorAddType(self.builder, TYPES[kind])
        tflite.TensorAddBuffer(self.builder, index + 1)
        tflite.TensorAddName(self.builder, name)
        return int(tflite.TensorEnd(self.builder))

    def _options(self, name: str) -> tuple[int, int]:
        table, fields = OPTIONS[name]
        getattr(tflite, f"{table}Start")(self.builder)
        for field_name, value in fields.items():
            getattr(tflite, f"{table}Add{field_name}")(self.builder, value)
        kind = getattr(tflite.BuiltinOptions, table)
        return kind, getattr(tflite, f"{table}End")(self.builder)

    def _op(self, name: str, inputs: list[int], outputs: list[int]) -> int:
        kind, options = self._options(name)
        ins, outs = self._ints(inputs), self._ints(outputs)
        tflite.OperatorStart(self.builder)
        tflite.OperatorAddOpcodeIndex(self.builder, self.names.index(name))
        tflite.OperatorAddInputs(self.builder, ins)
        tflite.OperatorAddOutputs(self.builder, outs)
        tflite.OperatorAddBuiltinOptionsType(self.builder, kind)
        tflite.OperatorAddBuiltinOptions(self.builder, options)
        return int(tflite.OperatorEnd(self.builder))

    def _code(self, name: str) -> int:
        code = getattr(tflite.BuiltinOperator, name)
        tflite.OperatorCodeStart(self.builder)
        tflite.OperatorCodeAddDeprecatedBuiltinCode(self.builder, code)
        tflite.OperatorCodeAddBuiltinCode(self.builder, code)
        tflite.OperatorCodeAddVersion(self.builder, 1)
        return int(tflite.OperatorCodeEnd(self.builder))

    def _subgraph(self, inputs: list[int], outputs: list[int]) -> int:
        tensors = self._tables([self._tensor(i) for i in range(len(self.graph.tensors))])
        ops = self._tables([self._op(*op) for op in self.graph.ops])
        ins, outs = self._ints(inputs), self._ints(outputs)
        tflite.SubGraphStart(self.builder)
        tflite.SubGraphAddTensors(self.builder, tensors)
        tflite.SubGraphAddInputs(self.builder, ins)
        tflite.SubGraphAddOutputs(self.builder, outs)
        tflite.SubGraphAddOperators(self.builder, ops)
        return int(tflite.SubGraphEnd(self.builder))

    def finish(self, inputs: list[int], outputs: list[int]) -> bytes:
        data = [b"", *(tensor[2] for tensor in self.graph.tensors)]
        buffers = self._tables([self._buffer(each) for each in data])
        codes = self._tables([self._code(name) for name in self.names])
        subgraphs = self._tables([self._subgraph(inputs, outputs)])
        tflite.ModelStart(self.builder)
        tflite.ModelAddVersion(self.builder, 3)
        tflite.ModelAddOperatorCodes(self.builder, codes)
        tflite.ModelAddSubgraphs(self.builder, subgraphs)
        tflite.ModelAddBuffers(self.builder, buffers)
        self.builder.Finish(tflite.ModelEnd(self.builder), b"TFL3")
        return bytes(self.builder.Output())
