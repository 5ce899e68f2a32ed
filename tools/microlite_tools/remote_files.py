# Files of an attached board: what is there, what it takes to bring it up to date, and doing so.
#
# A file is written under TEMPORARY, compared by hash and renamed, so that nothing half-written
# ever has a name of its own.

"""Bring the files of a board up to date."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import zlib
from binascii import b2a_base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from posixpath import basename, dirname, join, normpath
from typing import Literal

from mpremote.transport import TransportExecError, _convert_filesystem_error

from .errors import BoardError, UserError
from .remote import Remote

TEMPORARY = ".deploying"
CHUNK = 2048  # bytes that the board holds at a time
FOLDER_BLOCKS = 2  # of littlefs
BLOCK_OVERHEAD = 8  # bytes of a littlefs block that hold no data of the file, on average
LAST = ("boot.py", "main.py")  # so that a board never starts half of what it was given

# What a board is given once. begin() opens the temporary file, w() writes a packed chunk, as well
# packed as this board can unpack, end() gives the file its name if it is whole, and tells whether
# it was: None if there is no hashlib.
HELPERS = """
import os
level = 0
try:
    from binascii import a2b_base64
    level = 1
    from deflate import DeflateIO, RAW
    from io import BytesIO
    level = 2
except ImportError:
    pass
try:
    from hashlib import sha256
except ImportError:
    sha256 = None
def begin():
    global target
    target = open({name!r}, "wb")
def w(data):
    if level:
        data = a2b_base64(data)
    if level == 2:
        data = DeflateIO(BytesIO(data), RAW, {window}).read()
    target.write(data)
def digest(name):
    h = sha256()
    buf = memoryview(bytearray({chunk}))
    with open(name, "rb") as f:
        while n := f.readinto(buf):
            h.update(buf[:n])
    return h.digest().hex()
def end(name, wanted):
    target.close()
    if not sha256:
        return None
    if digest({name!r}) != wanted:
        return False
    os.rename({name!r}, name)
    return True
"""
WINDOW = 9  # bits: what the board needs in RAM to unpack
BATCH = 16  # files that are hashed at one request

# Errors of littlefs that mpremote does not know.
LITTLEFS = {36: errno.ENAMETOOLONG, 39: errno.ENOTEMPTY, 84: errno.EIO}

Entries = dict[str, int | None]  # names and sizes, None for folders


@dataclass
class Change:
    """What has to be done for one file."""

    name: str  # path on the board
    source: Path
    size: int
    state: Literal["new", "changed", "same"]
    before: int = 0  # bytes that it has on the board


@dataclass
class Plan:
    """What has to be done in all, in order."""

    folder: str
    changes: list[Change]
    new_folders: list[str]
    leftover: int | None  # size of a temporary file of a run that was broken off

    @property
    def copies(self) -> list[Change]:
        """The files that are not up to date."""
        return [change for change in self.changes if change.state != "same"]

    def blocks(self, block: int) -> int:
        """The most blocks that are taken at a time while it is done, beyond those of now."""

        def taken(size: int) -> int:
            return -(-size // (block - BLOCK_OVERHEAD))

        now = FOLDER_BLOCKS * len(self.new_folders) - taken(self.leftover or 0)
        most = now
        for change in self.copies:
            now += taken(change.size)
            most = max(most, now)
            now -= taken(change.before)
        return most


class _Known:
    """The folders of a board as they will be, each looked at once."""

    def __init__(self, entries: Callable[[str], Entries | None]) -> None:
        self._entries = entries
        self._folders: dict[str, Entries] = {}
        self.new_folders: list[str] = []

    def look(self, folder: str) -> Entries:
        """What is in a folder, which is made if there is none."""
        if folder not in self._folders:
            if folder != "/":
                above = self.look(dirname(folder))
                if above.setdefault(basename(folder), None) is not None:
                    raise UserError(f"{folder} is a file on the board, but has to be a folder")
            found = self._entries(folder)
            if found is None:
                self.new_folders.append(folder)
            self._folders[folder] = found or {}
        return self._folders[folder]


class BoardFiles:
    """The files of a board below one folder, which need not exist yet."""

    def __init__(self, remote: Remote, folder: str = "") -> None:
        self._remote = remote
        self._transport = remote.transport
        with self._guarded():
            here = self._transport.eval("__import__('os').getcwd()")
        if not folder.isprintable():
            raise UserError(f"{folder!r}: no name for a folder")
        self.folder = "/" + normpath(join(here, folder)).lstrip("/")
        _check_name(self.folder)
        self._temporary = join(self.folder, TEMPORARY)
        with self._guarded():
            self._transport.exec(HELPERS.format(name=self._temporary, window=WINDOW, chunk=CHUNK))
            self._level, self._hashes = self._transport.eval("(level, bool(sha256))")

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            with self._remote.guarded():
                yield
        except TransportExecError as er:
            error = _convert_filesystem_error(er, None)
            if isinstance(error, OSError):
                raise error from er
            last = er.error_output.strip().splitlines()[-1]
            if (match := re.fullmatch(r"OSError: (\d+)", last)) and int(match[1]) in LITTLEFS:
                raise OSError(LITTLEFS[int(match[1])], None) from er
            raise BoardError(f"{self._remote.name}: {last}") from er

    def _refused(self, path: str, done: str, error: OSError) -> UserError:
        reason = os.strerror(error.errno or errno.EIO)
        return UserError(f"{self._remote.name}: {path} cannot be {done}: {reason}")

    def _entries(self, folder: str) -> Entries | None:
        """What is in a folder, None if there is no such folder."""
        try:
            with self._guarded():
                rows = self._transport.fs_listdir(folder)
        except OSError as er:
            if er.errno in (errno.ENOENT, errno.ENOTDIR, errno.EINVAL):
                return None
            raise self._refused(folder, "read", er) from er
        return {name: None if mode & 0x4000 else size for name, mode, _, size in rows}

    def _hash(self, name: str) -> str:
        """By mpremote, which also knows boards without hashlib."""
        with self._guarded():
            digest: bytes = self._transport.fs_hashfile(name, "sha256", chunk_size=CHUNK)
        return digest.hex()

    def _compare(self, changes: Sequence[Change]) -> None:
        """Find out which of these files, whose sizes are right, are the same."""
        for start in range(0, len(changes), BATCH):
            batch = changes[start : start + BATCH]
            names = [change.name for change in batch]
            if self._hashes:
                with self._guarded():
                    told = self._transport.exec(f"for name in {names!r}: print(digest(name))")
                digests = told.decode().split()
            else:
                digests = [self._hash(name) for name in names]
            if len(digests) != len(batch):
                raise BoardError(f"{self._remote.name}: something on it prints meanwhile")
            for change, digest in zip(batch, digests, strict=True):
                if digest == _digest(change.source.read_bytes()):
                    change.state = "same"

    def plan(self, files: Mapping[str, Path]) -> Plan:
        """Compare the board with `files`, by their names in the folder."""
        known = _Known(self._entries)
        there = known.look(self.folder)
        if TEMPORARY in there and there[TEMPORARY] is None:
            needed = "deploy needs the name, remove it"
            raise UserError(f"{self._temporary} is a folder on the board: {needed}")
        plan = Plan(self.folder, [], known.new_folders, there.get(TEMPORARY))
        for name, source in sorted(files.items(), key=lambda item: (item[0] in LAST, item[0])):
            _check_name(name)
            path = join(self.folder, name)
            entries = known.look(dirname(path))
            change = Change(path, source, source.stat().st_size, "new")
            if basename(path) in entries:
                before = entries[basename(path)]
                if before is None:
                    raise UserError(f"{path} is a folder on the board, but has to be a file")
                change.before = before
                change.state = "changed"
            entries[basename(path)] = change.size
            plan.changes.append(change)
        self._compare([c for c in plan.changes if c.state == "changed" and c.before == c.size])
        return plan

    def free(self) -> tuple[int, int]:
        """The size of a block and how many are free, (0, 0) if the board cannot tell."""
        folder = self.folder
        while True:
            try:
                with self._guarded():
                    status = self._transport.eval(f"os.statvfs({folder!r})")
            except (BoardError, OSError):
                if folder == "/":
                    return 0, 0
                folder = dirname(folder)
            else:
                return (status[1], status[4]) if status[2] else (0, 0)

    def check_room(self, plan: Plan) -> None:
        """Raise UserError unless there is room for what is planned."""
        block, free = self.free()
        if not block:
            return
        needed = plan.blocks(block)
        if needed > free:
            raise UserError(
                f"{self._remote.name} has too little room: {needed * block} bytes needed, "
                f"{free * block} free ({(needed - free) * block} short); nothing was copied"
            )

    def carry_out(
        self,
        plan: Plan,
        begin: Callable[[str], object] = lambda name: None,
        advance: Callable[[int], object] = lambda count: None,
    ) -> None:
        """Do what is planned; `begin` gets the name of each file, `advance` numbers of bytes."""
        if plan.leftover is not None:
            self._remove_temporary()
        for folder in plan.new_folders:
            try:
                with self._guarded():
                    self._transport.fs_mkdir(folder)
            except OSError as er:
                raise self._refused(folder, "made", er) from er
        for change in plan.copies:
            try:
                begin(change.name)
                self._write(change, advance)
            except OSError as er:
                self._remove_temporary()
                raise self._refused(change.name, "written", er) from er

    def _write(self, change: Change, advance: Callable[[int], object]) -> None:
        data = change.source.read_bytes()
        wanted = _digest(data)
        request = "begin()\n"
        with self._guarded():
            for start in range(0, len(data) or 1, CHUNK):
                chunk = data[start : start + CHUNK]
                request += f"w({_packed(chunk, self._level)!r})\n"
                if start + CHUNK >= len(data):
                    request += f"print(end({change.name!r}, {wanted!r}))"
                told = self._transport.exec(request).strip()
                advance(len(chunk))
                request = ""
        if told == b"None" and self._hash(self._temporary) == wanted:
            with self._guarded():
                self._transport.exec(f"os.rename({self._temporary!r}, {change.name!r})")
        elif told != b"True":
            self._remove_temporary()
            raise BoardError(f"{self._remote.name}: {change.name} arrived damaged; deploy again")

    def _remove_temporary(self) -> None:
        with suppress(FileNotFoundError), self._guarded():
            self._transport.exec("try: target.close()\nexcept (NameError, OSError): pass")
            self._transport.fs_rmfile(self._temporary)


def _check_name(path: str) -> None:
    if TEMPORARY in path.split("/"):
        raise UserError(f"{path}: deploy needs the name {TEMPORARY} for itself")


def _packed(chunk: bytes, level: int) -> bytes:
    if level == 2:
        packer = zlib.compressobj(wbits=-WINDOW)
        chunk = packer.compress(chunk) + packer.flush()
    return b2a_base64(chunk, newline=False) if level else chunk


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
