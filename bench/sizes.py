#!/usr/bin/env python3
# What operators cost: the text of engine, check and kernels with some of them, in a bare-metal
# program for a Cortex-M4, without the text of an empty program.

"""Print the text that engine and kernels take for some operators or all."""

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import BUILD, ROOT, compiler, engine, fastest, folder, link, load_board

BOARD = "MPS2_AN386"
MODELS = BUILD / "models"
OPS = {
    "framework and RESHAPE": "RESHAPE",
    "hello_world": f"@{MODELS / 'hello_world.tflite'}",
    "person_detect": f"@{MODELS / 'person_detect.tflite'}",
    "all": "all",
}


def text_without(model: Path, types: str) -> int:
    """Text of a program with the operators of a model, less what computes with some types."""
    board = load_board(BOARD)
    with folder(board, f"without-{types}") as out:
        empty = link(board, out / "empty.elf", ROOT / "bench/empty.c")
        parts = ROOT / "bench/measure.c", engine(board, f"@{model}", out, without=types)
        return link(board, out / "measure.elf", *parts) - empty


def texts() -> Iterator[tuple[str, int, int]]:
    """Names of sets of operators, how many there are in each, and bytes of text."""
    board = load_board(BOARD)
    with folder(board, fastest(board)) as out:
        empty = link(board, out / "empty.elf", ROOT / "bench/empty.c")
        for name, ops in OPS.items():
            parts = ROOT / "bench/measure.c", engine(board, ops, out)
            n_ops = len((out / "ops.inc").read_text().splitlines())
            yield name, n_ops, link(board, out / "measure.elf", *parts) - empty


def main() -> None:
    table = Table("operators of", title=f"bytes of text on a Cortex-M4, {compiler()}")
    for heading in ("operators", "text"):
        table.add_column(heading, justify="right")
    for name, n_ops, text in texts():
        table.add_row(name, str(n_ops), f"{text:,}")
    Console().print(table)


if __name__ == "__main__":
    main()
