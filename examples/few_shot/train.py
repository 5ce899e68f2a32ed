# Trains a network to tell tools by their vibration, keeps the part of it that describes a sample
# by a few numbers, and makes samples of tools that it has never felt: python train.py [FOLDER],
# with numpy, flatbuffers and tflite installed.

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))

from training import Array, cross_entropy, dense, int8_graph, save, spectra, train, write

SEED = 5
WINDOW = 64
SCALE = 1 / 20000  # of magnitudes, for the model
KNOWN, NEW = 16, 3  # tools in training and in the recording
EMBEDDING = 8
SAMPLES = 30  # of each new tool
STEPS = 500


def tool(rng: np.random.Generator) -> Array:
    """Frequencies in turns a window, and sizes, of what a tool does."""
    return np.stack([rng.uniform(2, 28, 4), rng.uniform(200, 1200, 4)])


def samples(rng: np.random.Generator, parts: Array, n: int) -> Array:
    t = np.arange(WINDOW) / WINDOW
    rows = []
    for _ in range(n):
        speed, force = rng.uniform(0.97, 1.03), rng.uniform(0.7, 1.3)
        row = rng.normal(0, 100, WINDOW)
        for frequency, size in parts.T:
            angle = 2 * np.pi * (frequency * speed * t + rng.uniform())
            row += force * size * np.sin(angle)
        rows.append(row)
    return np.round(rows).astype("<i2")


def files(seed: int = SEED) -> dict[str, bytes]:
    rng = np.random.default_rng(seed)
    known = [samples(rng, tool(rng), 20) for _ in range(KNOWN)]
    x = spectra(np.concatenate(known)).T * SCALE
    wanted = np.repeat(np.eye(KNOWN), 20, axis=1)
    layers = dense(rng, len(x), 32, EMBEDDING, KNOWN, linear=(1,))
    train(layers, x, cross_entropy(wanted), STEPS)
    new = [samples(rng, tool(rng), SAMPLES) for _ in range(NEW)]
    return {
        "embedding.tflite": write(int8_graph(layers[:2], x, "spectrum", "embedding")),
        "tools.data": np.concatenate(new).tobytes(),
    }


if __name__ == "__main__":
    save(files(), __file__)
