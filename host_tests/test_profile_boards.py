# microlite profile on several boards: emulated ones, and ports where nobody answers.

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import targets
import test_running_docs
from microlite_tools import cli, romfs
from ports import silent_port

NAMES = ("MPS2_AN385", "MPS2_AN386")


@pytest.fixture(scope="module")
def boards(crate_models: Path) -> Iterator[list[str]]:
    """The ports of two boards; of speech.tflite in /rom each has something else."""
    models = [crate_models / f"{name}.tflite" for name in ("speech", "hello_world")]
    images = [romfs.build({"speech.tflite": model.read_bytes()}) for model in models]
    a, b = map(targets.board, NAMES, images)
    with a as one, b as other:
        yield [one.device, other.device]


DOCUMENTED = [f"/dev/ttyACM{i}" for i in range(3)]


def as_documented(text: str, ports: list[str]) -> list[str]:
    """Without the names of ports, and without times."""
    for i, port in enumerate(ports):
        text = text.replace(f"at {port}", f"at {i}")
    text = re.sub(r"\d+ runs", "N runs", text)
    text = re.sub(r" \d+\.\d(?=\s)", " N", text)
    return [re.sub(" +", " ", line) for line in text.splitlines()]


def connect(*ports: str) -> list[str]:
    return [word for port in ports for word in ("--connect", port)]


def test_side_by_side(
    boards: list[str], crate_models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["profile", str(crate_models / "speech.tflite"), "--runs", "2", *connect(*boards)]
    assert cli.main(words) == 0
    text = capsys.readouterr().out.splitlines()
    assert text[0].endswith("speech.tflite on 2 boards, us of an invoke()")
    assert text[1].startswith(f"A  board at {boards[0]}, ") and "Cortex-M3" in text[1]
    assert text[2].startswith(f"B  board at {boards[1]}, ") and "dsp kernels" in text[2]
    cells = [line.split() for line in text[3:]]
    assert cells[0] == ["#", "operator", "A", "B"]
    names = [row[1] for row in cells[1:-1]]
    assert names == ["RESHAPE", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "SOFTMAX"]
    assert all(float(cell) > 0 for row in cells[1:] for cell in row[-2:])
    assert cells[-1][0] == "together"


def test_a_dead_board_does_not_stop_the_others(
    boards: list[str], crate_models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with silent_port() as dead:
        ports = connect(boards[0], dead, boards[1])
        words = ["profile", str(crate_models / "speech.tflite"), "--runs", "2", *ports]
        assert cli.main([*words, "--by-type"]) == cli.FAILED
        text = capsys.readouterr().out
        assert f"B  board at {dead}: does not answer: is it the right port" in text
        rows = [line.split() for line in text.splitlines() if "SOFTMAX" in line]
        assert len(rows) == 1 and rows[0][3] == "failed"
        assert cli.main(words) == cli.FAILED
        ((line, shown),) = test_running_docs.SEVERAL
        assert line == "profile speech.tflite " + " ".join(connect(*DOCUMENTED))
        text = capsys.readouterr().out.replace(f"{crate_models}/", "")
        assert as_documented(text, ports[1::2]) == as_documented(shown, DOCUMENTED)
        assert cli.main([*words, "--json"]) == cli.FAILED
        found = json.loads(capsys.readouterr().out)["boards"]
        assert [each["target"] for each in found] == [f"board at {port}" for port in ports[1::2]]
        assert "does not answer" in found[1]["error"]
        assert all(found[i]["us"] > 0 and "error" not in found[i] for i in (0, 2))


def test_no_board_answers(crate_models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["profile", str(crate_models / "speech.tflite"), *connect("/dev/a", "/dev/b")]
    assert cli.main(words) == 2
    text = capsys.readouterr().out
    assert "there is no port /dev/a" in text and "there is no port /dev/b" in text


def test_boards_with_different_models(
    boards: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["profile", ":/rom/speech.tflite", "--runs", "2", *connect(*boards)]
    assert cli.main(words) == cli.FAILED
    text = capsys.readouterr().out
    assert f"B  board at {boards[1]}: another model, CRC-32 " in text
    assert "DEPTHWISE_CONV_2D" in text


def test_mistakes(crate_models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ports = connect("/dev/a", "/dev/b")
    assert cli.main(["profile", "no.tflite", *ports]) == 2
    assert "no.tflite: no such file" in capsys.readouterr().err
    words = ["profile", str(crate_models / "speech.tflite"), "--compare", "x.json", *ports]
    assert cli.main(words) == 2
    assert "--compare takes one board" in capsys.readouterr().err
