# An LED blinks while the board listens: the model runs in slices of 2 ms, between which other
# tasks have their turn.

import asyncio
from time import ticks_diff, ticks_ms

import hardware
import microlite
from microlite.audio import FrontEnd
from microlite.stream import Chunks, Scores, Stream, Window

LABELS = "silence", "unknown", "yes", "no"
ROW_MS = 20
BLINK_MS = 50

blinks = 0


async def blink():
    global blinks
    while True:
        hardware.led.toggle()
        blinks += 1
        await asyncio.sleep_ms(BLINK_MS)


async def listen(model):
    front_end = FrontEnd("pcan", stride_ms=ROW_MS)
    window = Window(model.inputs[0], len(front_end.row))
    scores = Scores(len(LABELS), ignore=(0, 1))
    chunks = Chunks(hardware.microphone(), bytearray(640))
    async for row in Stream(chunks, front_end.feed):
        if window.append(row) and window.count % 4 == 0:
            window.write()
            await model.ainvoke(slice_ms=2)
            word = scores.update(model.outputs[0], window.count * ROW_MS)
            if word is not None:
                print('heard "%s"' % LABELS[word])


async def main():
    started = ticks_ms()
    blinking = asyncio.create_task(blink())
    with microlite.Model("micro_speech.tflite") as model:
        await listen(model)
    blinking.cancel()
    print("blinked %d times in %d ms" % (blinks, ticks_diff(ticks_ms(), started)))


asyncio.run(main())
