# Whether a model fits a board of boards/*.toml, and how long it may take there: sums of what the
# board's file, the measured text of operators and the benchmarks' baseline say.

"""Fit a model to a board."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from . import flash, macs
from .boards import ROOT, Board, Region
from .inspection import Inspection

BASELINE = ROOT / "bench/baseline.json"
DUAL_ISSUE = {"cortex-m7": ", of which this core may run two"}
FLOAT_MODELS = {"magic_wand"}  # of the baseline; the others are int8


@dataclass(frozen=True)
class Place:
    """Where the model's bytes lie on the board."""

    where: str
    room: int | None  # None: as much as is wanted
    copied: bool  # into the heap


@dataclass(frozen=True)
class Estimate:
    """A time, or why there is none; `basis` says what it stands on."""

    us: float | None
    basis: str


@dataclass(frozen=True)
class Fit:
    """A model on a board. Of numbers that nobody knows there is None."""

    board: Board
    model: int  # bytes
    arena: int | None
    operators: int  # bytes of text that those of the model take at most
    place: Place
    problems: list[str]
    estimate: Estimate

    @property
    def flash(self) -> Region | None:
        """The region of the firmware, where the board has one."""
        return next(iter(self.board.regions("firmware")), None)

    @property
    def firmware(self) -> int | None:
        """Bytes of firmware, at most."""
        return self.board.linked.text + self.operators if self.board.linked else None

    @property
    def flash_left(self) -> int | None:
        if self.flash is None or self.firmware is None:
            return None
        inside = self.place.where == self.flash.name
        return self.flash.size - self.firmware - (self.model if inside else 0)

    @property
    def heap_left(self) -> int | None:
        """After the model is loaded, at most."""
        if self.arena is None:
            return None
        return heap_of(self.board)[1] - self.arena - (self.model if self.place.copied else 0)


def heap_of(board: Board) -> tuple[Region, int]:
    """The region of the heap, and its bytes at most."""
    region = max(board.regions("heap"), key=lambda each: each.size)
    return region, board.heap or region.size


def _places(board: Board, firmware: int | None) -> Iterator[Place]:
    """Where a model may lie, the best first."""
    if board.romfs:
        yield Place("the ROMFS partition", board.romfs.size, False)
    for region in board.regions("files"):
        yield Place(region.name, region.size, True)
    if firmware is not None:  # a ROMFS partition may be made there
        for region in board.regions("firmware"):
            yield Place(region.name, max(region.size - firmware, 0), False)
    if not board.regions("firmware"):
        yield Place("a file of this PC", None, True)


def _lacks(board: Board, place: Place, size: int, arena: int) -> str | None:
    """What keeps the model from that place, if anything does."""
    if place.room is not None and size > place.room:
        return f"{size:,} bytes of model, {place.where} has {place.room:,}"
    needed = arena + (size if place.copied else 0)
    region, heap = heap_of(board)
    if needed <= heap:
        return None
    parts = f"{arena:,} of arena and {size:,} of model" if place.copied else "of arena"
    return f"{needed:,} bytes {parts}, the heap in {region.name} has {heap:,}"


def _choose(board: Board, size: int, arena: int, firmware: int | None) -> tuple[Place, list[str]]:
    """The best place where all fits, else the first one and what is lacking."""
    places = list(_places(board, firmware))
    lacking = [_lacks(board, place, size, arena) for place in places]
    if None in lacking:
        return places[lacking.index(None)], []
    return places[0], [text for text in dict.fromkeys(lacking) if text]


@cache
def _baseline() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(BASELINE.read_text())["rows"]
    return rows


def _estimate(found: Inspection, board: Board) -> Estimate:
    assert found.model
    if not BASELINE.is_file():
        return Estimate(None, "measurements are in a checkout of microlite only")
    count = macs.of_graph(found.model.graphs[0])
    weights = found.model.weights
    is_float = 2 * weights.get("float32", 0) > sum(weights.values())
    kernels = "dsp" if board.options.dsp else "portable"
    rows = [
        row
        for row in _baseline()
        if (row["core"], row["kernels"]) == (board.core, kernels)
        and (row["model"] in FLOAT_MODELS) == is_float
    ]
    if not rows:
        return Estimate(None, f"nothing was measured for {board.core_title}")
    if not board.clock_mhz:
        return Estimate(None, "the clock is not known")
    if not count:
        return Estimate(None, "the model has no MACs to go by")
    best = min(rows, key=lambda row: float(row["instructions"]) / row["macs"])
    each = best["instructions"] / best["macs"]
    basis = (
        f"{count:,} MACs of {each:.2f} instructions, the fewest measured for {board.core_title} "
        f"with {kernels} kernels ({best['model']}, {best['compiler']}), at "
        f"{board.clock_mhz} MHz with an instruction a cycle{DUAL_ISSUE.get(board.core, '')}"
    )
    return Estimate(count * each / board.clock_mhz, basis)


def fit(found: Inspection, board: Board) -> Fit:
    """Fit a model that was read to a board."""
    assert found.model
    ops = {op.name for graph in found.model.graphs for op in graph.ops}
    operators = flash.load().build([]).cost(ops)
    firmware = board.linked.text + operators if board.linked else None
    arena = found.firmware.arena
    place, problems = _choose(board, found.size, arena or 0, firmware)
    region = next(iter(board.regions("firmware")), None)
    if region and firmware and firmware > region.size:
        problems.insert(
            0, f"{firmware:,} bytes of firmware at most, {region.name} has {region.size:,}"
        )
    estimate = _estimate(found, board)
    return Fit(board, found.size, arena, operators, place, problems, estimate)


def as_json(fit: Fit) -> dict[str, Any]:
    """All that is known, by the keys of docs/commands.md."""
    region, heap = heap_of(fit.board)
    return {
        "name": fit.board.name,
        "verified": fit.board.verified,
        "fits": not fit.problems,
        "problems": fit.problems,
        "flash": {
            "region": fit.flash.name if fit.flash else None,
            "size": fit.flash.size if fit.flash else None,
            "firmware": fit.firmware,
            "left": fit.flash_left,
        },
        "model": asdict(fit.place),
        "arena": {"region": region.name, "kind": region.kind, "speed": region.speed},
        "heap": {"size": heap, "left": fit.heap_left},
        "time": asdict(fit.estimate),
    }
