# Runs models of host_tests/conformance and says where results differ from what they must be.

import hashlib
import json
import struct
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from tflite_micro import runtime

from builder import Array, Tensor
from goldens import DTYPES
from one_op import Case
from programs import Record, programs, records

TOLERANCE = 1e-5  # of floats, relative and absolute
ARENAS = [1 << bits for bits in (17, 20, 24)]
HEAD = struct.Struct("<4I")  # as batch.c reads it

Inputs = list[Array]
Outputs = list[Array]
Values = Callable[[np.random.Generator, Tensor], Array]


# --- inputs ---


def any_values(rng: np.random.Generator, tensor: Tensor) -> Array:
    dtype = DTYPES[tensor.type]
    if dtype.kind == "f":
        return rng.uniform(-3, 3, tensor.shape).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, tensor.shape).astype(dtype)
    limits = np.iinfo(dtype)
    low, high = (limits.min, limits.max) if dtype.itemsize < 4 else (-1000, 1000)
    return rng.integers(low, high, tensor.shape, dtype, endpoint=True)


# Of 4 and 8 bytes: sums do not overflow, and float32 or float64 holds each exactly.
FAR = {4: (-(1 << 24), 1 << 24), 8: (-(1 << 40), 1 << 40)}


def extremes(rng: np.random.Generator, tensor: Tensor) -> Array:
    """The ends of the type and what lies around the zero point."""
    dtype = DTYPES[tensor.type]
    if dtype.kind == "f":
        choice = np.array([-6, -1, -0.5, 0, 0.5, 1, 6], dtype)
    elif dtype.kind == "b":
        choice = np.array([False, True])
    else:
        low, high = FAR.get(dtype.itemsize) or (np.iinfo(dtype).min, np.iinfo(dtype).max)
        zero = tensor.quantization.zero_points[0] if tensor.quantization else 0
        around = np.clip([zero - 1, zero, zero + 1], low, high)
        choice = np.array([low, *around, high], dtype)
    return rng.choice(choice, tensor.shape)


def ends(rng: np.random.Generator, tensor: Tensor) -> Array:
    """One end of the type everywhere, where sums are largest."""
    return np.full(tensor.shape, rng.choice([extremes(rng, tensor).min(), 1]), DTYPES[tensor.type])


SETS: dict[str, Values] = {"any": any_values, "extremes": extremes, "ends": ends}


def input_sets(case: Case) -> dict[str, Inputs]:
    """Sets with their names; equal ones once."""
    rng = np.random.default_rng(1)
    if case.inputs:
        own = [case.inputs(rng) for _ in SETS]
        different = {b"".join(map(np.ndarray.tobytes, inputs)): inputs for inputs in own}
        return {f"own {i}": inputs for i, inputs in enumerate(different.values())}
    tensors = [case.model.tensors[i] for i in case.model.inputs]
    return {name: [values(rng, tensor) for tensor in tensors] for name, values in SETS.items()}


# --- what must come out ---


def oracle(model: bytes, sets: Iterable[Inputs], n_outputs: int) -> list[Outputs]:
    """The answers of the package tflite-micro, which keeps variables from set to set."""
    for size in ARENAS:
        try:
            interpreter = runtime.Interpreter.from_bytes(model, arena_size=size)
            break
        except RuntimeError:
            if size == ARENAS[-1]:
                raise
    answers = []
    for inputs in sets:
        for i, values in enumerate(inputs):
            interpreter.set_input(values, i)
        interpreter.invoke()
        answers.append([np.array(interpreter.get_output(i)) for i in range(n_outputs)])
    return answers


@dataclass(frozen=True)
class Trial:
    """A case with all that is needed to run and to judge it."""

    case: Case

    @cached_property
    def model(self) -> bytes:
        return self.case.model.to_bytes()

    @cached_property
    def sets(self) -> dict[str, Inputs]:
        return input_sets(self.case)

    @cached_property
    def expected(self) -> list[Outputs]:
        sets = self.sets.values()
        if self.case.expected:
            return [self.case.expected(inputs) for inputs in sets]
        return oracle(self.model, sets, len(self.case.model.outputs))

    @property
    def size(self) -> int:
        sets = self.sets.values()
        return len(self.model) + sum(values.nbytes for inputs in sets for values in inputs)

    def record(self) -> bytes:
        sets = [b"".join(map(np.ndarray.tobytes, inputs)) for inputs in self.sets.values()]
        forget = self.case.expected is not None
        head = HEAD.pack(len(self.model), len(sets), len(sets[0]), forget)
        return head + self.model + b"".join(sets)

    def differences(self, told: Record) -> Iterator[str]:
        if told["status"] != 0:
            why = told["problem"] or told["log"] or told["missing"]
            yield f"{self.case.name}: status {told['status']}: {why}"
            return
        try:
            expected = self.expected
        except RuntimeError as er:
            yield f"{self.case.name}: neither a formula nor the other implementation: {er}"
            return
        for name, answers, raw in zip(self.sets, expected, told["outputs"], strict=True):
            yield from self._of_set(f"{self.case.name}, inputs: {name}", answers, raw)

    def _of_set(self, name: str, answers: list[Array], raw: str) -> Iterator[str]:
        data = bytes.fromhex(raw)
        at = 0
        for i, (answer, index) in enumerate(zip(answers, self.case.model.outputs, strict=True)):
            tensor = self.case.model.tensors[index]
            dtype = DTYPES[tensor.type]
            count = int(np.prod(tensor.shape))
            got = np.frombuffer(data, dtype, count, at).reshape(tensor.shape)
            at += got.nbytes
            wrong = difference(got, answer.reshape(tensor.shape), self.case.step)
            if wrong:
                yield f"{name}, output {i} {wrong}"


def difference(got: Array, expected: Array, step: int) -> str | None:
    """Where and how the first of the wrong numbers differs."""
    if got.dtype.kind == "f":
        same = np.isclose(got, expected, TOLERANCE, TOLERANCE, equal_nan=True)
    elif step:
        same = np.abs(got.astype(np.int64) - expected.astype(np.int64)) <= step
    else:
        same = got == expected
    if same.all():
        return None
    first = tuple(map(int, np.argwhere(~same)[0]))
    return (
        f"{list(first)}: {expected[first]} expected, {got[first]} got; "
        f"{np.count_nonzero(~same)} of {same.size} are wrong"
    )


# --- running ---


def encode(trials: Iterable[Trial]) -> bytes:
    """The file that host_tests/engine/batch.c reads."""
    return b"".join(trial.record() for trial in trials)


def run(variant: str, trials: Sequence[Trial], folder: Path) -> list[Record]:
    """What the engine tells of each; after a crash it goes on with the next model."""
    path = folder / "records"
    path.write_bytes(encode(trials))
    told: list[Record] = []
    while len(told) < len(trials):
        words = [str(programs(variant) / "batch"), "-f", str(len(told)), str(path)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=600)
        told += records(done.stdout.rpartition("\n")[0])
        if len(told) < len(trials):
            crash = {"status": done.returncode, "problem": done.stderr[-2000:] or "crashed"}
            told.append(crash)
    path.unlink()
    return told


def unfold(told: Record, same: Record) -> Record:
    """Puts outputs in the place of their SHA-256, provided that they are those of another run."""

    def whole(output: str, long: str) -> str:
        digest = hashlib.sha256(bytes.fromhex(long)).hexdigest()
        return long if output == f"sha256:{digest}" else output

    if told["status"] != 0 or same["status"] != 0:
        return told if told["status"] != 0 else same
    outputs = list(map(whole, told["outputs"], same["outputs"]))
    if any(output.startswith("sha256:") for output in outputs):
        return {"status": 1, "problem": "not the bits that the host gives"}
    return {**told, "outputs": outputs}


def differences(trials: Sequence[Trial], told: list[Record]) -> list[str]:
    assert len(told) == len(trials), json.dumps(told[-1:])
    pairs = zip(trials, told, strict=True)
    return [line for trial, record in pairs for line in trial.differences(record)]


def report(lines: list[str], most: int = 20) -> str:
    rest = len(lines) - most
    return "\n".join(lines[:most] + ([f"and {rest} more"] if rest > 0 else []))
