# The recipes of docs/recipes.md do on unix what their words say.

import re
from pathlib import Path

import pytest

import io_models
import targets

MODELS = io_models.collect()
BEGIN = """\
import microlite
from array import array
from one_tensor import INT8, one_tensor

def near(values, wanted):
    assert all(abs(v - w) < 0.051 for v, w in zip(values, wanted)), (list(values), wanted)
    assert len(values) == len(wanted)

"""

# What each recipe stands on, and what is true afterwards.
AROUND = {
    "Pixels": (
        "tensor = one_tensor(INT8, (1, 1, 2, 3), 0.05, 3).inputs[0]\n"
        "frame = bytes(range(0, 252, 42))",
        "pixels = [(b / 255 - MEAN[i % 3]) / STD[i % 3] for i, b in enumerate(frame)]\n"
        "near(tensor.read(), pixels)",
    ),
    "Numbers that are quantised already": (
        "tensor = one_tensor(INT8, (1, 256), 0.03, -7).inputs[0]\ndata = bytes(range(256))",
        "assert list(tensor.data) == list(range(-128, 128))",
    ),
    "A sliding window": (
        "N, STEP = 6, 2\ntensor = one_tensor(INT8, (1, N), 0.1).inputs[0]",
        "push(array('f', (1, 2)))\npush(array('f', (3, 4)))\n"
        "near(tensor.read(), [0, 0, 1, 2, 3, 4])",
    ),
    "One buffer for several models": (
        "",
        "assert len(arena) == max(microlite.Model(path).arena_needed for path in PATHS)",
    ),
    "State and NaN": (
        "sample = [0.0] * 4\nmodel = microlite.Model('a.tflite', state={'h_out': 'h'})\n"
        "h = model.input('h')\nh.write_raw(array('f', [float('nan')] * len(h)))",
        "assert y != y and list(h.read()) == [0] * len(h)",
    ),
}


def blocks() -> dict[str, list[str]]:
    text = (Path(__file__).parent.parent / "docs/recipes.md").read_text()
    sections = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)[1:]
    return {
        title: re.findall(r"```python\n(.*?)```", body, re.DOTALL)
        for title, body in zip(sections[::2], sections[1::2], strict=True)
    }


def test_all_are_tried() -> None:
    assert set(blocks()) == set(AROUND)


@pytest.mark.parametrize("title", AROUND)
def test_recipe(title: str) -> None:
    before, after = AROUND[title]
    script = "\n".join([BEGIN, before, *blocks()[title], after, "print('done')"])
    models = {"a.tflite": MODELS["recurrent_float"], "b.tflite": MODELS["image"]}
    assert targets.run("unix", script, models) == "done\n"
