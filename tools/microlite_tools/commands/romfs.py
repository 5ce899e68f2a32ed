# microlite romfs build, microlite romfs ls.

"""Make and list ROMFS images."""

from __future__ import annotations

import argparse
from pathlib import Path

from .. import romfs
from ..checks import check_file, check_output, count, printable, save
from ..console import out, print_json, say
from ..errors import UserError
from ..selection import describe, select
from ..tables import table


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
    say(f"{args.output}: {count(len(selection.files), 'file')}, {len(image)} bytes")
    return 0


def _list(args: argparse.Namespace) -> int:
    check_file(args.image)
    image, entries = romfs.load(args.image)
    if args.json:
        rows = [
            {"path": e.path, "offset": e.offset, "size": e.size, "aligned": e.aligned}
            for e in entries
        ]
        print_json({"image": str(args.image), "size": len(image), "files": rows})
        return 0
    shown = table("offset", "size", "file", "aligned", left=("file", "aligned"))
    for entry in entries:
        place = "yes" if entry.aligned else f"{entry.offset % romfs.ALIGN} past 16"
        if not entry.aligned and entry.path.endswith(".tflite"):
            place += ": will be copied"
        shown.add_row(str(entry.offset), str(entry.size), printable(entry.path), place)
    out.print(shown, markup=False)
    out.print(f"{count(len(entries), 'file')}, image {len(image)} bytes", markup=False)
    return 0
