# Operators that move values: random shapes of all ranks, axes, steps and masks, with what numpy
# makes of them.

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import move_models
from builder import Tensor, activation, constant
from goldens import DTYPES
from move_models import ALL_TYPES, pairs
from one_op import NONE, Case, Formula, act, by_formula, ints, one_op, quant

N_EACH = 40  # random models of an operator
RANK_MAX = 5
SIZES = 1, 1, 2, 3, 4, 5, 7

Rng = np.random.Generator
Maker = Callable[[Rng, str, int], Case]


def shape_of(rng: Rng, least: int = 1, most: int = RANK_MAX) -> list[int]:
    shape = rng.choice(SIZES, rng.integers(least, most + 1)).tolist()
    return [int(size) for size in shape]


def zero_of(dtype: str) -> int:
    return quant(dtype)[1]


def moved(
    op: str, dtype: str, n: int, parts: list[Tensor], formula: Formula, **values: Any
) -> Case:
    """A model with outputs as numpy's for zeros in all inputs."""
    options = values.pop("options", None)
    given = [part for part in parts if part.data is None]
    zeros = [np.zeros(part.shape, DTYPES[part.type]) for part in given]
    outputs = [activation(list(out.shape), dtype, *quant(dtype)) for out in formula(zeros)]
    return by_formula(
        one_op(f"{dtype}_random_{n}", op, parts, outputs, options, **values), formula
    )


def drawn(makers: Mapping[str, Maker]) -> Iterator[Case]:
    for op, make in makers.items():
        rng = np.random.default_rng(len(op))
        for n, dtype in zip(range(N_EACH), itertools.cycle(ALL_TYPES), strict=False):
            yield make(rng, dtype, n)


def transpose(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng)
    order = rng.permutation(len(shape)).tolist()
    return moved(
        "TRANSPOSE",
        dtype,
        n,
        [act(shape, dtype), ints(*order)],
        lambda inputs: [np.transpose(inputs[0], order)],
    )


def reverse(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng)
    axes = rng.permutation(len(shape))[: rng.integers(1, len(shape) + 1)].tolist()
    return moved(
        "REVERSE_V2",
        dtype,
        n,
        [act(shape, dtype), ints(*axes)],
        lambda inputs: [np.flip(inputs[0], axes)],
    )


def tile(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng)
    times = rng.integers(1, 4, len(shape)).tolist()
    return moved(
        "TILE",
        dtype,
        n,
        [act(shape, dtype), ints(*times)],
        lambda inputs: [np.tile(inputs[0], times)],
    )


def pad(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng)
    margins = [tuple(pair) for pair in rng.integers(0, 4, (len(shape), 2)).tolist()]
    return moved(
        "PAD",
        dtype,
        n,
        [act(shape, dtype), pairs(*margins)],
        lambda inputs: [np.pad(inputs[0], margins, constant_values=zero_of(dtype))],
    )


def pad_with(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng)
    margins = [tuple(pair) for pair in rng.integers(0, 4, (len(shape), 2)).tolist()]
    value = int(rng.integers(0, 2)) if dtype == "bool" else int(rng.integers(0, 100))
    parts = [
        act(shape, dtype),
        pairs(*margins),
        constant(np.array([value], dtype), *quant(dtype)),
    ]
    return moved(
        "PADV2",
        dtype,
        n,
        parts,
        lambda inputs: [np.pad(inputs[0], margins, constant_values=value)],
    )


def mirror_pad(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng)
    mode = n // len(ALL_TYPES) % 2  # REFLECT, SYMMETRIC
    margins = [tuple(rng.integers(0, size + mode, 2).tolist()) for size in shape]
    kind: Any = "symmetric" if mode else "reflect"
    return moved(
        "MIRROR_PAD",
        dtype,
        n,
        [act(shape, dtype), pairs(*margins)],
        lambda inputs: [np.pad(inputs[0], margins, kind)],
        options="MirrorPadOptions",
        Mode=mode,
    )


def slice_(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng)
    begin = [int(rng.integers(0, size)) for size in shape]
    size = [int(rng.integers(1, most - at + 1)) for at, most in zip(begin, shape, strict=True)]
    taken = tuple(slice(at, at + count) for at, count in zip(begin, size, strict=True))
    told = [
        count if n % 2 or at.stop < most else -1
        for at, count, most in zip(taken, size, shape, strict=True)
    ]
    return moved(
        "SLICE",
        dtype,
        n,
        [act(shape, dtype), ints(*begin), ints(*told)],
        lambda inputs: [inputs[0][taken]],
    )


def _entry(rng: Rng, size: int) -> tuple[int, int, int, dict[str, bool], Any]:
    """Begin, end, stride and masks for one axis, and numpy's index; something is taken."""
    while True:
        begin, end = (int(value) for value in rng.integers(-size - 2, size + 3, 2))
        stride = int(rng.choice([1, 1, 2, 3, -1, -2, 1000, -(2**31)]))
        masks = {name: bool(rng.random() < 0.3) for name in ("Begin", "End", "ShrinkAxis")}
        if masks["ShrinkAxis"]:
            if -size <= begin < size:
                return begin, end, 1, masks, 0 if masks["Begin"] else begin
            continue
        index = slice(None if masks["Begin"] else begin, None if masks["End"] else end, stride)
        if range(size)[index]:
            return begin, end, stride, masks, index


def strided_slice(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng)
    lists: list[tuple[int, int, int]] = []
    index: list[Any] = []
    masks = dict.fromkeys(("Begin", "End", "Ellipsis", "NewAxis", "ShrinkAxis"), 0)
    skip = int(rng.integers(0, len(shape) + 1))  # from here on the ellipsis stands for some
    whole = int(rng.integers(0, len(shape) - skip + 1)) if rng.random() < 0.3 else -1
    axis = 0
    while axis < len(shape):
        if axis == skip and whole >= 0:
            masks["Ellipsis"] |= 1 << len(lists)
            lists.append((0, 0, 1))
            index.append(...)
            axis, whole = axis + whole, -1
            continue
        if rng.random() < 0.1 and sum(entry is None for entry in index) + len(shape) < RANK_MAX:
            masks["NewAxis"] |= 1 << len(lists)
            lists.append((0, 0, 1))
            index.append(None)
        if rng.random() < 0.1 and ... not in index and whole < 0:
            break  # the last axes have no entries
        *entry, flags, taken = _entry(rng, shape[axis])
        for name, flag in flags.items():
            masks[name] |= flag << len(lists)
        lists.append((entry[0], entry[1], entry[2]))
        index.append(taken)
        axis += 1
    if not lists:
        lists, index = [(0, 0, 1)], [...]
        masks["Ellipsis"] = 1
    return moved(
        "STRIDED_SLICE",
        dtype,
        n,
        [act(shape, dtype), *(ints(*column) for column in zip(*lists, strict=True))],
        lambda inputs: [np.asarray(inputs[0][tuple(index)])],
        options="StridedSliceOptions",
        **{f"{name}Mask": mask for name, mask in masks.items()},
    )


def _pieces(rng: Rng) -> tuple[list[int], int, list[int]]:
    """A shape, an axis and where the pieces along it begin."""
    shape = shape_of(rng)
    axis = int(rng.integers(0, len(shape)))
    sizes = rng.choice(SIZES, rng.integers(1, 14))
    shape[axis] = int(sizes.sum())
    return shape, axis, [int(size) for size in sizes]


def concatenation(rng: Rng, dtype: str, n: int) -> Case:
    shape, axis, sizes = _pieces(rng)
    parts = [act([*shape[:axis], size, *shape[axis + 1 :]], dtype) for size in sizes]
    return moved(
        "CONCATENATION",
        dtype,
        n,
        parts,
        lambda inputs: [np.concatenate(inputs, axis)],
        options="ConcatenationOptions",
        Axis=axis - (n % 2) * len(shape),
        FusedActivationFunction=NONE,
    )


def split_v(rng: Rng, dtype: str, n: int) -> Case:
    shape, axis, sizes = _pieces(rng)
    told = [-1, *sizes[1:]] if n % 3 == 0 else sizes
    return moved(
        "SPLIT_V",
        dtype,
        n,
        [act(shape, dtype), ints(*told), ints(axis - (n % 2) * len(shape))],
        lambda inputs: np.split(inputs[0], np.cumsum(sizes)[:-1], axis),
        options="SplitVOptions",
        NumSplits=len(sizes),
    )


def split(rng: Rng, dtype: str, n: int) -> Case:
    shape, axis, sizes = _pieces(rng)
    shape[axis] = len(sizes) * sizes[0]
    return moved(
        "SPLIT",
        dtype,
        n,
        [ints(axis - (n % 2) * len(shape)), act(shape, dtype)],
        lambda inputs: np.split(inputs[0], len(sizes), axis),
        options="SplitOptions",
        NumSplits=len(sizes),
    )


def pack(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng, most=RANK_MAX - 1)
    count, axis = int(rng.integers(1, 12)), int(rng.integers(-len(shape) - 1, len(shape) + 1))
    return moved(
        "PACK",
        dtype,
        n,
        [act(shape, dtype) for _ in range(count)],
        lambda inputs: [np.stack(inputs, axis)],
        options="PackOptions",
        ValuesCount=count,
        Axis=axis,
    )


def unpack(rng: Rng, dtype: str, n: int) -> Case:
    shape = shape_of(rng)
    axis = int(rng.integers(-len(shape), len(shape)))
    return moved(
        "UNPACK",
        dtype,
        n,
        [act(shape, dtype)],
        lambda inputs: list(np.moveaxis(inputs[0], axis, 0)),
        options="UnpackOptions",
        Num=shape[axis],
        Axis=axis,
    )


MAKERS = {
    "TRANSPOSE": transpose,
    "REVERSE_V2": reverse,
    "TILE": tile,
    "PAD": pad,
    "PADV2": pad_with,
    "MIRROR_PAD": mirror_pad,
    "SLICE": slice_,
    "STRIDED_SLICE": strided_slice,
    "CONCATENATION": concatenation,
    "SPLIT_V": split_v,
    "SPLIT": split,
    "PACK": pack,
    "UNPACK": unpack,
}


def cases() -> Iterator[Case]:
    for family in move_models.FAMILIES:
        yield from family()
    yield from drawn(MAKERS)
