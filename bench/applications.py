# What applications cost on the emulated Cortex-M4F, in instructions: a second of sound through
# each front end, what it takes to make that, and the runs of a keyword model, one every 80 ms; a
# camera's frame into the model that looks for persons, and its run.

import tempfile
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table

from microlite_tools import romfs
from microlite_tools.qemu import Board
from rows import INSTRUCTIONS_PER_TICK

ROOT = Path(__file__).resolve().parent.parent
BOARD = "MPS2_AN386"
RECORDING = ROOT / "build/models/yes_1000ms_sample.data"
MODEL = ROOT / "build/models/micro_speech.tflite"
CAMERA_MODEL = ROOT / "build/models/person_detect.tflite"
CHUNK = 640  # bytes
RUNS = 12  # of the model in a second

SCRIPT = f"""\
import gc
from machine import mem32

import microlite
from microlite.audio import FrontEnd
from microlite.stream import Window

TICKS = 0x40000004
mem32[0x40000008] = mem32[TICKS] = 0xFFFFFFFF
mem32[0x40000000] = 1

with open({RECORDING.name!r}, "rb") as f:
    samples = memoryview(f)
chunks = [samples[i : i + {CHUNK}] for i in range(0, len(samples), {CHUNK})]
model = microlite.Model({MODEL.name!r})


def count(call, *args):
    gc.collect()
    start = mem32[TICKS]
    result = call(*args)
    return start - mem32[TICKS], result


def feed(front_end):
    for chunk in chunks:
        for row in front_end.feed(chunk):
            pass


def slide(window, row):
    for _ in range(49):
        window.append(row)


def run(window):
    for _ in range({RUNS}):
        window.write()
        model.invoke()


spent = {{}}
for kind in ("pcan", "mfe", "mfcc"):
    spent[kind + ": set-up"], front_end = count(FrontEnd, kind)
    spent[kind], _ = count(feed, front_end)
front_end = FrontEnd()
window = Window(model.inputs[0], len(front_end.row))
spent["window"], _ = count(slide, window, front_end.row)
spent["model of keywords, {RUNS} runs"], _ = count(run, window)
model.close()
front_end = window = None

camera = microlite.Model({CAMERA_MODEL.name!r})
frame = bytearray(320 * 240 * 2)
for resample in ("nearest", "bilinear"):
    spent["frame of 320 x 240, " + resample], _ = count(
        lambda: camera.inputs[0].write_image(frame, 320, 240, "rgb565", resample=resample)
    )
spent["model of persons"], _ = count(camera.invoke)
print(repr(spent))
"""


def instructions(firmware: Path) -> dict[str, int]:
    """Of each part."""
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "models.romfs"
        files = RECORDING, MODEL, CAMERA_MODEL
        image.write_bytes(romfs.build({file.name: file.read_bytes() for file in files}))
        with Board(BOARD, firmware, romfs=image, icount=True) as board:
            ticks: dict[str, int] = eval(board.run(SCRIPT, chdir="/rom"))
    return {name: n * INSTRUCTIONS_PER_TICK for name, n in ticks.items()}


def table(spent: dict[str, int]) -> Table:
    shown = Table(title=f"a second of sound, a frame; {BOARD}", box=SIMPLE_HEAD, pad_edge=False)
    shown.add_column("")
    shown.add_column("instructions", justify="right")
    for name, n in spent.items():
        shown.add_row(name, f"{n:,}")
    return shown
