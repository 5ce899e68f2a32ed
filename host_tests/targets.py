# MicroPython with microlite, on unix and on emulated boards: runs a script among files of a test,
# which lie in the current folder on unix and in /rom on boards. Nothing is left behind.

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from microlite_tools import romfs
from microlite_tools.errors import ScriptError
from microlite_tools.qemu import Board, board_names

ROOT = Path(__file__).resolve().parent.parent
# The folder in which each target has one of its name; MICROLITE_BUILD may be another.
BUILD = Path(os.environ.get("MICROLITE_BUILD", ROOT / "build")).resolve()
DEVICE = ROOT / "host_tests/device"
# What scripts of device/ import; it lies beside the files.
SHARED = {
    name: (DEVICE / name).read_bytes() for name in ["common.py", "one_tensor.py", "scratch.py"]
}
UNIX = ["unix", "unix32"]
BOARDS = board_names()
SECONDS = 600
HEAP = "4m"  # of unix

Files = dict[str, bytes]  # by their paths
Run = Callable[[str], str]  # what a script prints, and the traceback when it ends with one


def binary(target: str) -> Path:
    """What was built for a target; without it the test is skipped."""
    is_board = target in BOARDS
    path = BUILD / target / ("firmware.elf" if is_board else "micropython")
    if not path.exists():
        make = f"firmware BOARD={target}" if is_board else target
        pytest.skip(f"build/{target} is not there: make {make}")
    return path


@contextmanager
def folder(files: Files) -> Iterator[Path]:
    with TemporaryDirectory(prefix="microlite-") as name:
        for file, data in files.items():
            path = Path(name, file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        yield Path(name)


@contextmanager
def board(name: str, image: bytes | None = None, *, icount: bool = False) -> Iterator[Board]:
    """An emulated board, with what a ROMFS image holds in /rom."""
    firmware = binary(name)
    with folder({} if image is None else {"image": image}) as path:
        rom = None if image is None else path / "image"
        with Board(name, firmware, romfs=rom, icount=icount) as running:
            yield running


@contextmanager
def runner(target: str, files: Files) -> Iterator[Run]:
    """Runs scripts on a target, among files."""
    files = files | SHARED
    if target not in BOARDS:
        command = [str(binary(target)), "-X", f"heapsize={HEAP}", "-c"]
        with folder(files) as path:
            yield lambda script: _run_here([*command, script], path)
        return
    with board(target, romfs.build(files)) as running:
        yield lambda script: _run_there(running, script)


def run(target: str, script: str, files: Files) -> str:
    """Runs one script."""
    with runner(target, files) as each:
        return each(script)


def _run_here(command: list[str], path: Path) -> str:
    done = subprocess.run(command, cwd=path, capture_output=True, text=True, timeout=SECONDS)
    return done.stdout + done.stderr


def _run_there(running: Board, script: str) -> str:
    try:
        return running.run(script, chdir="/rom", limit=SECONDS)
    except ScriptError as er:
        return er.output + str(er)
