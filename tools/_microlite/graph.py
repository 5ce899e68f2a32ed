# What a model says of itself, read with the package tflite, and what is wrong with it. The check
# is shallower than a board's: it follows every reference and asks for sizes and types, not for
# what each operator takes for granted.

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tflite

from .operators import OPERATORS

SCHEMA = 3
MAX_RANK = 5
FAULTS = (struct.error, IndexError, ValueError, TypeError, AttributeError, OverflowError)


class Dtype(NamedTuple):
    name: str
    code: str  # of the numbers, as in array.array and "?" for bool; "" when they have no use here
    view: str  # typecode of views
    nbytes: int


DTYPES = {
    tflite.TensorType.FLOAT32: Dtype("float32", "f", "f", 4),
    tflite.TensorType.FLOAT16: Dtype("float16", "", "H", 2),
    tflite.TensorType.INT32: Dtype("int32", "i", "i", 4),
    tflite.TensorType.UINT8: Dtype("uint8", "B", "B", 1),
    tflite.TensorType.INT64: Dtype("int64", "q", "q", 8),
    tflite.TensorType.BOOL: Dtype("bool", "?", "B", 1),
    tflite.TensorType.INT16: Dtype("int16", "h", "h", 2),
    tflite.TensorType.COMPLEX64: Dtype("complex64", "", "f", 8),
    tflite.TensorType.INT8: Dtype("int8", "b", "b", 1),
}
_BUILTINS: dict[int, str] = {
    code: name
    for name, code in vars(tflite.BuiltinOperator).items()
    if isinstance(code, int) and not name.startswith("_")
}


def ascii_text(raw: bytes | None) -> str:
    return "".join(chr(byte) if byte < 0x80 else "?" for byte in raw or b"")


@dataclass(frozen=True)
class Edge:
    """A tensor that is an input or an output of the graph."""

    place: int  # among the tensors of the graph
    name: str
    shape: tuple[int, ...]
    dtype: Dtype
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    dimension: int
    constant: bytes | None

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.nbytes

    @property
    def is_quantised(self) -> bool:
        return len(self.scales) > 0 and self.dtype.code not in ("", "f", "?")

    @property
    def one_scale(self) -> bool:
        return self.is_quantised and len(self.scales) == 1

    @cached_property
    def slice(self) -> int:
        """Numbers in sequence that share a scale; 0 when scales make no sense."""
        if not all(0 < scale < float("inf") for scale in self.scales):
            return 0
        if len(self.scales) <= 1:
            return self.size
        rank = len(self.shape)
        if not 0 <= self.dimension < rank or self.shape[self.dimension] != len(self.scales):
            return 0
        return prod(self.shape[self.dimension + 1 :])


@dataclass
class Graph:
    problems: list[str] = field(default_factory=list)
    ops: tuple[str, ...] = ()
    inputs: tuple[Edge, ...] = ()
    outputs: tuple[Edge, ...] = ()
    last_uses: dict[int, int] = field(default_factory=dict)  # tensors read: the last operator
    has_uint8_weights: bool = False

    @property
    def missing_ops(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(op for op in self.ops if op not in OPERATORS))


def read(model: bytes) -> Graph:
    graph = Graph()
    if not model:
        graph.problems.append("not a model: empty")
    elif model[4:8] != b"TFL3":
        problem = f"not a TensorFlow Lite model: no TFL3 at byte 4 of {len(model)} bytes"
        graph.problems.append(problem)
    else:
        try:
            with np.errstate(all="ignore"):
                _Reader(model, graph).read()
        except FAULTS:
            graph.problems[:] = [f"damaged or truncated model of {len(model)} bytes"]
    return graph


def _items(table: Any, name: str) -> Iterator[Any]:
    get = getattr(table, name)
    return (get(i) for i in range(getattr(table, f"{name}Length")()))


def _numbers(table: Any, name: str) -> list[Any]:
    array = getattr(table, f"{name}AsNumpy")()
    return [] if isinstance(array, int) else list(array.tolist())


class _Reader:
    def __init__(self, model: bytes, graph: Graph) -> None:
        self.data = model
        self.graph = graph
        self.model = tflite.Model.GetRootAsModel(model, 0)

    def read(self) -> None:
        version = self.model.Version()
        if version != SCHEMA:
            self.graph.problems.append(f"schema version {version}, {SCHEMA} is needed")
            return
        self.buffers = [self._bytes(buffer) for buffer in _items(self.model, "Buffers")]
        self.codes = [self._op_name(code) for code in _items(self.model, "OperatorCodes")]
        graphs = list(_items(self.model, "Subgraphs"))
        if not graphs:
            self.graph.problems.append("no subgraph")
            return
        for i, graph in enumerate(graphs):
            self._read_graph(graph, is_main=i == 0)

    def _bytes(self, buffer: Any) -> npt.NDArray[np.uint8]:
        data = buffer.DataAsNumpy()
        return np.empty(0, np.uint8) if isinstance(data, int) else np.asarray(data)

    def _op_name(self, code: Any) -> str:
        number = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
        if number == tflite.BuiltinOperator.CUSTOM:
            return ascii_text(code.CustomCode())
        return _BUILTINS.get(number, f"BUILTIN_{number}")

    def _read_graph(self, graph: Any, is_main: bool) -> None:
        tensors = list(_items(graph, "Tensors"))
        edges = [self._edge(place, tensor) for place, tensor in enumerate(tensors)]
        names = []
        last_uses = {}
        for i, op in enumerate(_items(graph, "Operators")):
            if op.OpcodeIndex() >= len(self.codes):
                self._tell(f"operator {i}: code {op.OpcodeIndex()} of {len(self.codes)}")
                continue
            names.append(self.codes[op.OpcodeIndex()])
            for place in [*_numbers(op, "Inputs"), *_numbers(op, "Outputs")]:
                if not -1 <= place < len(tensors):
                    self._tell(f"operator {i} ({names[-1]}): tensor {place} of {len(tensors)}")
            last_uses.update(dict.fromkeys(_numbers(op, "Inputs"), i))
        ends = [
            self._ends(kind, _numbers(graph, f"{kind.capitalize()}s"), edges)
            for kind in ("input", "output")
        ]
        if is_main:
            self.graph.ops, self.graph.last_uses = tuple(names), last_uses
            self.graph.inputs, self.graph.outputs = ends

    def _tell(self, problem: str) -> None:
        self.graph.problems.append(problem)

    def _ends(self, kind: str, places: list[int], edges: list[Edge | None]) -> tuple[Edge, ...]:
        found = []
        for i, place in enumerate(places):
            if not 0 <= place < len(edges):
                self._tell(f"{kind} {i}: tensor {place} of {len(edges)}")
            elif (edge := edges[place]) is not None:
                found.append(edge)
        return tuple(found)

    def _edge(self, place: int, tensor: Any) -> Edge | None:
        """What is wrong with a tensor is told, and variables have no use here."""
        name = ascii_text(tensor.Name())
        called = f"tensor {place} ({name}): " if name else f"tensor {place}: "
        shape = tuple(int(n) for n in _numbers(tensor, "Shape"))
        dtype = DTYPES.get(tensor.Type())
        buffer = tensor.Buffer()
        if dtype is None:
            if tensor.Type() != tflite.TensorType.RESOURCE:
                self._tell(f"{called}type {tensor.Type()} is not supported")
            return None
        if len(shape) > MAX_RANK:
            self._tell(f"{called}rank {len(shape)}, at most {MAX_RANK} is supported")
        elif any(n < 0 for n in shape):
            self._tell(f"{called}impossible shape")
        elif buffer >= max(len(self.buffers), 1):
            self._tell(f"{called}buffer {buffer} of {len(self.buffers)}")
        else:
            data = self.buffers[buffer] if self.buffers else np.empty(0, np.uint8)
            edge = Edge(
                place, name, shape, dtype, *self._quantisation(tensor), bytes(data) or None
            )
            if edge.constant is None or len(data) == edge.nbytes:
                if edge.constant is not None and dtype.name == "uint8":
                    self.graph.has_uint8_weights = True
                return edge
            self._tell(f"{called}{len(data)} bytes of data, {edge.nbytes} are needed")
        return None

    def _quantisation(self, tensor: Any) -> tuple[tuple[float, ...], tuple[int, ...], int]:
        found = tensor.Quantization()
        if found is None:
            return (), (), 0
        scales = _numbers(found, "Scale")
        zero_points = _numbers(found, "ZeroPoint") or [0]
        if len(zero_points) == 1:
            zero_points *= len(scales)
        return tuple(scales), tuple(zero_points[: len(scales)]), found.QuantizedDimension()
