# Emulated boards: starts QEMU with a board's firmware and talks to it through mpremote.
#
# The console is a pseudo-terminal: mpremote reads it without polling. QEMU ends with the Board
# that started it, also when Python is killed.

"""Run scripts, tests or mpremote on an emulated board, or let it be used like an attached one."""

from __future__ import annotations

import argparse
import errno
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from mpremote.transport import TransportError, TransportExecError
from mpremote.transport_serial import SerialTransport

from . import boards
from .errors import BoardError, ScriptError, UserError
from .remote import Echo, enter_raw_repl, run_script

ROOT = Path(__file__).resolve().parents[2]
QEMU = "qemu-system-arm"
LIMIT = 60.0  # seconds that a script may take unless told otherwise
ANSWER = 50.0  # seconds within which a board is at its raw REPL, also on a busy PC; below LIMIT


def board_names() -> list[str]:
    """Return the boards that this project supplies."""
    return boards.names("qemu")


def board_variables(name: str) -> dict[str, str]:
    """Return what a board's makefile sets: QEMU_MACHINE, MPS2_PSRAM and others."""
    if name not in board_names():
        raise BoardError(f"there is no board {name}; boards: {' '.join(board_names())}")
    text = (ROOT / "boards" / name / "mpconfigboard.mk").read_text()
    return dict(re.findall(r"^(\w+) *= *(.*?) *$", text, re.MULTILINE))


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(0.5)
    except subprocess.TimeoutExpired:
        return False
    return True


class Board:
    """An emulated board, running while its `with` block does.

    `romfs` is an image for the ROMFS window. With `icount` the clock counts instructions, one
    nanosecond each, so that timers measure work and not the host. A board that has ended, by
    machine.reset() or at a time limit, is started anew by the next call.
    """

    def __init__(
        self,
        name: str,
        firmware: Path | None = None,
        *,
        romfs: Path | None = None,
        icount: bool = False,
    ) -> None:
        variables = board_variables(name)
        self.name = name
        self.firmware = firmware or ROOT / "build" / name / "firmware.elf"
        self.device = ""  # the console, as mpremote names it
        self._process: subprocess.Popen[bytes] | None = None
        self._held: int | None = None
        self._arguments = ["-machine", variables["QEMU_MACHINE"], "-kernel", str(self.firmware)]
        self._arguments += ["-display", "none", "-monitor", "none", "-semihosting"]
        if icount:
            self._arguments += ["-icount", "shift=0"]
        if romfs:
            if not romfs.is_file():
                raise BoardError(f"there is no ROMFS image {romfs}")
            file = str(romfs).replace(",", ",,")
            loader = f"loader,file={file},addr={variables['MPS2_PSRAM']},force-raw=on"
            self._arguments += ["-device", loader]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Power the board on."""
        if not self.firmware.is_file():
            raise BoardError(f"{self.firmware} is not built: make firmware BOARD={self.name}")
        if not shutil.which(QEMU):
            raise BoardError(f"{QEMU} is not installed (Debian: apt install qemu-system-arm)")
        self.stop()
        # setpriv: the kernel ends QEMU when this process dies, however it dies.
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", QEMU, *self._arguments, "-serial", "pty"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._process = process
        assert process.stdout
        said = b""
        for line in process.stdout:
            said += line
            match = re.search(rb"redirected to (/dev/pts/\d+)", line)
            if match:
                self.device = match[1].decode()
                # Held open, for QEMU looks for a new connection once a second only.
                try:
                    self._held = os.open(self.device, os.O_RDWR | os.O_NOCTTY)
                    return
                except OSError as er:
                    if er.errno not in (errno.ENOENT, errno.EIO):
                        raise
                    # QEMU has ended, and why is what it says next.
        raise BoardError(f"{QEMU} did not start: {said.decode(errors='replace').strip()}")

    def stop(self) -> None:
        """Power the board off."""
        if self._process:
            self._process.kill()
            self._process.communicate()
            self._process = None
        if self._held is not None:
            os.close(self._held)
            self._held = None

    @contextmanager
    def _limited(self, limit: float) -> Iterator[None]:
        """Start the board if it is off, end it at the time limit, and name what went wrong."""
        if self._process is None or self._process.poll() is not None:
            self.start()
        process = self._process
        assert process
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            process.kill()

        timer = threading.Timer(limit, expire)
        timer.start()
        lost: Exception | None = None
        try:
            yield
        except TransportExecError:
            raise
        except (TransportError, OSError, struct.error) as er:
            # An OSError may also be an honest answer, such as ENOENT from the board.
            if isinstance(er, OSError) and not _has_ended(process):
                raise
            lost = er
        finally:
            timer.cancel()
        if expired.is_set():
            raise BoardError(f"{self.name}: no end within {limit:g} s") from lost
        if lost:
            self.stop()
            raise BoardError(f"{self.name}: the board was lost: {lost}") from lost

    @contextmanager
    def session(self, *, reset: bool = True, limit: float = LIMIT) -> Iterator[Any]:
        """Give mpremote's SerialTransport at the raw REPL, after a soft reset unless told not to.

        What is done in the block may take `limit` seconds.
        """
        with self._limited(limit):
            transport = SerialTransport(self.device, timeout=ANSWER)
            try:
                enter_raw_repl(transport, reset=reset, limit=ANSWER)
                transport.serial.timeout = None  # the limit ends what comes
                yield transport
                transport.exit_raw_repl()
            finally:
                transport.close()

    def run(
        self,
        source: str,
        *,
        chdir: str | None = None,
        reset: bool = True,
        limit: float = LIMIT,
        echo: Echo | None = None,
    ) -> str:
        """Run a script and return what it printed; `echo` gets that as it comes.

        Raises ScriptError if it ends with an exception.
        """
        with self.session(reset=reset, limit=limit) as transport:
            if chdir:
                transport.exec(f"__import__('os').chdir({chdir!r})")
            return run_script(transport, source, echo)

    def mpremote(self, *arguments: str, limit: float = LIMIT) -> subprocess.CompletedProcess[str]:
        """Run the command mpremote on the board and return what it printed and its status."""
        with self._limited(limit):
            return subprocess.run(
                self._mpremote_command(arguments),
                check=False,
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
            )

    def mpremote_on_terminal(self, *arguments: str) -> int:
        """Run mpremote on this terminal, without a time limit, and return its status."""
        return subprocess.call(self._mpremote_command(arguments))

    def wait(self) -> None:
        """Return when the board has ended by itself."""
        assert self._process
        self._process.wait()

    def _mpremote_command(self, arguments: Sequence[str]) -> list[str]:
        return [sys.executable, "-m", "mpremote", "connect", self.device, *arguments]


@dataclass
class Totals:
    """What runs of unittest add up to."""

    tests: int = 0
    failures: int = 0
    errors: int = 0
    skipped: int = 0

    def add(self, output: str) -> bool:
        """Add the summary at the end of a run's output; False if there is none."""
        match = re.search(r"^Ran (\d+) tests? in .*\n(?:OK|FAILED)(.*)\s*\Z", output, re.MULTILINE)
        if not match:
            return False
        self.tests += int(match[1])
        for name, count in re.findall(r"(\w+)=(\d+)", match[2]):
            setattr(self, name, getattr(self, name) + int(count))
        return True

    def __str__(self) -> str:
        return (
            f"{self.tests} tests, {self.failures} failures, {self.errors} errors, "
            f"{self.skipped} skipped"
        )


def _print(text: str) -> None:
    print(text, end="", flush=True)


def _run_scripts(board: Board, args: argparse.Namespace) -> int:
    for script in args.files:
        try:
            board.run(script.read_text(), chdir=args.chdir, limit=args.limit, echo=_print)
        except ScriptError as er:
            print(er, end="", file=sys.stderr)
            return 1
    return 0


def _serve(board: Board) -> int:
    print(f"{board.name} is attached as {board.device} until Ctrl-C; for example:")
    print(f"microlite inspect MODEL --connect {board.device}", flush=True)
    try:
        board.wait()
    except KeyboardInterrupt:
        return 0
    raise BoardError(f"{board.name} has ended")


def _run_tests(board: Board, args: argparse.Namespace) -> int:
    totals = Totals()
    failed = False
    for script in args.files:
        print(f"== {script.name} on {board.name}")
        try:
            source = script.read_text()
            output = board.run(source, chdir=args.chdir, limit=args.limit, echo=_print)
        except ScriptError as er:
            print(er, end="")
            output = er.output
            failed = True
        except BoardError as er:
            print(f"\n{er}")
            output = ""
            failed = True
        if not totals.add(output):
            print(f"{script.name} printed no summary")
            failed = True
    print(f"== {board.name}: {totals}")
    return int(failed)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m microlite_tools.qemu", description=__doc__)
    parser.add_argument("board", help="a folder of boards/")
    parser.add_argument("--firmware", type=Path, help="default: build/BOARD/firmware.elf")
    parser.add_argument("--romfs", type=Path, help="image for the ROMFS window, mounted at /rom")
    parser.add_argument("--icount", action="store_true", help="one nanosecond per instruction")
    parser.add_argument("--chdir", metavar="DIR", help="folder of the board to run scripts in")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds per script")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (("run", "run scripts"), ("test", "run unittest files, print totals")):
        command = commands.add_parser(name, help=text)
        command.add_argument("files", type=Path, nargs="+", metavar="FILE")
    commands.add_parser("serve", help="print the board's port, for other commands, until Ctrl-C")
    commands.add_parser("repl", help="talk to the board; Ctrl-] ends it")
    command = commands.add_parser("mpremote", help="run mpremote on the board")
    command.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...")
    return parser.parse_args()


def main() -> int:
    args = _parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        with Board(args.board, args.firmware, romfs=args.romfs, icount=args.icount) as board:
            if args.command == "run":
                return _run_scripts(board, args)
            if args.command == "test":
                return _run_tests(board, args)
            if args.command == "serve":
                return _serve(board)
            if args.command == "repl" and not sys.stdin.isatty():
                raise BoardError("repl needs a terminal as its input; `run` takes scripts")
            if args.command == "repl":
                return board.mpremote_on_terminal("repl")
            return board.mpremote_on_terminal(*args.arguments)
    except (UserError, OSError) as er:
        print(f"microlite: {er}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
