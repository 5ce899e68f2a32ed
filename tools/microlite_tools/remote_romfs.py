# The ROMFS partition of an attached board. mpremote's code writes it.

"""Deploy ROMFS images."""

from __future__ import annotations

import hashlib
import io
import re
from argparse import Namespace
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

from mpremote.commands import CommandError, do_romfs
from mpremote.transport import TransportExecError

from .errors import BoardError, ScriptError, UserError
from .remote import Remote

PARTITION = 0  # the one that is mounted at /rom

_ASK = """
try:
    from vfs import rom_ioctl
except ImportError:
    print(0)
else:
    dev = rom_ioctl(2, 0) if rom_ioctl(1) > 0 else 0
    if isinstance(dev, int):
        print(0)
    elif hasattr(dev, "ioctl"):
        print(dev.ioctl(4, 0) * dev.ioctl(5, 0))
    else:
        print(len(dev))
"""

_HASH = """
import vfs
m = memoryview(vfs.rom_ioctl(2, 0))
import hashlib
h = hashlib.sha256()
for i in range(0, {size}, 4096):
    h.update(m[i:min(i + 4096, {size})])
print(h.digest().hex())
"""
CHUNK = 1024  # bytes that are read back at a time from a board without hashlib


class _Offsets(io.TextIOBase):
    """Standard output of mpremote while it writes: tells how far it is."""

    def __init__(self, report: Callable[[int], object]) -> None:
        self._report = report

    def write(self, text: str) -> int:
        if match := re.search(r"Writing at offset (\d+)", text):
            self._report(int(match[1]))
        return len(text)


class BoardRomfs:
    """The ROMFS partition of a board."""

    def __init__(self, remote: Remote) -> None:
        self._remote = remote
        self.size = int(remote.run(_ASK))
        if not self.size:
            raise UserError(
                f"{remote.name} has no ROMFS partition: its firmware has to be built with one "
                f"(docs/deploying.md); without --romfs files go to its file system, and models "
                f"are copied into RAM when they are loaded"
            )

    def check_room(self, image: bytes) -> None:
        """Raise UserError unless an image fits."""
        if len(image) > self.size:
            raise UserError(
                f"the ROMFS partition of {self._remote.name} is too small: {len(image)} bytes "
                f"needed, {self.size} there ({len(image) - self.size} short); nothing was written"
            )

    def holds(self, image: bytes) -> bool:
        """Whether an image is there already."""
        size = len(image)
        try:
            digest = self._remote.run(_HASH.format(size=size)).strip()
        except ScriptError:
            return all(
                self._read(start, min(start + CHUNK, size)) == image[start : start + CHUNK]
                for start in range(0, size, CHUNK)
            )
        return digest == hashlib.sha256(image).hexdigest()

    def _read(self, start: int, end: int) -> bytes:
        with self._remote.guarded():
            data: bytes = self._remote.transport.eval(f"bytes(m[{start}:{end}])")
        return data

    def write(self, image: bytes, report: Callable[[int], object] = lambda done: None) -> None:
        """Write an image; `report` gets the number of bytes written so far."""
        state = Namespace(
            transport=self._remote.transport,
            ensure_raw_repl=lambda: None,
            did_action=lambda: None,
        )
        with TemporaryDirectory(prefix="microlite-") as folder:
            file = Path(folder, "image.romfs")
            file.write_bytes(image)
            args = Namespace(command=["deploy"], path=str(file), partition=PARTITION, mpy=False)
            try:
                with self._remote.guarded(), redirect_stdout(_Offsets(report)):
                    do_romfs(state, args)
            except CommandError as er:
                raise UserError(f"{self._remote.name}: {er}") from er
            except TransportExecError as er:
                last = er.error_output.strip().splitlines()[-1]
                raise BoardError(f"{self._remote.name}: {last}") from er
        if not self.holds(image):
            raise BoardError(f"{self._remote.name}: the image arrived damaged; deploy again")
