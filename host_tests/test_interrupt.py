# Ctrl-C while models load and run: the exception comes between two operators, the model stays
# usable and gives right results. The unix port raises out of its signal handler, wherever that
# strikes. And while cmvn() works, which takes as long as there are features.

import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import targets
from microlite_tools import romfs
from microlite_tools.qemu import Board
from targets import BOARDS

# Each round runs an action over and over until a signal ends it. An interrupt that strikes
# MicroPython's own collector leaves its heap locked: no fault of the module, the script ends.
SCRIPT = """
import asyncio, gc, microlite
PERSON = "person_detection_grayscale.tflite"
with open("person_image_data_grayscale.data", "rb") as f:
    frame = f.read()
with open(PERSON, "rb") as f:
    data = f.read()
arena = bytearray(140000)
model = microlite.Model(data)
tensor = model.inputs[0]

def invoke():
    tensor.write_raw(frame)
    model.invoke()

def load():
    microlite.Model(data).close()

def load_in_buffer():
    microlite.Model(data, arena=arena).close()

def read():
    tensor.write_image(frame, 96, 96)
    tensor.write(tensor)
    tensor[5]

def check():
    microlite._microlite.check(data, None)

async def main(slice_ms):
    while True:
        tensor.write_raw(frame)
        await model.ainvoke(slice_ms)

def ainvoke():
    asyncio.new_event_loop()
    asyncio.run(main(0))

def profile():
    tensor.write_raw(frame)
    model._model.profile(1)

def hook():
    model.on_op = lambda: None
    invoke()

for action in {actions}:
    try:
        print("running")
        while True:
            action()
    except KeyboardInterrupt:
        pass
    try:
        bytearray(100)
    except MemoryError:
        print("locked")
        break
    model.on_op = None
    model.reset()
    invoke()
    gc.collect()
    with microlite.Model(data, arena=arena) as other:
        other.inputs[0].write_raw(frame)
        other.invoke()
        print(list(model.outputs[0].data), list(other.outputs[0].data))
"""
ACTIONS = [
    *("invoke", "load", "load_in_buffer", "read", "check", "ainvoke", "profile", "hook"),
]
SCORES = "[43, 250, 44]"


def storm(micropython: Path, folder: Path, actions: list[str], delays: random.Random) -> int:
    """Interrupt each action; return how many came back before MicroPython's heap was locked."""
    script = SCRIPT.replace("{actions}", f"({', '.join(actions)},)")
    with subprocess.Popen(
        [micropython, "-c", script], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            for done, action in enumerate(actions):
                assert process.stdout.readline() == "running\n", action
                time.sleep(delays.uniform(0.0, 0.02))
                process.send_signal(signal.SIGINT)
                answer = process.stdout.readline()
                if answer == "locked\n":
                    return done + 1
                assert answer == f"{SCORES} {SCORES}\n", action
            assert process.wait(10) == 0
        finally:
            process.kill()
    return len(actions)


@pytest.mark.parametrize("rounds", [30, pytest.param(500, marks=pytest.mark.soak)])
def test_storm(micropython: Path, crate_models: Path, rounds: int) -> None:
    left = ACTIONS * rounds
    delays = random.Random(1)
    starts = 0
    while left:
        left = left[storm(micropython, crate_models, left[:400], delays) :]
        starts += 1
    assert starts <= 2 + len(ACTIONS) * rounds / 20


MOVED = """
import microlite
arena = bytearray(10000)
model = microlite.Model("hello_world.tflite", arena=arena)
model.on_op = lambda: arena.extend(bytes(100000))
model.inputs[0].write([0])
try:
    model.invoke()
except RuntimeError:
    print("running")
while True:
    pass
"""


def test_after_a_buffer_moved(micropython: Path, crate_models: Path) -> None:
    """The run that found it lets signals through again."""
    words = [str(micropython), "-c", MOVED]
    with subprocess.Popen(words, cwd=crate_models, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=20)
        finally:
            process.kill()


# --- On boards ---

LOOP = """
import microlite
model = microlite.Model("person_detection_grayscale.tflite")
with open("person_image_data_grayscale.data", "rb") as f:
    frame = f.read()
count = 0
def hook():
    global count
    count += 1
    print(count)
{hook}
while True:
    model.inputs[0].write_raw(frame)
    {invoke}
"""
AFTER = """
model.on_op = None
model.reset()
model.inputs[0].write_raw(frame)
model.invoke()
print(list(model.outputs[0].data))
"""
HOOK = "model.on_op = hook"
ASYNC = "__import__('asyncio').run(model.ainvoke(0))"


@pytest.fixture(scope="module", params=BOARDS)
def board(request: pytest.FixtureRequest, crate_models: Path) -> Iterator[Board]:
    with targets.board(request.param, romfs.build(romfs.collect(crate_models))) as board:
        board.run("pass")
        yield board


@pytest.mark.parametrize("invoke", ["model.invoke()", ASYNC], ids=["invoke", "ainvoke"])
def test_control_c(board: Board, invoke: str) -> None:
    """At most the operator that runs and the one whose number is on its way are run still.

    This PC may send its Ctrl-C late, but not each time.
    """
    with board.session() as transport:
        transport.exec("import os; os.chdir('/rom')")
        late = []
        for last in (3, 40, 3, 40, 20, 30):
            transport.exec_raw_no_follow(LOOP.format(hook=HOOK, invoke=invoke))
            transport.read_until(1, b"\r\n%d\r\n" % last, timeout=60)
            transport.serial.write(b"\x03")
            output, error = transport.follow(20)
            assert error.splitlines()[-1].startswith(b"KeyboardInterrupt"), error
            assert transport.exec(AFTER) == f"{SCORES}\r\n".encode()
            late.append(len(output.split()))
        assert min(late) <= 2, late


def test_control_c_without_a_hook(board: Board) -> None:
    with board.session() as transport:
        transport.exec("import os; os.chdir('/rom')")
        for delay in (0.3, 0.8, 0.55):
            transport.exec_raw_no_follow(LOOP.format(hook="print()", invoke="model.invoke()"))
            transport.read_until(1, b"\r\n", timeout=60)
            time.sleep(delay)
            transport.serial.write(b"\x03")
            _, error = transport.follow(20)
            assert error.splitlines()[-1].startswith(b"KeyboardInterrupt"), error
            assert transport.exec(AFTER) == f"{SCORES}\r\n".encode()


NORMALISE = """
from array import array
from microlite.audio import cmvn
features, out = array("f", range(8000)), array("f", range(8000))
print()
cmvn(features, out, 1, window=15999)
"""


def test_control_c_while_normalising(board: Board) -> None:
    with board.session() as transport:
        transport.exec_raw_no_follow(NORMALISE)
        transport.read_until(1, b"\r\n", timeout=60)
        time.sleep(0.3)
        transport.serial.write(b"\x03")
        _, error = transport.follow(60)
        assert error.splitlines()[-1].startswith(b"KeyboardInterrupt"), error
        assert transport.exec("print(bytes(out) == bytes(features))") == b"True\r\n"
