# Makes a recording of a sensor that is noisy and sometimes far off, and a recurrent network that
# finds the true value: python train.py [FOLDER], with numpy, flatbuffers and tflite installed.
#
# An echo state network: what goes into the state is drawn at random and stays, what comes out of
# it is learned, by least squares.

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))

from training import Array, Graph, Op, Tensor, fully_connected, save, write

SEED = 3
STATE = 32
READINGS = 400
RADIUS = 0.8  # how long the state remembers


def signal(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """The truth, which changes slowly, and what the sensor says: one in ten readings is wrong."""
    t = np.arange(n)
    truth = sum(
        rng.uniform(0.2, 0.5) * np.sin(2 * np.pi * (t / rng.uniform(60, 200) + rng.uniform()))
        for _ in range(3)
    )
    noise = rng.normal(0, 0.15, n)
    wrong = rng.choice([-1.0, 1.0], n) * (rng.uniform(0, 1, n) < 0.1)
    return np.round(truth, 6), np.round(truth + noise + wrong, 2)


def network(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Weights of a reading and of the state, and their bias."""
    recurrent = rng.normal(0, 1, (STATE, STATE))
    recurrent *= RADIUS / np.abs(np.linalg.eigvals(recurrent)).max()
    return (
        rng.uniform(-0.5, 0.5, (STATE, 1)).astype("<f4"),
        np.round(recurrent, 5).astype("<f4"),
        rng.uniform(-0.2, 0.2, STATE).astype("<f4"),
    )


def states(weights: tuple[Array, Array, Array], readings: Array) -> Array:
    """The state after each reading, one a row; it starts with zeros."""
    of_reading, of_state, bias = weights
    state = np.zeros(STATE)
    rows = []
    for reading in readings:
        state = np.tanh((of_reading[:, 0] * reading + bias) + (of_state * state).sum(axis=1))
        rows.append(state)
    return np.array(rows)


def graph(weights: tuple[Array, Array, Array], out: Array) -> Graph:
    of_reading, of_state, bias = weights
    row = (1, STATE)
    tensors = [
        Tensor("reading", (1, 1)),
        Tensor("state", row),
        Tensor("value", (1, 1)),
        Tensor("state_out", row),
        Tensor("from_reading", row),
        Tensor("from_state", row),
        Tensor("sum", row),
        Tensor("weights_reading", of_reading.shape, data=of_reading),
        Tensor("bias", bias.shape, data=bias),
        Tensor("weights_state", of_state.shape, data=of_state),
        Tensor("weights_out", out.shape, data=out),
    ]
    ops = [
        fully_connected([0, 7, 8], 4),
        fully_connected([1, 9, -1], 5),
        Op("ADD", [4, 5], [6], "AddOptions"),
        Op("TANH", [6], [3]),
        fully_connected([3, 10, -1], 2),
    ]
    return Graph(tensors, ops, inputs=[0, 1], outputs=[2, 3])


def files(seed: int = SEED) -> dict[str, bytes]:
    rng = np.random.default_rng(seed)
    weights = network(rng)
    truth, readings = signal(rng, 4000)
    rows = states(weights, readings)
    square = rows.T @ rows + 0.01 * np.eye(STATE)
    out = np.round(np.linalg.solve(square, rows.T @ truth), 3).astype("<f4")[None]
    truth, readings = signal(rng, READINGS)
    lines = [f"{a:.2f} {b:.6f}\n" for a, b in zip(readings, truth, strict=True)]
    return {"filter.tflite": write(graph(weights, out)), "sensor.txt": "".join(lines).encode()}


if __name__ == "__main__":
    save(files(), __file__)
