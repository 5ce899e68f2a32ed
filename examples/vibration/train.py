# Makes a recording of a motor whose bearing wears out, and trains an autoencoder on the spectra
# of such motors in good order: python train.py [FOLDER], with numpy, flatbuffers and tflite
# installed.

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))

from training import Array, dense, int8_graph, save, spectra, squared_error, train, write

SEED = 11
RATE = 1000  # readings a second
WINDOW = 128
SCALE = 1 / 20000  # of magnitudes, for the model
GOOD, WORN = 40, 10  # windows of the recording
STEPS = 600


def motor(rng: np.random.Generator, windows: int, worn: bool = False) -> Array:
    """Readings of one axis: the shaft and its harmonics, at a speed that varies, and noise. A worn
    bearing strikes several times in each turn, and the housing rings."""
    t = np.arange(WINDOW) / RATE
    rows = []
    for _ in range(windows):
        turns = 50 * rng.uniform(0.97, 1.03)
        phase = rng.uniform(0, 1, 4)
        row = rng.normal(0, 60, WINDOW)
        for i, size in enumerate((1000, 420, 180)):
            angle = 2 * np.pi * ((i + 1) * turns * t + phase[i])
            row += size * rng.uniform(0.85, 1.15) * np.sin(angle)
        if worn:
            since = (3.6 * turns * t + phase[3]) % 1 / (3.6 * turns)  # the last strike
            row += 900 * np.exp(-since / 0.003) * np.sin(2 * np.pi * 230 * since)
        rows.append(row)
    return np.round(rows).astype("<i2")


def files(seed: int = SEED) -> dict[str, bytes]:
    rng = np.random.default_rng(seed)
    x = spectra(motor(rng, 160)).T * SCALE
    layers = dense(rng, len(x), 16, 6, 16, len(x))
    train(layers, x, squared_error(x), STEPS)
    recording = np.concatenate([motor(rng, GOOD), motor(rng, WORN, worn=True)])
    return {
        "autoencoder.tflite": write(int8_graph(layers, x, "spectrum", "again")),
        "motor.data": recording.tobytes(),
    }


if __name__ == "__main__":
    save(files(), __file__)
