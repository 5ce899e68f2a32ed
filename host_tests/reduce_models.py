# Models of operators along axes, and what they shall compute.

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from builder import TYPES, Array, Tensor, activation
from goldens import DTYPES
from one_op import EIGHT_BITS, Case, act, by_formula, ints, number, one_op, real

REDUCTIONS: dict[str, Callable[..., Array]] = {
    "MEAN": np.mean,
    "SUM": np.sum,
    "REDUCE_MAX": np.max,
    "REDUCE_MIN": np.min,
}
INDICES: dict[str, Callable[..., Array]] = {"ARG_MAX": np.argmax, "ARG_MIN": np.argmin}
ALL_TYPES = *EIGHT_BITS, "int16", "int32", "int64"


def _has_oracle(op: str, dtype: str) -> bool:
    more = ("int16",) if op in ("MEAN", "SUM") else ()
    return dtype in ("float32", "int8", *more)


def reduction(
    op: str, name: str, x: Tensor, y: Tensor, axes: Sequence[int], keep: bool = False
) -> Case:
    case = one_op(name, op, [x, ints(*axes)], [y], "ReducerOptions", KeepDims=keep)
    dtype = DTYPES[x.type].name
    if _has_oracle(op, dtype):
        return case

    def formula(inputs: list[Array]) -> list[Array]:
        places = tuple({axis % len(x.shape) for axis in axes})
        values = REDUCTIONS[op](real(inputs[0], x), axis=places, keepdims=keep)
        if x.quantization is None:
            return [np.trunc(values).astype(dtype)]
        return [number(values, y)]

    return by_formula(case, formula, step=1 if x.quantization else 0)


def index(op: str, name: str, x: Tensor, axis: int, dtype: str = "int32") -> Case:
    shape = list(x.shape)
    del shape[axis]
    case = one_op(
        name,
        op,
        [x, ints(axis)],
        [activation(shape, dtype)],
        op.replace("_M", "M").title().replace("Argm", "ArgM") + "Options",
        OutputType=TYPES[dtype],
    )

    def formula(inputs: list[Array]) -> list[Array]:
        return [INDICES[op](inputs[0], axis=axis).astype(dtype)]

    return by_formula(case, formula)


def reduced(shape: Sequence[int], axes: Sequence[int], keep: bool) -> list[int]:
    places = {axis % len(shape) for axis in axes}
    sizes = [1 if i in places else size for i, size in enumerate(shape)]
    return sizes if keep else [size for i, size in enumerate(sizes) if i not in places]


def axes() -> Iterator[Case]:
    shape = [2, 3, 4, 5]
    for dtype in ALL_TYPES:
        for op in REDUCTIONS:
            out_scale = {"MEAN": 0.04, "SUM": 0.4}.get(op, 0.05)
            for keep, chosen in (True, [1, 2]), (False, [-1, 0, 3]):
                yield reduction(
                    op,
                    f"{dtype}_{len(chosen)}",
                    act(shape, dtype),
                    act(reduced(shape, chosen, keep), dtype, out_scale),
                    chosen,
                    keep,
                )
        if dtype != "int64":
            for op in INDICES:
                yield index(op, dtype, act([2, 3, 4], dtype), -1)
                yield index(op, f"{dtype}_int64", act([2, 3, 4], dtype), 1, "int64")


FAMILIES: list[Callable[[], Iterator[Case]]] = [axes]
