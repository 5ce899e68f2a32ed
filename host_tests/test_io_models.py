# Models with several inputs and outputs, odd shapes and a state, on every target: all must answer
# what the oracle answers, by verify() and step by step.

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import io_models
import targets
from builder import Array
from microlite_tools import golden
from microlite_tools.qemu import Totals
from programs import Record, records
from targets import BOARDS, DEVICE, ROOT, UNIX, Files

MODELS = io_models.collect()
RECURRENT = ["recurrent_float", "recurrent_int8"]
STEPS, RESET_AT, LOCK_AT = 50, 25, 40


def quantisation(details: dict[str, Any]) -> tuple[np.float32, int] | None:
    parameters = details["quantization_parameters"]
    if not len(parameters["scales"]):
        return None
    return np.float32(parameters["scales"][0]), int(parameters["zero_points"][0])


def real(array: Array, details: dict[str, Any]) -> Array:
    if (pair := quantisation(details)) is None:
        return array
    scale, zero_point = pair
    return (array.astype(np.float32) - np.float32(zero_point)) * scale


def quantised(values: Array, details: dict[str, Any]) -> Array:
    """Halves away from zero, saturated, in float32."""
    if (pair := quantisation(details)) is None:
        return values
    scale, zero_point = pair
    steps = values / scale
    info = np.iinfo(details["dtype"])
    rounded = np.sign(steps) * np.floor(np.abs(steps) + np.float32(0.5)) + zero_point
    saturated: Array = np.clip(rounded, info.min, info.max).astype(details["dtype"])
    return saturated


def told(arrays: list[Array]) -> list[str]:
    return [array.tobytes().hex() for array in arrays]


@cache
def three() -> tuple[list[list[float]], list[str]]:
    """Real values of one case, and the outputs."""
    oracle = golden.Oracle(MODELS["three"])
    rng = np.random.default_rng(3)
    inputs = [each.random(rng) for each in oracle.inputs]
    details = [oracle.interpreter.get_input_details(i) for i in range(len(inputs))]
    values = [real(*pair).ravel().tolist() for pair in zip(inputs, details, strict=True)]
    return values, told(oracle.run(inputs))


@cache
def steps(name: str) -> tuple[list[list[float]], list[list[str]]]:
    """Real values of x for all steps, and the outputs; h_out becomes h."""
    oracle = golden.Oracle(MODELS[name])
    x, h = (oracle.interpreter.get_input_details(i) for i in range(2))
    h_out = oracle.interpreter.get_output_details(1)
    rng = np.random.default_rng(4)
    values, outputs = [], []
    zeros = quantised(np.zeros(h["shape"], np.float32), h)
    state = zeros
    for i in range(STEPS):
        if i == RESET_AT:
            state = zeros
        inputs = [oracle.inputs[0].random(rng), state]
        values.append(real(inputs[0], x).ravel().tolist())
        results = oracle.run(inputs)
        outputs.append(told(results))
        state = quantised(real(results[1], h_out), h)
    return values, outputs


@cache
def files() -> Files:
    """The models, with golden outputs, and what io_runner.py does with them."""
    found = {}
    for name, model in MODELS.items():
        found[f"{name}.tflite"] = model
        found[f"{name}.golden"] = golden.make(model, golden.random_inputs(10, seed=1))
    found["sequence.golden"] = golden.make(
        MODELS["variables"], golden.random_inputs(10, seed=1), sequence=True
    )
    todo = {
        "models": [*MODELS],
        "three": three()[0],
        "steps": {name: steps(name)[0] for name in RECURRENT},
        "reset_at": RESET_AT,
        "lock_at": LOCK_AT,
    }
    return found | {"io.json": json.dumps(todo).encode()}


@cache
def answers(target: str) -> list[Record]:
    output = targets.run(target, (DEVICE / "io_runner.py").read_text(), files())
    found = records(output)
    assert found and found[-1] == {"done": True}, output
    return found


each_target = pytest.mark.parametrize("target", [*UNIX, *BOARDS])


@each_target
@pytest.mark.parametrize("name", MODELS)
def test_verified(target: str, name: str) -> None:
    (record,) = [record for record in answers(target) if record.get("model") == name]
    assert record["equal"], record["text"]
    assert record["text"].startswith("10 cases: all equal")


@each_target
def test_three_inputs_and_outputs(target: str) -> None:
    (record,) = [record for record in answers(target) if record.get("case") == "three"]
    assert record["rows"] == [three()[1]] * 3


@each_target
@pytest.mark.parametrize("name", RECURRENT)
def test_state(target: str, name: str) -> None:
    (record,) = [record for record in answers(target) if record.get("steps") == name]
    expected = steps(name)[1]
    assert expected[0] != expected[1] != expected[2]
    if name == "recurrent_int8":
        assert record["outputs"] == expected
        return
    for got, row in zip(record["outputs"], expected, strict=True):
        for mine, theirs in zip(got, row, strict=True):
            a, b = (np.frombuffer(bytes.fromhex(text), "<f4") for text in (mine, theirs))
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


@each_target
@pytest.mark.parametrize("name", ["io_tests", "verify_tests"])
def test_on_device(target: str, name: str) -> None:
    output = targets.run(target, (DEVICE / f"{name}.py").read_text(), files())
    totals = Totals()
    assert totals.add(output), output
    assert totals.failures == totals.errors == 0, output


def test_compat_example(crate_models: Path) -> None:
    """The same script, the same words: here with ai-edge-litert, on unix, and on a board."""
    example = ROOT / "examples/compat.py"
    here = subprocess.run(
        [sys.executable, example], cwd=crate_models, capture_output=True, text=True, check=True
    )
    assert "1.57  0.98" in here.stdout
    sine = {"sine.tflite": (crate_models / "sine.tflite").read_bytes()}
    told = {targets.run(target, example.read_text(), sine) for target in (*UNIX, "MPS2_AN386")}
    assert told == {here.stdout}
