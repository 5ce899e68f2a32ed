# Runs front ends, spectrum() and cmvn() for host_tests/test_audio.py: jobs are literals in JOBS,
# one line of JSON is printed for each.

import binascii
import gc
import json
from array import array

from common import contents

import microlite
from microlite import audio


def chunks(samples, sizes):
    view, at, i = memoryview(samples), 0, 0
    while at < len(view):
        n = sizes[i % len(sizes)]
        yield view[at : at + n]
        at += n
        i += 1


# CRC of all rows, or the rows.
def features(kind, options, source, sizes, full):
    front_end = audio.FrontEnd(kind, **options)
    crc, rows = 0, []
    for chunk in chunks(array("h", contents(source)), sizes):
        for row in front_end.feed(chunk):
            if full:
                rows.append(binascii.hexlify(row).decode())
            else:
                crc = binascii.crc32(row, crc)
    return rows if full else crc


# The first n numbers of a file; those of floats times a power of two.
def numbers(name, code, n, power=0):
    found = array(code, array(code, contents(name))[:n])
    for i in range(n if power else 0):
        found[i] *= 2.0**power
    return found


def spectrum(window, name, code, n, power):
    out = array("f", bytes(4 * (n // 2 + 1)))
    microlite.spectrum(numbers(name, code, n, power), out, window=window)
    return binascii.hexlify(out).decode()


def cmvn(name, power, rows, columns, window, variance):
    features = numbers(name, "f", rows * columns, power)
    out = array("f", features)
    audio.cmvn(features, out, columns, window=window, variance=variance)
    return binascii.hexlify(out).decode()


CALLS = {"features": features, "spectrum": spectrum, "cmvn": cmvn}

for name, *arguments in JOBS:  # noqa: F821
    gc.collect()
    print(json.dumps(CALLS[name](*arguments)))
