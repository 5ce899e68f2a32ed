# microlite inspect --board: whether models fit the boards of boards/*.toml, and estimates of time.

import json
from pathlib import Path
from typing import Any

import pytest

from microlite_tools import boards, cli, fitting, unix
from microlite_tools.boards import Board
from microlite_tools.inspection import UNIX32

pytestmark = pytest.mark.skipif(
    not (unix.find() or UNIX32.is_file()), reason="build/unix is not built: make unix"
)

BOARDS = list(boards.load_all())
SMALL = """\
title = "Small"
port = "stm32"
board = "SMALL"
core = "cortex-m4"
clock_mhz = 100
timer = "dwt_cyccnt"
verified = "linked"

[[memory]]
name = "FLASH"
base = 0x0800_0000
size = {flash}
kind = "flash"
speed = "medium"
uses = ["firmware", "model"]

[[memory]]
name = "FLASH_FS"
base = 0x0900_0000
size = {files}
kind = "flash"
speed = "medium"
uses = ["files"]

[[memory]]
name = "RAM"
base = 0x2000_0000
size = {ram}
kind = "sram"
speed = "fast"
uses = ["heap", "arena", "model", "stack"]

[linked]
micropython = "1.25"
ops = 13
text = 400_000
"""


def report(
    capsys: pytest.CaptureFixture[str], model: Path, board: str
) -> tuple[int, dict[str, Any], str]:
    """The exit status, what --json says of the board, and the text."""
    words = ["inspect", str(model), "--board", board]
    status = cli.main([*words, "--json"])
    told = json.loads(capsys.readouterr().out)["board"]
    assert cli.main(words) == status
    return status, told, capsys.readouterr().out


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a board of those sizes the only one."""

    def make(flash: int, files: int, ram: int) -> str:
        (tmp_path / "SMALL.toml").write_text(SMALL.format(flash=flash, files=files, ram=ram))
        board = boards.load_file(tmp_path / "SMALL.toml")
        monkeypatch.setattr(boards, "load", lambda name: board)
        return "SMALL"

    return make


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_each_board(board: Board, crate_models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = crate_models / "person_detect.tflite"
    status, told, text = report(capsys, model, board.name)
    assert status == 0
    assert told["name"] == board.name and told["fits"] and told["problems"] == []
    copied = model.stat().st_size if told["model"]["copied"] else 0
    arena = json.loads(_json(capsys, model))["arena"]["bytes"]
    assert told["heap"]["left"] == told["heap"]["size"] - arena - copied
    assert told["arena"]["region"] in {region.name for region in board.regions("arena")}
    assert (told["flash"]["firmware"] is None) == (board.linked is None)
    assert f"fits {board.name}." in text and board.title in text
    has_rows = board.core in ("cortex-m3", "cortex-m4", "cortex-m7")
    assert (told["time"]["us"] is not None) == has_rows
    words = (
        "estimate: " if has_rows else f"not estimated: nothing was measured for {board.core_title}"
    )
    assert words in text


def _json(capsys: pytest.CaptureFixture[str], model: Path) -> str:
    assert cli.main(["inspect", str(model), "--json"]) == 0
    return capsys.readouterr().out


def test_estimates_are_at_best(crate_models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Never more than what was measured for that model, and by its kernels and clock."""
    rows = json.loads(fitting.BASELINE.read_text())["rows"]
    files = {
        "person_detect": "person_detect",
        "micro_speech_quantized": "speech",
        "magic_wand": "magic_wand",
    }
    for board in BOARDS:
        kernels = "dsp" if board.options.dsp else "portable"
        for row in rows:
            if (row["board"], row["kernels"]) != (board.name, kernels) or row[
                "model"
            ] not in files:
                continue
            _, told, _ = report(capsys, crate_models / f"{files[row['model']]}.tflite", board.name)
            measured = row["instructions"] / (board.clock_mhz or 1)
            assert measured / 3 < told["time"]["us"] <= measured * 1.0001
            assert kernels in told["time"]["basis"] and "MHz" in told["time"]["basis"]


@pytest.mark.parametrize(
    ("flash", "files", "ram", "says"),
    [
        (440_000, 400_000, 500_000, "bytes of firmware at most, FLASH has 440,000"),
        (500_000, 100_000, 500_000, "300,568 bytes of model, FLASH_FS has 100,000"),
        (500_000, 400_000, 200_000, "the heap in RAM has 200,000"),
        (900_000, 400_000, 50_000, "76,160 bytes of arena, the heap in RAM has 50,000"),
    ],
)
def test_what_does_not_fit(
    small: Any, crate_models: Path, capsys: pytest.CaptureFixture[str],
    flash: int, files: int, ram: int, says: str,
) -> None:  # fmt: skip
    model = crate_models / "person_detect.tflite"
    status, told, text = report(capsys, model, small(flash, files, ram))
    assert status == cli.FAILED
    assert not told["fits"] and any(says in problem for problem in told["problems"])
    assert "does not fit SMALL: " in text and says in text


def test_places(small: Any, crate_models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Copied from the file system where both fit; else in place where the flash has room."""
    model = crate_models / "person_detect.tflite"
    _, told, _ = report(capsys, model, small(900_000, 400_000, 500_000))
    assert told["model"] == {"where": "FLASH_FS", "room": 400_000, "copied": True}
    _, told, text = report(capsys, model, small(900_000, 400_000, 200_000))
    assert told["model"]["where"] == "FLASH" and not told["model"]["copied"]
    assert "in a ROMFS that firmware reserves in FLASH" in text
    left = 900_000 - told["flash"]["firmware"] - model.stat().st_size
    assert told["flash"]["left"] == left > 0


def test_without_micropython(
    crate_models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("microlite_tools.commands.inspect.default_firmware", lambda: None)
    model = crate_models / "person_detect.tflite"
    status, told, text = report(capsys, model, "NUCLEO_H743ZI2")
    assert status == 0 and told["heap"]["left"] is None
    assert "may fit NUCLEO_H743ZI2: its arena is not known" in text


def test_no_such_board(crate_models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = crate_models / "person_detect.tflite"
    assert cli.main(["inspect", str(model), "--board", "X"]) == 2
    assert "there is no board X; boards: " in capsys.readouterr().err
