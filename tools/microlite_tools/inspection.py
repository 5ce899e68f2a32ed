# What a model is, and whether it runs: the file as it is read here, and what MicroPython says of
# it where there is one, on this PC or on a board.

"""Inspecting models."""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import advice, macs, operators, unix
from .checks import printable
from .console import err
from .errors import BoardError, ScriptError
from .model_file import ModelError, ModelFile, Op, Tensor, read
from .session import explain
from .target import Target
from .unix import Unix

# Lays out memory as boards do, which a PC with 64 bits does not.
UNIX32 = unix.ROOT / "build/unix32/micropython"

_CONSEQUENCE = re.compile("input without a source|nothing produces output")

_CHECK = """
import json, sys, microlite
found = {"bits": 64 if sys.maxsize >> 31 >> 1 else 32, "ops": microlite.ops()}
try:
    report = microlite.check(PATH)
    found["problems"] = report.problems
    found["missing"] = report.missing_ops
    found["arena"] = report.arena
    found["reason"] = report.reason
except MemoryError as er:
    found["reason"] = str(er) or "not enough memory"
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Problem:
    text: str
    advice: str


@dataclass(frozen=True)
class Firmware:
    """Where a model would run, and what MicroPython there says of it."""

    name: str
    ops: frozenset[str]
    bits: int | None = None  # of a pointer; None: MicroPython was not asked
    problems: list[str] | None = None  # None: it could not tell
    missing: list[str] = field(default_factory=list)
    arena: int | None = None
    reason: str | None = None  # why there is no arena


@dataclass(frozen=True)
class Inspection:
    path: Path
    size: int
    model: ModelFile | None  # None: it cannot be read
    firmware: Firmware
    problems: list[Problem]
    missing: list[str]

    @property
    def fits(self) -> bool:
        """Whether memory suffices, as far as it is known."""
        asked = self.firmware.bits is not None
        return not asked or bool(self.problems or self.missing or self.firmware.arena)

    @property
    def runs(self) -> bool:
        return not self.problems and not self.missing and self.fits

    @property
    def op_names(self) -> set[str]:
        """Operators of all graphs."""
        graphs = self.model.graphs if self.model else []
        return {op.name for graph in graphs for op in graph.ops}

    @property
    def op_counts(self) -> Counter[Op]:
        """Operators by name and version, in the order of their first use."""
        ops = self.model.graphs[0].ops if self.model else []
        return Counter(Op(op.name, op.version, (), ()) for op in ops)


def op_macs(found: Inspection, kind: Op) -> int:
    """Multiply-accumulates of all operators of a name and version."""
    ops = found.model.graphs[0].ops if found.model else []
    same = (op for op in ops if (op.name, op.version) == (kind.name, kind.version))
    return sum(macs.of_op(op) for op in same)


def default_firmware() -> Target | None:
    """MicroPython on this PC, with pointers as boards have them if possible."""
    given = os.environ.get(unix.VARIABLE)
    found = UNIX32 if UNIX32.is_file() and not given else unix.find()
    return Unix(found) if found else None


def ask(target: Target, path: Path) -> Firmware:
    """What MicroPython says of a model."""
    busy = err.status(f"{path.name} on {target.name}") if err.is_terminal else nullcontext()
    with target, busy:
        (there,) = target.share(path)
        try:
            told = target.run(_CHECK.replace("PATH", repr(there)))
        except ScriptError as er:
            raise BoardError(explain(str(er), target.name)) from er
    try:
        found = printable(json.loads(told))
    except ValueError as er:
        raise BoardError(f"{target.name} answers {told[:80]!r} instead of a report") from er
    return Firmware(
        target.name,
        *(frozenset(found["ops"]), found["bits"], found.get("problems")),
        *(found.get("missing", []), found.get("arena"), found["reason"]),
    )


def _types(tensors: tuple[Tensor | None, ...]) -> list[str | None]:
    return [tensor.dtype if tensor else None for tensor in tensors]


def _type_problem(index: int, op: Op) -> str | None:
    if op.name not in operators.names():
        return None
    inputs, outputs = _types(op.inputs), _types(op.outputs)
    if operators.computes(op.name, inputs, outputs):
        return None
    where = f"operator {index} ({op.name}): "
    if outputs[:1] == ["float32"] and inputs[1:2] == ["int8"]:
        return (
            f"{where}float activations with int8 weights: convert with full integer quantisation"
        )
    before, after = (" ".join(filter(None, dtypes)) or "nothing" for dtypes in (inputs, outputs))
    return f"{where}{before} to {after} is not supported"


def _found_here(model: ModelFile) -> list[str]:
    """The problems that show without MicroPython."""
    ops = enumerate(model.graphs[0].ops)
    return [problem for i, op in ops if (problem := _type_problem(i, op))]


def _told(problems: list[str], missing: Sequence[str] = ()) -> list[Problem]:
    """The problems, but for those that come of missing operators."""
    own = [text for text in problems if not (missing and _CONSEQUENCE.search(text))]
    return [Problem(text, advice.for_problem(text)) for text in own]


def inspect(path: Path, target: Target | None) -> Inspection:
    """Look at a model, with MicroPython where there is a target."""
    firmware = Firmware("microlite", operators.names())
    try:
        model = read(path)
    except ModelError as er:
        # Of a damaged model MicroPython may know more.
        if target and not er.foreign:
            firmware = ask(target, path)
        problems = _told(firmware.problems or []) or [Problem(str(er), er.advice)]
        return Inspection(path, path.stat().st_size, None, firmware, problems, firmware.missing)
    if target:
        firmware = ask(target, path)
    if firmware.problems is None:
        here = {op.name for graph in model.graphs for op in graph.ops}
        problems, missing = _told(_found_here(model)), sorted(here - firmware.ops)
    else:
        missing = firmware.missing
        problems = _told(firmware.problems, missing)
    return Inspection(path, model.size, model, firmware, problems, missing)


# --- as JSON ---


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _tensor(tensor: Tensor) -> dict[str, Any]:
    return {
        "index": tensor.index,
        "name": tensor.name,
        "dtype": tensor.dtype,
        "shape": tensor.shape,
        "scales": [_number(scale) for scale in tensor.scales],
        "zero_points": tensor.zero_points,
        "quantized_dimension": tensor.quantized_dimension,
        "variable": tensor.variable,
        "bytes": tensor.data_size,
    }


def as_json(found: Inspection) -> dict[str, Any]:
    """All that is known, by the keys of docs/commands.md."""
    firmware = found.firmware
    graph = found.model.graphs[0] if found.model else None
    weights = found.model.weights if found.model else {}
    return {
        "file": str(found.path),
        "size": found.size,
        "runs": found.runs,
        "problems": [{"problem": each.text, "advice": each.advice} for each in found.problems],
        "missing_ops": found.missing,
        "missing_ops_advice": advice.for_operators(found.missing),
        "firmware": {"name": firmware.name, "bits": firmware.bits, "n_ops": len(firmware.ops)},
        "arena": {"bytes": firmware.arena, "reason": firmware.reason},
        "weights": {"bytes": sum(weights.values()), "by_type": weights},
        "macs": macs.of_graph(graph) if graph else None,
        "ops": [
            {
                "name": op.name,
                "version": op.version,
                "count": count,
                "in_firmware": op.name in firmware.ops,
                "macs": op_macs(found, op),
            }
            for op, count in found.op_counts.items()
        ],
        "inputs": [_tensor(tensor) for tensor in graph.inputs] if graph else [],
        "outputs": [_tensor(tensor) for tensor in graph.outputs] if graph else [],
        "tensors": [_tensor(tensor) for tensor in graph.tensors] if graph else [],
    }
