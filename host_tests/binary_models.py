# Models of operators with two inputs, and what they shall compute.

from collections.abc import Callable, Iterator

import numpy as np

from builder import Array, Tensor, constant
from goldens import DTYPES
from one_op import (
    EIGHT_BITS,
    NONE,
    RELU,
    RELU6,
    RELU_N1,
    Case,
    act,
    by_formula,
    number,
    one_op,
    random,
    real,
)

LIMITS = {NONE: (-np.inf, np.inf), RELU: (0, np.inf), RELU_N1: (-1, 1), RELU6: (0, 6)}
OPTIONS = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions", "DIV": "DivOptions"}
COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "EQUAL": np.equal,
    "NOT_EQUAL": np.not_equal,
    "GREATER": np.greater,
    "GREATER_EQUAL": np.greater_equal,
    "LESS": np.less,
    "LESS_EQUAL": np.less_equal,
}
FUNCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    **COMPARISONS,
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": np.divide,
    "SQUARED_DIFFERENCE": lambda x, y: (x - y) ** 2,
    "MAXIMUM": np.maximum,
    "MINIMUM": np.minimum,
    "FLOOR_DIV": np.floor_divide,
    "FLOOR_MOD": np.mod,
    "LOGICAL_AND": np.logical_and,
    "LOGICAL_OR": np.logical_or,
}
MORE_TYPES = {  # beyond float32, int8 and uint8
    "DIV": ("int32",),
    "FLOOR_DIV": (),
    "FLOOR_MOD": (),
    **dict.fromkeys(("ADD", "SUB", "MUL", "SQUARED_DIFFERENCE"), ("int16", "int32")),
    **dict.fromkeys(("MAXIMUM", "MINIMUM", *COMPARISONS), ("int16", "int32", "int64")),
}
FLOAT_ONLY = "FLOOR_DIV", "FLOOR_MOD"
BOOL_OPS = "LOGICAL_AND", "LOGICAL_OR", "EQUAL", "NOT_EQUAL"
SAME_SCALE = "MAXIMUM", "MINIMUM"
DIVISIONS = "DIV", "FLOOR_DIV", "FLOOR_MOD"


def types_of(op: str) -> tuple[str, ...]:
    return (EIGHT_BITS[:1] if op in FLOAT_ONLY else EIGHT_BITS) + MORE_TYPES[op]


def has_oracle(op: str, dtype: str, activation: int) -> bool:
    """It forgets activations of int32 sums, and divides integers less precisely than it could."""
    if dtype == "int32":
        return op != "ADD" or activation == NONE
    return (
        dtype != "uint8"
        and (op, dtype) != ("DIV", "int8")
        and (dtype != "int16" or op not in COMPARISONS)
    )


def pair(op: str, name: str, a: Tensor, b: Tensor, out: Tensor, activation: int = NONE) -> Case:
    options = {"FusedActivationFunction": activation} if op in OPTIONS else {}
    case = one_op(name, op, [a, b], [out], OPTIONS.get(op), **options)
    if has_oracle(op, DTYPES[a.type].name, activation):
        return case

    def values(tensor: Tensor, given: list[Array]) -> Array:
        if tensor.data is None:
            return real(given.pop(0), tensor)
        stored = np.frombuffer(tensor.data, DTYPES[tensor.type]).reshape(tensor.shape)
        return real(stored, tensor)

    def formula(inputs: list[Array]) -> list[Array]:
        given = list(inputs)
        result = FUNCTIONS[op](values(a, given), values(b, given))
        return [number(np.clip(result, *LIMITS[activation]), out)]

    return by_formula(case, formula, step=1 if out.quantization else 0)


def divisor(tensor: Tensor) -> Tensor:
    """A constant without zeros."""
    values = random(5, tensor.shape, DTYPES[tensor.type].name)
    if tensor.quantization is None:
        return constant(np.where(values == 0, values.dtype.type(7), values))
    (scale,), (zero,) = tensor.quantization.scales, tensor.quantization.zero_points
    return constant(np.where(values == zero, values.dtype.type(7), values), scale, zero)


SHAPES = {  # of both inputs and the output
    "same": ([1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]),
    "channels": ([1, 2, 3, 4], [4], [1, 2, 3, 4]),
    "both": ([2, 1, 3], [4, 1], [2, 4, 3]),
    "5": ([2, 1, 3, 1, 2], [2, 1, 4, 1], [2, 2, 3, 4, 2]),
}


def binary() -> Iterator[Case]:
    for shapes, (a, b, c) in SHAPES.items():
        activation = RELU if shapes == "same" else NONE
        for op in MORE_TYPES:
            scales = 0.04, 0.07, 0.3 if op == "SQUARED_DIFFERENCE" else 0.1
            if op in COMPARISONS or op in SAME_SCALE:
                scales = 0.5, 0.5, 0.5
            for dtype in types_of(op):
                second = act(b, dtype, scales[1])
                yield pair(
                    op,
                    f"{dtype}_{shapes}",
                    act(a, dtype, scales[0]),
                    divisor(second) if op in DIVISIONS else second,
                    act(c, "bool" if op in COMPARISONS else dtype, scales[2]),
                    activation if op in OPTIONS else NONE,
                )
        for op in BOOL_OPS:
            yield pair(op, f"bool_{shapes}", act(a, "bool"), act(b, "bool"), act(c, "bool"))


FAMILIES: list[Callable[[], Iterator[Case]]] = [binary]
