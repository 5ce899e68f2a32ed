# What a model is, whether it runs, and what to type next.

"""Tell what a model is, and whether and how it will run."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from rich.table import Table
from rich.text import Text

from .. import advice, boards, fitting, macs, operators
from ..checks import check_file, count
from ..cli import FAILED
from ..console import out, print_json
from ..errors import UserError
from ..fitting import Fit, fit, heap_of
from ..inspection import Inspection, as_json, default_firmware, inspect, op_macs
from ..model_file import Tensor
from ..remote import Remote
from ..tables import table

_EPILOG = (
    "Exit status: 0 when the model runs, and fits the board; 1 when it does not; 2 when that "
    "cannot be told."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL", help="a .tflite file")
    parser.add_argument("--connect", metavar="PORT", help="ask the firmware of this board")
    parser.add_argument("--board", metavar="NAME", help="tell whether it fits a board")
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


def _todo(found: Inspection) -> list[str]:
    """All advice there is."""
    todo = advice.for_operators(found.missing) + [problem.advice for problem in found.problems]
    return [*dict.fromkeys(todo)]


def _word(path: Path) -> str:
    """A file as it is typed."""
    return shlex.quote(f"./{path}" if str(path).startswith("-") else str(path))


def _next(found: Inspection, connect: str) -> str:
    model = _word(found.path)
    reason = found.firmware.reason or ""
    if found.runs:
        return f"microlite deploy {connect}{model}"
    if not found.fits and "the whole heap has" in reason and "ROMFS" not in reason:
        return "a smaller model, or a board with more RAM"
    if not found.fits:
        return f"microlite deploy --romfs {connect}{model}"
    if not found.problems and set(found.missing) <= operators.names():
        return f"microlite ops {model}"
    if len(todo := _todo(found)) == 1:
        return todo[0]
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


def _flash(fit: Fit) -> str:
    if fit.flash is None:
        return "none"
    text = f"{fit.flash.name}, {fit.flash.size:,} bytes"
    if fit.firmware is None or not fit.board.linked:
        return f"{text}; how large firmware is there is not known"
    linked = fit.board.linked
    return (
        f"{text}; firmware at most {fit.firmware:,}: {linked.text:,} as linked with "
        f"{count(linked.ops, 'operator')} and MicroPython {linked.micropython}, and "
        f"{fit.operators:,} that those of the model may add; {fit.flash_left:,} left"
    )


def _place(fit: Fit) -> str:
    size = f"{fit.model:,} bytes"
    if fit.place.copied:
        return f"{size} in {fit.place.where}, copied into the heap"
    if fit.flash and fit.place.where == fit.flash.name:
        return f"{size} used in place, in a ROMFS that firmware reserves in {fit.place.where}"
    return f"{size} used in place, in {fit.place.where}"


def _time(fit: Fit) -> str:
    us, basis = fit.estimate.us, fit.estimate.basis
    if us is None:
        return f"not estimated: {basis}"
    return f"estimate: {us / 1e3:.3g} ms an invoke() at best; {basis}"


def _board(fit: Fit) -> Table:
    board, (region, heap) = fit.board, heap_of(fit.board)
    clock = f", {board.clock_mhz} MHz" if board.clock_mhz else ""
    arena = "not known" if fit.arena is None else f"{fit.arena:,} bytes"
    left = "" if fit.heap_left is None else f", {fit.heap_left:,} left"
    shown = _grid()
    rows = [
        ("board", f"{board.title}: {board.core_title}{clock}; {board.verified}"),
        ("flash", _flash(fit)),
        ("model", _place(fit)),
        ("arena", f"{arena} in {region.name} ({region.kind}, {region.speed})"),
        ("heap", f"{heap:,} bytes at most{left}"),
        ("time", _time(fit)),
    ]
    for name, text in rows:
        shown.add_row(name, Text(text))
    return shown


def _problems(found: Inspection, said: str) -> Table:
    shown = _grid()
    if len(found.problems) > 1 or found.missing:
        for problem in found.problems:
            shown.add_row("problem", Text(problem.text))
    for text in _todo(found):
        if text != said:
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


def _fits(found: Inspection, fitted: Fit) -> str:
    name, board = found.path.name, fitted.board.name
    if fitted.problems:
        return f"{name} does not fit {board}: {'; '.join(fitted.problems)}."
    if fitted.arena is None:
        return f"{name} may fit {board}: its arena is not known."
    return f"{name} fits {board}."


def show(found: Inspection, fitted: Fit | None, port: str | None, tensors: bool) -> None:
    where, connect = (f" on the {found.firmware.name}", f"--connect {port} ") if port else ("", "")
    out.print(Text(_verdict(found, where), "bold"))
    next_step = _next(found, connect)
    if fitted and found.runs:
        out.print(Text(_fits(found, fitted), "bold"), soft_wrap=True)
        next_step = f"microlite build --board {fitted.board.name} --ops-for {_word(found.path)}"
    if not (found.runs and fitted and fitted.problems):
        out.print(Text(f"Next: {next_step}"), soft_wrap="microlite " in next_step)
    problems = _problems(found, next_step)
    shown = [problems] if problems.row_count else []
    if fitted:
        shown += [_board(fitted)]
    elif found.model:
        shown += [_facts(found, where), _ops(found)]
    if found.model and tensors:
        shown += [_tensors(found)]
    for each in shown:
        out.print()
        out.print(each)


def run(args: argparse.Namespace) -> int:
    if str(args.model).startswith(":"):
        name = str(args.model)
        raise UserError(f"{name}: inspect reads files of this PC: mpremote fs cp {name} . first")
    check_file(args.model)
    board = boards.load(args.board) if args.board else None
    target = Remote(args.connect) if args.connect else default_firmware()
    found = inspect(args.model, target)
    fitted = fit(found, board) if board and found.model else None
    if args.json:
        print_json({**as_json(found), "board": fitting.as_json(fitted) if fitted else None})
    else:
        show(found, fitted, args.connect, args.tensors)
    return 0 if found.runs and not (fitted and fitted.problems) else FAILED
