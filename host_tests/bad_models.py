# Models that do not run, files that are no models, and damaged ones.

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import tflite

import goldens
from builder import Model, Op, activation, constant

ROOT = Path(__file__).resolve().parent.parent
MODELS = sorted([*ROOT.glob("build/models/*.tflite"), *goldens.HAND_OUT.glob("*/*.tflite")])
B = tflite.BuiltinOperator


def dense(dtype: str = "int8", weights: str = "int8", code: int = B.FULLY_CONNECTED) -> Model:
    """One layer of 3 inputs and 2 outputs."""
    values = np.arange(6, dtype=weights).reshape(2, 3)
    scale = 0.1 if dtype == "int8" else None
    model = Model([activation([1, 3], dtype, scale), activation([1, 2], dtype, scale)])
    model.add(constant(values, 0.1 if weights == "int8" else None))
    model.ops = [Op(code, [0, 2], [1], "FullyConnectedOptions")]
    model.inputs, model.outputs = [0], [1]
    return model


# Names of files, their bytes, and what they are said to be.
FOREIGN = {
    "empty.tflite": (b"", "an empty file"),
    "zeros.tflite": (bytes(1000), "nothing but zeros"),
    "model.h5": (b"\x89HDF\r\n\x1a\n" + bytes(50), "Keras"),
    "model.keras": (b"PK\x03\x04" + bytes(20) + b"config.json", "Keras"),
    "model.pt": (b"PK\x03\x04" + bytes(20) + b"archive/data.pkl", "PyTorch"),
    "models.zip": (b"PK\x03\x04" + bytes(40), "ZIP"),
    "model.pb": (b"\x08\x01\x12\xff\x00" + bytes(40), "a model of TensorFlow"),
    "model.onnx": (b"\x08\x08\x12\x07pytorch\x00", "ONNX"),
    "old.tflite": (b"\x1c\0\0\0TFL2" + bytes(40), "an older TensorFlow Lite"),
    "model.pte": (b"\x1c\0\0\0ET12" + bytes(40), "ExecuTorch"),
    "model.cc": (b"alignas(16) const unsigned char g_model[] = {\n 0x1c, 0x00", "C source"),
    "lfs.tflite": (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "Git LFS"),
    "page.tflite": (b"\n<!DOCTYPE html>\n<html>", "a web page"),
    "notes.txt": (b"remember the milk", "a text"),
    "labels.json": (b'{"a": 1}', "JSON"),
    "x.npy": (b"\x93NUMPY\x01\x00", "NumPy"),
    "model.tflite.gz": (b"\x1f\x8b\x08" + bytes(30), "gzip"),
    "noise.tflite": (random.Random(1).randbytes(500), "not a TensorFlow Lite model"),
    "short.tflite": (b"TFL", "a text"),
}


def damaged(data: bytes) -> Iterator[bytes]:
    """The file cut short, and with one word near its ends replaced."""
    yield from (data[:n] for n in (8, 9, 20, 100, len(data) // 2, len(data) - 1000))
    for at in (0, 8, 16, 24, 32, 40, len(data) - 4, len(data) - 40):
        for word in (b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f"):
            yield data[:at] + word + data[at + 4 :]


def flipped(n: int, seed: int) -> Iterator[bytes]:
    """Models with bytes replaced, mostly in their tables, which are at both ends."""
    rng = random.Random(seed)
    sources = [path.read_bytes() for path in MODELS if path.stat().st_size < 30_000]
    for _ in range(n):
        data = bytearray(rng.choice(sources))
        for _ in range(rng.choice([1, 2, 5, 50])):
            end = rng.choice([200, min(len(data), 6000)])
            data[rng.choice([1, -1]) * rng.randrange(1, end)] = rng.choice([0, 1, 127, 128, 255])
        yield bytes(data)
