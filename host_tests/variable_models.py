# Models with variables: streams that keep a window of what came before.

from collections.abc import Callable, Iterator

import numpy as np
import tflite

from builder import Array, Model, Op, Tensor, activation, constant
from one_op import Case, act

CODE = tflite.BuiltinOperator


def _handle(graph: Model, name: str) -> int:
    handle = graph.add(activation([], "resource"))
    options = {"Container": "", "SharedName": name}
    graph.ops.append(Op(CODE.VAR_HANDLE, [], [handle], "VarHandleOptions", options))
    return handle


def _assign(graph: Model, handle: int, value: int) -> None:
    graph.ops.append(Op(CODE.ASSIGN_VARIABLE, [handle, value], [], "AssignVariableOptions"))


def initial_graph(values: dict[str, Tensor]) -> Model:
    """Assigns constants to variables."""
    graph = Model()
    for name, value in values.items():
        _assign(graph, _handle(graph, name), graph.add(value))
    return graph


def stream(dtype: str, initial: Array | None) -> Model:
    """The new rows of the input come after those of the last run; all are the output."""
    scale = None if dtype == "float32" else 0.05
    model = Model()
    x = model.add(act([1, 2, 3], dtype))
    if initial is not None:
        model.subgraphs = [initial_graph({"rows": constant(initial, scale)})]
        model.ops.append(Op(CODE.CALL_ONCE, [], [], "CallOnceOptions", {"InitSubgraphIndex": 1}))
    handle = _handle(model, "rows")
    kept = model.add(act([1, 2, 3], dtype))
    model.ops.append(Op(CODE.READ_VARIABLE, [handle], [kept], "ReadVariableOptions"))
    both = model.add(act([1, 4, 3], dtype))
    join = {"Axis": 1, "FusedActivationFunction": 0}
    model.ops.append(Op(CODE.CONCATENATION, [kept, x], [both], "ConcatenationOptions", join))
    _assign(model, _handle(model, "rows"), x)
    model.inputs, model.outputs = [x], [both]
    for index, tensor in enumerate(model.tensors):
        tensor.name = f"tensor_{index}"
    return model


def variables() -> Iterator[Case]:
    for dtype in "float32", "int8", "int16":
        values = np.arange(6).reshape(1, 2, 3).astype(dtype)
        yield Case(f"variables_{dtype}", stream(dtype, values))
        yield Case(f"variables_{dtype}_zero", stream(dtype, None))


FAMILIES: list[Callable[[], Iterator[Case]]] = [variables]
