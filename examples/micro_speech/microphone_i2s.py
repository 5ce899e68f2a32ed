# The source of sound: a microphone such as INMP441 or ICS-43434 at I2S. Adapt the pins to your
# board. Checked against the stubs, not yet run.

from machine import I2S, Pin


def open():
    return I2S(
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
