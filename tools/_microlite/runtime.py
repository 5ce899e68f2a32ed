# What runs models on this computer: TensorFlow Lite Micro, the package tflite-micro, and for
# models that it does not take TensorFlow Lite's reference kernels, the package ai-edge-litert.
# Both run a model as a whole.

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from .graph import FAULTS, Edge, Graph
from .memory import Bytes
from .values import TYPES, Array

NAMES = {"tflite_micro": "tflite-micro", "ai_edge_litert": "ai-edge-litert"}
REFUSALS = (RuntimeError, *FAULTS)
_ARENA = 1 << 26  # bytes besides ten times the model; pages that are not used cost nothing


class _Interpreter(Protocol):
    def set_input(self, array: Array, index: int) -> None: ...
    def invoke(self) -> Any: ...
    def get_output(self, index: int) -> Array: ...


class _Litert:
    """TensorFlow Lite by the names of tflite-micro."""

    def __init__(self, model: bytes) -> None:
        litert = import_module("ai_edge_litert.interpreter")
        kernels = litert.OpResolverType.BUILTIN_REF
        self._interpreter = litert.Interpreter(
            model_content=model, experimental_op_resolver_type=kernels
        )
        self._interpreter.allocate_tensors()
        self._inputs = [each["index"] for each in self._interpreter.get_input_details()]
        self._outputs = [each["index"] for each in self._interpreter.get_output_details()]

    def set_input(self, array: Array, index: int) -> None:
        self._interpreter.set_tensor(self._inputs[index], array)

    def invoke(self) -> None:
        self._interpreter.invoke()

    def get_output(self, index: int) -> Array:
        return np.asarray(self._interpreter.get_tensor(self._outputs[index]))


def _tflite_micro(model: bytes) -> _Interpreter:
    runtime = import_module("tflite_micro.python.tflite_micro.runtime")
    made: _Interpreter = runtime.Interpreter.from_bytes(model, arena_size=10 * len(model) + _ARENA)
    return made


_STARTS: dict[str, Callable[[bytes], _Interpreter]] = {
    "tflite_micro": _tflite_micro,
    "ai_edge_litert": _Litert,
}


@cache
def installed() -> tuple[str, ...]:
    found = tuple(name for name in NAMES if find_spec(name))
    if not found:
        raise ImportError(f"neither {' nor '.join(NAMES.values())} is installed")
    return found


def describe() -> str:
    """The packages with their versions."""
    names = [NAMES[name] for name in installed()]
    return ", ".join(f"{name} {version(name)}" for name in names)


class Runtime:
    """A model that runs. One of REFUSALS when no package takes it."""

    def __init__(self, model: bytes, graph: Graph) -> None:
        self._model = model
        self._graph = graph
        names = [*installed()]
        if graph.has_uint8_weights and "ai_edge_litert" in names:  # not for tflite-micro
            names = ["ai_edge_litert"]
        while True:
            self._start = _STARTS[names.pop(0)]
            try:
                self.reset()
                return
            except REFUSALS:
                if not names:
                    raise

    def reset(self) -> None:
        """Set variables back to their initial values. Interpreters begin anew for that, as that of
        tflite-micro takes these for 0."""
        self._interpreter = self._start(self._model) if self._graph.ops else None

    def run(self, inputs: Sequence[Bytes], outputs: Sequence[Bytes]) -> None:
        if self._interpreter is None:
            return
        for i, (edge, data) in enumerate(zip(self._graph.inputs, inputs, strict=True)):
            if edge.constant is None:
                self._interpreter.set_input(_typed(edge, data), i)
        self._interpreter.invoke()
        for i, data in enumerate(outputs):
            if self._graph.outputs[i].constant is None:
                result = np.ascontiguousarray(self._interpreter.get_output(i))
                data[:] = result.reshape(-1).view(np.uint8)


def _typed(edge: Edge, data: Bytes) -> Array:
    dtype = np.dtype(np.bool_) if edge.dtype.code == "?" else TYPES[edge.dtype.code]
    return np.frombuffer(data.tobytes(), dtype).reshape(edge.shape)
