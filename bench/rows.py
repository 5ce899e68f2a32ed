# One measurement a row, the files that hold rows, and what counts as worse than the baseline.

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "baseline.json"  # by compiler; written by bench.py --update-baseline
ANCHORS = HERE / "anchors.json"  # another library's figures, with their source

INSTRUCTIONS_PER_TICK = 40  # 25 MHz under -icount shift=0, which takes 1 ns for an instruction
LEVELS = ["reference", "portable", "dsp"]
TOLERANCE = 0.01

Key = tuple[str, str, str, str]


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

    @property
    def key(self) -> Key:
        return self.compiler, self.board, self.model, self.kernels


@dataclass(frozen=True)
class Anchor:
    model: str
    core: str
    instructions: int
    arena: int | None = None
    text: int | None = None


def load(path: Path) -> list[Row]:
    return [Row(**row) for row in json.loads(path.read_text())["rows"]]


def save(path: Path, rows: Iterable[Row]) -> None:
    lines = ",\n".join(json.dumps(asdict(row)) for row in rows)
    path.write_text(f'{{"rows": [\n{lines}\n]}}\n')


def anchors() -> list[Anchor]:
    return [Anchor(**row) for row in json.loads(ANCHORS.read_text())["rows"]]


def update(path: Path, rows: Iterable[Row]) -> None:
    """Replaces rows of the same compiler, board, model and kernels, keeps the others."""
    old = load(path) if path.exists() else []
    save(path, ({row.key: row for row in old} | {row.key: row for row in rows}).values())


def worse(row: Row, baseline: Row) -> list[str]:
    """The figures that are more than the tolerance above those of the baseline, in words."""
    found = []
    for figure in ("instructions", "arena", "text"):
        now, before = getattr(row, figure), getattr(baseline, figure)
        if now > before * (1 + TOLERANCE):
            what = f"{row.model} on {row.board}, {row.kernels} kernels: {figure}"
            found.append(f"{what} {now:,}, baseline {before:,} ({now / before - 1:+.1%})")
    return found
