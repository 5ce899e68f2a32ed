# What calls of Model cost on top of the engine: instructions on the emulated Cortex-M4F.

from pathlib import Path

import pytest

import bench
import goldens
from microlite_tools import romfs
from microlite_tools.qemu import Board

BOARD = "MPS2_AN386"
MODEL = goldens.CRATES / "hello_world.tflite"
ROUNDS = 20

# The most instructions over the engine's own.
LIMITS = {"invoke": 1500, "predict": 6000}

SCRIPT = f"""\
import gc
from array import array
from machine import mem32

import microlite

TICKS = 0x40000004
mem32[0x40000008] = mem32[TICKS] = 0xFFFFFFFF
mem32[0x40000000] = 1


# Ticks of {ROUNDS} calls, without those of the loop.
def count(call):
    gc.collect()
    start = mem32[TICKS]
    for _ in range({ROUNDS}):
        call()
    return start - mem32[TICKS]


def nothing():
    pass


def invoke():
    model.invoke()


def predict():
    model.predict(values)


model = microlite.Model({MODEL.name!r}, keep_inputs=True)
values = [1.0]
model.predict(values)
spent = count(nothing)
print(repr({{f.__name__: count(f) - spent for f in (invoke, predict)}}))
"""


@pytest.fixture(scope="module")
def overheads(build: Path) -> dict[str, float]:
    firmware = build / BOARD / "firmware.elf"
    if not firmware.exists():
        pytest.skip(f"{firmware} is not built")
    row, _ = bench.measure(bench.load_board(BOARD), "overhead", MODEL)
    image = build / "overhead.romfs"
    image.write_bytes(romfs.build({MODEL.name: MODEL.read_bytes()}))
    with Board(BOARD, firmware, romfs=image, icount=True) as board:
        ticks: dict[str, int] = eval(board.run(SCRIPT, chdir="/rom"))
    per_tick = bench.INSTRUCTIONS_PER_TICK / ROUNDS
    return {name: n * per_tick - row.instructions for name, n in ticks.items()}


@pytest.mark.parametrize("call", LIMITS)
def test_overhead(overheads: dict[str, float], call: str) -> None:
    assert 0 < overheads[call] <= LIMITS[call], overheads
