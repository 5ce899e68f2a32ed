# microlite profile: Model.profile() on a board or on this PC.

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from .. import side_by_side
from ..checks import check_file, count
from ..console import out, print_json, say
from ..errors import UserError
from ..profiles import Profile, Row, check_same_model, load_old
from ..session import Session
from ..tables import bar, table

# The step of a clock is what all its differences are multiples of. As Model.profile() does, this
# takes the clock of the processor where that is finer. Without RUNS there are as many as fit into
# a second.
SCRIPT = """\
import json
import microlite
import time
from binascii import crc32
from time import ticks_diff, ticks_us

def step_of(ticks):
    step = 0
    begin = ticks_us()
    last = ticks()
    for _ in range(100000):
        now = ticks()
        n = ticks_diff(now, last)
        last = now
        while n:
            step, n = n, step % n
        if step == 1 or ticks_diff(ticks_us(), begin) > 100000:
            break
    return step

def clock_us():
    cpu = getattr(time, "ticks_cpu", ticks_us)
    begin, fine, us = ticks_us(), cpu(), 0
    for _ in range(100000):
        us = ticks_diff(ticks_us(), begin)
        if us > 2000:
            break
    fine = ticks_diff(cpu(), fine)
    return step_of(cpu) * us / fine if fine > 2 * us else step_of(ticks_us)

def hz():
    try:
        from machine import freq
        f = freq()
        return f[0] if isinstance(f, tuple) else f
    except (ImportError, AttributeError, TypeError, ValueError):
        return None

info = microlite.info()
with microlite.Model(MODEL) as model:
    runs = RUNS or max(1, min(10000, 1000000 // int(model.profile().us + 1)))
    times = model.profile(runs)
    print(json.dumps({
        "bytes": model.size,
        "crc32": "%08x" % crc32(model._bytes),
        "machine": info.machine,
        "firmware": "microlite %s, MicroPython %s" % (info.version, info.micropython),
        "kernels": info.kernels,
        "hz": hz(),
        "clock_us": clock_us(),
        "runs": runs,
    }))
    for _, op, us, _ in times:
        print(json.dumps((op, us)))
"""


def _runs(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 1000000:
        raise argparse.ArgumentTypeError(f"{value} is not from 1 to 1000000")
    return value


_runs.__name__ = "number"  # argparse names it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a file, or :FILE of the board")
    parser.add_argument(
        "--runs", type=_runs, metavar="N", help="default: as many as fit into a second"
    )
    parser.add_argument("--by-type", action="store_true", help="sums of each type of operator")
    parser.add_argument(
        "--compare", metavar="OLD", help="a profile that --json printed, of the same model"
    )
    parser.add_argument("--json", action="store_true", help="print the profile as JSON")
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--connect",
        metavar="PORT",
        action="append",
        default=[],
        help="the board (default: the only one); may be repeated, to have boards side by side",
    )
    group.add_argument("--unix", action="store_true", help="this PC instead of a board")


def run(args: argparse.Namespace) -> int:
    if len(args.connect) > 1:
        return _run_several(args)
    old = load_old(args.compare) if args.compare else None
    report = _measure(args, *args.connect)
    if old:
        check_same_model(args.compare, old, report)
    profile = Profile(report, old)
    if args.json:
        print_json(_compared(profile) if old else report)
    else:
        _print(profile, args.by_type)
    for note in profile.notes():
        say(f"note: {note}")
    return 0


def _measure(args: argparse.Namespace, port: str | None = None) -> dict[str, Any]:
    """The profile that one target gives, as a JSON object."""
    where = argparse.Namespace(connect=port, unix=args.unix)
    with Session(where, args.model) as session:
        head, *rows = session.run(SCRIPT, MODEL=session.paths[0], RUNS=args.runs)
        name = session.where
    total = sum(us for _, us in rows)
    operators = [
        {"index": i, "op": op, "us": round(us, 3), "share": round(us / total, 4) if total else 0}
        for i, (op, us) in enumerate(rows)
    ]
    report: dict[str, Any] = {"model": args.model, "target": name, **head}
    report.update(us=round(total, 3), operators=operators)
    return report


def _run_several(args: argparse.Namespace) -> int:
    if args.compare:
        raise UserError("--compare takes one board")
    if not args.model.startswith(":"):
        check_file(args.model)
    found = side_by_side.Boards()
    for port in args.connect:
        try:
            found.add(_measure(args, port))
        except UserError as er:
            found.add_failed(f"board at {port}", str(er))
    if args.json:
        print_json(found.as_json(args.model))
    else:
        found.show(args.model, args.by_type)
    for letter, profile in found.profiles():
        for note in profile.notes():
            say(f"note: {letter}: {note}")
    return found.status


def _compared(profile: Profile) -> dict[str, Any]:
    """The report with the older times and the ratios to them."""

    def more(row: Row) -> dict[str, float | None]:
        return {"before_us": row.before, "ratio": round(row.ratio, 4) if row.ratio else None}

    report = profile.report
    pairs = zip(report["operators"], profile.rows(), strict=True)
    return {**report, **more(profile.total), "operators": [{**a, **more(b)} for a, b in pairs]}


def _print(profile: Profile, by_type: bool) -> None:
    report = profile.report
    out.print(f"{report['model']} on {report['target']}, {report['machine']}", markup=False)
    out.print(f"{profile.firmware}; {count(report['runs'], 'run')}", markup=False)
    compared = ["before", "ratio"] if profile.old else []
    first = "count" if by_type else "#"
    shown = table(first, "operator", "us", *compared, "share", "", left=("operator", ""))
    for row in profile.types() if by_type else profile.rows():
        label = str(row.count) if by_type else row.label
        share = row.us / report["us"] if report["us"] else 0.0
        shown.add_row(label, *_cells(row, bool(compared)), f"{100 * share:.1f}%", bar(share))
    shown.add_row("", *_cells(profile.total, bool(compared)), "", "")
    out.print(shown, markup=False)


def _cells(row: Row, compared: bool) -> Sequence[str]:
    cells = [row.op, f"{row.us:.1f}"]
    if compared:
        cells.append("" if row.before is None else f"{row.before:.1f}")
        cells.append("" if row.ratio is None else f"{row.ratio:.2f}")
    return cells
