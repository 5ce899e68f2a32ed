# What several commands check and say.

"""Files that users name, and numbers in sentences."""

from __future__ import annotations

from pathlib import Path

from .errors import UserError


def describe_missing(path: Path) -> str:
    """Why there is nothing under that path, which may be a link."""
    if not path.is_symlink():
        return f"{path}: no such file"
    goal = path.readlink().as_posix()
    at = goal.find("build/models/")
    goal, hint = (goal[at:], ": make models") if at >= 0 else (goal, "")
    return f"{path} is a link to {goal}, which is not there{hint}"


def check_file(file: str | Path) -> None:
    """Raise UserError unless it is a file."""
    path = Path(file)
    if path.is_dir():
        raise UserError(f"{file}: is a folder")
    if not path.is_file():
        raise UserError(describe_missing(path))


def count(n: int, noun: str) -> str:
    """As in "1 case", "2 cases"."""
    return f"{n} {noun}{'' if n == 1 else 's'}"
