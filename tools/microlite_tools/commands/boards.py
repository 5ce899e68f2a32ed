# microlite boards: what boards/*.toml know.

from __future__ import annotations

import argparse
from dataclasses import asdict

from ..boards import Board, load_all
from ..cli import FAILED
from ..console import out, print_json, say
from ..fitting import heap_of
from ..tables import table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print all that is known, as JSON")


def run(args: argparse.Namespace) -> int:
    wrong: list[str] = []
    boards = list(load_all(wrong=lambda error: wrong.append(str(error))))
    if args.json:
        print_json({"boards": [asdict(board) for board in boards]})
    else:
        _print(boards)
    for text in wrong:
        say(f"microlite: {text}")
    return FAILED if wrong else 0


def _print(boards: list[Board]) -> None:
    columns = ("board", "core", "MHz", "fpu", "dsp", "flash", "heap", "port", "verified", "")
    shown = table(*columns, left=("board", "core", "fpu", "dsp", "port", "verified", ""))
    for board in boards:
        options = board.options
        shown.add_row(
            board.name,
            board.core,
            str(board.clock_mhz or ""),
            options.fpu,
            "yes" if options.dsp else "no",
            _size(sum(region.size for region in board.regions("firmware"))),
            _size(heap_of(board)[1]),
            board.port,
            board.verified,
            board.title,
        )
    out.print(shown, markup=False)
    out.print("flash: for firmware and models in it; heap: its region where that is all we know")


def _size(size: int) -> str:
    if size == 0:
        return ""
    return f"{size / 2**20:.4g} MiB" if size >= 2**20 else f"{size // 1024} KiB"
