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

# Cases that expect what this project does otherwise, and why.
SCALES = "the model check refuses other numbers of scales, kernels do not look again"
OTHERWISE: dict[str, dict[str, str]] = {
    "conv_test": {"FilterDimsNotMatchingAffineQuantization": SCALES},
    "depthwise_conv_test": {"FilterDimsNotMatchingAffineQuantization": SCALES},
}


@cache
def folder() -> Path:
    """The folder of the programs, all of which are built."""
    make = ["make", "-s", "-j2", "-C", str(ROOT / "host_tests/engine"), "tflm_tests"]
    done = subprocess.run(make, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return programs("x64") / "tflm_tests"


def failed(output: str) -> dict[str, str]:
    """The cases that failed, with all that they told."""
    cases = re.split(r"^Testing (\w+)\s*$", output, flags=re.MULTILINE)[1:]
    told = dict(zip(cases[::2], cases[1::2], strict=True))
    return {name: text for name, text in told.items() if re.search(r" failed at ", text)}


@pytest.mark.parametrize("name", NAMES)
def test_program(name: str) -> None:
    done = subprocess.run([folder() / name], capture_output=True, text=True, timeout=60)
    output = (done.stdout + done.stderr).replace("\r", "")
    otherwise = OTHERWISE.get(name, {})
    assert done.returncode == 0, output[-2000:]
    assert failed(output).keys() == otherwise.keys(), output[-4000:]
    assert otherwise or PASSED in output, output[-2000:]


def test_programs_have_our_kernels() -> None:
    symbols = subprocess.check_output(["nm", str(folder() / "activations_test")], text=True)
    assert " relu_s8\n" in symbols
