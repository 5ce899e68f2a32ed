# microlite tune: measures on the board what can be chosen there, and writes a plan that Model
# follows.

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from .. import boards, target
from ..boards import Board, Region
from ..checks import check_file, check_output, count, save
from ..cli import FAILED
from ..console import err, out, print_json, say
from ..errors import UserError
from ..session import Session
from ..tables import table
from ..tuning import PLACE, TRIAL, Choice, Log, NothingFits, Result, Search, plan_of

ALIGN = 16  # of arenas
TAKEN = {"firmware", "stack", "heap"}
LONGEST = 60_000  # milliseconds that a time is taken over


def _number(text: str) -> int:
    value = int(text, 0)
    if not 1 <= value <= boards.ADDRESSES:
        raise argparse.ArgumentTypeError(f"{text} is not from 1 to {boards.ADDRESSES}")
    return value


_number.__name__ = "number"  # argparse names it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a file, or :FILE of the board")
    parser.add_argument(
        "--arena-max", type=_number, metavar="N", help="bytes that arena and a copy may take"
    )
    parser.add_argument(
        "--region",
        action="append",
        default=[],
        metavar="ADDRESS:BYTES",
        help="memory that nothing uses, for the arena; may be repeated (default: the heap)",
    )
    parser.add_argument(
        "--ms", type=_number, default=200, metavar="N", help="that each time is taken over"
    )
    parser.add_argument("-o", dest="output", type=Path, metavar="FILE", help="default: MODEL.plan")
    parser.add_argument("--json", action="store_true", help="print a report as JSON")
    target.add_arguments(parser)


def _plan_file(model: str, output: Path | None) -> Path:
    """Where the plan goes: of a model on the board into this folder."""
    on_board = model.startswith(":")
    path = Path(Path(model[1:]).name) if on_board else Path(model)
    if not on_board:
        check_file(path)
    elif not path.name:
        raise UserError(f"{model}: is no file of a board")
    plan = output or path.with_suffix(".plan")
    check_output(plan, [] if on_board else [path])
    return plan


def _board(build: str) -> Board | None:
    """The board as its file describes it. `build` is its name, and may end in a variant."""
    names = [name for name in (build, build.rpartition("-")[0]) if name in boards.files()]
    return boards.load(names[0]) if names else None


def _spare(board: Board) -> Iterator[Region]:
    """Memory, but for flash, that firmware, stack, heap and ROMFS leave alone."""
    for region in board.memory:
        if region.base is None or region.kind == "flash" or TAKEN & set(region.uses):
            continue
        ends = [region.base, region.base + region.size]
        if board.romfs and region.holds(board.romfs.base, board.romfs.size):
            ends[1:1] = [board.romfs.base, board.romfs.base + board.romfs.size]
        for base, end in zip(ends[::2], ends[1::2], strict=True):
            if base < end:
                yield replace(region, base=base, size=end - base)


def _region(text: str, board: Board | None) -> tuple[int, int]:
    """Address and bytes of memory that may be free, as far as that is known."""
    places = list(_spare(board)) if board else []
    try:
        at, size = (int(each, 0) for each in text.split(":"))
    except ValueError:
        at = size = 0
    if at < ALIGN or at % ALIGN or size < ALIGN or at + size > boards.ADDRESSES:
        problem = f"needed is ADDRESS:BYTES, a multiple of {ALIGN} and {ALIGN} at least"
    elif board and not any(each.holds(at, size) for each in places):
        problem = "no such memory is free"
    else:
        return at, size
    known = [f"{each.name} {each.base:#x}:{each.size:#x}" for each in places]
    has = f"; {board.name} has {', '.join(known) or 'none'}" if board else ""
    raise UserError(f"--region {text}: {problem}{has}")


def run(args: argparse.Namespace) -> int:
    plan_file = _plan_file(args.model, args.output)
    if args.ms > LONGEST:
        raise UserError(f"--ms {args.ms}: {LONGEST} are the most")
    if args.region and args.unix:
        raise UserError("--region: a PC has no addresses to place an arena at")
    with Session(args, args.model) as session:
        here, model, names, build = session.run(PLACE, MODEL=session.paths[0])
        args.region = [_region(text, _board(build or "")) for text in args.region]
        place = model | here
        conditions = {"ms": args.ms, "variants": names, "model": args.model}
        log = Log(plan_file.with_suffix(".tune.jsonl"), place | conditions)
        if log.resumed and len(log):
            say(f"{log.path} has {count(len(log), 'trial')}: going on from there")
        try:
            search, best, first = _search(args, session, log, names, model["bytes"])
        except NothingFits as er:
            say(f"microlite: {er}")
            return FAILED
        except KeyboardInterrupt:
            say(f"interrupted; the same command goes on, by {log.path}")
            raise
    plan = plan_of(best.choice, place)
    save(plan_file, (json.dumps(plan) + "\n").encode())
    log.finish(plan)
    report = _report(args.model, session.where, plan, best, first, search)
    if args.json:
        print_json(report)
    else:
        _print(report, best, search)
        say(f"{plan_file}: {_advice(best, search)}")
    return 0


def _search(
    args: argparse.Namespace, session: Session, log: Log, names: list[str], size: int
) -> tuple[Search, Result, Result]:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as shown:
        task = shown.add_task("", total=None)

        def trial(choice: Choice, measure: bool) -> dict[str, Any]:
            constants = {"MODEL": session.paths[0], "MEASURE": measure, "MS": args.ms, "REPEAT": 5}
            (found,) = session.run(TRIAL, spinner=False, CHOICE=asdict(choice), **constants)
            return dict(found)

        search = Search(
            trial,
            log,
            names,
            arena_max=args.arena_max,
            regions=args.region,
            size=size,
            progress=lambda text: shown.update(task, advance=1, description=text),
        )
        shown.update(task, total=search.steps)
        return search, *search.run()


def _report(
    model: str,
    where: str,
    plan: dict[str, Any],
    best: Result,
    first: Result,
    search: Search,
) -> dict[str, Any]:
    return {
        "model": model,
        "target": where,
        "plan": plan,
        "us": best.us,
        "default_us": first.us,
        "arena": best.found["arena"],
        "trials": [
            {"trial": each.what, "choice": asdict(each.choice), **each.found}
            for each in search.results
        ],
        "left_out": search.left_out,
    }


def _advice(best: Result, search: Search) -> str:
    if len(search.results) == 1:
        return "there is nothing else to choose here, so the plan changes nothing"
    if best.choice == Choice():
        return "the default is as fast as anything here, so the plan changes nothing"
    return "Model follows it where it lies beside the model"


def _words(choice: Choice) -> str:
    words = [
        f"{name} kernels for {'operator' if len(ops) == 1 else 'operators'} "
        f"{', '.join(map(str, ops))}"
        for name, ops in choice.variants.items()
    ]
    words += ["the model copied"] if choice.copy else []
    words += [f"the arena at {choice.arena[0]:#x}"] if choice.arena else []
    return ", ".join(words) or "the default"


def _print(report: dict[str, Any], best: Result, search: Search) -> None:
    times = f"{report['us']:.1f} us, by default {report['default_us']:.1f} us"
    out.print(f"{report['model']} on {report['target']}: {times}", markup=False)
    out.print(f"chosen: {_words(best.choice)}", markup=False)
    shown = table("trial", "us", "median", "stdev", "arena", left=("trial",))
    for each in search.results:
        found = each.found
        figures = (f"{found[key]:.1f}" for key in ("min", "median", "stdev"))
        shown.add_row(each.what, *figures, f"{found['arena']:,}")
    out.print(shown, markup=False)
    for what, reason in search.left_out.items():
        out.print(f"left out: {what}: {reason}", markup=False)
