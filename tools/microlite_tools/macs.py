# Multiply-accumulates of operators: for each element of the output as many as there are weights
# that it meets, whether the kernel skips some at the borders or not.

"""Nominal multiply-accumulates."""

from __future__ import annotations

import math
from collections.abc import Callable

from .model_file import Graph, Op, Tensor

_Count = Callable[[list[Tensor], Tensor], int]


def _conv(inputs: list[Tensor], output: Tensor) -> int:
    return output.size * math.prod(inputs[1].shape[1:])


def _depthwise_conv(inputs: list[Tensor], output: Tensor) -> int:
    return output.size * math.prod(inputs[1].shape[1:3])


def _transpose_conv(inputs: list[Tensor], output: Tensor) -> int:
    return inputs[2].size * math.prod(inputs[1].shape[:3])


def _batch_matmul(inputs: list[Tensor], output: Tensor) -> int:
    return output.size * math.prod(inputs[0].shape[-2:]) // (output.shape[-2] or 1)


def _svdf(inputs: list[Tensor], output: Tensor) -> int:
    return inputs[0].shape[0] * (inputs[1].size + inputs[2].size)


def _lstm(inputs: list[Tensor], output: Tensor) -> int:
    steps = inputs[0].size // (inputs[0].shape[-1] or 1)
    return steps * sum(
        tensor.size for tensor in inputs[1:] if len(tensor.shape) == 2 and tensor.data_size
    )


_COUNTS: dict[str, _Count] = {
    "CONV_2D": _conv,
    "DEPTHWISE_CONV_2D": _depthwise_conv,
    "FULLY_CONNECTED": _conv,
    "TRANSPOSE_CONV": _transpose_conv,
    "BATCH_MATMUL": _batch_matmul,
    "SVDF": _svdf,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm,
}


def of_op(op: Op) -> int:
    """Multiply-accumulates of an operator, 0 for one that has no weights."""
    inputs = [tensor for tensor in op.inputs if tensor]
    if op.name not in _COUNTS or not op.outputs or not op.outputs[0]:
        return 0
    try:
        return max(_COUNTS[op.name](inputs, op.outputs[0]), 0)
    except IndexError:  # it lacks inputs or dimensions
        return 0


def of_graph(graph: Graph) -> int:
    """Multiply-accumulates of one invoke."""
    return sum(of_op(op) for op in graph.ops)
