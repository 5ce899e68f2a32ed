# microlite romfs build, microlite romfs ls.

"""Make and list ROMFS images."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.table import Table

from .. import romfs
from ..checks import check_file, check_output, printable, save
from ..console import files, out, print_json, say
from ..errors import UserError
from ..selection import describe, select


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="action", required=True, metavar="build | ls")
    command = commands.add_parser("build", help="make an image of a folder")
    command.description = (
        "Make an image of a folder's contents, every file at a multiple of 16 bytes, so that "
        "models are used in place, without a copy in RAM."
    )
    command.add_argument("folder", type=Path, metavar="DIR")
    command.add_argument("-o", "--output", type=Path, required=True, metavar="IMAGE")
    command.add_argument("--all", action="store_true", help="leave nothing out")
    command = commands.add_parser("ls", help="list the files of an image")
    command.description = (
        "List the files of an image, with their places. Models at multiples of 16 bytes are "
        "used in place, others are copied into RAM."
    )
    command.add_argument("image", type=Path, metavar="IMAGE")
    command.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    return _build(args) if args.action == "build" else _list(args)


def _build(args: argparse.Namespace) -> int:
    if not args.folder.is_dir():
        raise UserError(f"{args.folder} is not a folder")
    check_output(args.output, [args.folder])
    selection = select([args.folder], everything=args.all, contents=True)
    image = romfs.build_from(selection.files)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    save(args.output, image)
    if selection.left_out:
        say(describe(selection.left_out))
    say(f"{args.output}: {files(len(selection.files))}, {len(image)} bytes")
    return 0


def _list(args: argparse.Namespace) -> int:
    check_file(args.image)
    image = args.image.read_bytes()
    try:
        entries = romfs.read(image)
    except UserError as er:
        raise UserError(f"{args.image}: {er}") from er
    if args.json:
        rows = [
            {"path": e.path, "offset": e.offset, "size": e.size, "aligned": e.aligned}
            for e in entries
        ]
        print_json({"image": str(args.image), "size": len(image), "files": rows})
        return 0
    table = Table(box=None, pad_edge=False)
    for name in ("offset", "size"):
        table.add_column(name, justify="right")
    table.add_column("file", overflow="fold")
    table.add_column("aligned")
    for entry in entries:
        place = "yes" if entry.aligned else f"{entry.offset % romfs.ALIGN} past 16"
        if not entry.aligned and entry.path.endswith(".tflite"):
            place += ": will be copied"
        table.add_row(str(entry.offset), str(entry.size), printable(entry.path), place)
    out.print(table, markup=False)
    out.print(f"{files(len(entries))}, image {len(image)} bytes", markup=False)
    return 0
