# int8 kernels that depend on the core against their definition, thousands of random layers: on a
# PC under sanitizers, and on every emulated board in plain C and as that board's core does best.

import subprocess
from pathlib import Path

import pytest

import bench
from microlite_tools.qemu import board_names

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "host_tests/kernels"
KERNELS = ["conv_s8", "depthwise_s8", "depthwise_3x3_s8", "fully_connected_s8", "rows_s8"]
SOURCES = [*FOLDER.glob("*.c"), *(ROOT / f"src_c/kernels/{name}.c" for name in KERNELS)]
FLAGS = ["-std=gnu99", "-fwrapv", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/src_c/kernels"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
LAYERS = "windows=1600\ndense=1600\n"


def test_all_are_here() -> None:
    paths = (ROOT / "src_c/kernels").glob("*.c")
    assert {path.stem for path in paths if "KERNELS_DSP" in path.read_text()} == {*KERNELS}


def told(*words: str | Path) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("width", ["-m64", "-m32"])
def test_on_a_pc(width: str, tmp_path: Path) -> None:
    told("gcc", width, *FLAGS, *SANITIZE, "-o", tmp_path / "kernels", *SOURCES)
    assert told(tmp_path / "kernels") == LAYERS


@pytest.mark.parametrize("level", ["portable", "best"])
@pytest.mark.parametrize("name", board_names())
def test_on_a_board(name: str, level: str, tmp_path: Path) -> None:
    board = bench.load_board(name)
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    program = tmp_path / "kernels.elf"
    folders = [f"-I{ROOT}/src_c", f"-I{ROOT}/bench", f"-T{ROOT}/bench/bench.ld"]
    names = [f"-DMICROLITE_KERNELS_{level}", f"-DBLOB_ADDRESS={board.psram}"]
    sources = [ROOT / "bench/board.c", *SOURCES]
    compiler = [f"{bench.CROSS}gcc", *board.arch.split(), "-nostdlib"]
    told(*compiler, *FLAGS, *names, *folders, "-o", program, *sources, "-lc", "-lgcc")
    assert bench.run(board, program, empty) == LAYERS
