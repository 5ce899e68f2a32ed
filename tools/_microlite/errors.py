# The exceptions. Each keeps its details in args behind the message, and its attributes name them.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NoReturn


class _Detailed(Exception):
    _fields: ClassVar[tuple[str, ...]]

    def __getattr__(self, name: str) -> Any:
        if name not in self._fields:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        details = self.args[1:]
        place = self._fields.index(name)
        return details[place] if place < len(details) else None

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.args[:1]!r}"


class ArenaError(_Detailed, MemoryError):
    _fields = ("needed", "given", "missing", "stage", "largest_free", "heap_free", "log")


class ModelError(_Detailed, ValueError):
    _fields: ClassVar[tuple[str, ...]] = ("problems", "log")


class OpError(ModelError):
    _fields = ("problems", "log", "missing_ops")


class InvokeError(_Detailed, RuntimeError):
    _fields = ("op_index", "op", "log")


def _named(name: str | None, message: str) -> str:
    return message if name is None else f"{name}: {message}"


def raise_arena(needed: int, given: int, name: str | None) -> NoReturn:
    missing = needed - given
    text = f"arena: {needed} bytes needed, {given} given ({missing} short)"
    raise ArenaError(_named(name, text), needed, given, missing, "activations", None, None, "")


def raise_no_block(size: int, stage: str, name: str | None) -> NoReturn:
    text = f"no block of {size} bytes for the {stage}"
    raise ArenaError(_named(name, text), size, 0, size, stage, None, None, "")


def raise_model(problems: Sequence[str], name: str | None, log: str = "") -> NoReturn:
    text = problems[0]
    if log:
        text += f": {log}"
    if len(problems) > 1:
        text += f" (and {len(problems) - 1} more)"
    raise ModelError(_named(name, text), tuple(problems), log)


def raise_ops(ops: Sequence[str], problems: Sequence[str], name: str | None) -> NoReturn:
    text = f"operators missing in this firmware: {', '.join(ops)}"
    if any(op.startswith("Flex") for op in ops):
        text += "; Flex operators are TensorFlow's: convert without SELECT_TF_OPS"
    raise OpError(_named(name, text), (*problems, text), "", tuple(ops))


def raise_invoke(log: str, name: str | None) -> NoReturn:
    raise InvokeError(_named(name, f"an operator failed: {log}"), None, None, log)
