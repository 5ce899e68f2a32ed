# The source of motion: recordings of two figures, and of a wand that lies still, in thousandths of
# g, 25 readings a second. For a sensor copy accelerometer_i2c.py to the board under this name.

import struct
from array import array

RECORDINGS = "slope_micro_f2e59fea_nohash_1.data", "ring_micro_f9643d42_nohash_4.data"


def recorded(file):
    xyz = array("f", (0, 0, 0))
    raw = bytearray(12)
    while file.readinto(raw):
        xyz[0], xyz[1], xyz[2] = struct.unpack(">fff", raw)
        if any(xyz):  # the recordings begin with zeros
            yield xyz


def still():
    xyz = array("f", (0, 0, 1000))
    for _ in range(128):
        yield xyz


# The readings of one figure after the other. Arrays are the same each time, with other numbers.
def figures():
    for name in RECORDINGS:
        with open(name, "rb") as file:
            yield recorded(file)
    yield still()
