# The operators and types that ops.def promises, and which of them a model shows.

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import tflite

from builder import Model

OPS = Path(__file__).resolve().parent.parent / "src_c/tflm/ops.def"
ROW = re.compile(r'^OP\((\w+), (\d+),.*"(.*)"', re.MULTILINE)
Type = tflite.TensorType
LETTERS = {
    Type.FLOAT32: "f",
    Type.INT8: "b",
    Type.UINT8: "B",
    Type.INT16: "h",
    Type.INT32: "i",
    Type.INT64: "q",
    Type.BOOL: "t",
    Type.RESOURCE: "r",
}

Pair = tuple[str, str]  # an operator and types such as "bbi>b"


@cache
def table() -> dict[str, tuple[int, list[str]]]:
    """Of each operator its code and its types."""
    rows = ROW.findall(OPS.read_text())
    return {name: (int(code), types.split()) for name, code, types in rows}


def promised() -> list[Pair]:
    return [(name, types) for name, (_, rows) in table().items() for types in rows]


def _matches(model: Model, indices: list[int], letters: str) -> bool:
    """The last letter stands for all further tensors, an absent input for any type."""
    letters += letters[-1:] * len(indices)
    present = [
        (model.tensors[i].type, c) for i, c in zip(indices, letters, strict=False) if i >= 0
    ]
    return all(c in (".", LETTERS.get(kind)) for kind, c in present)


def shown(model: Model) -> Iterator[Pair]:
    for op in model.ops:
        for name, (code, rows) in table().items():
            for types in rows if code == op.code else ():
                ins, _, outs = types.partition(">")
                if _matches(model, op.inputs, ins) and _matches(model, op.outputs, outs):
                    yield name, types
