# What the tests of deploying need: an application, the command, and what is on the board.

import hashlib
import random
import sys
import time
from pathlib import Path

import pytest

from microlite_tools import cli
from microlite_tools.qemu import Board

BOARD = "MPS2_AN386"
COMMAND = [sys.executable, "-m", "microlite_tools", "deploy"]

RESET = """
import os
def remove(path):
    for name, mode, *_ in list(os.ilistdir(path)):
        if path + name == "/rom":
            pass
        elif mode & 0x4000:
            remove(path + name + "/")
            os.rmdir(path + name)
        else:
            os.remove(path + name)
remove("/")
"""

LIST = """
import hashlib, os
def walk(path):
    for name, mode, *_ in sorted(os.ilistdir(path)):
        if path + name == "/rom":
            pass
        elif mode & 0x4000:
            walk(path + name + "/")
        else:
            digest = hashlib.sha256()
            with open(path + name, "rb") as f:
                while chunk := f.read(4096):
                    digest.update(chunk)
            print(path + name, digest.digest().hex())
walk("/")
"""


def make_app(folder: Path) -> Path:
    """An application of a few files."""
    noise = random.Random(1)
    for name, data in {
        "main.py": b"open('ran', 'w').close()\n",
        "boot.py": b"",
        "a.bin": noise.randbytes(3000),
        "lib/deep/b.bin": noise.randbytes(1500),
        "lib/empty": b"",
        "it's \u00e4.txt": b"name",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def contents(board: Board) -> dict[str, str]:
    """The hashes of the files of a board."""
    rows = (line.rpartition(" ") for line in board.run(LIST).splitlines())
    return {path: digest for path, _, digest in rows}


def expected(folder: Path) -> dict[str, str]:
    """The hashes that the files of a folder have on the board."""
    return {
        f"/{path.relative_to(folder).as_posix()}": hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def wait_for(board: Board, name: str) -> None:
    """Wait until the board's own program has made a file, without a reset."""
    for _ in range(20):
        if name in board.run("import os; print(os.listdir())", reset=False):
            return
        time.sleep(0.1)
    pytest.fail(f"the board did not make {name}")


def fill(board: Board, blocks: int) -> None:
    """Leave so many blocks free, about."""
    board.run(
        "import os\n"
        "def free(): return os.statvfs('/')[4]\n"
        "with open('/fill', 'wb') as f:\n"
        f"    while free() > {blocks} + 20: f.write(bytes(65536))\n"
        f"    while free() > {blocks}: f.write(bytes(4096)); f.flush()\n"
    )


class Deploy:
    """Runs the command and keeps what it said."""

    def __init__(self, board: Board, capsys: pytest.CaptureFixture[str]) -> None:
        self._board = board
        self._capsys = capsys
        self.out = ""
        self.err = ""

    def __call__(self, *arguments: str | Path) -> int:
        self._capsys.readouterr()
        status = cli.main(["deploy", *map(str, arguments), "--connect", self._board.device])
        self.out, self.err = self._capsys.readouterr()
        return status
