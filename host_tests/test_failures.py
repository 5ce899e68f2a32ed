# What fails on boards once in a while, made to fail one after the other in a build that can be
# told to: each allocation of each action, each operator of a run.

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import targets
from microlite_tools import romfs
from targets import DEVICE, Run

ALLOCATIONS = (DEVICE / "allocations.py").read_text()

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
def run(crate_models: Path) -> Iterator[Run]:
    with targets.runner("unix-oom", romfs.collect(crate_models)) as run:
        yield run


def test_each_allocation_fails(run: Run) -> None:
    told = run(ALLOCATIONS)
    assert told.endswith("done\n")
    counts = re.findall(r"^(.*): (\d+) allocations, -?\d+ bytes left$", told, re.MULTILINE)
    assert {name for name, count in counts if count == "0"} == NOTHING
    assert max(int(count) for name, count in counts if name.startswith("load")) > 30


def test_each_operator_fails(run: Run) -> None:
    lines = run(OPERATORS).splitlines()
    ops = ["QUANTIZE", *["FULLY_CONNECTED"] * 3, "DEQUANTIZE"]
    assert lines == [
        f"{i}|True|words of TFLM|hello_world.tflite: operator {i} ({op}) failed: words of TFLM"
        for i, op in enumerate(ops)
    ]
