# Soft resets of a board with models loaded and running: the next start finds a heap as new, and
# nothing of what was before.

from pathlib import Path

import pytest

import targets
from microlite_tools import romfs
from targets import BOARDS

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


@pytest.mark.parametrize("name", BOARDS)
def test_twenty_resets(name: str, crate_models: Path) -> None:
    with targets.runner(name, romfs.collect(crate_models)) as run:
        told = {run(SCRIPT) for _ in range(20)}
    assert len(told) == 1, told
    free, y, scores = told.pop().split(maxsplit=2)
    assert (y, scores) == ("0.8815", "[43, 250, 44]\n")
    assert int(free) > 1_900_000
