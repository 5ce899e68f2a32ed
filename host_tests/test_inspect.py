# The command inspect: on models that run, that do not, and on files that are damaged or no models.

import json
import os
import re
from pathlib import Path
from typing import Self

import pytest

import bad_models
import targets
from microlite_tools import advice, cli, inspection, model_file, operators, unix
from microlite_tools.errors import BoardError, ScriptError
from microlite_tools.remote import Echo, Remote

SECONDS = 1.0  # beyond what starting takes
ENUMS = 16  # bytes that structs of a Cortex-M save, where enums are as small as can be

needs_unix = pytest.mark.skipif(not unix.find(), reason="build/unix is not built: make unix")


def seconds() -> float:
    """Of work, in this process and those that have ended."""
    return sum(os.times()[:4])


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = cli.main(["inspect", *map(str, words)])
    told = capsys.readouterr()
    assert "Traceback" not in told.out + told.err
    return status, told.out, told.err


def report(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, object]]:
    status, out, err = run(capsys, *words, "--json")
    assert err == ""
    found: dict[str, object] = json.loads(out)
    assert found["runs"] is (status == 0)
    return status, found


class Told:
    """A target that answers with a report."""

    name = "board at COM1"

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, source: str, *, echo: Echo | None = None) -> str:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer if isinstance(self.answer, str) else json.dumps(self.answer)

    def share(self, *files: Path) -> list[str]:
        return [f"/remote/0/{file.name}" for file in files]


# --- models that run ---


@needs_unix
@pytest.mark.parametrize(
    "path", bad_models.MODELS, ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_good_model(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = seconds()
    status, found = report(capsys, path)
    assert seconds() - start < SECONDS
    assert status == 0
    assert found["problems"] == found["missing_ops"] == []
    model = model_file.read(path)
    assert sum(op["count"] for op in found["ops"]) == len(model.graphs[0].ops)  # type: ignore
    assert sum(op["macs"] for op in found["ops"]) == found["macs"]  # type: ignore
    io = path.parent / "io.json"
    if io.exists():
        assert found["macs"] == json.loads(io.read_text())["macs"]
    status, out, err = run(capsys, path, "--tensors")
    assert (status, err) == (0, "")
    first, second, *_ = out.splitlines()
    assert re.fullmatch(rf"{path.name} runs, with an arena of (less than )?[\d,]+ bytes\.", first)
    assert second == f"Next: microlite deploy {path}"


def test_arena(crate_models: Path) -> None:
    """What the 32-bit build tells is enough for a board, which tells its own."""
    targets.binary("unix32")
    with targets.board("MPS2_AN386") as board:
        for name in ("hello_world", "magic_wand", "speech"):
            path = crate_models / f"{name}.tflite"
            found = inspection.inspect(path, Remote(board.device))
            assert found.runs
            assert found.firmware.arena
            here = inspection.inspect(path, inspection.default_firmware())
            assert here.firmware.arena
            assert found.firmware.bits == here.firmware.bits == 32
            assert 0 <= here.firmware.arena - found.firmware.arena <= ENUMS, path


@needs_unix
def test_folder_of_that_name(
    crate_models: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is not taken for the package."""
    (tmp_path / "microlite").mkdir()
    monkeypatch.chdir(tmp_path)
    assert report(capsys, crate_models / "sine.tflite")[0] == 0


def test_without_micropython(
    crate_models: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspection, "default_firmware", lambda: None)
    monkeypatch.setattr("microlite_tools.commands.inspect.default_firmware", lambda: None)
    path = crate_models / "person_detect.tflite"
    status, found = report(capsys, path)
    assert (status, found["macs"], found["arena"]) == (0, 7157888, {"bytes": None, "reason": None})
    assert "MicroPython was not asked" in run(capsys, path)[1]


# --- models that do not ---


@needs_unix
@pytest.mark.parametrize("asked", [True, False])
def test_hybrid(
    asked: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not asked:
        monkeypatch.setattr("microlite_tools.commands.inspect.default_firmware", lambda: None)
    path = tmp_path / "hybrid.tflite"
    path.write_bytes(bad_models.dense("float32", "int8").to_bytes())
    status, out, _ = run(capsys, path)
    assert status == 1
    text = "operator 0 (FULLY_CONNECTED): float activations with int8 weights: convert with full"
    assert out.startswith(f"hybrid.tflite does not run: {text} integer quantisation")
    assert "representative_dataset" in out


@needs_unix
@pytest.mark.parametrize(
    ("code", "custom", "text"),
    [
        (
            bad_models.B.CUSTOM,
            "FlexErf",
            "FlexErf: TensorFlow's own. Convert without SELECT_TF_OPS",
        ),
        (bad_models.B.CUSTOM, "Mine", "Mine: custom. No firmware can have it"),
        (
            bad_models.B.NON_MAX_SUPPRESSION_V4,
            None,
            "NON_MAX_SUPPRESSION_V4: microlite has no kernel.",
        ),
        (bad_models.B.WHILE, None, "WHILE: control flow, which is not supported. Give LSTM"),
    ],
)
def test_missing_op(
    code: int, custom: str | None, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = bad_models.dense(code=code)
    model.ops[0].custom = custom
    path = tmp_path / "lacking.tflite"
    path.write_bytes(model.to_bytes())
    name = text.partition(":")[0]
    status, found = report(capsys, path)
    assert (status, found["missing_ops"]) == (1, [name])
    assert found["missing_ops_advice"][0].startswith(text)  # type: ignore
    assert run(capsys, path)[1].startswith(
        f"lacking.tflite does not run: 1 operator missing: {name}.\n"
    )


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ("operator 2 (ADD): float32 float16 to float32 is not supported", "without float16"),
        ("tensor 3: type 1 is not supported (w)", "without float16"),
        ("tensor 3: type 17 is not supported", "weights of 8 bits"),
        ("tensor 3: impossible shape (x)", "fixed shapes"),
        ("operator 1 (CONV_2D): tensor 3: rank 5, at most 4 is supported", "fewer dimensions"),
        ("operator 1 (CONV_2D): fused activation 4 not supported", "RELU6"),
        ("operator 1 (ADD): float32 int32 to float32 is not supported", "TFLITE_BUILTINS_INT8"),
        ("operator 1 (ADD): output scale too small", "real inputs"),
        ("damaged or truncated model of 1000 bytes", "Copy or download it again"),
        ("nothing produces output 0", "Convert it again; if that gives the same"),
    ],
)
def test_advice(problem: str, words: str) -> None:
    assert words in advice.for_problem(problem)


def answer(**more: object) -> dict[str, object]:
    ops = sorted(operators.names())
    return {"bits": 32, "ops": ops, "reason": None, "problems": [], "missing": []} | more


@pytest.mark.parametrize(
    ("told", "verdict", "next_command"),
    [
        (answer(arena=960), "runs on the board at COM1, with an arena of 960", "deploy --connect"),
        (
            answer(missing=["SOFTMAX"]),
            "does not run on the board at COM1: 1 operator missing: SOFTMAX.",
            "ops ",
        ),
        (
            answer(problems=None, reason="no block of 300 bytes", ops=sorted(operators.names())),
            "does not fit into the memory of board at COM1.",
            "deploy --romfs --connect",
        ),
        (
            answer(reason="no block of 76512 bytes"),
            "does not fit into the memory",
            "deploy --romfs",
        ),
        (
            answer(reason="no block of 9000000 bytes for the arena: the whole heap has 114688"),
            "does not fit into the memory",
            None,
        ),
    ],
)
def test_boards(
    told: dict[str, object],
    verdict: str,
    next_command: str | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("microlite_tools.commands.inspect.Remote", lambda port: Told(told))
    path = tmp_path / "dense.tflite"
    path.write_bytes(bad_models.dense().to_bytes())
    status, out, _ = run(capsys, path, "--connect", "COM1")
    assert status == (0 if "runs on" in verdict else 1)
    first, second, *_ = out.splitlines()
    assert first.startswith(f"dense.tflite {verdict}")
    if next_command:
        assert second.startswith(f"Next: microlite {next_command}")
    else:
        assert second == "Next: a smaller model, or a board with more RAM"
    assert "\n\n\n" not in out
    assert str(told["reason"] or "") in out


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (
            ScriptError("", "Traceback\nImportError: no module named 'microlite'"),
            "board at COM1 has no microlite: it needs a firmware that contains it",
        ),
        ("garbage", "board at COM1 answers 'garbage' instead of a report"),
        (BoardError("COM1 does not answer"), "COM1 does not answer"),
    ],
)
def test_boards_that_fail(
    told: object,
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("microlite_tools.commands.inspect.Remote", lambda port: Told(told))
    path = tmp_path / "dense.tflite"
    path.write_bytes(bad_models.dense().to_bytes())
    status, out, err = run(capsys, path, "--connect", "COM1")
    assert (status, out) == (2, "")
    assert err.startswith(f"microlite: {sentence}")


# --- files that are no models ---


@pytest.mark.parametrize("name", bad_models.FOREIGN)
def test_foreign(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, words = bad_models.FOREIGN[name]
    path = tmp_path / name
    path.write_bytes(data)
    status, out, err = run(capsys, path)
    assert (status, err) == (1, "")
    assert out.startswith(f"{name} does not run: ")
    assert words in out.splitlines()[0]
    assert out.splitlines()[1].startswith("Next: ") and "advice" not in out
    report(capsys, path)


def test_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone = tmp_path / "gone.tflite"
    assert run(capsys, tmp_path) == (2, "", f"microlite: {tmp_path}: is a folder\n")
    assert run(capsys, gone) == (2, "", f"microlite: {gone}: no such file\n")
    gone.symlink_to("../../build/models/nowhere.tflite")
    told = f"{gone} is a link to build/models/nowhere.tflite, which is not there: make models"
    assert run(capsys, gone) == (2, "", f"microlite: {told}\n")
    assert "inspect reads files of this PC" in run(capsys, ":gone.tflite")[2]


def test_consequences(tmp_path: Path) -> None:
    """What only follows from a missing operator is not told."""
    path = tmp_path / "flex.tflite"
    path.write_bytes(bad_models.dense().to_bytes())
    problems = ["operator 1 (ADD): tensor 7: input without a source", "tensor 8: x"]
    told = answer(missing=["FlexErf"], problems=problems)
    found = inspection.inspect(path, Told(told))
    assert [each.text for each in found.problems] == ["tensor 8: x"]


@needs_unix
def test_given_binary(crate_models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked before any other."""
    binary = unix.find()
    assert binary
    monkeypatch.setattr(inspection, "UNIX32", Path(__file__))
    monkeypatch.setenv(unix.VARIABLE, str(binary))
    firmware = inspection.default_firmware()
    assert isinstance(firmware, unix.Unix) and firmware.binary == binary
    monkeypatch.setenv(unix.VARIABLE, "/nowhere/micropython")
    with pytest.raises(BoardError, match="MICROLITE_UNIX=/nowhere/micropython: there is no such"):
        inspection.default_firmware()


# --- damaged models ---


@needs_unix
def test_damaged(tmp_path: Path, crate_models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused = 0
    source = (crate_models / "person_detect.tflite").read_bytes()
    for i, data in enumerate(bad_models.damaged(source)):
        path = tmp_path / f"{i}.tflite"
        path.write_bytes(data)
        start = seconds()
        status, out, err = run(capsys, path)
        assert seconds() - start < SECONDS
        assert err == ""
        assert out.startswith(f"{i}.tflite {'does not run: ' if status else 'runs, with'}")
        refused += status
    assert refused >= 15
