# Profiles of models as `microlite profile` takes them, keeps them as JSON and compares them.

"""Times of operators."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from .checks import check_file, count
from .errors import UserError

MADE_BY = "`microlite profile --json`"
LEAST, MOST = 1e-6, 1e15  # us that a profile may have, besides 0
PLACE = ("machine", "firmware", "kernels", "hz")  # what else than the model times depend on


@dataclass(frozen=True)
class Row:
    """An operator, or all of one type when `count` is not 1."""

    label: str
    op: str
    us: float
    before: float | None = None
    count: int = 1

    @property
    def ratio(self) -> float | None:
        """The time over that of before."""
        return self.us / self.before if self.before else None


@dataclass
class Profile:
    """The JSON object, and that of an older profile of the same model."""

    report: dict[str, Any]
    old: dict[str, Any] | None = None

    @property
    def firmware(self) -> str:
        """What ran it, in words."""
        clock = f", {self.report['hz'] / 1e6:g} MHz" if self.report["hz"] else ""
        return f"{self.report['firmware']}, {self.report['kernels']} kernels{clock}"

    @property
    def total(self) -> Row:
        """All operators together."""
        return Row("", "together", self.report["us"], self.old["us"] if self.old else None)

    def rows(self) -> list[Row]:
        """The operators, in the order in which they run."""
        operators = self.report["operators"]
        before = self.old["operators"] if self.old else [{"us": None}] * len(operators)
        return [
            Row(str(each["index"]), each["op"], each["us"], old["us"])
            for each, old in zip(operators, before, strict=True)
        ]

    def types(self) -> list[Row]:
        """The sums of each type of operator, the slowest first."""
        sums: dict[str, Row] = {}
        for row in self.rows():
            last = sums.get(row.op, Row("", row.op, 0.0, None if row.before is None else 0.0, 0))
            before = None if row.before is None else (last.before or 0.0) + row.before
            sums[row.op] = Row("", row.op, last.us + row.us, before, last.count + 1)
        return sorted(sums.values(), key=lambda row: -row.us)

    def notes(self) -> Iterator[str]:
        """What to keep in mind when reading the numbers."""
        step, runs, us = (self.report[name] for name in ("clock_us", "runs", "us"))
        if not step:
            yield "the clock of this board stands still: there are no times"
            return
        coarse = f"the board's clock counts in steps of {step:g} us"
        if runs * us < 100 * step:
            needed = max(2 * runs, ceil(200 * step / us) if us else 0)
            given = f"{count(runs, 'run')} of {us:.3g} us"
            yield f"{coarse}, too large for {given}: try --runs {needed}"
        elif any(0 < row.us * runs < 10 * step for row in self.rows()):
            least = 10 * step / runs
            yield f"{coarse}: times below {least:.3g} us are a guess, more --runs make them better"
        for name in PLACE if self.old else ():
            now, before = self.report.get(name), (self.old or {}).get(name)
            if now != before:
                yield f"the old profile has another {name}: {before}, now {now}"


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and (value == 0 or LEAST <= value <= MOST)


def load_old(file: str) -> dict[str, Any]:
    """A profile that was kept."""
    check_file(file)
    try:
        old: Any = json.loads(Path(file).read_text())
    except (ValueError, RecursionError) as er:
        raise UserError(f"{file}: damaged, or no profile made by {MADE_BY}") from er
    operators = old.get("operators") if isinstance(old, dict) else None
    if (
        not isinstance(operators, list)
        or not isinstance(old.get("crc32"), str)
        or not _is_time(old.get("us"))
        or not all(
            isinstance(row, dict) and isinstance(row.get("op"), str) and _is_time(row.get("us"))
            for row in operators
        )
    ):
        raise UserError(f"{file}: no profile made by {MADE_BY}")
    return dict(old)


def check_same_model(file: str, old: dict[str, Any], report: dict[str, Any]) -> None:
    """Raise UserError unless both profiles are of one model."""
    if old["crc32"] != report["crc32"]:
        given = f"{old.get('model', 'another model')}, CRC-32 {old['crc32']}"
        raise UserError(
            f"{file} is of another model ({given}) than {report['model']}, CRC-32 "
            f"{report['crc32']}"
        )
    before, now = ([row["op"] for row in each["operators"]] for each in (old, report))
    if before != now:
        raise UserError(
            f"{file} has other operators than {report['model']}: {len(before)}, not {len(now)}"
            if len(before) != len(now)
            else f"{file} has other operators than {report['model']}"
        )
