# All commands with odd arguments: each ends soon, and one that fails says why in one sentence. The
# commands and what they take are found in cli.COMMANDS and its modules.

import argparse
import os
import signal
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FrameType

import pytest

import bad_models
from microlite_tools import cli, golden, romfs
from microlite_tools.commands import build

LIMIT = 10  # seconds of a call
MODEL = bad_models.dense("float32", "float32").to_bytes()

# Of files that are there.
NAMES = [
    f"{name}.{suffix}" for name in ("it's \"[red]\n", "\udcff") for suffix in ("tflite", "py")
]
ODD = [
    *NAMES,
    *("", " ", "-", ":", "[", "nan", "-1", "1e999", "9" * 5000, "0x", "1:1", "16:0x", "--x"),
    *(f"0x{'f' * 5000}", f"16:0x{'f' * 5000}"),
    *("\x1b[1m\n", "a\0b", "\udcff", "\ud800", "x" * 300, "x/" * 3000, "none", "none/none"),
    *("m.tflite/none", ".", "..", "/", "folder", "pipe", "unreadable", "link", "empty", "a.py"),
    os.devnull,
]

# What is given for arguments that a command wants, by their names in its usage; and for options
# that keep it short and harmless.
WANTED = {
    "MODEL": "m.tflite",
    "INPUT": "[1, 2, 3]",
    "GOLDEN": "m.golden",
    "PATH": "a.py",
    "DIR": "folder",
    "IMAGE": "m.romfs",
    "FILE": "out.npy",
    "NAME": "unix",
}
ALWAYS = {"--connect": ["/dev/none"], "--ms": ["1"], "--runs": ["1"], "--unix": [], "--print": []}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with what the arguments name."""
    (tmp_path / "m.tflite").write_bytes(MODEL)
    (tmp_path / "m.golden").write_bytes(golden.make(MODEL, golden.random_inputs(1, seed=1)))
    (tmp_path / "m.romfs").write_bytes(romfs.build({"m.tflite": MODEL}))
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "a.py").write_text("hello\n")
    (tmp_path / "unreadable").write_bytes(MODEL)
    (tmp_path / "unreadable").chmod(0)
    for name in NAMES:
        (tmp_path / name).write_bytes(MODEL)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/a").write_text("a")
    (tmp_path / "link").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(build, "CUSTOM", tmp_path / "custom")
    return tmp_path


def parsers(name: str) -> Iterator[tuple[list[str], argparse.ArgumentParser]]:
    """The parsers of a command, with the words that lead to each."""
    parser = argparse.ArgumentParser()
    import_module(f"microlite_tools.commands.{name}").add_arguments(parser)
    below = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    if not below:
        yield [name], parser
    for action in below:
        for word, each in action.choices.items():
            yield [name, word], each


def plain_words(action: argparse.Action) -> list[str]:
    """What is given for an argument that is not the odd one."""
    for option in action.option_strings:
        if option in ALWAYS:
            return [option, *ALWAYS[option]]
    if not action.required or action.nargs == "*":
        return []
    return [*action.option_strings[:1], WANTED[str(action.metavar)]]


def lines(name: str) -> Iterator[list[str]]:
    """Command lines, each with one odd argument."""
    for start, parser in parsers(name):
        given = {each: plain_words(each) for each in parser._actions}
        ports = [each for each in given if "--connect" in each.option_strings]
        others = [each for each in given if "--unix" in each.option_strings]
        for odd in given:
            out = ports if others and odd not in ports else others  # only one of the two
            rest = [word for each in given if each not in (odd, *out) for word in given[each]]
            n = odd.nargs if isinstance(odd.nargs, int) else 1
            for value in ODD if n else []:
                yield [*start, *odd.option_strings[:1], *[value] * n, *rest]


class Hangs(BaseException):
    """Nothing that a command may catch."""


def stop(signum: int, frame: FrameType | None) -> None:
    raise Hangs


def fault(line: list[str], capsys: pytest.CaptureFixture[str]) -> str | None:
    """What is wrong with the end of a command, if anything is."""
    signal.alarm(LIMIT)
    try:
        status = cli.main(line)
    except SystemExit as er:  # by argparse
        status = int(str(er.code))
    except BaseException as er:
        return repr(er)
    finally:
        signal.alarm(0)
    said = capsys.readouterr().err.splitlines()
    said = [each for each in said if not each.startswith(("usage: ", "  "))]
    if status not in (0, cli.FAILED, 2):
        return f"status {status}"
    if any("Traceback" in each or "fault of microlite" in each for each in said):
        return said[-1]
    if status == 2 and not (len(said) == 1 and said[0].startswith("microlite")):
        return f"says {said}"
    return None


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_odd_arguments(
    name: str, folder: Path, micropython: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.signal(signal.SIGALRM, stop)
    try:
        tried = {tuple(each[:60] for each in line): fault(line, capsys) for line in lines(name)}
    finally:
        signal.signal(signal.SIGALRM, before)
    assert {line: text for line, text in tried.items() if text} == {}


def test_every_argument_is_tried() -> None:
    """Of the commands that take any."""
    takes_none = [name for name in cli.COMMANDS if not any(lines(name))]
    assert takes_none == ["boards"]
    assert all(len(list(lines(name))) % len(ODD) == 0 for name in cli.COMMANDS)


def test_nested_too_deep(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def deep(arguments: object) -> None:
        deep(arguments)

    monkeypatch.setattr(cli, "_parse", deep)
    assert cli.main(["boards"]) == 2
    assert capsys.readouterr().err == "microlite: folders or data are nested too deep\n"


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("", "nothing stands after --board: an empty variable of the shell?"),
        ("a\0b", "a\\x00b after --board: not a text that an argument can be"),
    ],
)
def test_what_no_argument_can_be(capsys: pytest.CaptureFixture[str], word: str, says: str) -> None:
    assert cli.main(["inspect", "m.tflite", "--board", word]) == 2
    assert capsys.readouterr().err == f"microlite: {says}\n"
