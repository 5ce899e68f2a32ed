# Operators along axes: every choice of axes up to rank 5, negative and double ones, zero points at
# both ends, and sums beyond 32 bits.

from collections.abc import Iterator, Sequence
from itertools import combinations

from builder import Tensor, activation
from one_op import Case
from reduce_models import ALL_TYPES, INDICES, REDUCTIONS, index, reduced, reduction

SHAPES = [7], [3, 5], [2, 3, 4], [2, 3, 1, 5], [2, 3, 2, 2, 3]
ENDS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (0, 0)}
SUMS = "MEAN", "SUM"


def _tensor(shape: Sequence[int], dtype: str, scale: float, zero_point: int = 0) -> Tensor:
    return activation(shape, dtype, scale if dtype in ENDS else None, zero_point)


def _case(
    op: str,
    name: str,
    dtype: str,
    shape: Sequence[int],
    axes: Sequence[int],
    keep: bool = False,
    scales: tuple[float, float] = (0.05, 0.05),
    zeros: tuple[int, int] = (0, 0),
) -> Case:
    x = _tensor(shape, dtype, scales[0], zeros[0])
    out = (scales[1], zeros[1]) if op in SUMS else (scales[0], zeros[0])
    y = _tensor(reduced(shape, axes, keep), dtype, *out)
    return reduction(op, f"{name}_{dtype}", x, y, axes, keep)


def axes() -> Iterator[Case]:
    for op in REDUCTIONS:
        for dtype in ALL_TYPES:
            for shape in SHAPES:
                rank = len(shape)
                for n in range(1, rank + 1):
                    for chosen in combinations(range(rank), n):
                        name = "".join(map(str, (rank, "_", *chosen)))
                        yield _case(op, f"axes_{name}", dtype, shape, chosen, sum(chosen) % 2 > 0)
            yield _case(op, "axes_double", dtype, [2, 3, 4], [1, -2, 1], True)
            yield _case(op, "axes_negative", dtype, [2, 3, 4], [-1, -3])


def quantisations() -> Iterator[Case]:
    """Images as networks end in, and sums that saturate."""
    for op in REDUCTIONS:
        for dtype, ends in ENDS.items():
            for i, zeros in enumerate(((ends[0], ends[1]), (ends[1], ends[0]), ends[:1] * 2)):
                for j, scales in enumerate(((0.05, 0.05), (0.05, 0.03), (0.02, 3.0), (0.5, 0.01))):
                    for size in 4, 7:
                        yield _case(
                            *(op, f"image_{i}_{j}_{size}", dtype, [1, size, size, 19], [1, 2]),
                            size == 7,
                            scales,
                            zeros,
                        )


def long() -> Iterator[Case]:
    for op in REDUCTIONS:
        for dtype in "float32", "int8", "uint8":
            yield _case(op, "long", dtype, [30001, 2], [0], scales=(0.05, 0.06))
        yield _case(op, "long", "int16", [20001, 2], [0], scales=(0.05, 0.06))
        yield _case(op, "long", "int64", [20001, 2], [0])


def places() -> Iterator[Case]:
    for op in INDICES:
        for dtype in ALL_TYPES[:-1]:
            for kind in "int32", "int64":
                for shape in *SHAPES, [1001], [3, 257]:
                    for axis in range(len(shape)):
                        name = f"{len(shape)}_{shape[-1]}_{axis}_{dtype}_{kind}"
                        yield index(op, name, _tensor(shape, dtype, 0.05), axis, kind)
            yield index(op, f"negative_{dtype}", _tensor([3, 4, 5], dtype, 0.05), -2)


def cases() -> Iterator[Case]:
    yield from axes()
    yield from quantisations()
    yield from long()
    yield from places()
