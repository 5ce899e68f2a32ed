# Predicting: real values into the inputs, a run, real values out of the outputs.

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from .names import called
from .running import invoke
from .state import is_state
from .tensor import Tensor

if TYPE_CHECKING:
    from .model import Model


def _is_wanted(model: Model, tensor: Tensor) -> bool:
    return tensor.edge.constant is None and not is_state(model.state, tensor)


def _refuse_too_many(model: Model, given: int, wanted: list[Tensor]) -> None:
    plural = "" if given == 1 else "s"
    text = f"{given} input{plural} given, {len(wanted)} needed"
    carried = [tensor for tensor in model.inputs if is_state(model.state, tensor)]
    for head, tensors in ((": ", wanted), ("; carried by state: ", carried)):
        if tensors:
            text += head + ", ".join(called(tensor) for tensor in tensors)
    raise ValueError(text)


def _run(model: Model, inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
    wanted = [tensor for tensor in model.inputs if _is_wanted(model, tensor)]
    if len(inputs) > len(wanted):
        _refuse_too_many(model, len(inputs), wanted)
    values = {tensor.place: value for tensor, value in zip(wanted, inputs, strict=False)}
    for name, value in named.items():
        tensor = model.input(name)
        if tensor.place in values:
            tensor.fail(ValueError, "given twice")
        values[tensor.place] = value
    missing = [called(tensor) for tensor in wanted if tensor.place not in values]
    if missing:
        raise ValueError(f"inputs missing: {', '.join(missing)}")
    for place in sorted(values):
        model.inputs[place].write(values[place])
    invoke(model)


def predict(model: Model, inputs: tuple[Any, ...], named: dict[str, Any]) -> array[Any]:
    outputs = model.outputs
    if len(outputs) > 1:
        outputs = tuple(each for each in outputs if not is_state(model.state, each))
    if len(outputs) != 1:
        words = f"predict() is for one output, this model has {len(outputs)}"
        raise ValueError(f"{words}; use predict_all()")
    _run(model, inputs, named)
    return outputs[0].read()


def predict_all(
    model: Model, inputs: tuple[Any, ...], named: dict[str, Any]
) -> tuple[array[Any], ...]:
    model.check()
    _run(model, inputs, named)
    return tuple(output.read() for output in model.outputs)
