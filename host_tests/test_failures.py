# What fails on boards once in a while, made to fail one after the other in a build that can be
# told to: each allocation of each action, each operator of a run.

import re
import subprocess
from pathlib import Path

import pytest

ALLOCATIONS = Path(__file__).parent / "device/allocations.py"

# What needs no memory of its own.
NOTHING = {"write an array", "write raw bytes", "reset"}

OPERATORS = """
import failing, microlite
model = microlite.Model("hello_world.tflite")
assert abs(model.predict([1])[0] - 0.8814837) < 1e-5
for i, op in enumerate(model.ops):
    failing.operator(i)
    model.inputs[0].write([3])
    try:
        model.invoke()
    except microlite.InvokeError as e:
        print(e.op_index, e.op == op, e.log, e, sep="|")
    for use in (model.outputs[0].read, model.invoke):
        try:
            use()
            print("not refused")
        except RuntimeError:
            pass
    assert abs(model.predict([1])[0] - 0.8814837) < 1e-5
"""


@pytest.fixture(scope="module")
def binary(build: Path) -> Path:
    path = build / "unix-oom/micropython"
    if not path.exists():
        pytest.skip(f"{path} is not built: make unix-oom")
    return path


def run(binary: Path, folder: Path, *arguments: str | Path) -> str:
    done = subprocess.run(
        [binary, *arguments], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    return done.stdout


def test_each_allocation_fails(binary: Path, crate_models: Path) -> None:
    told = run(binary, crate_models, ALLOCATIONS)
    assert told.endswith("done\n")
    counts = re.findall(r"^(.*): (\d+) allocations, -?\d+ bytes left$", told, re.MULTILINE)
    assert {name for name, count in counts if count == "0"} == NOTHING
    assert max(int(count) for name, count in counts if name.startswith("load")) > 30


def test_each_operator_fails(binary: Path, crate_models: Path) -> None:
    lines = run(binary, crate_models, "-c", OPERATORS).splitlines()
    ops = ["QUANTIZE", *["FULLY_CONNECTED"] * 3, "DEQUANTIZE"]
    assert lines == [
        f"{i}|True|words of TFLM|hello_world.tflite: operator {i} ({op}) failed: words of TFLM"
        for i, op in enumerate(ops)
    ]
