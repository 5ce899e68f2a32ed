# The operators that microlite has: ops.def and its reader, which builds of firmware use too. An
# installed package has both in a folder of its own.

"""The operators of microlite, and those of models."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_INSTALLED = _HERE / "tflm"
TFLM = _INSTALLED if _INSTALLED.is_dir() else _HERE.parents[1] / "src_c/tflm"

# The letters of types in ops.def.
_DTYPES = {
    "f": "float32",
    "b": "int8",
    "B": "uint8",
    "h": "int16",
    "i": "int32",
    "q": "int64",
    "t": "bool",
    "r": "resource",
}
_TYPES = re.compile(r'"([^"]*)"')


@cache
def selection() -> Any:
    """The module select_ops."""
    spec = spec_from_file_location("select_ops", TFLM / "select_ops.py")
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def name_of(code: int) -> str:
    """The name of a builtin operator."""
    name: str = selection().name_of(code)
    return name


def builtin_names() -> frozenset[str]:
    """The operators of TensorFlow Lite, whether microlite has them or not."""
    return frozenset(selection().NAMES)


@cache
def _rows() -> dict[str, str]:
    rows: dict[str, str] = selection().read_rows([TFLM / "ops.def"])
    return rows


def names() -> frozenset[str]:
    """The operators that microlite has."""
    return frozenset(_rows())


def _fits(letters: str, dtypes: list[str | None]) -> bool:
    letters += letters[-1:] * (len(dtypes) - len(letters))
    pairs = zip(letters, dtypes, strict=False)
    return all(
        dtype is None or letter == "." or _DTYPES[letter] == dtype for letter, dtype in pairs
    )


def computes(op: str, inputs: list[str | None], outputs: list[str | None]) -> bool:
    """Whether the kernel of an operator takes these types; None stands for an absent tensor."""
    found = _TYPES.search(_rows()[op])
    assert found
    sides = (types.split(">") for types in found[1].split(" "))
    return any(_fits(before, inputs) and _fits(after, outputs) for before, after in sides)
