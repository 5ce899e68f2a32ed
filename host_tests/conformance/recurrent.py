# Layers that remember: sequences that go on from run to run, and that start anew after a reset.

from collections.abc import Iterator
from itertools import product

import numpy as np

from builder import Array
from conforming import oracle
from one_op import NONE, RELU, RELU6, RELU_N1, Case, by_formula, number
from recurrent_models import lstm_case, svdf_case

SIZES = 1, 3, 7, 16, 33
DTYPES = "float32", "int8"
STATES = "float32", "int8", "int16"
LIMITS = {NONE: (-np.inf, np.inf), RELU: (0, np.inf), RELU_N1: (-1, 1), RELU6: (0, 6)}


def from_zero(case: Case) -> Case:
    """The state is reset before each run."""
    model = case.model.to_bytes()
    return by_formula(case, lambda inputs: oracle(model, [inputs], 1)[0])


def lstm() -> Iterator[Case]:
    for dtype in DTYPES:
        for batches, units in product((1, 2), SIZES):
            for at, time_major in enumerate((False, True)):
                depth = SIZES[(SIZES.index(units) + 2 * at + 1) % len(SIZES)]
                yield lstm_case(
                    f"{dtype}_{batches}_{depth}_{units}_{time_major}",
                    dtype,
                    units,
                    depth=depth,
                    batches=batches,
                    steps=5,
                    time_major=time_major,
                )
        yield lstm_case(f"{dtype}_step", dtype, 4, steps=1)
        yield lstm_case(f"{dtype}_long", dtype, 3, steps=40, weight_scale=0.004)
        yield from_zero(lstm_case(f"{dtype}_reset", dtype, 9, batches=2))
        for clip in 0.01, 0.3, 100.0:
            yield lstm_case(f"{dtype}_clip_{clip}", dtype, 4, steps=6, clip=clip)
    for zero in -128, -1, 0, 127:
        for scale in 1 / 128, 1 / 256, 1 / 300:
            name = f"int8_zero_{zero}_{scale:.4f}"
            yield lstm_case(name, "int8", 5, zero=zero, scale=scale)
    for bits in 0, 6, 11, 12, 13, 15, 17, 24:
        scale = min(1 / 128, 2.0 ** (8 - bits))
        name = f"int8_cell_{bits}"
        yield lstm_case(name, "int8", 5, cell_bits=bits, scale=scale, weight_scale=0.003)
    # So many that some of the products of gate and cell lie where it matters how halves go.
    yield lstm_case("int8_halves", "int8", 33, steps=2000, cell_bits=6, weight_scale=0.003)
    for scale in 0.0001, 0.002, 0.03:
        yield lstm_case(f"int8_weights_{scale}", "int8", 5, depth=4, weight_scale=scale)


def svdf() -> Iterator[Case]:
    for state in STATES:
        for (units, rank), depth in product(((1, 1), (5, 2), (4, 3)), SIZES):
            for batches, memory in (1, 8), (2, 1), (3, 3):
                yield svdf_case(
                    f"{state}_{batches}_{depth}_{units}_{rank}_{memory}",
                    state,
                    batches=batches,
                    depth=depth,
                    units=units,
                    rank=rank,
                    memory=memory,
                    function=NONE if state == "float32" and rank != 2 else RELU,
                )
        yield from_zero(svdf_case(f"{state}_reset", state))
        yield without_bias(state)
    yield svdf_case("float32_6", "float32", function=RELU6)
    for state, factor in product(("int8", "int16"), (0.03, 0.3, 30.0)):
        yield svdf_case(f"{state}_range_{factor}", state, state_range=factor)
    for zero in -7, 20:
        yield svdf_case(f"int8_state_zero_{zero}", "int8", state_zero=zero, state_range=3.0)
    for state, function, zero in product(("int8", "int16"), LIMITS, (-128, 0, 50)):
        yield clamped(f"{state}_clamp_{function}_{zero}", state, function, zero)


def without_bias(state: str) -> Case:
    """The other implementation crashes without one; zeros are the same."""
    zeros = svdf_case("zeros", state).model
    values = zeros.tensors[3]
    assert values.data
    values.data = bytes(len(values.data))
    case = svdf_case(f"{state}_absent", state, has_bias=False)
    return by_formula(case, lambda inputs: oracle(zeros.to_bytes(), [inputs], 1)[0])


def clamped(name: str, state: str, function: int, zero: int) -> Case:
    """The other implementation takes RELU alone, and clamps nothing for it."""
    case = svdf_case(name, state, function=function, out_zero=zero, middle=0)
    free = svdf_case(name, state, function=RELU, out_zero=zero, middle=0).model.to_bytes()
    output = case.model.tensors[case.model.outputs[0]]
    low, high = (number(np.array(limit), output) for limit in LIMITS[function])

    def formula(inputs: list[Array]) -> list[Array]:
        return [np.clip(oracle(free, [inputs], 1)[0][0], low, high)]

    return by_formula(case, formula)


def cases() -> Iterator[Case]:
    yield from lstm()
    yield from svdf()
