# The engine without MicroPython: every arena size, damaged models, states and descriptions, by
# the programs of host_tests/engine, with address and undefined-behaviour sanitizers.

import re
import subprocess
from pathlib import Path

import pytest
import tflite

import goldens
from builder import Model, Op, activation
from goldens import Golden
from programs import Record, call, programs, run

ROOT = Path(__file__).resolve().parent.parent
MODELS = [*goldens.tfmicro(), *(goldens.hand_out() or goldens.microflow())]
SINE = goldens.CRATES / "hello_world.tflite"
ALIGN = 16
ERR_ARENA, ERR_MODEL = -1, -2

each_variant = pytest.mark.parametrize("variant", ["asan", "asan32"])


def each_of(models: list[Golden]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("golden", models, ids=lambda golden: golden.name)


each_model = each_of(MODELS)


def sweep(variant: str, golden: Golden, step: int) -> Record:
    (record,) = call(variant, "sweep", "-s", str(step), golden.model)
    assert "fault" not in record, record
    return record


@each_variant
@each_model
def test_arena_sizes(variant: str, golden: Golden) -> None:
    """About a hundred sizes, and every byte near both ends."""
    loaded = run(variant, golden.model)[1]
    least = loaded["arena_needed"]
    record = sweep(variant, golden, max(ALIGN, least // 100 // ALIGN * ALIGN))
    assert record["least"] == least
    assert record["exact"] > 0 or loaded["floor"] == least


@pytest.mark.soak
@each_variant
@each_model
def test_all_arena_sizes(variant: str, golden: Golden) -> None:
    sweep(variant, golden, ALIGN)


@each_variant
@each_model
def test_truncated(variant: str, golden: Golden) -> None:
    counts = call(variant, "damage", "-n", "0", golden.model)[-1]["truncations"]
    assert counts["refused"] > 0
    assert counts["crashed_in_check"] == counts["crashed_later"] == 0, counts


@each_variant
@each_model
def test_changed_bytes(variant: str, golden: Golden) -> None:
    """Checking a damaged model never crashes, whatever the check finds."""
    counts = call(variant, "damage", "-c", "-n", "200", golden.model)[-1]["flips"]
    assert counts["refused"] > 0
    assert counts["crashed_in_check"] == 0, counts


@pytest.mark.soak
@each_variant
@each_model
def test_many_changed_bytes(variant: str, golden: Golden) -> None:
    options = "-c", "-n", "4000", "-a", "1000000", "-s", "2"
    counts = call(variant, "damage", *options, golden.model)[-1]["flips"]
    assert counts["crashed_in_check"] == 0, counts


@pytest.mark.parametrize("content", [b"", b"TFL3", b"hello, this is text\n" * 50, bytes(4096)])
def test_not_a_model(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    (record,) = run("asan", path)
    assert record["status"] == ERR_MODEL
    assert record["problem"]


@pytest.mark.parametrize("size", [0, 16, 1000])
def test_short_arena(size: int) -> None:
    opened, loaded = run("asan", SINE, "-a", str(size))
    assert opened["status"] == 0
    assert (loaded["status"], loaded["given"]) == (ERR_ARENA, size)
    assert size < loaded["needed"] <= run("asan", SINE)[1]["arena_needed"]
    assert loaded["stage"] in ("tensors", "operators", "activations")


@each_variant
@pytest.mark.parametrize("name", ["hello_world", "magic_wand"])
def test_states(variant: str, name: str) -> None:
    program = programs(variant) / "states"
    done = subprocess.run([program, goldens.CRATES / f"{name}.tflite"], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@each_variant
@pytest.mark.parametrize("name", ["hello_world", "magic_wand", "person_detect"])
def test_kept_inputs(variant: str, name: str) -> None:
    program = programs(variant) / "keep"
    done = subprocess.run([program, goldens.CRATES / f"{name}.tflite"], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def chain(path: Path, *ops: str) -> Path:
    """A model of operators with one input, one after the other."""
    model = Model()
    tensors = [model.add(activation([1, 4], "float32")) for _ in range(len(ops) + 1)]
    model.inputs, model.outputs = tensors[:1], tensors[-1:]
    codes = [getattr(tflite.BuiltinOperator, op) for op in ops]
    model.ops = [Op(code, [tensors[i]], [tensors[i + 1]]) for i, code in enumerate(codes)]
    path.write_bytes(model.to_bytes())
    return path


@each_variant
def test_assertions(variant: str, tmp_path: Path) -> None:
    """Kernels that fail an assertion, when they run and when they are prepared."""
    invoke = chain(tmp_path / "invoke", "NEG", "ABS", "NEG")
    prepare = chain(tmp_path / "prepare", "NEG", "FLOOR", "NEG")
    good = chain(tmp_path / "good", "NEG", "NEG")
    words = [programs(variant) / "broken", invoke, prepare, good]
    done = subprocess.run(words, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def described(graph: tflite.SubGraph, index: int) -> Record:
    """A tensor as the program run tells it, from the package tflite."""
    tensor = graph.Tensors(index)
    quantization = tensor.Quantization()
    n = quantization.ScaleLength() if quantization else 0
    nbytes = goldens.tensor_nbytes(tensor)
    return {
        "name": tensor.Name().decode(),
        "type": tensor.Type(),
        "nbytes": nbytes,
        "size": nbytes // goldens.DTYPES[tensor.Type()].itemsize,
        "constant": False,
        "shape": [tensor.Shape(i) for i in range(tensor.ShapeLength())],
        "quantized_dimension": quantization.QuantizedDimension() if quantization else 0,
        "scales": [pytest.approx(quantization.Scale(i), rel=1e-7) for i in range(n)],
        "zero_points": [quantization.ZeroPoint(i) for i in range(n)],
    }


@each_model
def test_descriptions(golden: Golden) -> None:
    graph = tflite.Model.GetRootAsModel(golden.model.read_bytes(), 0).Subgraphs(0)
    tensors = run("asan", golden.model)[2]
    assert tensors == {
        "inputs": [described(graph, i) for i in graph.InputsAsNumpy()],
        "outputs": [described(graph, i) for i in graph.OutputsAsNumpy()],
    }


def test_ops_are_those_of_the_table() -> None:
    table = (ROOT / "src_c/tflm/ops.def").read_text()
    told = subprocess.run([programs("x64") / "run", "ops"], capture_output=True, text=True)
    assert sorted(told.stdout.split()) == sorted(re.findall(r"^OP\((\w+)", table, re.M))
