# Boards that are attached, by mpremote's library: which one, and scripts on its raw REPL.

"""Attached boards."""

from __future__ import annotations

import errno
import io
import os
import re
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from mpremote.transport import TransportError, TransportExecError
from mpremote.transport_serial import SerialTransport
from serial import SerialException, SerialTimeoutException
from serial.tools import list_ports

from .checks import check_name
from .errors import BoardError, ScriptError

# What the qemu port prints before it stops for good.
FAULT = re.compile(rb"\w+ exception caught:\n(R\d+: .*\n)+xPSR: \w{8}$")

# What a board prints after a reset.
RESET = re.compile(rb'\nMicroPython v.*\n(Type "help\(\)".*\n)?>>> $')

SHARED = "/remote"  # where mpremote mounts a folder of this PC

ANSWER = 2.5  # seconds within which a board answers when it is asked for its raw REPL
START = 30.0  # seconds that its boot.py may take
LONGEST = 80  # characters of a line that an error tells

PIECE = 1024  # bytes of a shared file that a board asks for at a time

# A board that reads a shared file waits for all that it has asked for, and does not listen to
# Ctrl-C meanwhile: so it asks for little at a time.
PIECES = """\
def _in_pieces(self, buf, read=RemoteFile.readinto):
    view = memoryview(buf)
    step = PIECE // max(1, len(bytes(view[:1])))
    n = 0
    for i in range(0, len(view), step):
        piece = view[i : i + step]
        got = read(self, piece)
        n += got
        if got < len(bytes(piece)):
            break
    return n
RemoteFile.readinto = _in_pieces
""".replace("PIECE", str(PIECE))

# When the PC has gone, it waits for this byte, and then gives up after a second.
SYNC = b"\x18"
GIVE_UP = 1.2

# What reading and writing give when a port has gone.
GONE = (errno.EBADF, errno.EIO, errno.ENODEV, errno.ENXIO)

Echo = Callable[[str], object]


def enter_raw_repl(transport: Any, *, reset: bool, limit: float) -> None:
    """Bring a board to its raw REPL, also one that does not stop printing.

    The TransportError of one that does not answer tells what it printed last. The timeout of the
    port has to be `limit` at most.
    """
    heard = bytearray()
    read = transport.serial.read
    end = time.monotonic() + max(limit, START)

    def listen(size: int = 1) -> bytes:
        if time.monotonic() > end:
            raise TransportError("it prints without an end")
        data: bytes = read(size)
        heard.extend(data)
        return data

    transport.serial.read = listen
    try:
        with redirect_stdout(io.StringIO()):  # where mpremote prints what it got instead
            transport.enter_raw_repl(soft_reset=reset, timeout_overall=limit)
    except TransportError as er:
        lines = heard.decode(errors="replace").split("\n")
        last = next((line.strip()[-LONGEST:] for line in reversed(lines) if line.strip()), None)
        said = "it printed nothing" if last is None else f"its last line is {last!r}"
        raise TransportError(f"no answer within {limit:g} s, {said}") from er
    finally:
        del transport.serial.read


def run_script(transport: Any, source: str, echo: Echo | None = None) -> str:
    """Run a script at the raw REPL and return what it printed; `echo` gets that as it comes.

    Raises ScriptError if it ends with an exception.
    """
    output = bytearray()

    def consume(data: bytes) -> None:
        data = data.replace(b"\r", b"").replace(b"\x04", b"")
        output.extend(data)
        if echo:
            echo(data.decode(errors="replace"))
        if output[-14:-8] == b"xPSR: " and (fault := FAULT.search(output)):
            raise TransportError(" ".join(fault[0].decode().split()))
        if output.endswith(b"\n>>> ") and RESET.search(output):
            raise TransportError("it was reset")

    transport.exec_raw_no_follow(source)
    transport.read_until(1, b"\x04", timeout=None, data_consumer=consume)
    traceback = transport.read_until(1, b"\x04", timeout=None)[:-1]
    text = output.decode(errors="replace")
    if traceback:
        raise ScriptError(text, traceback.decode(errors="replace").replace("\r", ""))
    return text


def attached() -> dict[str, str]:
    """The serial ports that may be boards, those of USB, with what they call themselves."""
    ports = sorted(port for port in list_ports.comports() if port.vid is not None)
    return {port.device: port.description for port in ports}


def only_attached() -> str:
    """The port of the only board."""
    ports = attached()
    if len(ports) == 1:
        return next(iter(ports))
    if not ports:
        raise BoardError("no board is attached; or name its port with --connect")
    several = ", ".join(f"{device} ({text})" for device, text in ports.items())
    raise BoardError(f"{len(ports)} boards are attached: choose one with --connect: {several}")


def _why_closed(port: str) -> str:
    """Why a port could not be opened."""
    path = Path(port)
    if path.is_absolute() and not path.exists():
        return f"there is no port {port}"
    if path.exists() and not os.access(path, os.R_OK | os.W_OK):
        return f"you may not use {port} (on Linux, its group may: {path.group()})"
    return f"{port} is no serial port, or another program has it"


class Remote:
    """A board at a serial port, at its raw REPL while the `with` block lasts.

    The board is reset softly at first, unless `reset` is False, so that its heap is whole. At
    the end nothing runs on it, whatever ended the block.
    """

    def __init__(self, port: str, *, reset: bool = True) -> None:
        self.port = port
        self.name = f"board at {port}"
        self._reset = reset
        self._folder: TemporaryDirectory[str] | None = None
        self.transport: Any = None

    def __enter__(self) -> Self:
        try:
            self.transport = SerialTransport(self.port, timeout=ANSWER)
        except (TransportError, OSError, ValueError) as er:
            known = ", ".join(attached()) or "none"
            raise BoardError(f"{_why_closed(self.port)}; ports with boards: {known}") from er
        try:
            self.transport.serial.write_timeout = ANSWER
            self._start()
        except BaseException:
            self._close()
            raise
        return self

    def _start(self) -> None:
        try:
            with self.guarded():
                self._interrupt()
        except BoardError as er:
            raise BoardError(
                f"{self.name} does not answer: is it the right port, is MicroPython on it?"
            ) from er
        if self._reset:
            with self.guarded():
                enter_raw_repl(self.transport, reset=True, limit=START)

    def _interrupt(self) -> None:
        """Stop what runs on the board, which is then at its raw REPL."""
        # A board may wait for SYNC, or for the rest of a piece.
        for awaited in (SYNC, bytes(PIECE) + SYNC, None):
            try:
                enter_raw_repl(self.transport, reset=False, limit=ANSWER)
                return
            except TransportError:
                if not awaited:
                    raise
                self._end_sharing(awaited)

    def _end_sharing(self, awaited: bytes = SYNC) -> None:
        self.transport.serial.write(awaited)
        time.sleep(GIVE_UP)

    def restart(self) -> None:
        """Reset the board softly and leave it to its boot.py and main.py, for the last time."""
        with self.guarded():
            self.transport.umount_local()
            self.transport.exit_raw_repl()
            self.transport.serial.write(b"\x04")
            end = b"soft reboot\r\n"
            if not self.transport.read_until(1, end, timeout_overall=START).endswith(end):
                raise TransportError("no soft reset")

    def __exit__(self, _kind: object, error: object, _traceback: object) -> None:
        try:
            if self.transport.in_raw_repl and not isinstance(error, BoardError):
                self._leave(idle=error is None or isinstance(error, ScriptError))
        except (TransportError, OSError):
            pass
        finally:
            self._close()

    def _leave(self, idle: bool) -> None:
        """Leave the board at its REPL, with nothing running."""
        transport = self.transport
        if not idle:
            port = transport.serial
            if transport.mounted:  # requests for shared files are not answered any more
                transport.serial = port.orig_serial
                self._end_sharing()
            self._interrupt()
            transport.serial = port
        transport.umount_local()
        transport.exit_raw_repl()

    def _close(self) -> None:
        try:
            self.transport.close()
        except OSError:  # the port has gone
            self.transport.serial.close()
        finally:
            if self._folder:
                self._folder.cleanup()

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """What mpremote raises when a board is lost, as BoardError."""
        try:
            yield
        except TransportExecError:
            raise
        except (TransportError, SerialTimeoutException, struct.error) as er:
            raise BoardError(f"{self.name} does not answer: {er}") from er
        except OSError as er:
            if not isinstance(er, SerialException) and er.errno not in GONE:
                raise
            raise BoardError(f"{self.name} is gone: was it unplugged?") from er

    def run(self, source: str, *, echo: Echo | None = None) -> str:
        """Run a script and return what it printed; raises ScriptError if it fails."""
        with self.guarded():
            return run_script(self.transport, source, echo)

    def share(self, *files: Path) -> list[str]:
        """Make files of this PC readable by scripts, and return their paths there."""
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="microlite-")
            with self.guarded():
                folder = self.transport.eval("__import__('os').getcwd()")
                self.transport.mount_local(self._folder.name, unsafe_links=True)
                self.transport.exec(PIECES)
                self.transport.exec(f"__import__('os').chdir({folder!r})")  # mpremote has left it
        paths = []
        for i, file in enumerate(files, len(list(Path(self._folder.name).iterdir()))):
            check_name(file.name)
            link = Path(self._folder.name, str(i), file.name)
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(file.resolve())
            paths.append(f"{SHARED}/{i}/{file.name}")
        return paths
