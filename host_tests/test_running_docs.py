# The commands of docs/running.md, on unix: each prints what stands there, but for times.

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from microlite_tools import cli

TEXT = (Path(__file__).parent.parent / "docs/running.md").read_text()
SHOWN = re.findall(r"^```\n\$ microlite (.*)\n((?:.*\n)*?)```$", TEXT, re.MULTILINE)
BLOCKS = re.findall("^```sh\n(.*?)```", TEXT, re.MULTILINE | re.DOTALL)
LINES = [line.removeprefix("microlite ") for block in BLOCKS for line in block.splitlines()]
BOARD = "board at /dev/ttyACM0"


SEVERAL = [each for each in SHOWN if "--connect" in each[0]]  # test_profile_boards.py has these


def as_on_unix(text: str) -> str:
    """Without what depends on the target: its name, times, kernels."""
    text = text.replace(BOARD, "this PC")
    text = re.sub(r"[\d.e-]+ ms on", "N ms on", text)
    if "together" in text:  # a profile
        text = re.sub("this PC, .*", "this PC", text)
        text = re.sub(r"\w+ kernels", "kernels", re.sub("[▏▎▍▌▋▊▉█]+", "", text))
        text = re.sub(r"(?<= )[\d.e]+%?(?= |$)", "N", text, flags=re.MULTILINE)
    return "\n".join(re.sub(" +", " ", line).strip() for line in text.splitlines())


@pytest.fixture
def folder(tmp_path: Path, crate_models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("sine", "speech", "person_detect"):
        (tmp_path / f"{name}.tflite").write_bytes((crate_models / f"{name}.tflite").read_bytes())
    (tmp_path / "model.tflite").write_bytes((crate_models / "speech.tflite").read_bytes())
    pixels = np.fromfile(crate_models / "person_image_data_grayscale.data", np.uint8)
    Image.fromarray(pixels.reshape(96, 96)).save(tmp_path / "person.png")
    (tmp_path / "labels.txt").write_text("nobody\na person\n")
    np.save(tmp_path / "inputs.npy", np.arange(5, dtype=np.int8).reshape(5, 1, 1))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_shown(folder: Path, micropython: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = [each for each in SHOWN if each not in SEVERAL]
    commands = [line.split()[0] for line, _ in shown]
    assert commands == ["predict", "predict", "golden", "golden", "verify", "profile"]
    for line, expected in shown:
        words = shlex.split(line)
        assert cli.main(words + ["--unix"] * (words[0] != "golden")) == 0
        assert as_on_unix(capsys.readouterr().out) == as_on_unix(expected), line


def test_lines(folder: Path, micropython: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(LINES) == 4
    for line in LINES:
        words, _, file = line.partition(" > ")
        unix = ["--unix"] * ("golden" not in words.split()[0] and "--unix" not in words)
        assert cli.main(shlex.split(words) + unix) == 0
        out = capsys.readouterr().out
        if file:
            Path(file).write_text(out)
        else:
            assert out
