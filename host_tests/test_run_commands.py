# microlite predict, verify and profile, on unix and on an emulated board: right results for all
# models.

import json
import struct
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
import tflite

import run_targets
from builder import Array
from microlite_tools import cli, golden
from run_targets import GOLDENS, MODELS, Run, Target, answer

LARGE = 12000  # bytes of inputs that are not sent to an emulated board, whose console is slow
LONG = ("microflow-person_detect", "microflow-speech")  # runs of a microsecond at least, anywhere

run, staged, target = run_targets.run, run_targets.staged, run_targets.target


def reals(model: Path, arrays: list[Array]) -> list[Array]:
    """The outputs' numbers as real values, by the quantisation that stands in the file."""
    graph = tflite.Model.GetRootAs(model.read_bytes()).Subgraphs(0)
    values = []
    for i, array in enumerate(arrays):
        quantization = graph.Tensors(graph.Outputs(i)).Quantization()
        if quantization is None or not quantization.ScaleLength() or array.dtype.kind == "f":
            values.append(array)
            continue
        centred = array.astype(np.float32) - np.float32(quantization.ZeroPoint(0))
        values.append(centred * np.float32(quantization.Scale(0)))
    return values


def check_prediction(
    run: Run, target: Target, staged: Path, name: str, inputs: list[Array], outputs: list[Array]
) -> None:
    files = []
    for i, array in enumerate(inputs):
        files.append(staged.parent / f"{name}.{i}.npy")
        np.save(files[-1], array)
    told = answer(run, "predict", f"{target.folder}{name}.tflite", *files, *target.words)
    expected = reals(staged / f"{name}.tflite", outputs)
    assert len(told["outputs"]) == len(expected)
    assert told["us"] >= (1 if name in LONG else 0)  # whole ones
    for row, array in zip(told["outputs"], expected, strict=True):
        got = np.array(row["values"], np.float32)
        tolerance = 1e-5 if outputs[0].dtype.kind == "f" else 0
        np.testing.assert_allclose(got, array.ravel(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", GOLDENS)
def test_predict_known_outputs(run: Run, target: Target, staged: Path, name: str) -> None:
    if not GOLDENS[name].model.exists():
        pytest.skip(f"{name} is not there")
    inputs, outputs = GOLDENS[name].cases[0]
    if target.is_board and sum(array.nbytes for array in inputs) > LARGE:
        inputs = [array[:0] for array in inputs]
        file = staged.parent / "empty.npy"
        np.save(file, inputs[0])
        words = [file] * len(inputs)
        status, _, err = run("predict", f"{target.folder}{name}.tflite", *words, *target.words)
        assert status == 2 and "shape (0,)" in err
        return
    check_prediction(run, target, staged, name, inputs, outputs)


@pytest.mark.parametrize("name", MODELS)
def test_predict_as_the_oracle(run: Run, target: Target, staged: Path, name: str) -> None:
    oracle = golden.Oracle(MODELS[name])
    inputs = [each.random(np.random.default_rng(3)) for each in oracle.inputs]
    check_prediction(run, target, staged, name, inputs, oracle.run(inputs))


@pytest.mark.parametrize("name", [*GOLDENS, *MODELS])
def test_verify(run: Run, target: Target, staged: Path, name: str) -> None:
    if not (staged / f"{name}.tflite").exists():
        pytest.skip(f"{name} is not there")
    paths = [f"{target.folder}{name}.{suffix}" for suffix in ("tflite", "golden")]
    told = answer(run, "verify", *paths, *target.words)
    assert told["equal"] is True and told["cases"] >= 1
    assert all(row["differ"] == 0 and row["values"] > 0 for row in told["outputs"])


def changed(data: bytes, at: int) -> bytes:
    """Golden outputs of one case with another byte, and check sums that are right for it."""
    wrong = bytearray(data)
    wrong[at] ^= 1
    start = 16 + 4 * (wrong[6] + wrong[7]) + 4
    wrong[-4:] = struct.pack("<I", crc32(wrong[start:-4]))
    return bytes(wrong)


def test_verify_differs(run: Run, target: Target, staged: Path, tmp_path: Path) -> None:
    """Files of this PC, also on the board; the exit status tells."""
    model, cases = tmp_path / "image.tflite", tmp_path / "image.golden"
    model.write_bytes(MODELS["image"])
    made = golden.make(MODELS["image"], golden.random_inputs(1, seed=2))
    cases.write_bytes(changed(made, -5))
    status, out, err = run("verify", model, cases, *target.words)
    assert (status, err) == (cli.FAILED, "")
    assert "1 case: 1 value differs" in out and "maps" in out
    told = answer(run, "verify", model, cases, *target.words)
    assert told["equal"] is False and told["outputs"][0]["differ"] == 1
    (row,) = told["differences"]
    assert (row["case"], row["output"], row["index"]) == (0, "maps", 29)
    assert abs(row["expected"] - row["got"]) == 1
    mixed = f"{target.folder}image.tflite"  # of the board, where there is one
    assert run("verify", mixed, cases, *target.words)[0] == cli.FAILED
    cases.write_bytes(made)
    assert run("verify", mixed, cases, *target.words)[0] == 0


def test_verify_tolerance_and_nan(run: Run, micropython: Path, tmp_path: Path) -> None:
    model, cases = tmp_path / "scalar.tflite", tmp_path / "scalar.golden"
    model.write_bytes(MODELS["scalar"])
    one, wrong, none = (np.full((), x, np.float32) for x in (1, -1.5, np.nan))
    cases.write_bytes(golden.encode(MODELS["scalar"], [([one], [wrong])]))
    words = "verify", model, cases, "--unix"
    assert run(*words)[0] == cli.FAILED
    assert run(*words, "--atol", 0.6)[0] == run(*words, "--rtol", 0.4)[0] == 0
    cases.write_bytes(golden.encode(MODELS["scalar"], [([one], [none])]))
    told = answer(run, *words)
    assert told["differences"][0]["expected"] == told["outputs"][0]["largest"] == "nan"
    assert "nan" in run(*words)[1]


def test_verify_of_no_case(run: Run, micropython: Path, tmp_path: Path) -> None:
    model, cases = tmp_path / "scalar.tflite", tmp_path / "none.golden"
    model.write_bytes(MODELS["scalar"])
    head = golden.MAGIC + struct.pack("<4B2I", 1, 0, 1, 1, crc32(MODELS["scalar"]), 0)
    head += struct.pack("<2I", 4, 4)
    cases.write_bytes(head + struct.pack("<I", crc32(head)))
    status, _, err = run("verify", model, cases, "--unix")
    assert status == 2 and "there is no case in it" in err


def test_predict_prints(run: Run, target: Target, staged: Path, tmp_path: Path) -> None:
    model = f"{target.folder}tfmicro-hello_world.tflite"
    status, out, err = run("predict", model, 1, *target.words)
    assert (status, err) == (0, "")
    assert "1: real values" in out and "float32 (1, 1)" in out and " 0.88148" in out
    where = "this PC" if not target.is_board else f"board at {target.words[1]}"
    assert out.rstrip().endswith(f" ms on {where}")
    classes = tmp_path / "labels.txt"
    classes.write_text("wing\nring\nslope\nnegative\n")
    (wave,), _ = GOLDENS["tfmicro-magic_wand"].cases[0]
    np.save(tmp_path / "wave.npy", wave)
    words = f"{target.folder}tfmicro-magic_wand.tflite", tmp_path / "wave.npy"
    _, out, _ = run("predict", *words, "--labels", classes, *target.words)
    lines = out.splitlines()
    assert lines[3].split()[:3] == ["1", "ring", "0.800915"] and "█" in lines[3]
    told = answer(run, "predict", *words, "--labels", classes, *target.words)
    assert (told["outputs"][0]["argmax"], told["outputs"][0]["label"]) == (1, "ring")
    if not target.is_board:
        wand = tmp_path / "wand.tflite"
        wand.write_bytes(Path(words[0]).read_bytes())
        classes.rename(tmp_path / "wand.txt")
        told = answer(run, "predict", wand, words[1], *target.words)
        assert told["outputs"][0]["label"] == "ring"
    made = tmp_path / "y.npy"
    run("predict", *words, "-o", made, *target.words)
    assert np.load(made).shape == (1, 4) and np.load(made)[0, 1] == np.float32(0.8009154)


def test_predict_saves_several(run: Run, micropython: Path, tmp_path: Path) -> None:
    model = tmp_path / "three.tflite"
    model.write_bytes(MODELS["three"])
    words = ["[1, 2, 3, 4]", str([0.5] * 6), str([0] * 10)]
    made = tmp_path / "y.npz"
    status, out, _ = run("predict", model, *words, "-o", made, "--unix")
    assert status == 0 and "output 2" in out
    saved = np.load(made)
    assert [saved[f"arr_{i}"].shape for i in range(3)] == [(1, 3, 2, 1), (2, 5), (1, 4)]
    assert np.allclose(saved["arr_2"], [[1, 2, 2.46, 2.46]])


def test_profile(run: Run, target: Target, staged: Path, tmp_path: Path) -> None:
    name = "microflow-speech"
    model = f"{target.folder}{name}.tflite"
    told = answer(run, "profile", model, "--runs", 3, *target.words)
    assert told["crc32"] == f"{crc32((staged / f'{name}.tflite').read_bytes()):08x}"
    assert told["runs"] == 3 and told["clock_us"] >= 1
    assert told["us"] == pytest.approx(sum(row["us"] for row in told["operators"]), abs=0.1)
    assert sum(row["share"] for row in told["operators"]) == pytest.approx(1, abs=0.01)
    ops = [row["op"] for row in told["operators"]]
    assert ops == ["RESHAPE", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "SOFTMAX"]
    old = tmp_path / "old.json"
    told["us"] *= 2
    told["kernels"] = "slow"
    for row in told["operators"]:
        row["us"] *= 2
    old.write_text(json.dumps(told))
    words = "profile", model, "--runs", 3, "--compare", old, *target.words
    compared = answer(run, *words)
    assert compared["before_us"] == told["us"]
    assert compared["ratio"] == pytest.approx(compared["us"] / told["us"], rel=1e-3)
    status, out, err = run(*words)
    assert status == 0 and "before" in out and "ratio" in out
    assert "note: the old profile has another kernels: slow, now " in err
    _, out, _ = run("profile", model, "--by-type", *target.words)
    lines = out.splitlines()
    assert lines[2].split()[:3] == ["count", "operator", "us"]
    assert {tuple(line.split()[:2]) for line in lines[3:7]} == {("1", op) for op in ops}
    assert "together" in lines[7]
