# The tool that makes golden outputs: its file, random and given inputs, and its complaints. Boards
# check what it makes in test_io_models.py.

import re
import struct
import sys
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

import bad_models
import goldens
import io_models
from microlite_tools import cli, golden
from microlite_tools.errors import UserError

MODELS = io_models.collect()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "three.tflite"
    path.write_bytes(MODELS["three"])
    return path


def command(*words: object) -> int:
    return cli.main(["golden", *map(str, words)])


def test_file() -> None:
    """Byte by byte, as the head of golden.py describes it."""
    cases = [([np.array([i, 2], "i2")], [np.array([0.5], "f4")]) for i in range(2)]
    head = b"MLGO\x01\x01\x01\x01" + struct.pack("<2I", crc32(b"model"), 2)
    head += struct.pack("<2I", 4, 4)
    expected = head + struct.pack("<I", crc32(head))
    for i in range(2):
        case = struct.pack("<2hf", i, 2, 0.5)
        expected += case + struct.pack("<I", crc32(case))
    assert golden.encode(b"model", cases, sequence=True) == expected


def test_random_inputs() -> None:
    oracle = golden.Oracle(MODELS["three"])
    first, again, other = ([*golden.random_inputs(20, seed)(oracle.inputs)] for seed in (1, 1, 2))
    for case, same in zip(first, again, strict=True):
        assert all(np.array_equal(*pair) for pair in zip(case, same, strict=True))
    assert not np.array_equal(first[0][2], other[0][2])
    a, b, c = (np.concatenate([case[i].ravel() for case in first]) for i in range(3))
    assert [each.dtype.name for each in (a, b, c)] == ["float32", "int8", "int16"]
    assert -1 <= a.min() < -0.8 and 0.8 < a.max() <= 1
    assert b.min() < -100 and b.max() > 100 and c.min() < -30000 and c.max() > 30000


def test_same_outputs_as_goldens() -> None:
    """Of a model whose outputs are known."""
    (sine,) = [each for each in goldens.tfmicro() if each.name == "tfmicro-hello_world"]
    oracle = golden.Oracle(sine.model.read_bytes())
    for i, (inputs, _) in enumerate(sine.cases):
        outputs = oracle.run([inputs[0].reshape(oracle.inputs[0].shape)])
        sine.check(i, [output.tobytes() for output in outputs])


def test_given_inputs(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    oracle = golden.Oracle(MODELS["three"])
    cases = [*golden.random_inputs(4, seed=7)(oracle.inputs)]
    files = [tmp_path / f"{i}.npy" for i in range(3)]
    for i, file in enumerate(files):
        np.save(file, np.stack([case[i] for case in cases]))
    made, expected = tmp_path / "made", tmp_path / "expected"
    assert command(model, *files, "-o", made) == 0
    assert command(model, "-o", expected, "--cases", 4, "--seed", 7) == 0
    assert made.read_bytes() == expected.read_bytes()
    assert f"{made}: {made.stat().st_size} bytes" in capsys.readouterr().out
    np.save(files[0], cases[0][0])  # one case, without a dimension for it
    with pytest.raises(UserError, match=r"1\.npy: 4 cases, but 1 in .*0\.npy"):
        golden.make(MODELS["three"], golden.inputs_from(files))


def test_line_of_the_manual(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they stand in api.md: random inputs, and a file of inputs behind the options."""
    (tmp_path / "person_detect.tflite").write_bytes(MODELS["image"])
    oracle = golden.Oracle(MODELS["image"])
    cases = [*golden.random_inputs(3, seed=1)(oracle.inputs)]
    np.save(tmp_path / "photographs.npy", np.stack([case[0] for case in cases]))
    monkeypatch.chdir(tmp_path)
    lines = re.findall("^microlite golden (.*)$", (root / "docs/api.md").read_text(), re.MULTILINE)
    assert len(lines) == 2
    made = []
    for line in lines:
        assert command(*line.split()) == 0
        made.append((tmp_path / "person_detect.golden").read_bytes())
    assert made[0] == made[1]


def test_sequence() -> None:
    choose = golden.random_inputs(5, seed=1)
    apart, steps = (golden.make(MODELS["variables"], choose, each) for each in (False, True))
    assert (apart[5], steps[5]) == (0, golden.SEQUENCE)
    size = (len(apart) - 28) // 5
    assert apart[28 : 28 + size] == steps[28 : 28 + size]
    assert apart[28 + size :] != steps[28 + size :]


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((2, 1, 4), "f8"), "float64, but input 0 is float32"),
        (np.zeros((2, 4), "f4"), r"shape \(2, 4\), but input 0 is \(1, 4\): .* \(cases, 1, 4\)"),
        (np.zeros((0, 1, 4), "f4"), r"shape \(0, 1, 4\)"),
        (np.zeros((), "f4"), r"shape \(\)"),
        (np.array([None]), "not a .npy file"),
        (None, "not a .npy file"),
    ],
)
def test_wrong_inputs(tmp_path: Path, array: goldens.Array | None, words: str) -> None:
    path = tmp_path / "x.npy"
    if array is None:
        path.write_text("text")
    else:
        np.save(path, array)
    with pytest.raises(UserError, match=rf"x\.npy: .*{words}"):
        golden.make(MODELS["three"], golden.inputs_from([path] * 3))


def test_other_byte_order(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    array = np.arange(60, dtype=np.int16).reshape(6, 10)
    np.save(path, array.astype(">i2"))
    (case,) = golden.Input(0, (6, 10), np.dtype("i2")).cases(path)
    assert case.dtype == np.dtype("i2") and np.array_equal(case, array)


def test_complaints(
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = tmp_path / "text"
    text.write_text("hello, this is text")
    cut = tmp_path / "cut.tflite"
    cut.write_bytes(model.read_bytes()[:20])
    other = tmp_path / "other.tflite"
    other.write_bytes(bad_models.dense("float32", "uint8").to_bytes())
    output = tmp_path / "out"
    random_only = "not with files of inputs"
    for words, complaint in (
        ([other], f"{other}: tflite-micro cannot run it: it has no kernels for uint8 weights"),
        ([cut], f"{cut}: damaged or truncated model"),
        ([text], f"{text}: not a TensorFlow Lite model"),
        ([tmp_path / "nothing"], "nothing: no such file"),
        ([tmp_path], "is a folder"),
        ([model, text], "the model has 3 inputs, 1 file given"),
        ([model, text, text, text], f"{text}: not a .npy file"),
        ([model, *[tmp_path / "x.npy"] * 3], "x.npy: no such file"),
        ([model, text, "--cases", 3], random_only),
        ([model, text, "--seed", 1], random_only),
        ([model, "--cases", 0], "--cases 0: must be at least 1"),
        ([model, "--seed", -1], "--seed -1: must not be negative"),
        ([model, "-o", tmp_path / "no/out"], "No such file"),
    ):
        assert command(*words, *([] if "-o" in words else ["-o", output])) == 2
        error = capsys.readouterr().err
        assert error.startswith("microlite: ") and complaint in error and error.count("\n") == 1
    monkeypatch.setitem(sys.modules, "tflite_micro.python.tflite_micro", None)
    assert command(model, "-o", output) == 2
    assert "pip install tflite-micro" in capsys.readouterr().err
    assert not output.exists()
