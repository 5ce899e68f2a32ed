# TFLM's own test programs, linked with the kernels of this project where there are both: on a PC,
# and those of kernels on boards.

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

import bench
from programs import make, programs

ROOT = Path(__file__).resolve().parent.parent
MICRO = ROOT / "build/src/tfmicro/submodules/tensorflow/tensorflow/lite/micro"
NAMES = sorted(path.stem for depth in ("", "*/") for path in MICRO.glob(f"{depth}*_test.cc"))
# A kernel that the engine does without: its status of -9 is 247 where enums are short.
NOT_ON_BOARDS = {"circular_buffer_test"}
ON_BOARDS = sorted({path.stem for path in MICRO.glob("kernels/*_test.cc")} - NOT_ON_BOARDS)
BOARDS = ["MPS2_AN385", "MPS2_AN386"]  # kernels in plain C, and with the DSP extension
PASSED = "~~~ALL TESTS PASSED~~~"  # main() returns 0 in any case

# Cases that are left out, and why.
CHECKED = "the model check refuses such models; kernels do not look again"
SETTLED = "the check demands the output's shape in the model; kernels do not write shapes"
IGNORED = "it expects results below 0 of a model that asks for RELU"
LEFT_OUT: dict[str, dict[str, str]] = {
    "conv_test": {"FilterDimsNotMatchingAffineQuantization": CHECKED},
    "depthwise_conv_test": {"FilterDimsNotMatchingAffineQuantization": CHECKED},
    "pad_test": {
        "Test2DInt8V2ExpectFailurePadValueQuantizationMismatch": CHECKED,
        "Test2DInt8ExpectFailureQuantizationRangeExcludesZero": CHECKED,
    },
    "reshape_test": {
        "MismatchedDimensions": CHECKED,
        "TooManySpecialDimensions": CHECKED,
        "InvalidShape": CHECKED,
        "WithStretchDimension": SETTLED,
        "LegacyScalarOutput": SETTLED,
    },
    "strided_slice_test": {"UnsupportedInputSize": CHECKED},
    "svdf_test": {
        "SvdfIntegerInputSize2Rank1ShouldMatchGolden": IGNORED,
    },
}


@cache
def folder() -> Path:
    """The folder of the programs, all of which are built."""
    make("engine", "tflm_tests")
    return programs("x64") / "tflm_tests"


@cache
def board_folder(name: str) -> Path:
    """The same of the programs for a board."""
    board = bench.load_board(name)
    out = ROOT / "build/engine" / name
    where = f"TESTS={out}/tflm_tests", f"BLOB_ADDRESS={board.psram}"
    make("tflm_tests", *where, *bench.engine_variables(board, out))
    return out / "tflm_tests"


def check(name: str, output: str) -> None:
    assert PASSED in output, output[-4000:]
    left_out = re.findall(r"^Left out (\w+)", output, re.MULTILINE)
    assert {*left_out} == LEFT_OUT.get(name, {}).keys()


def words(name: str) -> str:
    """The cases of a program that are left out, as it wants them."""
    return f" {' '.join(LEFT_OUT.get(name, {}))} "


@pytest.mark.parametrize("name", NAMES)
def test_program(name: str) -> None:
    environment = {"LEFT_OUT": words(name)}
    done = subprocess.run(
        [folder() / name], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    check(name, done.stdout + done.stderr)


@pytest.mark.parametrize("name", ON_BOARDS)
@pytest.mark.parametrize("board", BOARDS)
def test_program_on_a_board(board: str, name: str, tmp_path: Path) -> None:
    blob = tmp_path / "blob"
    blob.write_bytes(bench.pack(words(name).encode() + b"\0", b""))
    check(name, bench.run(bench.load_board(board), board_folder(board) / name, blob))


def test_programs_have_our_kernels() -> None:
    symbols = subprocess.check_output(["nm", str(folder() / "activations_test")], text=True)
    assert " relu_s8\n" in symbols
