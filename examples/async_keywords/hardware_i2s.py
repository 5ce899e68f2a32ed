# Microphone and LED: one such as INMP441 at I2S, and one at a pin. Adapt the pins to your board.
# Checked against the stubs, not yet run.

import asyncio

from machine import I2S, Pin


def microphone():
    i2s = I2S(
        0,
        sck=Pin(10),
        ws=Pin(11),
        sd=Pin(12),
        mode=I2S.RX,
        bits=16,
        format=I2S.MONO,
        rate=16000,
        ibuf=16000,  # half a second
    )
    return asyncio.StreamReader(i2s)


class Led:
    def __init__(self, pin):
        self._pin = Pin(pin, Pin.OUT, value=0)

    def toggle(self):
        self._pin.value(not self._pin.value())


led = Led(2)
