#!/usr/bin/env python3
# Measures models on the emulated boards: instructions of one invoke, least arena, and the text of
# a bare-metal program with the engine and just the operators of that model, without the text of
# an empty program. Prints tables and writes build/bench.json.

"""Measure instructions, arena and text of models on the emulated boards."""

import argparse
import fcntl
import os
import re
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rich.console import Console
from rich.progress import track

import applications
import overhead
import report
import rows
from microlite_tools.qemu import QEMU, board_names, board_variables
from rows import INSTRUCTIONS_PER_TICK, Row
from workload import Op, macs, models, ops, seeded_inputs

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
TFLM_DIR = Path(os.environ.get("TFLM_DIR", BUILD / "src/tfmicro/submodules/tensorflow"))
JOBS = os.environ.get("JOBS", str(os.cpu_count()))
CROSS = "arm-none-eabi-"
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
class Measured:
    row: Row
    ops: list[tuple[Op, int]]  # with their instructions
    outputs: list[str]


def command(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


@cache
def compiler() -> str:
    return "gcc " + command(f"{CROSS}gcc", "-dumpfullversion").strip()


@cache
def levels(board: Board) -> dict[str, str]:
    """The kernels that a board can have, slowest first, and engine.mk's word for each."""
    macros = command(f"{CROSS}gcc", *board.arch.split(), "-dM", "-E", "-x", "c", "/dev/null")
    if "__ARM_FEATURE_DSP" in macros:
        return {"reference": "reference", "portable": "portable", "dsp": ""}
    return {"reference": "reference", "portable": ""}


def fastest(board: Board) -> str:
    return [*levels(board)][-1]


def engine_variables(board: Board, out: Path) -> list[str]:
    """What engine.mk must know of a board."""
    return [
        *(f"TFLM_DIR={TFLM_DIR}", f"CACHE={BUILD / 'tflm-cache'}", f"OUT={out}"),
        *(f"CC={CROSS}gcc", f"CXX={CROSS}gcc", f"AR={CROSS}ar", f"ARCH={board.arch}"),
    ]


def engine(board: Board, ops: str, out: Path, kernels: str = "", without: str = "") -> Path:
    """The engine with some operators, by name or of an @model, as one object file."""
    command(
        *("make", f"-sj{JOBS}", "-f", str(ROOT / "src_c/tflm/engine.mk")),
        *engine_variables(board, out),
        *(f"OPS={ops}", f"KERNELS={kernels}", f"WITHOUT={without}"),
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


@contextmanager
def folder(board: Board, level: str) -> Iterator[Path]:
    """Where all models of a board and a level are built, for one process at a time."""
    out = BUILD / "bench" / board.name / level
    out.mkdir(parents=True, exist_ok=True)
    with (out / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield out


def pack(data: bytes, inputs: bytes) -> bytes:
    """A model and its inputs as blob_t of board.h."""
    head = struct.pack("<4I", len(data), len(inputs), 0, 0)
    return head + data + bytes(-len(data) % 16) + inputs


def build_and_run(board: Board, level: str, model: Path) -> tuple[int, str]:
    """Bytes of text, and what the program told."""
    data = model.read_bytes()
    with folder(board, level) as out:
        program, blob = out / "measure.elf", out / "blob"
        blob.write_bytes(pack(data, seeded_inputs(data)))
        empty = link(board, out / "empty.elf", ROOT / "bench/empty.c")
        parts = ROOT / "bench/measure.c", engine(board, f"@{model}", out, levels(board)[level])
        text = link(board, program, *parts) - empty
        return text, run(board, program, blob)


def measure(board: Board, name: str, model: Path, level: str | None = None) -> Measured:
    """Measures with the fastest kernels that the board can have, or others."""
    level = level or fastest(board)
    data = model.read_bytes()
    text, told = build_and_run(board, level, model)
    found = dict(re.findall(r"^(status|arena|ticks|kernels)=(-?\w+)$", told, re.M))
    outputs = re.findall(r"^output=(\w+)$", told, re.M)
    half = len(outputs) // 2
    if found.get("status") != "0" or not outputs or outputs[:half] != outputs[half:]:
        raise SystemExit(f"{name} on {board.name}, {level} kernels, failed:\n{told}")
    if found["kernels"] != level:
        raise SystemExit(f"{board.name}: {found['kernels']} kernels, but {level} were asked for")
    row = Row(
        *(board.name, board.core, compiler(), name, macs(data), level),
        *(int(found["ticks"]) * INSTRUCTIONS_PER_TICK, int(found["arena"]), text),
    )
    spent = [int(n) * INSTRUCTIONS_PER_TICK for n in re.findall(r"^op=(\d+)$", told, re.M)]
    return Measured(row, [*zip(ops(data), spent, strict=True)], outputs[:half])


def measure_all(boards: list[Board], names: list[str], some: list[str]) -> Iterator[Measured]:
    """Models on boards with some levels; the outputs of a model must be the same everywhere."""
    jobs = [
        (name, board, level)
        for name in names
        for board in boards
        for level in levels(board)
        if level in some
    ]
    outputs: dict[str, list[str]] = {}
    for name, board, level in track(jobs, "measuring", transient=True):
        measured = measure(board, name, models()[name], level)
        if outputs.setdefault(name, measured.outputs) != measured.outputs:
            where = f"{board.name} with {level} kernels"
            raise SystemExit(f"{name}: the outputs on {where} differ from those before it")
        yield measured


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for option, choices in (
        ("--board", board_names()),
        ("--model", [*models()]),
        ("--kernels", rows.LEVELS),
    ):
        parser.add_argument(option, action="append", choices=choices, help="default: all")
    parser.add_argument("--ops", action="store_true", help="also print each operator")
    parser.add_argument("--output", type=Path, default=BUILD / "bench.json", metavar="FILE")
    parser.add_argument(
        "--update-baseline",
        action="store_true",
        help="put the rows into bench/baseline.json and docs/performance.md",
    )
    return parser.parse_args()


def main() -> None:
    args = parse_arguments()
    boards = [load_board(name) for name in args.board or board_names()]
    names = args.model or [*models()]
    console = Console()

    measured = [*measure_all(boards, names, args.kernels or rows.LEVELS)]
    found = [each.row for each in measured]
    for shown in report.tables(found):
        console.print(shown)
    for each in measured if args.ops else []:
        console.print(report.ops_table(each.row, each.ops))
    rows.save(args.output, found)
    print(f"written to {args.output}")
    if args.update_baseline:
        rows.update(rows.BASELINE, found)
        report.update_docs(rows.load(rows.BASELINE))
    print_overhead(console)


def print_overhead(console: Console) -> None:
    firmware = BUILD / overhead.BOARD / "firmware.elf"
    if not firmware.exists():
        print(f"{firmware} is not built: nothing is told of calls from Python and of applications")
        return
    own = measure(load_board(overhead.BOARD), overhead.NAME, overhead.MODEL).row.instructions
    console.print(report.overhead_table(overhead.overheads(firmware, own)))
    console.print(applications.table(applications.instructions(firmware)))


if __name__ == "__main__":
    main()
