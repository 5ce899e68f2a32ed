# ROMFS images whose files can be used in place.
#
# `mpremote romfs build` puts files at any address; models want 16-byte alignment. Here the data
# of every file comes first, each behind padding, and the directory points to it.

"""Make a ROMFS image of a folder, every file at a multiple of 16 bytes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from mpremote.romfs import VfsRomWriter

ALIGN = 16
HEADER = 8  # bytes before the payload: kind, then its length with leading 0x80 bytes


class _AlignedWriter(VfsRomWriter):  # type: ignore[misc]
    """Writes the data of files aligned, in an image with a header of fixed size."""

    def _pad(self, count: int) -> None:
        """Append a padding record of `count` bytes, its two bytes of header included."""
        self._extend(self._pack(self.ROMFS_RECORD_KIND_PADDING, bytes(count - 2)))

    def mkdata(self, data: bytes) -> int:
        position: int = HEADER + self._extend(b"") + 1 + len(self._encode_uint(len(data)))
        gap = -position % ALIGN
        if gap:
            self._pad(gap if gap > 1 else gap + ALIGN)
        offset: int = super().mkdata(data)
        return offset

    def finalise(self) -> bytes:
        if self._extend(b"") % 2:
            self._pad(3)
        _, payload = self._dir_stack.pop()
        length = HEADER - len(self.ROMFS_HEADER)
        size: bytes = self._encode_uint(len(payload)).rjust(length, b"\x80")
        return bytes(self.ROMFS_HEADER + size + payload)


Tree = dict[str, "Tree | tuple[int, int]"]


def _write_tree(writer: _AlignedWriter, tree: Tree) -> None:
    for name, entry in sorted(tree.items()):
        if isinstance(entry, dict):
            writer.opendir(name)
            _write_tree(writer, entry)
            writer.closedir()
        else:
            writer.mkfile(name, entry)


def build(files: Mapping[str, bytes]) -> bytes:
    """Return the image that holds `files`, from relative path ("lib/a.py") to contents."""
    writer = _AlignedWriter()
    root: Tree = {}
    for path, data in sorted(files.items()):
        *folders, name = path.split("/")
        tree = root
        for folder in folders:
            tree = tree.setdefault(folder, {})  # type: ignore[assignment]
        tree[name] = (len(data), writer.mkdata(data))
    _write_tree(writer, root)
    return writer.finalise()


def collect(source: Path) -> dict[str, bytes]:
    """Return the files of a folder, by their path in it."""
    paths = sorted(path for path in source.rglob("*") if path.is_file())
    return {path.relative_to(source).as_posix(): path.read_bytes() for path in paths}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m microlite_tools.romfs", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("image", type=Path)
    args = parser.parse_args()
    if not args.folder.is_dir():
        print(f"microlite: {args.folder} is not a folder", file=sys.stderr)
        return 1
    args.image.parent.mkdir(parents=True, exist_ok=True)
    args.image.write_bytes(build(collect(args.folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
