# The emulated boards: console, soft reset, file systems, mpremote, Ctrl-C, and what the tools do
# when the user or the board goes wrong.

import ast
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from microlite_tools import boards, romfs
from microlite_tools.errors import BoardError, ScriptError
from microlite_tools.qemu import Board, board_names
from targets import binary

FILES = {
    "odd.bin": bytes(range(251)),
    "one": b"x",
    "empty": b"",
    "large.bin": bytes(i * 7 & 255 for i in range(40000)),
    "lib/inrom.py": b"WHERE = __file__\n",
    "lib/deep/er/leaf.txt": b"leaf",
}


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("romfs") / "files,1.romfs"
    path.write_bytes(romfs.build(FILES))
    return path


@pytest.fixture(scope="module", params=board_names())
def board(request: pytest.FixtureRequest, image: Path) -> Iterator[Board]:
    with Board(request.param, binary(request.param), romfs=image) as board:
        yield board


@pytest.fixture
def any_firmware() -> Path:
    return binary("MPS2_AN386")


def read_rom(board: Board, reset: bool = True) -> dict[str, bytes]:
    """Check that the files of /rom are aligned, and return their contents."""
    output = board.run(
        "import uctypes\n"
        f"for name in {sorted(FILES)!r}:\n"
        "    view = memoryview(open('/rom/' + name, 'rb'))\n"
        "    print(repr((name, uctypes.addressof(view) % 16, bytes(view))))\n",
        reset=reset,
    )
    rows = [ast.literal_eval(line) for line in output.splitlines()]
    assert all(offset == 0 for _, offset, _ in rows)
    return {name: data for name, _, data in rows}


def test_names_its_core(board: Board) -> None:
    core = {"MPS2_AN385": "Cortex-M3", "MPS2_AN386": "Cortex-M4F", "MPS2_AN500": "Cortex-M7"}
    assert core[board.name] in board.run("import sys; print(sys.implementation._machine)")


def test_its_heap_is_as_large_as_its_file_says(board: Board) -> None:
    heap = int(board.run("import gc; print(gc.mem_free() + gc.mem_alloc())"))
    assert heap == boards.load(board.name).heap


def test_files_survive_a_soft_reset_but_no_power_cycle(board: Board) -> None:
    board.run("open('/kept.txt', 'w').write('kept')\nleft = 1")
    assert board.run("print(open('/kept.txt').read(), 'left' in globals())") == "kept False\n"
    board.stop()
    assert "kept.txt" not in board.run("import os; print(os.listdir('/'))")


def test_boot_and_main_run(board: Board) -> None:
    board.run(
        "open('/boot.py', 'w').write('booted = 1')\n"
        "open('/main.py', 'w').write('print(\"main\", booted)')"
    )
    try:
        assert board.run("print(booted)") == "1\n"  # no main.py before the raw REPL
        with board.session(limit=10) as transport:
            transport.exit_raw_repl()
            transport.serial.write(b"\x04")
            transport.read_until(1, b"main 1\r\n")
            transport.enter_raw_repl(soft_reset=False)
    finally:
        board.run("import os; os.remove('/boot.py'); os.remove('/main.py')")


def test_romfs_by_loader(board: Board) -> None:
    board.stop()
    assert read_rom(board) == FILES
    assert board.run("import inrom; print(inrom.WHERE)") == "/rom/lib/inrom.py\n"


def test_romfs_by_mpremote(board: Board, tmp_path: Path) -> None:
    changed = {**FILES, "one": b"y"}
    path = tmp_path / "changed.romfs"
    path.write_bytes(romfs.build(changed))
    deployed = board.mpremote("romfs", "deploy", str(path))
    assert deployed.returncode == 0, deployed
    assert read_rom(board) == changed
    query = board.mpremote("romfs", "query").stdout
    assert f"ROMFS image size: {path.stat().st_size - romfs.HEADER}" in query


def test_romfs_of_mpremote_mounts_too(board: Board, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a.txt").write_text("plain")
    assert board.mpremote("romfs", "deploy", str(tmp_path / "plain")).returncode == 0
    assert board.run("print(open('/rom/a.txt').read())") == "plain\n"
    board.stop()


def test_mpremote_copies_mounts_and_runs(board: Board, tmp_path: Path) -> None:
    data = bytes(range(256)) * 20
    (tmp_path / "a.bin").write_bytes(data)
    (tmp_path / "script.py").write_text("print(sum(open('/a.bin', 'rb').read()))")
    assert board.mpremote("cp", str(tmp_path / "a.bin"), ":/a.bin").returncode == 0
    assert board.mpremote("run", str(tmp_path / "script.py")).stdout == f"{sum(data)}\n"
    assert board.mpremote("cp", ":/a.bin", str(tmp_path / "b.bin")).returncode == 0
    assert (tmp_path / "b.bin").read_bytes() == data
    code = "print(sum(open('/remote/a.bin', 'rb').read()))"
    assert str(sum(data)) in board.mpremote("mount", str(tmp_path), "exec", code).stdout
    failed = board.mpremote("exec", "1/0")
    assert failed.returncode == 1
    assert "ZeroDivisionError" in failed.stdout + failed.stderr


@pytest.mark.parametrize(
    "loop",
    [
        "while True: pass",
        "time.sleep(1000)",
        "time.sleep_us(1); sys.stdin.read(1)",
        "select.poll().poll(100000)",
        "asyncio.run(asyncio.wait_for(asyncio.Event().wait(), 1000))",
    ],
)
def test_control_c(board: Board, loop: str) -> None:
    with board.session() as transport:
        transport.exec_raw_no_follow(f"import asyncio, select, sys, time\nprint('in')\n{loop}")
        transport.read_until(1, b"in\r\n")
        time.sleep(0.1)
        transport.serial.write(b"\x03")
        output, error = transport.follow(10)
        assert output == b""
        assert error.splitlines()[-1].startswith(b"KeyboardInterrupt")
        assert transport.exec("print('alive')") == b"alive\r\n"


def test_control_c_while_a_script_is_compiled(board: Board) -> None:
    board.run(
        "with open('/main.py', 'w') as file:\n"
        "    for _ in range(5000): file.write('x = [1, 2, 3]\\n')\n"
        "    file.write('while True: pass\\n')"
    )
    try:
        with board.session() as transport:
            transport.exit_raw_repl()
            transport.serial.write(b"\x04")
            transport.read_until(1, b"soft reboot\r\n")
            transport.serial.write(b"\x03")
            transport.serial.timeout = 10
            assert b"KeyboardInterrupt" in transport.read_until(1, b">>> ", timeout=10)
    finally:
        board.run("import os\nos.remove('/main.py')")


def test_input_is_never_lost(board: Board) -> None:
    data = bytes(i & 127 | 64 for i in range(20000))
    with board.session() as transport:
        transport.exec_raw_no_follow(
            f"import sys, time\nprint('in')\ntime.sleep(0.5)\n"
            f"print(sum(sys.stdin.buffer.read({len(data)})))"
        )
        transport.read_until(1, b"in\r\n")
        transport.serial.write(data)
        assert transport.follow(30) == (b"%d\r\n" % sum(data), b"")


def test_script_error(board: Board) -> None:
    with pytest.raises(ScriptError, match="ValueError: wrong") as caught:
        board.run("print('before')\nraise ValueError('wrong')")
    assert caught.value.output == "before\n"


def test_a_fault_is_told_at_once(board: Board) -> None:
    code = (
        "@micropython.asm_thumb\ndef undefined():\n    data(2, 0xDE00)\nprint('in')\nundefined()"
    )
    with pytest.raises(BoardError, match=r"lost: HardFault exception caught: R0: .*xPSR: "):
        board.run(code)


def test_time_limit_and_reset_start_the_board_anew(board: Board) -> None:
    with pytest.raises(BoardError, match="no end within 1 s"):
        board.run("while True: pass", limit=1)
    with pytest.raises(BoardError, match="no end within 1 s"):
        board.mpremote("exec", "while True: print(1)", limit=1)
    with pytest.raises(BoardError, match="the board was lost"):
        board.run("import machine; machine.reset()")
    assert board.run("print(1)") == "1\n"


def test_instruction_counts_are_exact(any_firmware: Path) -> None:
    script = (
        "import micropython\nfrom machine import mem32\n"
        "mem32[0x40000008] = mem32[0x40000004] = 0xffffffff\nmem32[0x40000000] = 1\n"
        "@micropython.viper\ndef count(n: int):\n    for i in range(n): pass\n"
        "start = mem32[0x40000004]\ncount(100000)\nprint(start - mem32[0x40000004])\n"
    )
    counts = set()
    for _ in range(2):
        with Board("MPS2_AN386", any_firmware, icount=True) as board:
            counts.add(int(board.run(script)))
    assert len(counts) == 1
    assert 40 * counts.pop() > 100000


def test_mistakes_are_named(
    any_firmware: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BoardError, match=r"no board MPS2; boards: .*MPS2_AN386"):
        Board("MPS2")
    with pytest.raises(BoardError, match="make firmware BOARD=MPS2_AN386"):
        Board("MPS2_AN386", tmp_path / "firmware.elf").start()
    with pytest.raises(BoardError, match="no ROMFS image"):
        Board("MPS2_AN386", any_firmware, romfs=tmp_path / "x.romfs")
    (tmp_path / "text.elf").write_text("no ELF")
    with pytest.raises(BoardError), Board("MPS2_AN386", tmp_path / "text.elf") as board:
        board.run("print(1)", limit=5)
    qemu = tmp_path / "qemu-system-arm"
    qemu.write_text("#!/bin/sh\necho redirected to /dev/pts/987654\necho could not load kernel\n")
    qemu.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), os.pathsep)
    with pytest.raises(BoardError, match=r"(?s)did not start: .*could not load kernel"):
        Board("MPS2_AN386", any_firmware).start()
    qemu.unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BoardError, match="qemu-system-arm is not installed"):
        Board("MPS2_AN386", any_firmware).start()


def processes_of(marker: Path) -> list[str]:
    """The processes with a file in their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            if str(marker).encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_qemu_ends_with_the_tool(any_firmware: Path, tmp_path: Path, kill: signal.Signals) -> None:
    marker = tmp_path / "firmware.elf"
    marker.symlink_to(any_firmware)
    (tmp_path / "loop.py").write_text("print('in')\nwhile True: pass\n")
    command = ["-m", "microlite_tools.qemu", "MPS2_AN386", "--firmware", str(marker), "run"]
    with subprocess.Popen(
        [sys.executable, *command, str(tmp_path / "loop.py")], stdout=subprocess.PIPE
    ) as tool:
        assert tool.stdout
        assert tool.stdout.read(3) == b"in\n"
        assert processes_of(marker)
        tool.send_signal(kill)
        assert tool.wait(10) == (-kill if kill == signal.SIGKILL else 128 + kill)
    for _ in range(20):
        if not processes_of(marker):
            break
        time.sleep(0.1)
    assert not processes_of(marker)


def test_command_runs_tests(any_firmware: Path, tmp_path: Path) -> None:
    good, bad = tmp_path / "test_good.py", tmp_path / "test_bad.py"
    text = (
        "import unittest\nclass Case(unittest.TestCase):\n"
        "    def test_it(self): self.assertEqual(1, {})\n"
        "    @unittest.skip('no')\n    def test_not(self): pass\nunittest.main()\n"
    )
    good.write_text(text.format(1))
    bad.write_text(text.format(2))
    command = [sys.executable, "-m", "microlite_tools.qemu", "MPS2_AN386"]
    command += ["--firmware", str(any_firmware), "test"]
    run = subprocess.run([*command, str(good)], check=False, capture_output=True, text=True)
    assert (run.returncode, run.stdout.splitlines()[-1]) == (
        0,
        "== MPS2_AN386: 2 tests, 0 failures, 0 errors, 1 skipped",
    )
    run = subprocess.run(
        [*command, str(bad), str(good)], check=False, capture_output=True, text=True
    )
    assert (run.returncode, run.stdout.splitlines()[-1]) == (
        1,
        "== MPS2_AN386: 4 tests, 1 failures, 0 errors, 2 skipped",
    )
