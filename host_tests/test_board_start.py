# Emulated boards hear what is typed while they start: one is stopped, by the debugger's protocol
# of QEMU, where its UART receives but asks for no interrupts yet.

import os
import re
import select
import socket
import subprocess
import time
from pathlib import Path

import pytest

import targets
from microlite_tools.qemu import Board

SECONDS = 10
LR = 14  # the register that holds where a function returns to
PROMPT = b"raw REPL; CTRL-B to exit\r\n>"


class Stopped(Board):
    """A board that stands at its first instruction until a debugger lets it go."""

    def __init__(self, name: str, firmware: Path, port: Path) -> None:
        super().__init__(name, firmware)
        self._arguments += ["-S", "-gdb", f"unix:{port},server=on,wait=off"]


class Debugger:
    """The few packets of GDB's remote serial protocol that are needed."""

    def __init__(self, port: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(SECONDS)
        end = time.monotonic() + SECONDS
        while not port.exists() and time.monotonic() < end:
            time.sleep(0.01)
        self._socket.connect(str(port))

    def __enter__(self) -> "Debugger":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def send(self, packet: str) -> None:
        self._socket.sendall(f"${packet}#{sum(packet.encode()) & 255:02x}".encode())

    def ask(self, packet: str) -> str:
        self.send(packet)
        reply = b""
        while not (match := re.search(rb"\$(.*)#..$", reply)):
            reply += self._socket.recv(4096)
        self._socket.sendall(b"+")
        return match[1].decode()

    def run_to(self, address: int) -> None:
        assert self.ask(f"Z0,{address:x},2") == "OK"
        assert self.ask("c").startswith("T05")
        assert self.ask(f"z0,{address:x},2") == "OK"

    def register(self, number: int) -> int:
        registers = bytes.fromhex(self.ask("g")[: 8 * (number + 1)])
        return int.from_bytes(registers[-4:], "little")


def address_of(function: str, firmware: Path) -> int:
    symbols = subprocess.run(
        ["arm-none-eabi-nm", firmware], capture_output=True, text=True, check=True
    ).stdout
    match = re.search(rf"^(\w+) T {function}$", symbols, re.M)
    assert match
    return int(match[1], 16) & ~1


@pytest.mark.parametrize("name", targets.BOARDS)
def test_bytes_before_the_first_interrupt(name: str, tmp_path: Path) -> None:
    firmware, port = targets.binary(name), tmp_path / "gdb"
    with Stopped(name, firmware, port) as board, Debugger(port) as debugger:
        debugger.run_to(address_of("uart_init", firmware))
        debugger.run_to(debugger.register(LR) & ~1)
        console = os.open(board.device, os.O_RDWR | os.O_NOCTTY)
        try:
            os.write(console, b"\r\x01")
            time.sleep(2)  # QEMU looks once a second whether somebody has opened the console
            debugger.send("c")
            said = b""
            while not said.endswith(PROMPT):
                ready, _, _ = select.select([console], [], [], SECONDS)
                assert ready, f"silent after {said!r}"
                said += os.read(console, 4096)
        finally:
            os.close(console)
