# The example hello_world: its models are what its script makes, and know the sine. What they
# answer bit by bit, on every target, is a matter of test_goldens.py.

import json
import math
import re
import runpy
import subprocess
from pathlib import Path

import pytest

import targets
from goldens import HELLO_WORLD
from microlite_tools import romfs

LARGEST = {"float": 0.015, "int8": 0.04}
MEAN = {"float": 0.004, "int8": 0.01}

PREDICT = """\
import json, sys
import microlite
angles = json.load(sys.stdin)
with microlite.Model(sys.argv[1]) as model:
    print(json.dumps([model.predict([x])[0] for x in angles]))
"""


def test_models_are_what_the_script_makes() -> None:
    made = runpy.run_path(str(HELLO_WORLD / "train.py"))["models"]()
    assert {path.name for path in HELLO_WORLD.glob("*.tflite")} == set(made)
    for name, data in made.items():
        assert len(data) < 5000
        assert (HELLO_WORLD / name).read_bytes() == data, "run train.py"


@pytest.mark.parametrize("kind", LARGEST)
def test_accuracy(micropython: Path, tmp_path: Path, kind: str) -> None:
    angles = [2 * math.pi * i / 1000 for i in range(1001)]
    script = tmp_path / "predict.py"
    script.write_text(PREDICT)
    words = [micropython, script, HELLO_WORLD / f"hello_world_{kind}.tflite"]
    done = subprocess.run(
        words, input=json.dumps(angles), capture_output=True, text=True, timeout=60, check=True
    )
    sines = json.loads(done.stdout)
    errors = [abs(y - math.sin(x)) for x, y in zip(angles, sines, strict=True)]
    assert max(errors) < LARGEST[kind]
    assert sum(errors) / len(errors) < MEAN[kind]


@pytest.mark.parametrize("target", ["unix", "MPS2_AN386"])
def test_script(target: str) -> None:
    script = (HELLO_WORLD / "main.py").read_text()
    text = targets.run(target, script, romfs.collect(HELLO_WORLD))
    assert sum("*" in line for line in text.splitlines()) == 21
    match = re.search(r"largest error (0\.\d+)", text)
    assert match and float(match[1]) < LARGEST["int8"]


def test_installs_what_it_needs() -> None:
    files = [
        name
        for pair in json.loads((HELLO_WORLD / "package.json").read_text())["urls"]
        for name in pair
    ]
    assert sorted(files) == sorted(2 * ["main.py", "hello_world_int8.tflite"])
