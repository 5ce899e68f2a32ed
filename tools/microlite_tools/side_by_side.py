# Profiles of one model on several boards, in one table. A board without a profile has a column
# too, and what it said.

"""Profiles side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .checks import count
from .cli import FAILED
from .console import out
from .profiles import Profile, Row
from .tables import table


class Boards:
    """Boards in the order of their columns: profiles, or why there is none."""

    def __init__(self) -> None:
        self._found: list[Profile | tuple[str, str]] = []

    def add(self, report: dict[str, Any]) -> None:
        """Add a profile; one of another model than the first counts as failed."""
        first = next((profile.report for _, profile in self.profiles()), report)
        if report["crc32"] != first["crc32"]:
            text = f"another model, CRC-32 {report['crc32']}, not {first['crc32']}"
            self.add_failed(report["target"], text)
        else:
            self._found.append(Profile(report))

    def add_failed(self, name: str, text: str) -> None:
        # Most of what is said of a board begins with its name.
        self._found.append((name, text.removeprefix(name).lstrip(": ")))

    def _columns(self) -> Iterator[tuple[str, Profile | tuple[str, str]]]:
        for i, each in enumerate(self._found):
            yield chr(ord("A") + i) if i < 26 else str(i + 1), each

    def profiles(self) -> Iterator[tuple[str, Profile]]:
        """The profiles, each with the letter of its column."""
        for letter, each in self._columns():
            if isinstance(each, Profile):
                yield letter, each

    @property
    def status(self) -> int:
        """The exit status: 0 when all boards have a profile, 2 when none has."""
        n = len(list(self.profiles()))
        return 0 if n == len(self._found) else FAILED if n else 2

    def as_json(self, model: str) -> dict[str, Any]:
        rows = [
            each.report if isinstance(each, Profile) else {"target": each[0], "error": each[1]}
            for each in self._found
        ]
        return {"model": model, "boards": rows}

    def show(self, model: str, by_type: bool) -> None:
        """Print the table, and what its columns are."""
        out.print(
            f"{model} on {count(len(self._found), 'board')}, us of an invoke()", markup=False
        )
        for letter, each in self._columns():
            out.print(f"{letter}  {_words(each)}", markup=False, soft_wrap=True)
        times = {letter: _rows(profile, by_type) for letter, profile in self.profiles()}
        if not times:
            return
        letters = [letter for letter, _ in self._columns()]
        shown = table("count" if by_type else "#", "operator", *letters, left=("operator",))
        for key, op in next(iter(times.values())):
            cells = [
                f"{rows[key, op].us:.1f}" if (rows := times.get(letter)) else "failed"
                for letter in letters
            ]
            shown.add_row(key, op, *cells)
        out.print(shown, markup=False)


def _words(each: Profile | tuple[str, str]) -> str:
    if not isinstance(each, Profile):
        return f"{each[0]}: {each[1]}"
    report = each.report
    runs = count(report["runs"], "run")
    return f"{report['target']}, {report['machine']}; {each.firmware}; {runs}"


def _rows(profile: Profile, by_type: bool) -> dict[tuple[str, str], Row]:
    """Times by what the first two columns say; by type in the order of their first use."""
    if not by_type:
        rows = {(row.label, row.op): row for row in profile.rows()}
    else:
        rows = {(str(row.count), row.op): row for row in profile.types()}
    return rows | {("", "together"): profile.total}
