#!/usr/bin/env python3
# What operators cost in flash, for the command `microlite ops`. A program for a Cortex-M4 with all
# of them is linked without placing it, so that each function keeps a section of its own; an
# operator takes those that its row leads to. The text of some operators is that of the union of
# their sections, which they often share. Written to tools/microlite_tools/flash.json.

"""Measure the text of every operator on a Cortex-M4, and write flash.json."""

import json
import re
import struct
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from bench import (
    CROSS,
    ROOT,
    Board,
    command,
    compiler,
    engine,
    engine_variables,
    folder,
    levels,
    link,
    load_board,
)
from microlite_tools.flash import FILE

BOARD = "MPS2_AN386"
PROGRAM = ROOT / "bench/measure.c"

# What builds leave out, of models that have none of it.
WITHOUT = "", "uint8", "float32 uint8"

WRITE, ALLOC = 1, 2  # flags of sections
SYMBOLS, REL = 2, 9  # kinds of sections


class Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    item_size: int


class Objects:
    """An ELF file of 32 bits that is not placed: its sections, and what each refers to."""

    def __init__(self, path: Path) -> None:
        data = self.data = path.read_bytes()
        (start,) = struct.unpack_from("<I", data, 32)
        size, n, _ = struct.unpack_from("<3H", data, 46)
        self.sections = [
            Section(*struct.unpack_from("<10I", data, start + i * size)) for i in range(n)
        ]
        self.references: dict[int, list[tuple[int, int]]] = defaultdict(list)  # offset, symbol
        for section in self.sections:
            if section.kind == REL:
                items = struct.iter_unpack("<2I", self._bytes(section))
                self.references[section.info] += [(at, info >> 8) for at, info in items]
        table = next(section for section in self.sections if section.kind == SYMBOLS)
        strings = self._bytes(self.sections[table.link])
        self.homes: list[int] = []  # the section of each symbol
        self.names: dict[str, int] = {}
        for name, _, _, _, _, home in struct.iter_unpack("<3I2BH", self._bytes(table)):
            self.names[strings[name : strings.index(b"\0", name)].decode()] = home
            self.homes.append(home)

    def _bytes(self, section: Section) -> bytes:
        return self.data[section.offset : section.offset + section.size]

    def reach(self, start: Iterable[int], wall: int) -> set[int]:
        """The sections that these lead to, without going on beyond one of them."""
        found: set[int] = set()
        left = {*start}
        while left:
            section = left.pop()
            if section in found or not 0 < section < len(self.sections):
                continue
            found.add(section)
            if section != wall:
                left.update(self.homes[symbol] for _, symbol in self.references[section])
        return found

    def text(self, section: int) -> int:
        """The bytes that a section adds to text."""
        flags = self.sections[section].flags
        return self.sections[section].size if flags & ALLOC and not flags & WRITE else 0


def link_unplaced(board: Board, out: Path, without: str) -> Objects:
    parts = command(
        *("make", "-s", "-f", str(ROOT / "src_c/tflm/engine.mk"), *engine_variables(board, out)),
        *("OPS=all", "KERNELS=", f"WITHOUT={without}"),
        *("--eval=show: ; @echo $(ENGINE_OBJECTS) $(ARCHIVES)", "show"),
    )
    program = out / "unplaced.o"
    command(
        *(f"{CROSS}gcc", *board.arch.split(), f"-DBLOB_ADDRESS={board.psram}", "-Os"),
        *("-ffunction-sections", "-fdata-sections", f"-I{ROOT / 'src_c'}", "-r", "-nostdlib"),
        *("-Wl,--unique", "-o", str(program), str(ROOT / "bench/board.c"), str(PROGRAM)),
        *(*parts.split(), "-lm", "-lc", "-lgcc"),
    )
    return Objects(program)


def shares(objects: Objects, names: list[str]) -> dict[tuple[str, ...], int]:
    """The bytes that only some operators take, by those that share them."""
    table = objects.names["_ZL8op_table"]
    common = objects.reach([objects.names["reset"]], wall=table)
    assert table in common
    row_size = objects.sections[table].size // len(names)
    roots: list[list[int]] = [[] for _ in names]
    for at, symbol in objects.references[table]:
        roots[at // row_size].append(objects.homes[symbol])
    users: dict[int, list[str]] = defaultdict(list)
    for name, start in zip(names, roots, strict=True):
        for section in objects.reach(start, wall=table) - common:
            users[section].append(name)
    found: dict[tuple[str, ...], int] = defaultdict(int)
    for section, ops in users.items():
        found[tuple(ops)] += objects.text(section)
    return {ops: size for ops, size in sorted(found.items()) if size}


def text(board: Board, out: Path, ops: str, without: str = "") -> int:
    """Bytes of text of a program with some operators, without those of an empty one."""
    empty = link(board, out / "empty.elf", ROOT / "bench/empty.c")
    engine(board, ops, out, without=without)
    return link(board, out / "flash.elf", PROGRAM, out / "microlite.o") - empty


def measure(board: Board, without: str) -> dict[str, object]:
    """The costs of operators in builds that leave some types out."""
    with folder(board, f"flash-{without.replace(' ', '-') or 'all'}") as out:
        everything = text(board, out, "all", without)
        names = re.findall(r"^OP\((\w+)", (out / "ops.inc").read_text(), re.M)
        shared = shares(link_unplaced(board, out, without), names)
        one = text(board, out, names[0], without)
    # What their rows take, and the linker to align sections and unite equal strings.
    beside_one = one - sum(size for ops, size in shared.items() if names[0] in ops)
    beside_all = everything - sum(shared.values())
    each = (beside_all - beside_one) / (len(names) - 1)
    return {
        "without": without.split(),
        "all": everything,
        "fixed": round(beside_one - each),
        "each": round(each),
        "shared": [{"bytes": size, "ops": " ".join(ops)} for ops, size in shared.items()],
    }


def main() -> None:
    board = load_board(BOARD)
    found = {
        "board": board.name,
        "core": board.core,
        "compiler": compiler(),
        "kernels": [*levels(board)][-1],
        "builds": [measure(board, without) for without in WITHOUT],
    }
    FILE.write_text(json.dumps(found, indent=1) + "\n")
    print(f"written to {FILE}")


if __name__ == "__main__":
    main()
