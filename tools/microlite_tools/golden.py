# Golden outputs of a model: what the package tflite-micro, TensorFlow Lite Micro on this computer,
# answers to given or random inputs, in a file that microlite.verify() checks a board with.
#
# The file, all little-endian:
#   16 bytes    "MLGO", then one byte each: version 1, flags, number of inputs, of outputs; then
#               four bytes each: CRC-32 of the model's file, number of cases
#   4 each      bytes of each input and each output
#   4           CRC-32 of all before
#   then for each case the inputs, the outputs, in the tensors' own representation, and the CRC-32
#   of these.
# Flag 1: the cases are steps of a sequence. Else variables are reset before each case.

"""Make golden outputs of a model, for microlite.verify() on a board."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from .checks import count
from .errors import UserError
from .model_file import Graph, ModelError, parse
from .tensors import load_npy

MAGIC = b"MLGO"
VERSION = 1
SEQUENCE = 1
MAX_RANK = 6  # of tflite-micro's shapes
LIMIT = 1 << 28  # values of a tensor, and bytes of all cases
ARENA = 1 << 26  # bytes for tflite-micro, whose own guess is too low for large activations

Array = npt.NDArray[Any]
Case = tuple[list[Array], list[Array]]  # inputs and outputs


def _raw(arrays: Sequence[Array]) -> bytes:
    return b"".join(array.astype(array.dtype.newbyteorder("<")).tobytes() for array in arrays)


def encode(model: bytes, cases: Sequence[Case], sequence: bool = False) -> bytes:
    """The file with these cases, of which there must be at least one."""
    inputs, outputs = cases[0]
    numbers = VERSION, SEQUENCE if sequence else 0, len(inputs), len(outputs)
    head = MAGIC + struct.pack("<4B2I", *numbers, crc32(model), len(cases))
    head += b"".join(struct.pack("<I", array.nbytes) for array in [*inputs, *outputs])
    parts = [head, *(_raw([*inputs, *outputs]) for inputs, outputs in cases)]
    return b"".join(part + struct.pack("<I", crc32(part)) for part in parts)


@dataclass(frozen=True)
class Input:
    """What an input of a model takes."""

    index: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def random(self, rng: np.random.Generator) -> Array:
        """The whole range of integers of up to 16 bits, 0 to 9 for wider ones, which may be
        indices, and -1 to 1 for floats."""
        if self.dtype.kind == "f":
            return rng.uniform(-1, 1, self.shape).astype(self.dtype)
        if self.dtype.kind == "b":
            return rng.integers(0, 2, self.shape).astype(self.dtype)
        info = np.iinfo(self.dtype)
        low, high = (0, 9) if self.dtype.itemsize > 2 else (info.min, info.max)
        return rng.integers(low, high, self.shape, self.dtype, endpoint=True)

    def cases(self, path: Path) -> Array:
        """The cases in a file: an array of this input's shape, or one of them per row."""
        array = load_npy(path)
        if array.dtype != self.dtype:
            raise UserError(f"{path}: {array.dtype}, but input {self.index} is {self.dtype}")
        if array.shape == self.shape:
            return array[np.newaxis]
        if array.shape[1:] != self.shape or not array.shape or not len(array):
            several = ", ".join(map(str, ("cases", *self.shape)))
            needed = f"input {self.index} is {self.shape}: give that, or ({several})"
            raise UserError(f"{path}: shape {array.shape}, but {needed}")
        return array


@contextmanager
def _refusals(model: bytes, name: str) -> Iterator[None]:
    """One sentence for what the runtime says on standard error when it fails."""
    sys.stderr.flush()
    kept = os.dup(2)
    with TemporaryFile() as said:
        os.dup2(said.fileno(), 2)
        try:
            yield
        except RuntimeError as er:
            said.seek(0)
            lines = said.read().decode(errors="replace").splitlines()
            reason = " ".join(line.strip() for line in lines) or str(er)
            if "uint8" in parse(model).weights:
                reason = (
                    "it has no kernels for uint8 weights. Convert the model to int8, or compare "
                    "what `microlite predict` says with TensorFlow Lite"
                )
            raise UserError(f"{name}: tflite-micro cannot run it: {reason}") from er
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _checked(model: bytes, name: str) -> Graph:
    """The graph of a model that the runtime, which trusts its shapes, can be given."""
    try:
        graphs = parse(model).graphs
    except ModelError as er:
        raise UserError(f"{name}: {er}") from er
    for tensor in (tensor for graph in graphs for tensor in graph.tensors):
        if len(tensor.shape) > MAX_RANK:
            rank = f"{len(tensor.shape)} dimensions, {MAX_RANK} at most"
            raise UserError(f"{name}: tensor {tensor.index} ({tensor.name}) has {rank}")
        if tensor.size > LIMIT:
            size = f"{tensor.size} values, {LIMIT} at most"
            raise UserError(f"{name}: tensor {tensor.index} ({tensor.name}) has {size}")
    if not graphs[0].outputs:
        raise UserError(f"{name}: it has no output")
    for kind, tensors in (("input", graphs[0].inputs), ("output", graphs[0].outputs)):
        for i, tensor in enumerate(tensors):
            if not tensor.size:
                raise UserError(f"{name}: {kind} {i} ({tensor.name}) has shape {tensor.shape}")
    return graphs[0]


def _runtime() -> Any:
    try:
        from tflite_micro.python.tflite_micro import runtime
    except ImportError as er:
        needed = "pip install tflite-micro (Linux on x86-64)"
        raise UserError(f"the package tflite-micro is not installed: {needed}") from er
    return runtime


class Oracle:
    """A model in the package tflite-micro; `name` is for what is wrong with it."""

    def __init__(self, model: bytes, name: str = "model") -> None:
        runtime = _runtime()
        graph = _checked(model, name)
        self.n_outputs = len(graph.outputs)
        arena = 10 * len(model) + ARENA
        self.start = partial(runtime.Interpreter.from_bytes, model, arena_size=arena)
        self.refusals = partial(_refusals, model, name)
        with self.refusals():
            self.interpreter = self.start()
        self.inputs = [self._input(i) for i in range(len(graph.inputs))]

    def _input(self, index: int) -> Input:
        details = self.interpreter.get_input_details(index)
        return Input(index, tuple(map(int, details["shape"])), np.dtype(details["dtype"]))

    def reset(self) -> None:
        """Set variables back to their initial values, which its own reset() takes for 0."""
        self.interpreter = self.start()

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs for these inputs."""
        for index, array in enumerate(inputs):
            self.interpreter.set_input(array, index)
        with self.refusals():
            self.interpreter.invoke()
        return [np.array(self.interpreter.get_output(i)) for i in range(self.n_outputs)]


def make(
    model: bytes,
    choose: Callable[[list[Input]], Iterator[list[Array]]],
    sequence: bool = False,
    name: str = "model",
) -> bytes:
    """Golden outputs for the inputs that are chosen, case by case."""
    oracle = Oracle(model, name)
    cases: list[Case] = []
    size = 0
    for inputs in choose(oracle.inputs):
        size += sum(array.nbytes for array in inputs)
        if size > LIMIT:
            raise UserError(f"{name}: the inputs of all cases have more than {LIMIT} bytes")
        if not sequence:
            oracle.reset()
        cases.append((inputs, oracle.run(inputs)))
    return encode(model, cases, sequence)


def _answer(end: Connection, work: Callable[[], bytes]) -> None:
    try:
        end.send(work())
    except (UserError, OSError) as er:
        end.send(er)
    except (MemoryError, RuntimeError, ValueError) as er:
        end.send(UserError(f"tflite-micro cannot run the model: {er or 'out of memory'}"))
    except KeyboardInterrupt:
        pass


def make_apart(
    model: bytes,
    choose: Callable[[list[Input]], Iterator[list[Array]]],
    sequence: bool = False,
    name: str = "model",
) -> bytes:
    """As make(), in a process of its own, which a model that makes no sense may crash."""
    _runtime()
    context = get_context("fork")  # there is no tflite-micro where there is no fork()
    here, there = context.Pipe(duplex=False)
    work = partial(make, model, choose, sequence, name)
    process = context.Process(target=_answer, args=(there, work), daemon=True)
    process.start()
    there.close()
    try:
        answer = here.recv()
    except EOFError:
        raise UserError(f"{name}: tflite-micro crashed on it") from None
    finally:
        process.kill()
        process.join()
    if isinstance(answer, Exception):
        raise answer
    return bytes(answer)


def random_inputs(n: int, seed: int) -> Callable[[list[Input]], Iterator[list[Array]]]:
    """n cases that depend on the seed alone."""

    def choose(inputs: list[Input]) -> Iterator[list[Array]]:
        rng = np.random.default_rng(seed)
        for _ in range(n):
            yield [each.random(rng) for each in inputs]

    return choose


def inputs_from(paths: Sequence[Path]) -> Callable[[list[Input]], Iterator[list[Array]]]:
    """The cases in one file for each input."""

    def choose(inputs: list[Input]) -> Iterator[list[Array]]:
        if len(paths) != len(inputs):
            needed, given = count(len(inputs), "input"), count(len(paths), "file")
            raise UserError(f"the model has {needed}, {given} given: one .npy for each input")
        columns = [each.cases(path) for each, path in zip(inputs, paths, strict=True)]
        for column, path in zip(columns, paths, strict=True):
            if len(column) != len(columns[0]):
                given = f"{count(len(column), 'case')}, but {len(columns[0])} in {paths[0]}"
                raise UserError(f"{path}: {given}")
        for row in zip(*columns, strict=True):
            yield list(row)

    return choose
