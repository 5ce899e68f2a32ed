# microlite verify: microlite.verify() on a board or on this PC.

from __future__ import annotations

import argparse
from typing import Any

from .. import target
from ..checks import count
from ..cli import FAILED
from ..console import out, print_json
from ..errors import ScriptError, UserError
from ..session import Session
from ..tables import table

# Numbers as text, for NaN and infinity are none in JSON.
SCRIPT = """\
import json
import microlite
report = microlite.verify(MODEL, CASES, rtol=RTOL, atol=ATOL)
print(json.dumps(report.cases))
for name, dtype, values, differ, largest in report.rows:
    print(json.dumps((name, dtype, values, differ, str(largest))))
print("null")
for case, name, i, expected, got in report.differences:
    print(json.dumps((case, name, i, str(expected), str(got))))
"""


def _tolerance(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError
    return value


_tolerance.__name__ = "tolerance"  # argparse names it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Exit status: 0 all equal, 1 some differ, 2 it could not be found out."
    parser.add_argument("model", metavar="MODEL", help="a file, or :FILE of the board")
    parser.add_argument("cases", metavar="GOLDEN", help="made by `microlite golden`; or :FILE")
    for name in ("rtol", "atol"):
        parser.add_argument(
            f"--{name}",
            type=_tolerance,
            default=1e-5,
            metavar="X",
            help="floats may differ by atol + rtol * abs(expected) (default: %(default)g)",
        )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    target.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    with Session(args, args.model, args.cases) as session:
        model, cases = session.paths
        try:
            n, *lines = session.run(
                SCRIPT, MODEL=model, CASES=cases, RTOL=args.rtol, ATOL=args.atol
            )
        except ScriptError as er:
            raise ScriptError(er.output, str(er).replace("cases: ", f"{args.cases}: ", 1)) from er
        where = session.where
    if not n:
        raise UserError(f"{args.cases}: there is no case in it")
    rows, differences = lines[: lines.index(None)], lines[lines.index(None) + 1 :]
    differ = sum(row[3] for row in rows)
    if args.json:
        print_json(_report(args, where, n, rows, differences))
    else:
        found = "all equal"
        if differ:
            found = f"{count(differ, 'value')} differ{'s' if differ == 1 else ''}"
        out.print(f"{args.model} on {where}: {count(n, 'case')}: {found}", markup=False)
        _print_tables(rows, differences)
    return FAILED if differ else 0


def _print_tables(rows: list[Any], differences: list[Any]) -> None:
    left = ("output", "dtype")
    shown = table("output", "dtype", "values", "differ", "largest difference", left=left)
    for row in rows:
        shown.add_row(*map(str, row))
    out.print(shown, markup=False)
    if differences:
        shown = table("case", "output", "index", "expected", "got", left=left)
        for row in differences:
            shown.add_row(*map(str, row))
        out.print(shown, markup=False)


def _number(text: str) -> float | str:
    """A number, or the text where JSON has none."""
    value = float(text)
    return value if abs(value) < float("inf") else text


def _report(
    args: argparse.Namespace, where: str, n: int, rows: list[Any], differences: list[Any]
) -> dict[str, Any]:
    return {
        "model": args.model,
        "golden": args.cases,
        "target": where,
        "equal": not any(row[3] for row in rows),
        "cases": n,
        "outputs": [
            {
                "name": name,
                "dtype": dtype,
                "values": values,
                "differ": differ,
                "largest": _number(largest),
            }
            for name, dtype, values, differ, largest in rows
        ],
        "differences": [
            {
                "case": case,
                "output": name,
                "index": index,
                "expected": _number(expected),
                "got": _number(got),
            }
            for case, name, index, expected, got in differences
        ],
    }
