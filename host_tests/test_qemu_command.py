# python -m microlite_tools.qemu: an emulated board that other commands use like an attached one.

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import targets
from microlite_tools import cli
from microlite_tools.errors import BoardError
from microlite_tools.remote import Remote

BOARD = "MPS2_AN386"
COMMAND = [sys.executable, "-m", "microlite_tools.qemu", BOARD]


@pytest.fixture(autouse=True)
def firmware() -> None:
    targets.binary(BOARD)


def test_serve(crate_models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with subprocess.Popen([*COMMAND, "serve"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            first, second = process.stdout.readline(), process.stdout.readline()
            *command, port = second.split()
            assert first.startswith(f"{BOARD} is attached as {port} ")
            assert command == ["microlite", "inspect", "MODEL", "--connect"]
            for _ in range(2):
                model = str(crate_models / "sine.tflite")
                assert cli.main(["inspect", model, "--connect", port]) == 0
                assert f"runs on the board at {port}" in capsys.readouterr().out
            process.send_signal(signal.SIGINT)
            assert process.wait(10) == 0
        finally:
            process.kill()


def test_serve_a_board_that_ends() -> None:
    with subprocess.Popen(
        [*COMMAND, "serve"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        port = process.stdout.readline().split()[4]
        with pytest.raises(BoardError), Remote(port) as remote:
            remote.run("import machine\nmachine.reset()")
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (1, f"microlite: {BOARD} has ended\n")


def test_repl_without_a_terminal() -> None:
    done = subprocess.run([*COMMAND, "repl"], input="", capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "microlite: repl needs a terminal as its input; `run` takes scripts\n"
