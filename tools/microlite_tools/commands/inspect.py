# What a model is, whether it runs, and what to type next.

"""Tell what a model is, and whether and how it will run."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from rich.table import Table
from rich.text import Text

from .. import advice, macs, operators
from ..checks import check_file, count
from ..cli import FAILED
from ..console import out, print_json
from ..inspection import Inspection, as_json, default_firmware, inspect, op_macs
from ..model_file import Tensor
from ..remote import Remote
from ..tables import table

_EPILOG = "Exit status: 0 when the model runs, 1 when it does not, 2 when that cannot be told."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL", help="a .tflite file")
    parser.add_argument("--connect", metavar="PORT", help="ask the firmware of this board")
    parser.add_argument("--tensors", action="store_true", help="show all tensors")
    parser.add_argument("--json", action="store_true", help="print all as JSON")
    parser.epilog = _EPILOG


# --- words ---


def _verdict(found: Inspection, where: str) -> str:
    name, arena = found.path.name, found.firmware.arena
    if found.missing:
        lacks = f"{count(len(found.missing), 'operator')} missing: {', '.join(found.missing)}"
        return f"{name} does not run{where}: {lacks}."
    if len(found.problems) == 1:
        return f"{name} does not run{where}: {found.problems[0].text}."
    if found.problems:
        return f"{name} does not run{where}: {count(len(found.problems), 'problem')}."
    if not found.fits:
        return f"{name} does not fit into the memory of {found.firmware.name}."
    if arena:
        most = "less than " if found.firmware.bits == 64 else ""
        return f"{name} runs{where}, with an arena of {most}{arena:,} bytes."
    return f"{name} runs, as far as its operators and types tell; MicroPython was not asked."


def _next(found: Inspection, connect: str) -> str:
    model = shlex.quote(str(found.path))
    if found.runs:
        return f"microlite deploy {connect}{model}"
    if not found.fits:
        return f"microlite deploy --romfs {connect}{model}"
    if not found.problems and set(found.missing) <= operators.names():
        return f"microlite ops {model}"
    return f"do as the advice says, then: microlite inspect {connect}{model}"


def _arena(found: Inspection, where: str) -> str:
    firmware = found.firmware
    if firmware.bits is None:
        return "not known: make unix32 and inspect again, or --connect PORT"
    if not firmware.arena:
        return f"not known: {firmware.reason}"
    if where:
        return f"{firmware.arena:,} bytes{where}"
    if firmware.bits == 64:
        return (
            f"{firmware.arena:,} bytes on this PC with 64 bits, less on a board; make unix32, or "
            "--connect PORT, to know"
        )
    return f"{firmware.arena:,} bytes, as measured with pointers of 32 bits, those of boards"


def _bytes_by(weights: dict[str, int]) -> str:
    return ", ".join(f"{size:,} {dtype}" for dtype, size in weights.items())


def _quantisation(tensor: Tensor) -> str:
    if not tensor.scales:
        return ""
    text = f"scale {tensor.scales[0]:g}"
    if len(tensor.scales) > 1:
        text = f"{len(tensor.scales)} scales {min(tensor.scales):g} to {max(tensor.scales):g}"
    zero_points = {*tensor.zero_points}
    return text + (f", zero point {zero_points.pop()}" if len(zero_points) == 1 else "")


def _tensor(tensor: Tensor) -> str:
    shape = ", ".join(map(str, tensor.shape))
    words = [f"{tensor.name}: {tensor.dtype} ({shape})", _quantisation(tensor)]
    return ", ".join(filter(None, words))


# --- tables ---


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    return grid


def _facts(found: Inspection, where: str) -> Table:
    assert found.model
    graph = found.model.graphs[0]
    weights = found.model.weights
    shown = _grid()
    rows = [
        ("model", f"{found.size:,} bytes, used in place in a ROMFS, else copied"),
        (
            "weights",
            f"{sum(weights.values()):,} bytes: {_bytes_by(weights)}" if weights else "none",
        ),
        ("MACs", f"{macs.of_graph(graph):,} an invoke()"),
        ("arena", _arena(found, where)),
        *((f"input {i}", _tensor(each)) for i, each in enumerate(graph.inputs)),
        *((f"output {i}", _tensor(each)) for i, each in enumerate(graph.outputs)),
    ]
    for name, text in rows:
        shown.add_row(name, Text(text))
    return shown


def _problems(found: Inspection) -> Table:
    shown = _grid()
    if len(found.problems) > 1 or found.missing:
        for problem in found.problems:
            shown.add_row("problem", Text(problem.text))
    todo = advice.for_operators(found.missing) + [problem.advice for problem in found.problems]
    for text in dict.fromkeys(todo):
        shown.add_row("advice", Text(text))
    return shown


def _ops(found: Inspection) -> Table:
    shown = table("operator", "count", "version", "MACs", "in firmware", left=("operator",))
    for op, n in found.op_counts.items():
        there = "yes" if op.name in found.firmware.ops else "no"
        shown.add_row(Text(op.name), str(n), str(op.version), f"{op_macs(found, op):,}", there)
    return shown


def _tensors(found: Inspection) -> Table:
    assert found.model
    texts = "tensor", "type", "shape", "quantisation"
    shown = table("", *texts, "bytes", left=texts)
    for tensor in found.model.graphs[0].tensors:
        shape = " ".join(map(str, tensor.shape))
        size = f"{tensor.data_size:,}" if tensor.data_size else ""
        words = Text(tensor.name), tensor.dtype, shape, _quantisation(tensor)
        shown.add_row(str(tensor.index), *words, size)
    return shown


def show(found: Inspection, port: str | None, tensors: bool) -> None:
    where, connect = (f" on the {found.firmware.name}", f"--connect {port} ") if port else ("", "")
    out.print(Text(_verdict(found, where), "bold"))
    out.print(Text(f"Next: {_next(found, connect)}"), soft_wrap=True)
    shown = [] if found.runs else [_problems(found)]
    if found.model:
        shown += [_facts(found, where), _ops(found)] + ([_tensors(found)] if tensors else [])
    for each in shown:
        out.print()
        out.print(each)


def run(args: argparse.Namespace) -> int:
    check_file(args.model)
    target = Remote(args.connect) if args.connect else default_firmware()
    found = inspect(args.model, target)
    if args.json:
        print_json(as_json(found))
    else:
        show(found, args.connect, args.tensors)
    return 0 if found.runs else FAILED
