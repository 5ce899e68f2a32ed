# The source of motion: an accelerometer MPU-6050 at I2C, in thousandths of g, 25 readings a second
# while a button is held, which connects its pin to ground. Adapt the pins to your board. Checked
# against the stubs and the data sheet, not yet run.

import struct
import time
from array import array

from machine import I2C, Pin

ADDRESS = 0x68
PERIOD_MS = 40


def readings(i2c, button):
    xyz = array("f", (0, 0, 0))
    raw = bytearray(6)
    due = time.ticks_ms()
    while not button.value():
        i2c.readfrom_mem_into(ADDRESS, 0x3B, raw)
        for i, value in enumerate(struct.unpack(">hhh", raw)):
            xyz[i] = value * 4000 / 32768
        yield xyz
        due = time.ticks_add(due, PERIOD_MS)
        time.sleep_ms(max(0, time.ticks_diff(due, time.ticks_ms())))


# The readings of one figure after the other. Arrays are the same each time, with other numbers.
def figures():
    i2c = I2C(0, scl=Pin(5), sda=Pin(4), freq=400_000)
    i2c.writeto_mem(ADDRESS, 0x6B, b"\x01")  # awake
    i2c.writeto_mem(ADDRESS, 0x1A, b"\x04")  # low-pass filter of 21 Hz
    i2c.writeto_mem(ADDRESS, 0x1C, b"\x08")  # 4 g are 32768
    button = Pin(6, Pin.IN, Pin.PULL_UP)
    while True:
        while button.value():
            time.sleep_ms(10)
        yield readings(i2c, button)
