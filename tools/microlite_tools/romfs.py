# ROMFS images whose files can be used in place.
#
# `mpremote romfs build` puts files at any address; models want 16-byte alignment. Here the data
# of every file comes first, each behind padding, and the directory points to it.

"""Make ROMFS images with every file at a multiple of 16 bytes, and read any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mpremote.romfs import VfsRomWriter

from .errors import UserError

SUFFIX = ".romfs"
MAGIC: bytes = VfsRomWriter.ROMFS_HEADER
ALIGN = 16
HEADER = 8  # bytes before the payload: kind, then its length with leading 0x80 bytes
LONGEST = 10  # bytes of a number
LIMIT = 1 << 30  # bytes: what MicroPython counts without long integers on a 32-bit board


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
        length = HEADER - len(MAGIC)
        size: bytes = self._encode_uint(len(payload)).rjust(length, b"\x80")
        return bytes(MAGIC + size + payload)


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
        if not path.isascii():
            raise UserError(f"{path}: names in ROMFS are ASCII only")
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


def build_from(files: Mapping[str, Path]) -> bytes:
    """Return the image that holds files of this PC, by their paths in it."""
    size = sum(path.stat().st_size for path in files.values())
    if size > LIMIT:
        raise UserError(f"{size} bytes are too much for a ROMFS image: the limit is {LIMIT}")
    for path in files.values():
        if is_meant(path):
            load(path)
    return build({name: path.read_bytes() for name, path in files.items()})


@dataclass(frozen=True)
class Entry:
    """A file of an image: its data begins at `offset` of the image."""

    path: str
    offset: int
    size: int

    @property
    def aligned(self) -> bool:
        """Whether a model is used in place, as long as the image itself is aligned."""
        return self.offset % ALIGN == 0


class _Reader:
    """Reads the records of an image. ValueError where it is damaged."""

    def __init__(self, image: bytes) -> None:
        self._image = image
        if not image.startswith(MAGIC):
            raise ValueError("does not start as a ROMFS image does")
        length, self._start = self._number(len(MAGIC), len(image))
        self._end = self._start + length
        if self._end > len(image):
            raise ValueError(f"ends after {len(image)} of {self._end} bytes")

    def _number(self, position: int, end: int) -> tuple[int, int]:
        """A varuint, and where it ends."""
        value = 0
        start = position
        while position < min(end, start + LONGEST):
            byte = self._image[position]
            position += 1
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value, position
        raise ValueError(f"has a number without an end at byte {start}")

    def _records(self, position: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Kind, start and end of each record."""
        while position < end:
            start = position
            kind, position = self._number(position, end)
            length, position = self._number(position, end)
            if kind == VfsRomWriter.ROMFS_RECORD_KIND_UNUSED or position + length > end:
                raise ValueError(f"has no record at byte {start}")
            yield kind, position, position + length
            position += length

    def entries(self) -> list[Entry]:
        return list(self._folder(self._start, self._end, ""))

    def _folder(self, position: int, end: int, prefix: str) -> Iterator[Entry]:
        for kind, start, after in self._records(position, end):
            if kind == VfsRomWriter.ROMFS_RECORD_KIND_DIRECTORY:
                name, start = self._name(start, after)
                yield from self._folder(start, after, f"{prefix}{name}/")
            elif kind == VfsRomWriter.ROMFS_RECORD_KIND_FILE:
                name, start = self._name(start, after)
                yield Entry(prefix + name, *self._data(start, after, prefix + name))

    def _name(self, position: int, end: int) -> tuple[str, int]:
        length, position = self._number(position, end)
        name = self._image[position : position + length]
        if position + length > end or not name or not name.isascii() or b"/" in name:
            raise ValueError(f"has no name at byte {position}")
        return name.decode("ascii"), position + length

    def _data(self, position: int, end: int, path: str) -> tuple[int, int]:
        """Offset and size of a file's data."""
        for kind, start, after in self._records(position, end):
            if kind == VfsRomWriter.ROMFS_RECORD_KIND_DATA_VERBATIM:
                return start, after - start
            if kind == VfsRomWriter.ROMFS_RECORD_KIND_DATA_POINTER:
                size, start = self._number(start, after)
                offset, _ = self._number(start, after)
                if self._start + offset + size > self._end:
                    place = f"{self._start + offset} to {self._start + offset + size}"
                    raise ValueError(
                        f"has a file outside of its {self._end} bytes: {path}, at {place}"
                    )
                return self._start + offset, size
        raise ValueError(f"has a file without data: {path}")


def read(image: bytes) -> list[Entry]:
    """Return the files of an image, in its order."""
    try:
        return _Reader(image).entries()
    except (ValueError, RecursionError) as er:
        reason = er if isinstance(er, ValueError) else "has folders without an end"
        what = "a damaged" if image.startswith(MAGIC) else "no"
        raise UserError(f"{what} ROMFS image: it {reason}") from None


def is_meant(path: Path) -> bool:
    """Whether a file is meant as an image, be it one or damaged: by its name or first bytes."""
    with path.open("rb") as file:
        return path.suffix.lower() == SUFFIX or file.read(len(MAGIC)) == MAGIC


def load(path: Path) -> tuple[bytes, list[Entry]]:
    """An image in a file, and its files."""
    image = path.read_bytes()
    try:
        return image, read(image)
    except UserError as er:
        raise UserError(f"{path}: {er}") from er
