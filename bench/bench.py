#!/usr/bin/env python3
# Measures models on the emulated boards: instructions of one invoke, least arena, and the text of
# a bare-metal program with the engine and just the operators of that model, without the text of
# an empty program. Prints a table and writes build/bench.json.

"""Measure instructions, arena and text of models on the emulated boards."""

import argparse
import json
import os
import re
import struct
import subprocess
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import track
from rich.table import Table

from microlite_tools.qemu import QEMU, board_names, board_variables
from workload import macs, models, seeded_inputs

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
TFLM_DIR = Path(os.environ.get("TFLM_DIR", BUILD / "src/tfmicro/submodules/tensorflow"))
CROSS = "arm-none-eabi-"
KERNELS = "reference"
INSTRUCTIONS_PER_TICK = 40  # 25 MHz under -icount shift=0, which takes 1 ns for an instruction
SECONDS = 300


@dataclass(frozen=True)
class Board:
    name: str
    machine: str
    arch: str  # the compiler's -m flags
    psram: str  # address of memory that the program leaves alone

    @property
    def core(self) -> str:
        return self.arch.split()[0].removeprefix("-mcpu=")


def load_board(name: str) -> Board:
    variables = board_variables(name)
    makefile = (ROOT / "boards" / name / "mpconfigboard.mk").read_text()
    arch = re.findall(r"^CFLAGS \+= (-mcpu=.*)$", makefile, re.M)[0] + " -mthumb"
    return Board(name, variables["QEMU_MACHINE"], arch, variables["MPS2_PSRAM"])


@dataclass(frozen=True)
class Row:
    board: str
    core: str
    compiler: str
    model: str
    macs: int
    kernels: str
    instructions: int
    arena: int
    text: int


def command(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


@cache
def compiler() -> str:
    return "gcc " + command(f"{CROSS}gcc", "-dumpfullversion").strip()


def engine(board: Board, ops: str, out: Path) -> Path:
    """The engine with some operators, by name or of an @model, as one object file."""
    command(
        *("make", "-s", "-f", str(ROOT / "src_c/tflm/engine.mk"), f"TFLM_DIR={TFLM_DIR}"),
        *(f"CC={CROSS}gcc", f"CXX={CROSS}gcc", f"AR={CROSS}ar", f"OPS={ops}"),
        *(f"ARCH={board.arch}", f"OUT={out}", f"CACHE={BUILD / 'tflm-cache'}"),
    )
    return out / "microlite.o"


def link(board: Board, program: Path, *parts: Path | str) -> int:
    """Links a program of this folder; returns the bytes of its text."""
    command(
        *(f"{CROSS}gcc", *board.arch.split(), f"-DBLOB_ADDRESS={board.psram}"),
        *("-std=c99", "-Os", "-Wall", "-Wextra", "-Werror", "-ffreestanding"),
        *("-ffunction-sections", "-fdata-sections"),
        *(f"-I{ROOT / 'src_c'}", f"-T{ROOT / 'bench/bench.ld'}", "-nostdlib", "-Wl,--gc-sections"),
        *("-o", str(program), str(ROOT / "bench/board.c"), *map(str, parts)),
        *("-lm", "-lc", "-lgcc"),
    )
    return int(command(f"{CROSS}size", str(program)).splitlines()[1].split()[0])


def run(board: Board, program: Path, blob: Path) -> str:
    done = subprocess.run(
        [
            *(QEMU, "-machine", board.machine, "-icount", "shift=0"),
            *("-nographic", "-monitor", "none", "-serial", "none"),
            *("-semihosting-config", "enable=on,target=native"),
            *("-device", f"loader,file={blob},addr={board.psram},force-raw=on"),
            *("-kernel", program),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
    )
    return done.stdout


def measure(board: Board, name: str, model: Path) -> tuple[Row, list[str]]:
    out = BUILD / "bench" / board.name / name
    out.mkdir(parents=True, exist_ok=True)
    data = model.read_bytes()
    inputs = seeded_inputs(data)
    blob = out / "blob"
    padding = bytes(-len(data) % 16)
    blob.write_bytes(struct.pack("<4I", len(data), len(inputs), 0, 0) + data + padding + inputs)

    empty = link(board, out / "empty.elf", ROOT / "bench/empty.c")
    parts = ROOT / "bench/measure.c", engine(board, f"@{model}", out)
    text = link(board, out / "measure.elf", *parts) - empty

    told = run(board, out / "measure.elf", blob)
    figures = dict(re.findall(r"^(status|arena|ticks)=(-?\d+)$", told, re.M))
    outputs = re.findall(r"^output=(\w+)$", told, re.M)
    half = len(outputs) // 2
    if figures.get("status") != "0" or not outputs or outputs[:half] != outputs[half:]:
        raise SystemExit(f"{name} on {board.name} failed:\n{told}")
    instructions = int(figures["ticks"]) * INSTRUCTIONS_PER_TICK
    row = Row(
        *(board.name, board.core, compiler(), name, macs(data), KERNELS),
        *(instructions, int(figures["arena"]), text),
    )
    return row, outputs[:half]


def table(rows: list[Row]) -> Table:
    title = f"{KERNELS} kernels, {rows[0].compiler}"
    shown = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for heading in ("model", "core"):
        shown.add_column(heading, no_wrap=True)
    for heading in ("instructions", "per MAC", "arena", "text"):
        shown.add_column(heading, justify="right")
    for row in rows:
        shown.add_row(
            *(row.model, row.core, f"{row.instructions:,}"),
            *(f"{row.instructions / row.macs:.1f}", f"{row.arena:,}", f"{row.text:,}"),
        )
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--board", action="append", choices=board_names(), help="default: all")
    parser.add_argument("--model", action="append", choices=models(), help="default: all")
    parser.add_argument("--output", type=Path, default=BUILD / "bench.json", metavar="FILE")
    args = parser.parse_args()
    boards = [load_board(name) for name in args.board or board_names()]

    rows: list[Row] = []
    outputs: dict[str, list[str]] = {}
    jobs = [(board, name) for name in args.model or models() for board in boards]
    for board, name in track(jobs, "measuring", transient=True):
        row, told = measure(board, name, models()[name])
        if outputs.setdefault(name, told) != told:
            raise SystemExit(f"{name}: the outputs on {board.name} differ from those before it")
        rows.append(row)
    Console().print(table(rows))
    args.output.write_text(json.dumps({"rows": [asdict(row) for row in rows]}, indent=1) + "\n")
    print(f"written to {args.output}")


if __name__ == "__main__":
    main()
