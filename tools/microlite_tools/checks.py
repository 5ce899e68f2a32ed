# What several commands check and say.

"""Files that users name, and numbers in sentences."""

from __future__ import annotations

from pathlib import Path

from .errors import UserError


def check_file(file: str | Path) -> None:
    """Raise UserError unless it is a file."""
    path = Path(file)
    if not path.is_file():
        raise UserError(f"{file}: is a folder" if path.is_dir() else f"{file}: no such file")


def count(n: int, noun: str) -> str:
    """As in "1 case", "2 cases"."""
    return f"{n} {noun}{'' if n == 1 else 's'}"
