# Where a command runs a model: on an attached board, or on this PC.

"""Boards and this PC, for commands."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Protocol, Self

from .remote import Echo, Remote, only_attached
from .unix import Unix


class Target(Protocol):
    """MicroPython with microlite, ready for scripts while its `with` block lasts."""

    name: str

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: object, error: object, traceback: object, /) -> None: ...

    def run(self, source: str, *, echo: Echo | None = None) -> str:
        """Run a script and return what it printed; raises ScriptError if it fails."""

    def share(self, *files: Path) -> list[str]:
        """Make files of this PC readable by scripts, and return their paths there."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose a target."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--connect", metavar="PORT", help="the board (default: the only one)")
    group.add_argument("--unix", action="store_true", help="this PC instead of a board")


def choose(args: argparse.Namespace) -> Target:
    """The target that was chosen."""
    return Unix() if args.unix else Remote(args.connect or only_attached())
