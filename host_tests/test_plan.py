# plan.c alone: buffers that live together never overlap, on random lifetimes and those of models.

import ctypes
from dataclasses import dataclass
from pathlib import Path

import pytest
import tflite
from hypothesis import given
from hypothesis import strategies as st

import goldens
from programs import make

ROOT = Path(__file__).resolve().parent.parent
ALIGN = 16
UNPLACED = 0xFFFFFFFF
MODELS = [golden.model for golden in goldens.collect()]


class PlanBuffer(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("offset", ctypes.c_uint32),
        ("first", ctypes.c_uint16),
        ("last", ctypes.c_uint16),
        ("owner", ctypes.c_uint16),
        ("between_runs", ctypes.c_bool),
        ("is_scratch", ctypes.c_bool),
    ]


@dataclass(frozen=True)
class Buffer:
    size: int
    first: int
    last: int
    between_runs: bool

    @property
    def padded(self) -> int:
        return -(-self.size // ALIGN) * ALIGN

    def lives_with(self, other: "Buffer") -> bool:
        overlap = self.first <= other.last and other.first <= self.last
        return overlap or (self.between_runs and other.between_runs)


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    make("engine", "plan")
    library = ctypes.CDLL(str(ROOT / "build/engine/x64/plan.so"))
    library.plan.argtypes = [ctypes.POINTER(PlanBuffer), ctypes.c_size_t]
    library.plan.restype = ctypes.c_size_t
    return library


def largest_live_sum(buffers: list[Buffer]) -> int:
    times = {b.first for b in buffers}  # the sum only grows where a life begins
    sums = [sum(b.padded for b in buffers if b.first <= t <= b.last) for t in times]
    return max([*sums, sum(b.padded for b in buffers if b.between_runs)])


def plan(library: ctypes.CDLL, buffers: list[Buffer]) -> int:
    """Plans and checks all that must hold for any buffers; returns the total."""
    array = (PlanBuffer * len(buffers))(
        *(
            PlanBuffer(b.size, UNPLACED, b.first, b.last, i, b.between_runs)
            for i, b in enumerate(buffers)
        )
    )
    total = int(library.plan(array, len(buffers)))
    assert sorted(row.owner for row in array) == list(range(len(buffers)))
    placed = [(buffers[row.owner], row.offset) for row in array]
    for row in array:
        assert Buffer(row.size, row.first, row.last, row.between_runs) == buffers[row.owner]
        assert row.offset % ALIGN == 0
    for i, (a, at_a) in enumerate(placed):
        for b, at_b in placed[:i]:
            apart = at_a + a.size <= at_b or at_b + b.size <= at_a
            assert apart or not a.lives_with(b), (a, at_a, b, at_b)
    assert total == max((at + b.padded for b, at in placed), default=0)
    assert total >= largest_live_sum(buffers)
    return total


@st.composite
def lifetimes(draw: st.DrawFn) -> Buffer:
    first = draw(st.integers(0, 40))
    last = draw(st.integers(first, 40))
    return Buffer(draw(st.integers(0, 5000)), first, last, draw(st.booleans()))


@given(st.lists(lifetimes(), max_size=40))
def test_random(library: ctypes.CDLL, buffers: list[Buffer]) -> None:
    plan(library, buffers)


def test_limits(library: ctypes.CDLL) -> None:
    half = (1 << 30) - ALIGN
    longest = [Buffer(half, 0, 0xFFFF, False), Buffer(half, 0xFFFF, 0xFFFF, False)]
    assert plan(library, []) == 0
    assert plan(library, longest) == 2 * half


def model_buffers(path: Path) -> list[Buffer]:
    """The lives of a model's activations, which is what the engine plans."""
    model = tflite.Model.GetRootAsModel(path.read_bytes(), 0)
    graph = model.Subgraphs(0)
    ops = [graph.Operators(i) for i in range(graph.OperatorsLength())]
    inputs, outputs = list(graph.InputsAsNumpy()), list(graph.OutputsAsNumpy())
    buffers = []
    for i in range(graph.TensorsLength()):
        tensor = graph.Tensors(i)
        if model.Buffers(tensor.Buffer()).DataLength() > 0:
            continue
        made = [t for t, op in enumerate(ops) if i in op.OutputsAsNumpy()]
        used = [t for t, op in enumerate(ops) if i in op.InputsAsNumpy()]
        size = goldens.tensor_nbytes(tensor)
        last = len(ops) - 1 if i in outputs else max(used)
        buffers.append(Buffer(size, min(made, default=0), last, i in inputs or i in outputs))
    return buffers


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_models_reach_the_largest_live_sum(library: ctypes.CDLL, path: Path) -> None:
    buffers = model_buffers(path)
    assert plan(library, buffers) == largest_live_sum(buffers)
