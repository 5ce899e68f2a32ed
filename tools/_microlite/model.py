# The type Model: a model's bytes, the memory of its inputs and outputs, and a runtime.

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, NamedTuple

from . import graph, state
from .errors import raise_arena, raise_model, raise_ops
from .memory import (
    ALIGNMENT,
    Region,
    add_live,
    address,
    aligned,
    arena_region,
    buffer_of,
    bytes_of,
    carries_model,
    padding,
    remove_live,
)
from .names import find
from .predicting import predict, predict_all
from .running import Slices, invoke, profile
from .runtime import REFUSALS, Runtime
from .tensor import Tensor


class TensorInfo(NamedTuple):
    name: str
    shape: tuple[int, ...]
    dtype: str
    scale: float | None
    zero_point: int | None


Tuples = tuple[TensorInfo, ...]
Strings = tuple[str, ...]


def _region(model: Any, copy: bool) -> Region:
    view = buffer_of(model)
    if view is None:
        raise TypeError(f"model: path or buffer needed, not {type(model).__name__}")
    data = bytes_of(view)
    if not copy and padding(data) == 0:
        return Region(data, model)
    block = aligned(len(data))
    block[:] = data
    return Region(block)


def _infos(edges: tuple[graph.Edge, ...]) -> Tuples:
    return tuple(
        TensorInfo(
            edge.name,
            edge.shape,
            edge.dtype.name,
            edge.scales[0] if edge.one_scale else None,
            edge.zero_points[0] if edge.one_scale else None,
        )
        for edge in edges
    )


def check(model: Any, name: str | None, /) -> tuple[Strings, Strings, Strings, Tuples, Tuples]:
    found = graph.read(_region(model, False).data.tobytes())
    problems = tuple(found.problems)
    if problems:
        return problems, found.missing_ops, (), (), ()
    return (), found.missing_ops, found.ops, _infos(found.inputs), _infos(found.outputs)


def _refuse_path(model: Any) -> None:
    """A path in bytes is no model, and too short to be one."""
    is_short = isinstance(model, bytes) and len(model) < 256
    if is_short and b"." in model and all(0x20 <= byte < 0x7F for byte in model):
        text = "not a TensorFlow Lite model: bytes are taken as the model itself"
        raise_model([f"{text}, paths are str"], None)


class Model:
    def __init__(
        self,
        model: Any,
        *,
        arena: Any = None,
        copy: bool = False,
        keep_inputs: bool = False,
        state: Any = None,
        name: str | None = None,
    ) -> None:
        self._lock = Lock()
        given = arena_region(arena)
        self.bytes: Region | None = _region(model, copy)
        self.arena: Region | None = None
        self._name = name
        self._on_op: Callable[[], object] | None = None
        self.slices: Slices | None = None
        self.has_run = self.has_results = False
        self.microseconds: int | None = None
        _refuse_path(model)
        self.graph = self._open()
        keep = bool(keep_inputs or state)
        self._inputs = self._tensors("input", self.graph.inputs, keep)
        self._outputs = self._tensors("output", self.graph.outputs, True)
        self.state = self._read_state(state)
        self._load(arena, given)

    # --- Loading ---

    def _open(self) -> graph.Graph:
        assert self.bytes is not None
        self._content = self.bytes.data.tobytes()
        found = graph.read(self._content)
        if found.missing_ops:
            raise_ops(found.missing_ops, found.problems, self._name)
        if found.problems:
            raise_model(found.problems, self._name)
        return found

    def _tensors(self, kind: str, edges: tuple[graph.Edge, ...], keep: bool) -> tuple[Tensor, ...]:
        """Operators after the last one that reads an input may use its memory."""
        last = len(self.graph.ops) - 1
        return tuple(
            Tensor(
                self,
                kind,
                i,
                edge,
                not keep
                and edge.constant is None
                and self.graph.last_uses.get(edge.place, -1) < last
                and edge.place not in {output.place for output in self.graph.outputs},
            )
            for i, edge in enumerate(edges)
        )

    def _read_state(self, given: Any) -> state.Pairs:
        return state.read(given, self._inputs, self._outputs)

    def _places(self) -> tuple[dict[int, int], int]:
        """Where tensors lie, by their index in the graph, and what all of them need."""
        offsets: dict[int, int] = {}
        size = 0
        for tensor in self._inputs + self._outputs:
            if tensor.edge.constant is None and tensor.edge.place not in offsets:
                offsets[tensor.edge.place] = size
                size += -(-tensor.edge.nbytes // ALIGNMENT) * ALIGNMENT
        return offsets, max(size, ALIGNMENT)

    def _load(self, arena: Any, given: Region | None) -> None:
        offsets, self._needed = self._places()
        self._size = self._needed
        if given is not None:
            skip = padding(given.data)
            assert self.bytes is not None
            if given.overlaps(self.bytes):
                raise ValueError("arena: the buffer overlaps the model's bytes")
            if len(given.data) < self._needed + skip:
                raise_arena(self._needed + skip, len(given.data), self._name)
            self._size = len(given.data)
            block = given.data[skip : skip + self._needed]
            block[:] = 0
        else:
            if arena is not None:
                self._size = arena
            if self._size < self._needed:
                raise_arena(self._needed, self._size, self._name)
            block = aligned(self._needed)
        self._start_runtime()
        if given is not None and carries_model(given):
            raise ValueError("arena: the buffer carries a live model; close() that first")
        self._block = block
        for tensor in self._inputs + self._outputs:
            self._place(tensor, offsets)
        state.check_loop(self.state, self._inputs)
        self.arena = given or Region(block)
        add_live(self)

    def _start_runtime(self) -> None:
        try:
            self.runtime = Runtime(self._content, self.graph)
        except REFUSALS as er:
            raise_model(["the runtime of this computer cannot load it"], self._name, str(er))

    def _place(self, tensor: Tensor, offsets: dict[int, int]) -> None:
        edge = tensor.edge
        if edge.constant is not None:
            tensor.memory = bytes_of(memoryview(edge.constant))
            return
        start = offsets[edge.place]
        tensor.memory = self._block[start : start + edge.nbytes]
        if tensor.kind == "input":
            tensor.clear()

    # --- Who may work with the model ---

    @property
    def is_closed(self) -> bool:
        return self.arena is None

    def check(self) -> None:
        if self.is_closed:
            raise RuntimeError("model is closed")

    @contextmanager
    def take(self, slices: Slices | None = None, reset: bool = False) -> Iterator[None]:
        """The model for one call, or for one slice of the run that is given."""
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("model is busy: its invoke() is running")
        try:
            if not self.is_closed and not reset and self.slices is not slices:
                if slices is not None:
                    raise RuntimeError("the run was given up: model was reset")
                words = "its ainvoke() has not finished; await it or reset()"
                raise RuntimeError(f"model is busy: {words}")
            self.check()
            yield
        finally:
            self._lock.release()

    def end_slices(self, slices: Slices) -> None:
        if self.slices is slices:
            with self.take(slices):
                self.slices = None

    # --- What a board's Model has ---

    @property
    def file(self) -> str | None:
        self.check()
        return self._name

    @property
    def _bytes(self) -> memoryview:
        self.check()
        assert self.bytes is not None
        return self.bytes.data.data.toreadonly()

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        self.check()
        return self._inputs

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        self.check()
        return self._outputs

    @property
    def arena_size(self) -> int:
        self.check()
        return self._size

    @property
    def arena_used(self) -> int:
        self.check()
        return self._needed

    @property
    def arena_needed(self) -> int:
        self.check()
        return self._needed

    @property
    def size(self) -> int:
        self.check()
        return len(self._content)

    @property
    def in_place(self) -> bool:
        self.check()
        assert self.bytes is not None
        owner = self.bytes.owner
        return owner is not None and (self._name is None or not isinstance(owner, bytearray))

    @property
    def ops(self) -> tuple[str, ...]:
        self.check()
        return self.graph.ops

    @property
    def last_us(self) -> int | None:
        self.check()
        return self.microseconds

    @property
    def on_op(self) -> Callable[[], object] | None:
        self.check()
        return self._on_op

    @on_op.setter
    def on_op(self, function: Callable[[], object] | None) -> None:
        self.check()
        if function is not None and not callable(function):
            raise TypeError(f"on_op: None or callable needed, not {type(function).__name__}")
        self._on_op = function

    def input(self, key: int | str = 0, /) -> Tensor:
        self.check()
        return find(self._inputs, self._outputs, "input", key)

    def output(self, key: int | str = 0, /) -> Tensor:
        self.check()
        return find(self._outputs, self._inputs, "output", key)

    def predict(self, *inputs: Any, **named: Any) -> array[Any]:
        return predict(self, inputs, named)

    def predict_all(self, *inputs: Any, **named: Any) -> tuple[array[Any], ...]:
        return predict_all(self, inputs, named)

    def invoke(self) -> None:
        invoke(self)

    def _slices(self, slice_ms: int, /) -> Slices:
        return Slices(self, slice_ms)

    def profile(self, runs: int, /) -> array[float]:
        return profile(self, runs)

    def reset(self) -> None:
        with self.take(reset=True):
            self.slices = None
            self.runtime.reset()
            state.clear(self.state)

    def close(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("model is busy: its invoke() is running")
        try:
            if not self.is_closed:
                remove_live(self)
                self.arena = self.bytes = self._on_op = self.slices = None
                del self.runtime, self._block
                for tensor in self._inputs + self._outputs:
                    tensor.memory = tensor.memory[:0].copy()
        finally:
            self._lock.release()

    def __repr__(self) -> str:
        file = "" if self._name is None else f"{self._name}: "
        if self.arena is None or self.bytes is None:
            return f"Model({file}closed)"
        how = "in place" if self.in_place else "copied"
        place, arena_place = address(self.bytes.data), address(self.arena.data)
        return (
            f"Model({file}{self.size} bytes {how} at {place:#x}, "
            f"arena {self._size} bytes at {arena_place:#x})"
        )
