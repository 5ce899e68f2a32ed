# BATCH_MATMUL: every way to broadcast and to transpose, sizes, zero points at both ends, scales
# far apart; and shapes drawn by hypothesis.

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from hypothesis import strategies as st

from matmul_models import TYPES, Product, batch_matmul_case, zeros_of
from one_op import Case

BATCHES = [
    ([], []),
    ([3], []),
    ([], [3]),
    ([1], [4]),
    ([2, 3], [3]),
    ([2, 1], [1, 3]),
    ([2, 3, 2], [2, 3, 2]),
    ([2, 1, 3], [1, 4, 1]),
    ([3], [2, 2, 1]),
]
ADJ = list(product((False, True), repeat=2))
SIZES = [  # rows, depth, columns
    (1, 1, 1),
    (1, 7, 5),
    (5, 7, 1),
    (3, 1, 4),
    (2, 255, 3),
    (2, 257, 3),
    (1, 1280, 2),
    (1, 3, 1001),
    (257, 3, 2),
]
ENDS = -128, 127


def shapes() -> Iterator[Case]:
    for dtype in TYPES:
        zeros = zeros_of(dtype, -3, 8, -20)
        for i, (a, b) in enumerate(BATCHES):
            for x, y in ADJ:
                some = Product([*a, 3, 5], [*b, 5, 2], dtype, x, y, zeros=zeros)
                yield batch_matmul_case(f"batches_{i}_{x}_{y}", some)
        for rows, depth, columns in SIZES:
            sized = Product([rows, depth], [depth, columns], dtype, zeros=zeros)
            name = f"size_{rows}_{depth}_{columns}"
            yield batch_matmul_case(name, sized)
            other = replace(sized, adj_x=True, adj_y=True, stored=True)
            yield batch_matmul_case(f"{name}_stored", other)


def scaling() -> Iterator[Case]:
    for zeros in product(ENDS, repeat=3):
        name = "_".join(map(str, zeros))
        yield batch_matmul_case(
            f"zeros_{name}", Product([2, 4, 9], [2, 9, 5], zeros=(zeros[0], zeros[1], zeros[2]))
        )
    for dtype in "int8", "int16":
        for gain in 1e-6, 1e-3, 0.1, 20, 500:
            some = Product([4, 9], [9, 5], dtype, gain=gain)
            yield batch_matmul_case(f"gain_{gain}", some)


def cases() -> Iterator[Case]:
    yield from shapes()
    yield from scaling()


@st.composite
def products(draw: st.DrawFn) -> Case:
    sizes = st.integers(1, 6)
    dtype = draw(st.sampled_from(TYPES))
    rows, depth, columns = draw(sizes), draw(st.integers(1, 40)), draw(sizes)
    batches = draw(st.lists(st.integers(1, 4), max_size=3))
    parts = []
    for _ in range(2):
        own = batches[draw(st.integers(0, len(batches))) :]
        parts.append([1 if draw(st.booleans()) else dim for dim in own])
    zeros = [draw(st.integers(-128, 127)) for _ in range(3)]
    some = Product(
        [*parts[0], rows, depth],
        [*parts[1], depth, columns],
        dtype,
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.booleans()),
        zeros_of(dtype, *zeros),
        draw(st.sampled_from([0.1, 1.0, 10.0])),
    )
    return batch_matmul_case("drawn", some)


def strategies() -> list[st.SearchStrategy[Case]]:
    return [products()]
