# Trains a network of three layers on the sine and writes it twice, with numbers in float32 and in
# int8: python train.py [FOLDER], with numpy, flatbuffers and tflite installed.

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))

from training import (
    Array,
    Layer,
    dense,
    float_graph,
    int8_graph,
    save,
    squared_error,
    train,
    write,
)  # fmt: skip

SEED = 7
HIDDEN = 16
STEPS = 4000
PERIOD = 2 * np.pi


def samples() -> tuple[Array, Array]:
    """Angles over one period and their sines, rounded to what all computers agree on."""
    x = np.arange(256) * (PERIOD / 255)
    return x[None], np.round(np.sin(x), 9)[None]


def start(rng: np.random.Generator) -> list[Layer]:
    """Bends of the first layer are spread over the period."""
    slopes = np.where(np.arange(HIDDEN) % 2, 1.0, -1.0) * rng.uniform(0.3, 0.7, HIDDEN)
    bends = PERIOD * (np.arange(HIDDEN) + 0.5) / HIDDEN
    first = Layer(slopes[:, None], -slopes * bends, relu=True)
    return [first, *dense(rng, HIDDEN, HIDDEN, 1)]


def models(seed: int = SEED) -> dict[str, bytes]:
    x, sines = samples()
    layers = start(np.random.default_rng(seed))
    train(layers, x, squared_error(sines), STEPS)
    return {
        "hello_world_float.tflite": write(float_graph(layers, "x", "sine")),
        "hello_world_int8.tflite": write(int8_graph(layers, x, "x", "sine")),
    }


if __name__ == "__main__":
    save(models(), __file__)
