# TFLM's own test programs, linked with the kernels of this project where there are both.

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from programs import programs

ROOT = Path(__file__).resolve().parent.parent
MICRO = ROOT / "build/src/tfmicro/submodules/tensorflow/tensorflow/lite/micro"
NAMES = sorted(path.stem for depth in ("", "*/") for path in MICRO.glob(f"{depth}*_test.cc"))
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
    make = ["make", "-s", "-j2", "-C", str(ROOT / "host_tests/engine"), "tflm_tests"]
    done = subprocess.run(make, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return programs("x64") / "tflm_tests"


@pytest.mark.parametrize("name", NAMES)
def test_program(name: str) -> None:
    left_out = LEFT_OUT.get(name, {})
    environment = {"LEFT_OUT": f" {' '.join(left_out)} "}
    done = subprocess.run(
        [folder() / name], env=environment, capture_output=True, text=True, timeout=60
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0 and PASSED in output, output[-4000:]
    assert set(re.findall(r"^Left out (\w+)", output, re.MULTILINE)) == left_out.keys()


def test_programs_have_our_kernels() -> None:
    symbols = subprocess.check_output(["nm", str(folder() / "activations_test")], text=True)
    assert " relu_s8\n" in symbols
