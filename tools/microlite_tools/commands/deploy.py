# microlite deploy.

"""Copy scripts, packages and models to a board."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from .. import romfs
from ..checks import count, printable
from ..cli import FAILED
from ..console import err, out, print_json, say
from ..errors import BoardError, UserError
from ..remote import Remote, only_attached
from ..remote_files import BoardFiles, Plan
from ..remote_ops import SUFFIX, find_problems
from ..remote_romfs import BoardRomfs
from ..selection import Selection, describe, select

TEXT = """
Copy scripts, packages and models to a board. A file goes by its name, a package (a folder with
__init__.py) as a folder of its name, any other folder gives its contents: the main.py of an
example then runs when the board starts. Only what has changed is copied, each file in a way
that a broken transfer leaves nothing half-written under its name. The board is reset softly
afterwards and runs what it has been given.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = TEXT
    parser.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="file or folder")
    parser.add_argument("--connect", metavar="PORT", help="the board (default: the only one)")
    parser.add_argument(
        "--to", default="", metavar="DIR", help="folder of the board (default: where main.py is)"
    )
    parser.add_argument(
        "--romfs",
        action="store_true",
        help="write an image of the files, or PATH if it is one, into the ROMFS partition",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="also what boards do not need: hidden files, tests, documentation",
    )
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="NAME", help="leave out, as *.wav"
    )
    parser.add_argument(
        "--force", action="store_true", help="also models that this firmware cannot run"
    )
    parser.add_argument("--no-reset", action="store_true", help="leave the board at its REPL")
    parser.add_argument("--dry-run", action="store_true", help="tell what would be done")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    if args.romfs and args.to:
        raise UserError("--to is a folder of the file system: there is none with --romfs")
    image = _given_image(args.paths) if args.romfs else None
    selection = Selection()
    if image is None:
        selection = select(args.paths, everything=args.all, exclude=args.exclude)
        if args.romfs:
            image = romfs.build_from(selection.files)
    with (
        TemporaryDirectory(prefix="microlite-") as folder,
        Remote(args.connect or only_attached()) as remote,
        _restarted(remote, args),
    ):
        named = {str(path): path for path in selection.files.values()}
        if image and not named:
            named = _unpack(args.paths[0], image, Path(folder))
        problems = find_problems(remote, named)
        for problem in problems:
            say(f"microlite: {problem}")
        report: dict[str, Any] = {"port": remote.port, "dry_run": args.dry_run}
        refused = problems and not args.force
        if refused:
            say("microlite: nothing was copied; --force copies such models too")
        elif image is None:
            report |= _deploy_files(remote, selection, args)
        else:
            report |= _deploy_image(remote, image, args)
    if args.json:
        report["problems"] = problems
        report["left_out"] = {
            reason: [str(path) for path in paths] for reason, paths in selection.left_out.items()
        }
        print_json(report)
    elif selection.left_out:
        say(describe(selection.left_out))
    return FAILED if refused else 0


@contextmanager
def _restarted(remote: Remote, args: argparse.Namespace) -> Iterator[None]:
    """Let the board go on with its own program in the end, unless it is lost."""
    try:
        yield
    except UserError as er:
        if not args.no_reset and not isinstance(er, BoardError):
            remote.restart()
        raise
    if not args.no_reset:
        remote.restart()


def _given_image(paths: Sequence[Path]) -> bytes | None:
    """The image, if the only path is one."""
    if len(paths) != 1 or not paths[0].is_file() or not romfs.is_meant(paths[0]):
        return None
    image, _ = romfs.load(paths[0])
    return image


def _unpack(path: Path, image: bytes, folder: Path) -> dict[str, Path]:
    """The models of an image as files, by the names that sentences give them."""
    models = {}
    for i, entry in enumerate(romfs.read(image)):
        if entry.path.lower().endswith(SUFFIX):
            file = folder / f"{i}{SUFFIX}"
            file.write_bytes(image[entry.offset : entry.offset + entry.size])
            models[f"{path}: {entry.path}"] = file
    return models


@contextmanager
def _progress(size: int) -> Iterator[tuple[Progress, Any]]:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        yield progress, progress.add_task("", total=size)


def _deploy_files(
    remote: Remote, selection: Selection, args: argparse.Namespace
) -> dict[str, Any]:
    board = BoardFiles(remote, args.to)
    plan = board.plan(selection.files)
    board.check_room(plan)
    size = sum(change.size for change in plan.copies)
    if not args.dry_run:
        with _progress(size) as (progress, task):
            board.carry_out(
                plan,
                lambda name: progress.update(task, description=name),
                lambda n: progress.advance(task, n),
            )
    block, free = board.free()
    if not args.json:
        _print_plan(plan, size, block * free, args.dry_run)
    return {
        "folder": plan.folder,
        "files": [
            {"path": c.name, "source": str(c.source), "size": c.size, "state": c.state}
            for c in plan.changes
        ],
        "copied": len(plan.copies),
        "bytes": size,
        "free": block * free,
    }


def _print_plan(plan: Plan, size: int, free: int, dry_run: bool) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(overflow="fold")
    table.add_column()
    table.add_column(justify="right")
    for change in plan.copies:
        table.add_row(printable(change.name), change.state, str(change.size))
    if plan.copies:
        out.print(table, markup=False)
    copied = "would be copied" if dry_run else "copied"
    same = len(plan.changes) - len(plan.copies)
    number = count(len(plan.copies), "file")
    out.print(f"{number} {copied} ({size} bytes), {same} up to date; {free} bytes free")


def _deploy_image(remote: Remote, image: bytes, args: argparse.Namespace) -> dict[str, Any]:
    board = BoardRomfs(remote)
    board.check_room(image)
    same = board.holds(image)
    if not same and not args.dry_run:
        with _progress(len(image)) as (progress, task):
            progress.update(task, description="ROMFS image")
            board.write(image, lambda done: progress.update(task, completed=done))
    if not args.json:
        done = "up to date" if same else "would be written" if args.dry_run else "written"
        out.print(f"ROMFS image {done}: {len(image)} of {board.size} bytes, mounted at /rom")
    return {
        "files": [
            {"path": e.path, "size": e.size, "aligned": e.aligned} for e in romfs.read(image)
        ],
        "bytes": 0 if same else len(image),
        "partition": board.size,
    }
