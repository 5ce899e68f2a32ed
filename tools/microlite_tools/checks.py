# What several commands check and say.

"""Files that users name, and numbers in sentences."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from .errors import UserError


def printable(value: Any) -> Any:
    """The same, with escapes for what would break a line in all texts that it holds."""
    if isinstance(value, str):
        return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in value)
    if isinstance(value, list):
        return [printable(each) for each in value]
    if isinstance(value, dict):
        return {printable(key): printable(each) for key, each in value.items()}
    return value


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
    if path.exists() and not path.is_file():
        raise UserError(f"{file}: is no regular file")
    if not path.is_file():
        raise UserError(describe_missing(path))


def check_name(name: str) -> None:
    """Raise UserError unless MicroPython can have a file of that name."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise UserError(f"{name!r}: the name is not UTF-8") from None


def check_output(output: str | Path, sources: Iterable[str | Path]) -> None:
    """Raise UserError if writing a file would change what it is made of."""
    place = Path(output).resolve()
    if place.is_dir():
        raise UserError(f"{output}: is a folder")
    for source in map(Path, sources):
        if place == source.resolve() or (source.exists() and _same(place, source)):
            raise UserError(f"{output}: is read too, choose another name for the output")
        if source.is_dir() and source.resolve() in place.parents:
            raise UserError(f"{output}: lies in {source}, choose a place outside of it")


def _same(path: Path, other: Path) -> bool:
    return path.exists() and path.samefile(other)


def _open_at_once(place: Path) -> BinaryIO:
    try:
        fd = os.open(place, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as er:
        if er.errno == errno.ENXIO:
            raise UserError(f"{place}: nobody reads from that pipe") from None
        raise
    os.set_blocking(fd, True)
    return os.fdopen(fd, "wb")


def save(output: str | Path, data: bytes) -> None:
    """Write a file, all of it or nothing: what was there stays until the new one is whole."""
    place = Path(output)
    if place.exists() and not place.is_file():  # /dev/stdout, or a pipe, which is not waited for
        with _open_at_once(place) as file:
            file.write(data)
        return
    place = place.resolve()
    part = place.with_name(f".microlite-{os.getpid()}")
    try:
        try:
            part.write_bytes(data)
            if place.exists():
                shutil.copymode(place, part)
            part.replace(place)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as er:
        raise OSError(er.errno, er.strerror, str(output)) from er


def count(n: int, noun: str) -> str:
    """As in "1 case", "2 cases"."""
    return f"{n} {noun}{'' if n == 1 else 's'}"
