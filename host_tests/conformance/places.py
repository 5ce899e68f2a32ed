# Operators that move values to other places by blocks, by index or by size, with what numpy makes
# of them, and resized images.

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from builder import Array, Model, activation, constant
from conformance.moves import RANK_MAX, Rng, drawn, moved, shape_of, zero_of
from move_models import pairs
from one_op import NONE, Case, Formula, act, by_formula, ints, number, one_op, real

CHANNELS = 1, 3, 7, 255, 257, 1001, 1280


def gather(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng, most=4)
    axis = int(rng.integers(0, len(shape)))
    common = int(rng.integers(0, axis + 1)) if n % 2 else 0
    more = shape_of(rng, least=0, most=RANK_MAX + 1 - len(shape))[:2]
    at = rng.integers(0, shape[axis], [*shape[:common], *more]).astype(np.int32)

    def formula(inputs: list[Array]) -> list[Array]:
        values = inputs[0]
        rows = [np.take(values[i], at[i], axis - common) for i in np.ndindex(*shape[:common])]
        return [np.reshape(rows, [*shape[:common], *rows[0].shape])]

    return moved(
        "GATHER",
        dtype,
        n,
        [act(shape, dtype), constant(at)],
        formula,
        options="GatherOptions",
        Axis=axis - (n % 3 == 0) * len(shape),
        BatchDims=common,
    )


def gather_nd(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng, most=4)
    depth = int(rng.integers(1, len(shape) + 1))
    rows = shape_of(rng, most=min(RANK_MAX - len(shape) + depth, RANK_MAX - 1))
    columns = [rng.integers(0, size, rows).astype(np.int32) for size in shape[:depth]]
    return moved(
        "GATHER_ND",
        dtype,
        n,
        [act(shape, dtype), constant(np.stack(columns, -1))],
        lambda inputs: [inputs[0][tuple(columns)]],
    )


# --- blocks ---


def _to_batches(
    values: Array, sizes: list[int], margins: list[tuple[int, int]], zero: int
) -> Array:
    n = len(sizes)
    rest = values.ndim - n - 1
    values = np.pad(values, [(0, 0), *margins, *[(0, 0)] * rest], constant_values=zero)
    shape = [values.shape[0]]
    for dim, size in zip(values.shape[1 : n + 1], sizes, strict=True):
        shape += [dim // size, size]
    values = values.reshape([*shape, *values.shape[n + 1 :]])
    order = [*range(2, 2 * n + 1, 2), 0, *range(1, 2 * n, 2), *range(2 * n + 1, values.ndim)]
    values = values.transpose(order)
    return values.reshape([-1, *values.shape[n + 1 :]])


def _from_batches(values: Array, sizes: list[int], crops: list[tuple[int, int]]) -> Array:
    n = len(sizes)
    values = values.reshape([*sizes, -1, *values.shape[1:]])
    order = [n]
    for i in range(n):
        order += [n + 1 + i, i]
    values = values.transpose([*order, *range(2 * n + 1, values.ndim)])
    shape = [values.shape[0]]
    shape += [values.shape[1 + 2 * i] * values.shape[2 + 2 * i] for i in range(n)]
    values = values.reshape([*shape, *values.shape[2 * n + 1 :]])
    cut = [slice(a, dim - b) for (a, b), dim in zip(crops, shape[1:], strict=True)]
    return values[(slice(None), *cut)]


def space_to_batch(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng, least=2)
    sizes = [int(size) for size in rng.integers(1, 4, rng.integers(1, len(shape)))]
    margins = []
    for axis, size in enumerate(sizes, 1):
        before = int(rng.integers(0, 4))
        margins.append((before, -(shape[axis] + before) % size + size * int(rng.integers(0, 2))))
    return moved(
        "SPACE_TO_BATCH_ND",
        dtype,
        n,
        [act(shape, dtype), ints(*sizes), pairs(*margins)],
        lambda inputs: [_to_batches(inputs[0], sizes, margins, zero_of(dtype))],
    )


def batch_to_space(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng, least=2)
    sizes = [int(size) for size in rng.integers(1, 4, rng.integers(1, len(shape)))]
    shape[0] *= int(np.prod(sizes))
    crops = []
    for axis, size in enumerate(sizes, 1):
        before = int(rng.integers(0, shape[axis] * size))
        crops.append((before, int(rng.integers(0, shape[axis] * size - before))))
    return moved(
        "BATCH_TO_SPACE_ND",
        dtype,
        n,
        [act(shape, dtype), ints(*sizes), pairs(*crops)],
        lambda inputs: [_from_batches(inputs[0], sizes, crops)],
    )


def _image(rng: Rng) -> list[int]:
    return [
        int(rng.integers(1, 3)),
        *rng.integers(1, 6, 2).tolist(),
        int(rng.choice([1, 3, 4, 9])),
    ]


def space_to_depth(rng: Rng, dtype: str, n: int) -> Case:
    b, h, w, c = _image(rng)
    size = int(rng.integers(1, 4))

    def formula(inputs: list[Array]) -> list[Array]:
        cells = inputs[0].reshape([b, h, size, w, size, c]).transpose([0, 1, 3, 2, 4, 5])
        return [cells.reshape([b, h, w, size * size * c])]

    parts = [act([b, h * size, w * size, c], dtype)]
    options = {"options": "SpaceToDepthOptions", "BlockSize": size}
    return moved("SPACE_TO_DEPTH", dtype, n, parts, formula, **options)


def depth_to_space(rng: Rng, dtype: str, n: int) -> Case:
    b, h, w, c = _image(rng)
    size = int(rng.integers(1, 4))

    def formula(inputs: list[Array]) -> list[Array]:
        cells = inputs[0].reshape([b, h, w, size, size, c]).transpose([0, 1, 3, 2, 4, 5])
        return [cells.reshape([b, h * size, w * size, c])]

    parts = [act([b, h, w, size * size * c], dtype)]
    options = {"options": "DepthToSpaceOptions", "BlockSize": size}
    return moved("DEPTH_TO_SPACE", dtype, n, parts, formula, **options)


# --- beyond moving ---


def sizes() -> Iterator[Case]:
    """Images of other sizes, also by one and to the same; channels in number."""
    ways = [(False, False), (True, False), (False, True)]
    shapes = [*itertools.product((1, 2, 3, 7), (1, 2, 3, 5, 10, 64), (3,)), (2, 3, 1280)]
    for op, dtype in itertools.product(("BILINEAR", "NEAREST_NEIGHBOR"), ("float32", "int8")):
        table = f"Resize{op.title().replace('_', '')}Options"
        for (before, after, depth), (corners, half) in itertools.product(shapes, ways):
            yield one_op(
                f"{dtype}_{before}_to_{after}_{depth}_{corners:d}{half:d}",
                f"RESIZE_{op}",
                [act([2, before, 3, depth], dtype), ints(after, before + 3)],
                [act([2, after, before + 3, depth], dtype)],
                table,
                AlignCorners=corners,
                HalfPixelCenters=half,
            )


def rescaled() -> Iterator[Case]:
    """uint8 inputs of other scales than the output's."""
    for scale, zero_point in itertools.product((0.005, 0.05, 0.8, 1e-9), (0, 131, 255)):
        parts = [
            activation([3, 2], "uint8", 0.05, 131),
            activation([3, 4], "uint8", 0.2, 0),
            activation([3, 1], "uint8", scale, zero_point),
        ]
        whole = activation([3, 7], "uint8", scale if scale > 1e-6 else 0.05, zero_point)
        case = one_op(
            f"uint8_rescaled_{scale}_{zero_point}",
            "CONCATENATION",
            parts,
            [whole],
            "ConcatenationOptions",
            Axis=1,
            FusedActivationFunction=NONE,
        )
        yield by_formula(case, _rescale(case.model), step=1)


def _rescale(model: Model) -> Formula:
    parts, whole = [model.tensors[i] for i in model.inputs], model.tensors[model.outputs[0]]
    return lambda inputs: [
        number(np.concatenate([*map(real, inputs, parts)], 1), whole),
    ]


def at_any_index() -> Iterator[Case]:
    """Indices that come with the values."""
    for depth in CHANNELS:
        parts = [act([5, depth], "int8"), activation([3], "int32")]
        out = act([3, depth], "int8")
        case = one_op(f"int8_any_{depth}", "GATHER", parts, [out], "GatherOptions", Axis=0)
        yield replace(case, expected=_taken, inputs=_with_indices(depth))


def _taken(inputs: list[Array]) -> list[Array]:
    return [inputs[0][inputs[1]]]


def _with_indices(depth: int) -> Callable[[Rng], list[Array]]:
    def inputs(rng: Rng) -> list[Array]:
        values = rng.integers(-128, 128, [5, depth]).astype(np.int8)
        return [values, rng.integers(0, 5, 3).astype(np.int32)]

    return inputs


MAKERS = {
    "GATHER": gather,
    "GATHER_ND": gather_nd,
    "SPACE_TO_BATCH_ND": space_to_batch,
    "BATCH_TO_SPACE_ND": batch_to_space,
    "SPACE_TO_DEPTH": space_to_depth,
    "DEPTH_TO_SPACE": depth_to_space,
}


def cases() -> Iterator[Case]:
    yield from drawn(MAKERS)
    yield from sizes()
    yield from rescaled()
    yield from at_any_index()
