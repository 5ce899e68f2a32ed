# The state of recurrent models: outputs that become inputs of the next run.

from __future__ import annotations

from typing import Any, TypeAlias

from .names import find
from .tensor import Tensor
from .values import convert, find_infinite, is_alike

Tensors: TypeAlias = tuple[Tensor, ...]
Pairs: TypeAlias = list[tuple[Tensor, Tensor]]  # an output, the input that gets it


def is_state(pairs: Pairs, tensor: Tensor) -> bool:
    return any(tensor is each for pair in pairs for each in pair)


def read(state: Any, inputs: Tensors, outputs: Tensors) -> Pairs:
    pairs: Pairs = []
    if state is None:
        return pairs
    if not isinstance(state, dict):
        kind = type(state).__name__
        raise TypeError(f"state: dict of outputs and inputs needed, not {kind}")
    for output_key, input_key in state.items():
        output = find(outputs, inputs, "output", output_key)
        into = find(inputs, outputs, "input", input_key)
        _check_pair(pairs, output, into)
        pairs.append((output, into))
    return pairs


def _check_pair(pairs: Pairs, output: Tensor, into: Tensor) -> None:
    for tensor in (output, into):
        if not tensor.edge.dtype.code or (tensor.edge.is_quantised and not tensor.edge.slice):
            tensor.values()  # raises
    if into.edge.constant is not None:
        into.fail(ValueError, "a constant cannot be state")
    if is_state(pairs, into):
        into.fail(ValueError, "only one output can be carried into it")
    if output.edge.size != into.edge.size:
        shapes = f"shape {output.edge.shape} does not fit {into.edge.shape}"
        output.fail(ValueError, f"{shapes} of input {into.place}")


def check_loop(pairs: Pairs, inputs: Tensors) -> None:
    """The order in which outputs are carried would count."""
    for output, _ in pairs:
        if output.edge.place in [each.edge.place for each in inputs]:
            output.fail(ValueError, "an input that is an output as it is cannot be carried")


def clear(pairs: Pairs) -> None:
    for _, into in pairs:
        into.values().clear()


def carry(pairs: Pairs) -> Tensor | None:
    """Returns the output whose numbers are not finite, so that nothing was carried."""
    rows = [(output, output.values(), into.values()) for output, into in pairs]
    for output, src, dst in rows:
        if not is_alike(src, dst) and find_infinite(src) is not None:
            return output
    for _, src, dst in rows:
        convert(dst, src)
    return None
