# What a model's file says, by the package tflite, which trusts what it reads: here numbers are
# bounded by the size of the file, and whatever it raises means a damaged file.

"""Models as files."""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import tflite

from . import advice, foreign
from .checks import printable
from .operators import name_of

IDENTIFIER = b"TFL3"
VERSION = 3
_CUSTOM = tflite.BuiltinOperator.CUSTOM
_MAX_RANK = 64
_DTYPES = {code: name.lower() for name, code in vars(tflite.TensorType).items() if name.isupper()}

# What the package raises when an offset leads nowhere.
_ASTRAY = (struct.error, AttributeError, IndexError, TypeError, ValueError, OverflowError)


class ModelError(Exception):
    """Why a file is no model that can be read, in words, and what to do about it."""

    def __init__(self, problem: str, advice: str, foreign: bool = False) -> None:
        super().__init__(problem)
        self.advice = advice
        self.foreign = foreign  # a file of another kind


@dataclass(frozen=True)
class Tensor:
    index: int
    name: str
    dtype: str
    shape: tuple[int, ...]
    variable: bool
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    quantized_dimension: int
    buffer: int
    data_size: int  # bytes of a constant, else 0

    @property
    def size(self) -> int:
        """Elements; 0 when the shape is impossible."""
        return math.prod(self.shape) if min(self.shape, default=1) > 0 else 0


@dataclass(frozen=True)
class Op:
    name: str
    version: int
    inputs: tuple[Tensor | None, ...]  # None: absent
    outputs: tuple[Tensor | None, ...]


@dataclass(frozen=True)
class Graph:
    tensors: list[Tensor]
    ops: list[Op]
    inputs: list[Tensor]
    outputs: list[Tensor]


@dataclass(frozen=True)
class ModelFile:
    size: int
    graphs: list[Graph]  # the first is the model's, the others are called by operators

    @cached_property
    def weights(self) -> dict[str, int]:
        """Bytes of constants by their types, largest first; shared ones count once."""
        constants = {
            tensor.buffer: tensor
            for graph in self.graphs
            for tensor in graph.tensors
            if tensor.data_size
        }
        found: dict[str, int] = {}
        for tensor in constants.values():
            found[tensor.dtype] = found.get(tensor.dtype, 0) + tensor.data_size
        return dict(sorted(found.items(), key=lambda item: -item[1]))


def _text(raw: bytes | None) -> str:
    return str(printable((raw or b"").decode(errors="replace")))


def _at(tensors: list[Tensor], index: int) -> Tensor:
    if index < 0:
        raise IndexError
    return tensors[index]


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.left = len(data)  # items that may still be read: each has bytes of its own
        self.model: Any = tflite.Model.GetRootAsModel(data, 0)
        self.codes = [self._code(code) for code in self._items(self.model, "OperatorCodes")]

    def _items(self, table: Any, name: str) -> Iterator[Any]:
        n = getattr(table, f"{name}Length")()
        self.left -= n
        if n < 0 or self.left < 0:
            raise ValueError
        item = getattr(table, name)
        return (item(i) for i in range(n))

    def _code(self, code: Any) -> tuple[str, int]:
        # Newer models have the code in the second field.
        builtin = max(code.DeprecatedBuiltinCode(), code.BuiltinCode())
        name = _text(code.CustomCode()) if builtin == _CUSTOM else name_of(builtin)
        return name or "CUSTOM", code.Version()

    def _tensor(self, index: int, raw: Any) -> Tensor:
        self.left -= 1 + len(raw.Name() or b"")
        shape = tuple(self._items(raw, "Shape"))
        if len(shape) > _MAX_RANK or self.left < 0:
            raise ValueError
        scales: tuple[float, ...] = ()
        zero_points: tuple[int, ...] = ()
        dimension = 0
        if quantization := raw.Quantization():
            scales = tuple(self._items(quantization, "Scale"))
            zero_points = tuple(self._items(quantization, "ZeroPoint"))
            dimension = quantization.QuantizedDimension()
        data_size = 0
        if raw.Buffer() < self.model.BuffersLength():
            data_size = self.model.Buffers(raw.Buffer()).DataLength()
        if data_size > len(self.data):
            raise ValueError
        dtype = _DTYPES.get(raw.Type(), f"type {raw.Type()}")
        return Tensor(
            *(index, _text(raw.Name()), dtype, shape, bool(raw.IsVariable())),
            *(scales, zero_points, dimension, raw.Buffer(), data_size),
        )

    def _op(self, raw: Any, tensors: list[Tensor]) -> Op:
        name, version = self.codes[raw.OpcodeIndex()]
        lists = [
            tuple(None if i == -1 else _at(tensors, i) for i in self._items(raw, ends))
            for ends in ("Inputs", "Outputs")
        ]
        return Op(name, version, *lists)

    def _graph(self, raw: Any) -> Graph:
        tensors = [self._tensor(i, each) for i, each in enumerate(self._items(raw, "Tensors"))]
        ops = [self._op(each, tensors) for each in self._items(raw, "Operators")]
        ends = [
            [_at(tensors, i) for i in self._items(raw, name)] for name in ("Inputs", "Outputs")
        ]
        return Graph(tensors, ops, *ends)

    def graphs(self) -> list[Graph]:
        return [self._graph(each) for each in self._items(self.model, "Subgraphs")]


def _foreign(beginning: bytes, suffix: str, size: int) -> ModelError:
    return ModelError(*foreign.recognise(beginning, suffix, size), foreign=True)


def parse(data: bytes, suffix: str = "") -> ModelFile:
    """The model in a file's bytes; raises ModelError."""
    if data[4:8] != IDENTIFIER:
        raise _foreign(data[: foreign.BEGINNING], suffix, len(data))
    try:
        reader = _Reader(data)
        version = reader.model.Version()
        graphs = reader.graphs()
    except _ASTRAY:
        problem = f"damaged or truncated model of {len(data):,} bytes"
        raise ModelError(problem, advice.for_problem(problem)) from None
    if version != VERSION:
        problem = f"schema version {version}, {VERSION} is needed"
        raise ModelError(problem, advice.for_problem(problem))
    if not graphs or not graphs[0].ops:
        raise ModelError("a model without operators", "Convert it again.")
    return ModelFile(len(data), graphs)


def read(path: Path) -> ModelFile:
    """The model in a file; raises ModelError, or OSError when there is no such file."""
    suffix = path.suffix.lower()
    with path.open("rb") as file:
        beginning = file.read(foreign.BEGINNING)
        if beginning[4:8] != IDENTIFIER:
            raise _foreign(beginning, suffix, os.fstat(file.fileno()).st_size)
        return parse(beginning + file.read(), suffix)
