# Microphone and LED: recordings at the speed of a microphone, and a counter. For a board copy
# hardware_i2s.py there under this name.

import asyncio
import io

SILENCE = bytes(24000)  # 0.75 s


class Recordings:
    def __init__(self, *streams):
        self._streams = list(streams)

    # As that of asyncio.StreamReader: other tasks run until there is a chunk.
    async def readinto(self, buffer):
        await asyncio.sleep_ms(len(buffer) // 32)
        while self._streams:
            if n := self._streams[0].readinto(buffer):
                return n
            self._streams.pop(0)
        return 0


def microphone():
    yes, no = (open(name + "_1000ms_sample.data", "rb") for name in ("yes", "no"))
    return Recordings(yes, io.BytesIO(SILENCE), no, io.BytesIO(SILENCE))


class Led:
    def __init__(self):
        self.on = False

    def toggle(self):
        self.on = not self.on


led = Led()
