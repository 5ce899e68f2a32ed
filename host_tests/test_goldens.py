# Known outputs of every model on every target: the engine in a C program, MicroPython on unix and
# on the boards. All models run in one start of a target; the tests then read what it told.

import hashlib
import json
from functools import cache

import pytest

import goldens
import targets
from goldens import Golden
from programs import Record, records, run_golden
from targets import BOARDS, DEVICE, UNIX, Files

RUNNER = DEVICE / "golden_runner.py"
LONG = 1024  # the runner tells longer outputs by their SHA-256

ENGINES = {"engine-x64": "x64", "engine-x86": "x86"}
MICROPYTHONS = [*UNIX, *BOARDS]

ALL = goldens.collect()

# The arena that a model may need at most on a Cortex-M4.
LEAST_ON_M4 = {
    "person_detect": 78000,
    "microflow-person_detect": 78000,
    "kws_ref_model": 22500,
    "micro_speech_quantized": 7000,
    "microflow-speech": 7000,
    "hello_world_int8": 992,
}

each_target = pytest.mark.parametrize("target", [*ENGINES, *MICROPYTHONS])
each_golden = pytest.mark.parametrize("golden", ALL, ids=lambda golden: golden.name)


@cache
def files() -> Files:
    return goldens.files(ALL)


@cache
def told(target: str) -> dict[str, list[Record]]:
    """All that a target tells of each model."""
    if target in ENGINES:
        with targets.folder(files()) as folder:
            return {g.name: run_golden(ENGINES[target], g, folder) for g in ALL}
    output = targets.run(target, RUNNER.read_text(), files())
    lines = records(output)
    assert lines, output
    assert lines[-1] == {"done": len(ALL)}, output[-2000:]
    return {g.name: [r for r in lines if r.get("model") == f"{g.name}.tflite"] for g in ALL}


def outputs(target: str, golden: Golden) -> list[list[str]]:
    """Of each case the outputs, in hexadecimal or by their SHA-256 as the runner tells them."""

    def short(told: str) -> str:
        is_long = not told.startswith("sha256:") and len(told) > 2 * LONG
        return f"sha256:{hashlib.sha256(bytes.fromhex(told)).hexdigest()}" if is_long else told

    rows = [record["outputs"] for record in told(target)[golden.name] if "case" in record]
    return [[short(output) for output in row] for row in rows]


@each_target
@each_golden
def test_outputs(target: str, golden: Golden) -> None:
    rows = outputs(target, golden)
    assert len(rows) == len(golden.cases)
    for case, row in enumerate(rows):
        if row[0].startswith("sha256:"):
            arrays = golden.cases[case][1]
            assert row == [f"sha256:{hashlib.sha256(a.tobytes()).hexdigest()}" for a in arrays]
        else:
            golden.check(case, [bytes.fromhex(output) for output in row])


@each_target
@each_golden
def test_same_bits_everywhere(target: str, golden: Golden) -> None:
    assert outputs(target, golden) == outputs("engine-x64", golden)


@pytest.mark.parametrize("target", MICROPYTHONS)
@each_golden
def test_arena_needed(target: str, golden: Golden) -> None:
    """The least arena loads and gives right outputs, 64 bytes less is an ArenaError."""
    loaded, *_, again, short = told(target)[golden.name]
    needed = loaded["needed"]
    assert needed <= loaded["size"] <= needed + 64
    assert again["arena"] == needed
    assert again["outputs"] == outputs(target, golden)[0]
    assert short["short"] == "ArenaError"
    assert (short["needed"], short["given"], short["missing"]) == (needed, needed - 64, 64)
    assert f"{needed} bytes needed, {needed - 64} given (64 short)" in short["text"]


@pytest.mark.parametrize("name", LEAST_ON_M4)
def test_least_arena_on_m4(name: str) -> None:
    if name not in {golden.name for golden in ALL}:
        pytest.skip("its model is in ../shared/models, which is not there")
    assert told("MPS2_AN386")[name][0]["needed"] <= LEAST_ON_M4[name]


def test_hand_out() -> None:
    if not goldens.HAND_OUT.is_dir():
        pytest.skip("../shared/models is not there: its models are left out")
    found = [*goldens.HAND_OUT.glob("*/io.json")]
    assert found
    for path in found:
        io = json.loads(path.read_text())
        assert hashlib.sha256((path.parent / io["file"]).read_bytes()).hexdigest() == io["sha256"]
