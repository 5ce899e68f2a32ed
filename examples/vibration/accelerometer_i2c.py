# The source of readings: one axis of an accelerometer MPU-6050 at I2C, which has a buffer of its
# own for 512 of them. Checked against the stubs and the data sheet, not yet run.

import time
from array import array

from machine import I2C, Pin

RATE = 1000  # readings a second, as in training
WINDOW = 128
ADDRESS = 0x68


def windows():
    i2c = I2C(0, scl=Pin(5), sda=Pin(4), freq=400_000)
    for register, value in (
        (0x6B, 0x01),  # awake, by the clock of a gyroscope
        (0x1A, 0x00),  # low-pass filter of 260 Hz, a clock of 8000 Hz
        (0x19, 8000 // RATE - 1),
        (0x1C, 0x00),  # 2 g are 32768
        (0x23, 0x08),  # the accelerometer's three axes go into the buffer
        (0x6A, 0x44),  # the buffer is emptied and used
    ):
        i2c.writeto_mem(ADDRESS, register, bytes((value,)))
    readings = array("h", bytes(2 * WINDOW))
    count = bytearray(2)
    axes = bytearray(6)
    while True:
        for i in range(WINDOW):
            while True:
                i2c.readfrom_mem_into(ADDRESS, 0x72, count)
                if count[0] << 8 | count[1] >= 6:
                    break
                time.sleep_ms(1)
            i2c.readfrom_mem_into(ADDRESS, 0x74, axes)
            z = axes[4] << 8 | axes[5]
            readings[i] = z - 0x10000 if z & 0x8000 else z
        mean = sum(readings) // WINDOW  # gravity
        for i in range(WINDOW):
            readings[i] -= mean
        yield readings
