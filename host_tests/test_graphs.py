# Graphs that strain an allocator: what they compute and how they load in every arena size.

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from make_model import Floats, Graph
from programs import call

Case = tuple[bytes, list[Floats], list[Floats]]  # model, inputs, outputs
X = np.linspace(-3, 3, 12, dtype=np.float32).reshape(3, 4)
Y = np.linspace(5, -1, 12, dtype=np.float32).reshape(3, 4)


def chain(graph: Graph, start: int, length: int) -> int:
    """Doubles a tensor again and again."""
    for _ in range(length):
        (start,) = graph.op("ADD", [start, start], 3, 4)
    return start


def early_output() -> Case:
    """An output that is made long before the run ends keeps its memory."""
    graph = Graph()
    x = graph.tensor(3, 4)
    (early,) = graph.op("ABS", [x], 3, 4)
    late = chain(graph, early, 5)
    return graph.build([x], [early, late]), [X], [abs(X), 32 * abs(X)]


def early_input() -> Case:
    """An input that is read last keeps its memory."""
    graph = Graph()
    x, y = graph.tensor(3, 4), graph.tensor(3, 4)
    late = chain(graph, x, 4)
    (total,) = graph.op("ADD", [late, y], 3, 4)
    return graph.build([x, y], [total]), [X, Y], [16 * X + Y]


def unread_input() -> Case:
    graph = Graph()
    x, unread = graph.tensor(3, 4), graph.tensor(3, 4)
    (y,) = graph.op("ABS", [x], 3, 4)
    return graph.build([x, unread], [y]), [X, Y], [abs(X)]


def unread_output_of_op() -> Case:
    graph = Graph()
    axis = graph.constant(np.array([1], np.int32).reshape(()))
    x = graph.tensor(3, 4)
    halves = graph.op("SPLIT", [axis, x], 3, 2, outputs=2)
    (y,) = graph.op("ABS", [halves[1]], 3, 2)
    return graph.build([x], [y]), [X], [abs(X[:, 2:])]


def orphan_tensor() -> Case:
    graph = Graph()
    x, _ = graph.tensor(3, 4), graph.tensor(64, 64)
    y = chain(graph, x, 1)
    return graph.build([x], [y]), [X], [2 * X]


def without_bias() -> Case:
    graph = Graph()
    weights = np.linspace(0, 1, 8, dtype=np.float32).reshape(2, 4)
    x, w = graph.tensor(3, 4), graph.constant(weights)
    (y,) = graph.op("FULLY_CONNECTED", [x, w, -1], 3, 2)
    return graph.build([x], [y]), [X], [X @ weights.T]


def many_channels() -> Case:
    """What the kernel keeps is more than all activations."""
    graph = Graph()
    weights = np.linspace(-1, 1, 200, dtype=np.float32).reshape(200, 1, 1, 1)
    x = graph.tensor(1, 1, 1, 1)
    parts = [x, graph.constant(weights), graph.constant(np.ones(200, np.float32))]
    (y,) = graph.op("CONV_2D", parts, 1, 1, 1, 200)
    return graph.build([x], [y]), [X[:1, :1]], [(weights * X[0, 0] + 1).astype(np.float32)]


def same_input_twice() -> Case:
    graph = Graph()
    x = graph.tensor(3, 4)
    (y,) = graph.op("ADD", [x, x], 3, 4)
    return graph.build([x], [y]), [X], [X + X]


def same_output_twice() -> Case:
    graph = Graph()
    x = graph.tensor(3, 4)
    y = chain(graph, x, 3)
    return graph.build([x], [y, y]), [X], [8 * X, 8 * X]


GRAPHS = [
    early_output,
    early_input,
    unread_input,
    unread_output_of_op,
    orphan_tensor,
    without_bias,
    many_channels,
    same_input_twice,
    same_output_twice,
]


@pytest.mark.parametrize("variant", ["asan", "asan32"])
@pytest.mark.parametrize("make", GRAPHS)
def test_graph(variant: str, make: Callable[[], Case], tmp_path: Path) -> None:
    data, inputs, outputs = make()
    model = tmp_path / "model.tflite"
    model.write_bytes(data)
    files = [tmp_path / f"in{i}" for i in range(len(inputs))]
    for file, values in zip(files, inputs, strict=True):
        file.write_bytes(values.tobytes())
    told = call(variant, "run", model, *files)[-1]
    assert told["status"] == 0
    got = [np.frombuffer(bytes.fromhex(output), np.float32) for output in told["outputs"]]
    for values, expected in zip(got, outputs, strict=True):
        np.testing.assert_allclose(values, expected.ravel(), rtol=1e-6)
    (record,) = call(variant, "sweep", model)
    assert "fault" not in record, record
