# The unittest files of device/ on MicroPython for unix and on the emulated boards, unchanged: in
# the folder of the crates' models, which is a ROMFS image on boards.

import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from microlite_tools import romfs
from microlite_tools.errors import ScriptError
from microlite_tools.qemu import Board, Totals, board_names

FOLDER = Path(__file__).parent / "device"
FILES = sorted(FOLDER.glob("test_*.py"))
UNIX = ["unix", "unix32", "unix-asan"]
TARGETS = ["unix", "unix32", pytest.param("unix-asan", marks=pytest.mark.soak), *board_names()]
SHARED = ["one_tensor.py"]  # what these files import
SECONDS = 300

Runner = Callable[[Path], str]


def run_on_unix(binary: Path, models: Path, file: Path) -> str:
    done = subprocess.run(
        [binary, file], cwd=models, capture_output=True, text=True, timeout=SECONDS
    )
    return done.stdout + done.stderr


def run_on_board(board: Board, file: Path) -> str:
    try:
        return board.run(file.read_text(), chdir="/rom", limit=SECONDS)
    except ScriptError as er:
        return er.output


@pytest.fixture(scope="module", params=TARGETS)
def run(
    request: pytest.FixtureRequest,
    build: Path,
    crate_models: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Runner]:
    target = request.param
    binary = build / target / ("micropython" if target in UNIX else "firmware.elf")
    if not binary.exists():
        pytest.skip(f"{binary} is not built")
    if target in UNIX:
        yield partial(run_on_unix, binary, crate_models)
        return
    image = tmp_path_factory.mktemp(target) / "models.romfs"
    shared = {name: (FOLDER / name).read_bytes() for name in SHARED}
    image.write_bytes(romfs.build({**romfs.collect(crate_models), **shared}))
    with Board(target, binary, romfs=image) as board:
        yield partial(run_on_board, board)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_on_device(run: Runner, file: Path) -> None:
    output = run(file)
    totals = Totals()
    assert totals.add(output), output
    assert totals.failures == totals.errors == 0, output
