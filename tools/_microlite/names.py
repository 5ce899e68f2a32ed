# Inputs and outputs by index or by name.

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tensor import Tensor

PREFIX, SUFFIX = "serving_default_", ":0"  # what converters wrap around a name


def called(tensor: Tensor) -> str:
    return tensor.edge.name or str(tensor.place)


def _find_name(tensors: tuple[Tensor, ...], key: str) -> list[Tensor]:
    found = [tensor for tensor in tensors if tensor.edge.name == key]
    return found or [
        tensor
        for tensor in tensors
        if tensor.edge.name.removeprefix(PREFIX).removesuffix(SUFFIX) == key
    ]


def find(
    tensors: tuple[Tensor, ...], others: tuple[Tensor, ...], kind: str, key: object
) -> Tensor:
    """others are the inputs when tensors are the outputs, and the other way round."""
    found: list[Tensor] = []
    if isinstance(key, int) and not isinstance(key, bool):
        if -len(tensors) <= key < len(tensors):
            return tensors[key]
    elif isinstance(key, str):
        found = _find_name(tensors, key)
        if len(found) == 1:
            return found[0]
    else:
        raise TypeError(f"{kind}: index or name needed, not {type(key).__name__}")
    raise _key_error(tensors, others, kind, key, ambiguous=len(found) > 1)


def _key_error(
    tensors: tuple[Tensor, ...],
    others: tuple[Tensor, ...],
    kind: str,
    key: object,
    ambiguous: bool,
) -> KeyError:
    relation = "is the name of several of" if ambiguous else "is not one of"
    text = f"{kind} {key!r} {relation} {', '.join(called(tensor) for tensor in tensors)}"
    if isinstance(key, str) and len(_find_name(others, key)) == 1:
        text += f"; it is an {'input' if kind == 'output' else 'output'}"
    return KeyError(text)
