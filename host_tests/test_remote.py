# Boards at serial ports: which one is meant, what happens when they do not answer, and that a
# script does not outlive the program that started it.

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from serial.tools import list_ports

import targets
from microlite_tools import cli
from microlite_tools.errors import BoardError, ScriptError
from microlite_tools.qemu import Board
from microlite_tools.remote import PIECE, Remote, attached, only_attached
from ports import Tap, raw_pty, silent_port

BOARD = "MPS2_AN386"


@pytest.fixture(scope="module")
def board() -> Iterator[Board]:
    with targets.board(BOARD) as board:
        yield board


class Port(SimpleNamespace):
    """What pyserial tells of a port."""

    def __lt__(self, other: "Port") -> bool:
        return bool(self.device < other.device)


def plug(monkeypatch: pytest.MonkeyPatch, *devices: str) -> None:
    """Attach boards, beside a port that is none."""
    ports = [Port(device=device, vid=0x2E8A, description="Board") for device in devices]
    none = Port(device="/dev/ttyS0", vid=None, description="n/a")
    monkeypatch.setattr(list_ports, "comports", lambda: [*ports, none])


def test_which_board(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    plug(monkeypatch, "/dev/ttyACM1")
    assert only_attached() == "/dev/ttyACM1"
    plug(monkeypatch)
    with pytest.raises(BoardError, match="no board is attached; or name its port with --connect"):
        only_attached()
    plug(monkeypatch, "/dev/ttyACM1", "/dev/ttyACM0")
    assert list(attached()) == ["/dev/ttyACM0", "/dev/ttyACM1"]
    assert cli.main(["deploy", __file__]) == 2
    assert capsys.readouterr().err == (
        "microlite: 2 boards are attached: choose one with --connect: "
        "/dev/ttyACM0 (Board), /dev/ttyACM1 (Board)\n"
    )
    with pytest.raises(BoardError, match="ports with boards: /dev/ttyACM0, /dev/ttyACM1"):
        Remote("/dev/none").__enter__()


def test_wrong_port(capsys: pytest.CaptureFixture[str]) -> None:
    for port, message in [
        ("/dev/ttyNONE", "there is no port /dev/ttyNONE; ports with boards: "),
        (__file__, f"{__file__} is no serial port, or another program has it"),
        ("nonsense://", "nonsense:// is no serial port"),
    ]:
        assert cli.main(["deploy", __file__, "--connect", port]) == 2
        assert message in capsys.readouterr().err


def test_silence_has_an_end(capfd: pytest.CaptureFixture[str]) -> None:
    with silent_port() as port:
        begun = time.monotonic()
        with pytest.raises(BoardError, match="does not answer: is it the right port"):
            Remote(port).__enter__()
        assert 4 < time.monotonic() - begun < 60
        os.close(os.open(port, os.O_RDWR | os.O_NOCTTY))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("", "it printed nothing"),
        ("Guru\r\nxPSR: 01000000\r\n", "its last line is 'xPSR: 01000000'"),
        ("on and on\r\n", "its last line is 'o"),
    ],
)
def test_emulated_boards_that_do_not_answer(
    board: Board, printed: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are given up long before the limit."""
    for name in ("qemu.ANSWER", "remote.START"):
        monkeypatch.setattr(f"microlite_tools.{name}", 1.0)
    near, far = raw_pty()
    board.device = os.ttyname(far)

    ended = threading.Event()

    def talk() -> None:
        os.read(near, 1)
        os.write(near, printed.encode())
        while "on" in printed and not ended.wait(0.01):
            os.write(near, printed.encode())

    thread = threading.Thread(target=talk)
    thread.start()
    begun = time.monotonic()
    with pytest.raises(BoardError, match=f"lost: no answer within 1 s, {said}"):
        board.run("print(1)", limit=300)
    assert time.monotonic() - begun < 200
    ended.set()
    thread.join()
    os.close(far)
    os.close(near)
    board.start()


def test_scripts_and_their_errors(board: Board) -> None:
    with Remote(board.device) as remote:
        assert remote.run("x = 1\nprint(x)") == "1\n"
        with pytest.raises(ScriptError, match="NameError"):
            remote.run("print(y)")
        assert remote.run("print(x)") == "1\n"


def test_port_goes(board: Board) -> None:
    with Tap(board.device) as tap, Remote(tap.port) as remote:
        tap.hang_up()
        with pytest.raises(BoardError, match=r"is gone|does not answer"):
            remote.run("print(1)")


def test_a_board_waits_for_a_file_of_a_program_that_is_gone(board: Board) -> None:
    with subprocess.Popen(
        [sys.executable, "-uc", LOOP.format(what="open(file).read()"), board.device, __file__],
        stdout=subprocess.PIPE,
    ) as program:
        assert program.stdout
        assert program.stdout.read(1) == b"i"
        program.kill()
    with Remote(board.device) as remote:
        assert remote.run("print(1)") == "1\n"


def test_a_board_waits_for_the_rest_of_a_piece(board: Board) -> None:
    with board.session() as transport:
        transport.exec_raw_no_follow(
            "import micropython, sys\nmicropython.kbd_intr(-1)\nprint('in')\n"
            f"sys.stdin.buffer.readinto(bytearray({PIECE}))\nmicropython.kbd_intr(3)"
        )
        transport.read_until(1, b"in\r\n")
    with Remote(board.device) as remote:
        assert remote.run("print(1)") == "1\n"


def test_restart_runs_main(board: Board) -> None:
    with Remote(board.device) as remote:
        remote.run("open('main.py', 'w').write('left = 7')")
        remote.restart()
    with Remote(board.device, reset=False) as remote:
        assert remote.run("print(left)\nimport os\nos.remove('main.py')") == "7\n"


LOOP = """
import signal, sys
from pathlib import Path
from microlite_tools.remote import Remote
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
with Remote(sys.argv[1]) as remote:
    file, = remote.share(Path(sys.argv[2]))
    remote.run(f"file = {{file!r}}\\nprint('in')\\nwhile True: {what}", echo=print)
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("what", ["pass", "open(file).read()"])
def test_a_script_ends_with_its_program(board: Board, end: signal.Signals, what: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-uc", LOOP.format(what=what), board.device, __file__],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as program:
        assert program.stdout
        assert program.stdout.read(1) == b"i"
        time.sleep(0.5)
        program.send_signal(end)
        assert program.wait(30)
    # Nobody has interrupted it since: a friendly REPL answers at once.
    port = os.open(board.device, os.O_RDWR | os.O_NOCTTY)
    try:
        os.write(port, b"print(1 + 1)\r")
        said = b""
        while b")\r\n2\r\n" not in said:
            said += os.read(port, 100)
    finally:
        os.close(port)
