# Measures what gc.collect() costs on an emulated board with a model in the heap.

"""Measure gc.collect() on an emulated Cortex-M4, with a model of 300 KB in its heap."""

import tempfile
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from microlite_tools import romfs
from microlite_tools.qemu import Board

ROOT = Path(__file__).resolve().parent.parent
BOARD = "MPS2_AN386"
FIRMWARE = ROOT / "build" / BOARD / "firmware.elf"
MODEL = ROOT / "build/models/person_detect.tflite"
INSTRUCTIONS_PER_US = 1000  # under icount
HOLDINGS = {
    "nothing": "None",
    "person_detect used in place": f"microlite.Model('/rom/{MODEL.name}')",
    "person_detect copied": f"microlite.Model(open('/rom/{MODEL.name}', 'rb').read())",
    "a bytearray of 300 KB": "bytearray(300_000)",
}
ROUNDS = 100
SCRIPT = """
import gc, time, microlite
held = {holding}
gc.collect()
start = time.ticks_us()
for _ in range({rounds}):
    gc.collect()
print(time.ticks_diff(time.ticks_us(), start))
print(held.arena_size if hasattr(held, "arena_size") else 0)
"""


def main() -> None:
    table = Table(title=f"gc.collect() on {BOARD}", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("the heap holds")
    table.add_column("arena", justify="right")
    table.add_column("instructions", justify="right")
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "models.romfs"
        image.write_bytes(romfs.build(romfs.collect(MODEL.parent)))
        for name, holding in HOLDINGS.items():
            with Board(BOARD, FIRMWARE, romfs=image, icount=True) as board:
                told = board.run(SCRIPT.format(holding=holding, rounds=ROUNDS))
            us, arena = map(int, told.split())
            table.add_row(name, f"{arena:,}", f"{us * INSTRUCTIONS_PER_US // ROUNDS:,}")
    Console().print(table)


if __name__ == "__main__":
    main()
