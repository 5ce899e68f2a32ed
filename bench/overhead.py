# What calls of Model cost on top of the engine: instructions on the emulated Cortex-M4F.

import tempfile
from pathlib import Path

from microlite_tools import romfs
from microlite_tools.qemu import Board
from rows import INSTRUCTIONS_PER_TICK
from workload import models

BOARD = "MPS2_AN386"
NAME = "hello_world"
MODEL = models()[NAME]
ROUNDS = 20

SCRIPT = f"""\
import gc
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


def overheads(firmware: Path, own: int) -> dict[str, float]:
    """Instructions of each call over the engine's own for that model."""
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "overhead.romfs"
        image.write_bytes(romfs.build({MODEL.name: MODEL.read_bytes()}))
        with Board(BOARD, firmware, romfs=image, icount=True) as board:
            ticks: dict[str, int] = eval(board.run(SCRIPT, chdir="/rom"))
    per_tick = INSTRUCTIONS_PER_TICK / ROUNDS
    return {name: n * per_tick - own for name, n in ticks.items()}
