# Models of one layer that remembers: its state is a variable.

from collections.abc import Callable, Iterator

import numpy as np

from builder import Tensor, activation, constant
from one_op import RELU, Case, act, bias, one_op, random, weights

TANH = 4
GATES = "input", "forget", "cell", "output"


def variable(shape: list[int], dtype: str, scale: float | None = None, zero: int = 0) -> Tensor:
    tensor = activation(shape, dtype, scale, zero)
    tensor.variable = True
    return tensor


def lstm_case(
    name: str,
    dtype: str,
    units: int,
    *,
    depth: int = 3,
    batches: int = 1,
    steps: int = 4,
    time_major: bool = False,
    clip: float = 0.0,
    zero: int = 3,
    scale: float = 1 / 128,
    cell_bits: int = 11,
    weight_scale: float = 0.01,
) -> Case:
    """An LSTM whose outputs, and states, have a scale and zero point."""

    def matrix(seed: int, width: int) -> Tensor:
        values = random(seed, [units, width], dtype)
        return constant(values / 4 if dtype == "float32" else values, scales and weight_scale)

    scales = 0.0 if dtype == "float32" else 0.05
    out = (scale, zero) if scales else (None, 0)
    cell = (2.0**-cell_bits, 0) if scales else (None, 0)
    lead = [steps, batches] if time_major else [batches, steps]
    parts = [
        act([*lead, depth], dtype),
        *(matrix(10 + i, depth) for i in range(len(GATES))),
        *(matrix(20 + i, units) for i in range(len(GATES))),
        *[None] * 3,
        *(bias(30 + i, units, dtype, 0.05 * weight_scale) for i in range(len(GATES))),
        *[None] * 2,
        variable([batches, units], dtype, *out),
        variable([batches, units], "int16" if scales else dtype, *cell),
        *[None] * 4,
    ]
    return one_op(
        name,
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        parts,
        [activation([*lead, units], dtype, *out)],
        "UnidirectionalSequenceLSTMOptions",
        FusedActivationFunction=TANH,
        CellClip=clip,
        TimeMajor=time_major,
    )


def lstm() -> Iterator[Case]:
    for dtype in "float32", "int8":
        yield lstm_case(dtype, dtype, 5)
        yield lstm_case(f"{dtype}_time", dtype, 2, batches=2, time_major=True, clip=0.5)


def svdf_case(
    name: str,
    state: str,
    *,
    batches: int = 1,
    depth: int = 6,
    units: int = 4,
    rank: int = 2,
    memory: int = 5,
    function: int = RELU,
    has_bias: bool = True,
    out_zero: int = -128,
    state_zero: int = 0,
    state_range: float = 1.0,
    middle: int = 100,
) -> Case:
    """Integer outputs lie around so many steps above the zero point."""
    filters = units * rank
    is_float = state == "float32"
    dtype = "float32" if is_float else "int8"
    time_scale = {"int8": 0.01, "int16": 0.0001}.get(state, 0.0)
    spread = depth**0.5 * state_range
    scale = {"int8": 0.2 * spread, "int16": 0.001 * spread}.get(state)
    out_scale = {"int8": 0.1, "int16": 0.008}.get(state, 0.0) * (depth * memory * rank) ** 0.5
    offsets = bias(3, units, dtype)
    if scale:
        values = np.arange(middle, middle + units) * out_scale / (scale * time_scale)
        offsets = constant(values.astype(np.int32), scale * time_scale)
    parts = [
        act([batches, depth], dtype),
        weights(1, [filters, depth], dtype),
        constant(random(2, [filters, memory], state), time_scale or None),
        offsets if has_bias else None,
        variable([batches, filters * memory], state, scale, 0 if is_float else state_zero),
    ]
    out = activation([batches, units], dtype, out_scale or None, 0 if is_float else out_zero)
    return one_op(
        name,
        "SVDF",
        parts,
        [out],
        "SVDFOptions",
        Rank=rank,
        FusedActivationFunction=function,
    )


def svdf() -> Iterator[Case]:
    yield svdf_case("float32", "float32", batches=2)
    yield svdf_case("float32_absent", "float32", batches=2, has_bias=False)
    yield svdf_case("int8", "int16")
    yield svdf_case("int8_narrow", "int8", batches=2)


FAMILIES: list[Callable[[], Iterator[Case]]] = [lstm, svdf]
