# Soft resets of a board with models loaded and running: the next start finds a heap as new, and
# nothing of what was before.

from pathlib import Path

import pytest

from microlite_tools import romfs
from microlite_tools.qemu import Board, board_names

# Leaves a model of each kind behind, and tells what it found.
SCRIPT = """
import asyncio, gc, microlite
gc.collect()
free = gc.mem_free()
arena = bytearray(100000)
own = microlite.Model("person_detection_grayscale.tflite", copy=True)
other = microlite.Model("hello_world.tflite", arena=arena)
asyncio.new_event_loop()
async def main():
    asyncio.create_task(other.ainvoke(0))
    await asyncio.sleep_ms(0)
for _ in range(2):
    y = other.predict([1])[0]
with open("person_image_data_grayscale.data", "rb") as f:
    own.inputs[0].write_raw(f.read())
own.on_op = gc.collect
own.invoke()
view = own.outputs[0].data
try:
    microlite.Model("hello_world.tflite", arena=arena)
except ValueError:
    print(free, "%.4f" % y, list(view))
other.inputs[0].write([1])
asyncio.run(main())
"""


@pytest.mark.parametrize("name", board_names())
def test_twenty_resets(name: str, build: Path, crate_models: Path, tmp_path: Path) -> None:
    firmware = build / name / "firmware.elf"
    if not firmware.exists():
        pytest.skip(f"{firmware} is not built")
    image = tmp_path / "models.romfs"
    image.write_bytes(romfs.build(romfs.collect(crate_models)))
    with Board(name, firmware, romfs=image) as board:
        told = {board.run(SCRIPT, chdir="/rom") for _ in range(20)}
    assert len(told) == 1, told
    free, y, scores = told.pop().split(maxsplit=2)
    assert (y, scores) == ("0.8815", "[43, 250, 44]\n")
    assert int(free) > 1_900_000
