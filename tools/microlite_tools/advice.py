# What to do about the problems that the model check finds, by its words.

"""Advice for models that do not run."""

from __future__ import annotations

import re
from collections.abc import Collection

from . import operators

_WHOLE = (
    "with full integer quantisation: optimizations, a representative_dataset and "
    "supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]; or without any quantisation."
)
_CONTROL = {"WHILE", "IF", "CALL"}
_AGAIN = "Copy or download it again, or convert it again."

# Types by number are those of TensorType in TensorFlow Lite's schema. The first line that fits.
_ADVICE = (
    (r"float activations with int8 weights", f"Convert {_WHOLE}"),
    (r"float16|type (1|18) is", "Convert without float16: leave supported_types alone."),
    (r"type 17 is", "Convert with weights of 8 bits."),
    (r"string|complex|type (5|8|11) is", "Leave texts and complex numbers out of the model."),
    (r"impossible shape|no elements", "Give the model's inputs fixed shapes before converting."),
    (r"sparse", "Convert without sparsity."),
    (r"rank \d+, at most", "Reshape to fewer dimensions in the model."),
    (r"fused activation", "Use RELU, RELU6 or no activation in that layer."),
    (r"not supported", f"Change that layer, or convert {_WHOLE}"),
    (r"scale|zero point|quantis", "Convert again with a representative_dataset of real inputs."),
    (r"damaged|truncated|incomplete|not aligned|bytes of data|schema version", _AGAIN),
    (r"", "Convert it again; if that gives the same, change that part of the model."),
)


def for_problem(problem: str) -> str:
    """What to do about a problem, in a sentence or two."""
    return next(advice for words, advice in _ADVICE if re.search(words, problem))


def for_operators(missing: Collection[str]) -> list[str]:
    """What to do about operators that a firmware lacks."""
    found = []
    if flex := sorted(op for op in missing if op.startswith("Flex")):
        found.append(
            f"{', '.join(flex)}: TensorFlow's own. Convert without SELECT_TF_OPS; where that "
            "fails, replace the layer."
        )
    if buildable := sorted(set(missing) & operators.names()):
        found.append(
            f"{', '.join(buildable)}: in microlite, but left out of this firmware. Build one with "
            "the line that `microlite ops` gives."
        )
    builtin = operators.builtin_names()
    if custom := sorted(set(missing) - builtin - set(flex)):
        found.append(
            f"{', '.join(custom)}: custom. No firmware can have it: cut the model before it, and "
            "do that part in Python."
        )
    if control := sorted(set(missing) & _CONTROL - operators.names()):
        found.append(
            f"{', '.join(control)}: control flow, which is not supported. Give LSTM and GRU "
            "layers unroll=True, or convert a model of one step and load it with state=: "
            "docs/models.md."
        )
    if unknown := sorted(set(missing) & builtin - operators.names() - _CONTROL):
        found.append(
            f"{', '.join(unknown)}: microlite has no kernel. Replace the layer, or write a "
            "kernel: MICROLITE_OPS_EXTRA in docs/firmware.md."
        )
    return found
