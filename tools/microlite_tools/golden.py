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
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt
import tflite

from .checks import count
from .errors import UserError
from .model_file import parse

MAGIC = b"MLGO"
VERSION = 1
SEQUENCE = 1
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
        try:
            array = np.load(path)
        except (ValueError, EOFError):
            array = None
        if not isinstance(array, np.ndarray):
            raise UserError(f"{path}: not a .npy file of numbers, as numpy.save() makes them")
        array = array.astype(array.dtype.newbyteorder("="), copy=False)
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


class Oracle:
    """A model in the package tflite-micro; `name` is for what is wrong with it."""

    def __init__(self, model: bytes, name: str = "model") -> None:
        try:
            from tflite_micro.python.tflite_micro import runtime
        except ImportError as er:
            needed = "pip install tflite-micro (Linux on x86-64)"
            raise UserError(f"the package tflite-micro is not installed: {needed}") from er
        if model[4:8] != b"TFL3":
            raise UserError(f"{name}: not a TensorFlow Lite model")
        try:
            graph = tflite.Model.GetRootAsModel(model, 0).Subgraphs(0)
            self.n_outputs = graph.OutputsLength()
        except (struct.error, AttributeError) as er:
            raise UserError(f"{name}: damaged or truncated model") from er
        arena = 10 * len(model) + ARENA
        self.start = partial(runtime.Interpreter.from_bytes, model, arena_size=arena)
        self.refusals = partial(_refusals, model, name)
        with self.refusals():
            self.interpreter = self.start()
        self.inputs = [self._input(i) for i in range(graph.InputsLength())]

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
    for inputs in choose(oracle.inputs):
        if not sequence:
            oracle.reset()
        cases.append((inputs, oracle.run(inputs)))
    return encode(model, cases, sequence)


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
