# What scripts of this folder share: models of the crates whose answers are known, files, what a
# FlatBuffer consists of, and the heap in use.

import gc
import hashlib
import os
import struct
import sys
import unittest
from binascii import hexlify

ON_BOARD = sys.platform == "qemu"

SINE = "hello_world.tflite"
X, Y = 1, 0.8814837
OTHER_X, OTHER_Y = 3, 0.1695161
PERSON = "person_detection_grayscale.tflite"
FRAME = "person_image_data_grayscale.data"
SCORES = [43, 250, 44]
LONG = 1024


class TestCase(unittest.TestCase):
    def fails(self, error, call, *args, **kwargs):
        with self.assertRaises(error) as context:
            call(*args, **kwargs)
        return str(context.exception)


def contents(path):
    with open(path, "rb") as f:
        data = bytearray(os.stat(path)[6])
        f.readinto(data)
    return data


# Bytes in hexadecimal; many by their SHA-256.
def told(data):
    data = bytes(data)
    if len(data) > LONG:
        return "sha256:" + hexlify(hashlib.sha256(data).digest()).decode()
    return hexlify(data).decode()


def deep(n):
    return deep(n - 1) + 1 if n else 0


# Bytes in use. Stale pointers on the stack may keep something alive for a while.
def used():
    figures = []
    for n in (10, 20, 30):
        deep(n)
        gc.collect()
        figures.append(gc.mem_alloc())
    return min(figures)


# Where slot of a FlatBuffer's table lies, and where what a reference refers to does.
def slot(data, table, index):
    vtable = table - struct.unpack_from("<i", data, table)[0]
    return table + struct.unpack_from("<H", data, vtable + 4 + 2 * index)[0]


def follow(data, at):
    return at + struct.unpack_from("<I", data, at)[0]


# The tables of a vector of tables.
def tables(data, vector):
    for i in range(struct.unpack_from("<I", data, vector)[0]):
        yield follow(data, vector + 4 + 4 * i)


# The model with other builtin operators: codes {old: new}.
def with_operators(data, codes):
    for code in tables(data, follow(data, slot(data, follow(data, 0), 1))):
        at = slot(data, code, 0)
        data[at] = codes.get(data[at], data[at])
    return data
