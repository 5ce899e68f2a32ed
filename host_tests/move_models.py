# Models of one operator that moves values. What comes out of them does not depend on the type:
# where the other implementation lacks one, its answer for floats is right for it too.

import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import tflite
from tflite_micro import runtime

from builder import Array, Model, Tensor, constant
from goldens import DTYPES
from one_op import NONE, Case, Formula, act, by_formula, ints, one_op, quant

ALL_TYPES = "float32", "int8", "uint8", "int16", "int32", "int64", "bool"
BY_ORACLE = "float32", "int8"


def _zero(tensor: Tensor) -> int:
    return tensor.quantization.zero_points[0] if tensor.quantization else 0


def _with_floats(model: Model, to_floats: Callable[[Array], Array]) -> Model:
    """The same with float32 in place of the output's type; parameters stay as they are."""
    new = copy.deepcopy(model)
    moved = model.tensors[model.outputs[0]].type
    for index, tensor in enumerate(model.tensors):
        stays = tensor.data is not None and moved == tflite.TensorType.INT32
        if tensor.type == moved and not stays:
            data = None
            if tensor.data is not None:
                data = to_floats(np.frombuffer(tensor.data, DTYPES[moved])).tobytes()
            new.tensors[index] = Tensor(tensor.shape, tflite.TensorType.FLOAT32, data)
    return new


def by_floats(case: Case) -> Case:
    model = case.model
    output = model.tensors[model.outputs[0]]
    constants = [
        np.frombuffer(tensor.data, DTYPES[output.type])
        for tensor in model.tensors
        if tensor.data is not None and tensor.type == output.type
    ]

    def formula(inputs: list[Array]) -> list[Array]:
        # A float for each value, small enough to be exact, and 0 for what stands for 0.
        zero = np.array([_zero(output)], DTYPES[output.type])
        values = np.unique(np.concatenate([zero, *map(np.ravel, [*inputs, *constants])]))
        origin = int(np.searchsorted(values, zero)[0])

        def to_floats(array: Array) -> Array:
            return np.asarray(np.searchsorted(values, array) - origin, np.float32)

        data = _with_floats(model, to_floats).to_bytes()
        oracle = runtime.Interpreter.from_bytes(data, arena_size=1 << 16)
        for i, array in enumerate(inputs):
            oracle.set_input(to_floats(array), i)
        oracle.invoke()
        answers = [oracle.get_output(i) for i in range(len(model.outputs))]
        return [values[answer.astype(np.int64) + origin] for answer in answers]

    return by_formula(case, formula)


def typed(name: str, dtype: str, op: str, *parts: Any, **values: Any) -> Case:
    case = one_op(f"{dtype}_{name}" if name else dtype, op, *parts, **values)
    return case if dtype in BY_ORACLE else by_floats(case)


def pairs(*rows: tuple[int, int]) -> Tensor:
    return constant(np.array(rows, np.int32))


def case(
    name: str,
    op: str,
    shape: list[int],
    parts: list[Tensor],
    out: list[int],
    options: str | None = None,
    **values: Any,
) -> Iterator[Case]:
    """One input of values, for all types."""
    for dtype in ALL_TYPES:
        ends = [act(shape, dtype), *parts], [act(out, dtype)]
        yield typed(name, dtype, op, *ends, options, **values)


def shapes() -> Iterator[Case]:
    yield from case("", "RESHAPE", [2, 3, 4], [ints(2, -1)], [2, 12])
    yield from case("options", "RESHAPE", [2, 3, 4], [], [24], "ReshapeOptions", NewShape=[24])
    yield from case("", "EXPAND_DIMS", [2, 3], [ints(-1)], [2, 3, 1])
    yield from case("", "SQUEEZE", [1, 2, 1, 3], [], [2, 3], "SqueezeOptions", SqueezeDims=[0, 2])
    for dtype in ALL_TYPES:
        for out in "int32", "int64":
            values = act([2, 3, 4], dtype)
            kind = act([3], out)
            shown = one_op(
                f"{dtype}_{out}", "SHAPE", [values], [kind], "ShapeOptions", OutType=kind.type
            )
            yield by_formula(shown, _shape_as(out))


def _shape_as(dtype: str) -> Formula:
    return lambda inputs: [np.array(inputs[0].shape, dtype)]


def orders() -> Iterator[Case]:
    yield from case("", "TRANSPOSE", [2, 3, 4], [ints(2, 0, 1)], [4, 2, 3])
    yield from case("", "REVERSE_V2", [2, 3, 4], [ints(1, -3)], [2, 3, 4])
    for tiled in case("", "TILE", [2, 3], [ints(2, 3)], [4, 9]):
        yield by_formula(tiled, lambda inputs: [np.tile(inputs[0], [2, 3])])
    for dtype in ALL_TYPES:
        yield typed("", dtype, "FILL", [ints(2, 3), act([], dtype)], [act([2, 3], dtype)])
    for dtype in "float32", "int32", "int64":
        yield one_op(dtype, "ZEROS_LIKE", [act([2, 3], dtype)], [act([2, 3], dtype)])


def paddings() -> Iterator[Case]:
    image = pairs((0, 0), (1, 2), (0, 3), (0, 0))
    yield from case("image", "PAD", [1, 2, 3, 2], [image], [1, 5, 6, 2])
    yield from case("", "PAD", [2, 3], [pairs((1, 0), (2, 1))], [3, 6])
    for dtype in ALL_TYPES:
        value = constant(np.array([7], dtype), *quant(dtype))
        parts = [act([1, 2, 3, 2], dtype), image, value]
        padded = one_op(dtype, "PADV2", parts, [act([1, 5, 6, 2], dtype)])
        yield padded if dtype in (*BY_ORACLE, "int32") else by_floats(padded)
    for mode, most in (0, 1), (1, 2):
        margins = pairs((most, 0), (1, most + 1))
        out = [2 + most, 3 + most + 2]
        yield from case(
            f"{mode}", "MIRROR_PAD", [2, 3], [margins], out, "MirrorPadOptions", Mode=mode
        )


def pieces() -> Iterator[Case]:
    for dtype in ALL_TYPES:
        parts = [act([2, n, 3], dtype) for n in (1, 4, 2)]
        whole = act([2, 7, 3], dtype)
        options = {"Axis": -2, "FusedActivationFunction": NONE}
        yield typed("", dtype, "CONCATENATION", parts, [whole], "ConcatenationOptions", **options)
        parts = [act([2, 3], dtype) for _ in range(4)]
        whole = act([2, 4, 3], dtype)
        yield typed("", dtype, "PACK", parts, [whole], "PackOptions", ValuesCount=4, Axis=1)
        yield typed("", dtype, "UNPACK", [whole], parts, "UnpackOptions", Num=4, Axis=-2)
        whole = act([2, 6, 3], dtype)
        parts = [act([2, 2, 3], dtype) for _ in range(3)]
        yield typed("", dtype, "SPLIT", [ints(1), whole], parts, "SplitOptions", NumSplits=3)
        parts = [act([2, n, 3], dtype) for n in (1, 3, 2)]
        yield typed(
            "",
            dtype,
            "SPLIT_V",
            [whole, ints(1, -1, 2), ints(-2)],
            parts,
            "SplitVOptions",
            NumSplits=3,
        )


def slices() -> Iterator[Case]:
    yield from case("", "SLICE", [3, 5, 7], [ints(0, 2, 1), ints(2, -1, 3)], [2, 3, 3])
    yield from case(
        "",
        "STRIDED_SLICE",
        [3, 5, 7],
        [ints(-2, 4, 1), ints(9, 0, 6), ints(1, -2, 2)],
        [3, 3],
        "StridedSliceOptions",
        EndMask=2,
        ShrinkAxisMask=1,
    )
    yield from case(
        "masks",
        "STRIDED_SLICE",
        [3, 5, 2, 2],
        [ints(1, 0, 0, 0), ints(0, 3, 0, 0), ints(1, 1, 1, 1)],
        [2, 3, 2, 2],
        "StridedSliceOptions",
        BeginMask=12,
        EndMask=13,
    )


def _cut(zero: int, inputs: list[Array]) -> list[Array]:
    padded = np.pad(inputs[0], [(0, 0), (1, 0), (2, 1), (0, 0)], constant_values=zero)
    parts = padded.reshape(2, 2, 2, 3, 3, 2).transpose(2, 4, 0, 1, 3, 5)
    return [parts.reshape(12, 2, 3, 2)]


def blocks() -> Iterator[Case]:
    sizes, margins = ints(2, 3), pairs((1, 0), (2, 1))
    for cut in case("", "SPACE_TO_BATCH_ND", [2, 3, 6, 2], [sizes, margins], [12, 2, 3, 2]):
        # The other implementation pads int8 with 0 whatever the zero point is, and floats with
        # anything.
        yield by_formula(cut, partial(_cut, _zero(cut.model.tensors[0])))
    yield from case("", "BATCH_TO_SPACE_ND", [12, 2, 3, 2], [sizes, margins], [2, 3, 6, 2])
    size = {"BlockSize": 2}
    yield from case(
        "", "SPACE_TO_DEPTH", [1, 4, 6, 3], [], [1, 2, 3, 12], "SpaceToDepthOptions", **size
    )
    yield from case(
        "", "DEPTH_TO_SPACE", [1, 2, 3, 12], [], [1, 4, 6, 3], "DepthToSpaceOptions", **size
    )


def indices() -> Iterator[Case]:
    yield from case(
        "", "GATHER", [2, 5, 3], [ints(4, 0, 4, 2)], [2, 4, 3], "GatherOptions", Axis=1
    )
    at = constant(np.array([[1, 0], [0, 2]], np.int32))
    yield from case("", "GATHER_ND", [2, 3, 4], [at], [2, 4])


def sizes() -> Iterator[Case]:
    for kind in "", "corners", "half":
        for op, table, types in (
            ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions", ALL_TYPES[:4]),
            ("RESIZE_BILINEAR", "ResizeBilinearOptions", ALL_TYPES[:2]),
        ):
            for dtype in types:
                parts = [act([1, 2, 3, 2], dtype), ints(5, 4)]
                values = {"AlignCorners": kind == "corners", "HalfPixelCenters": kind == "half"}
                yield typed(kind, dtype, op, parts, [act([1, 5, 4, 2], dtype)], table, **values)


FAMILIES = shapes, orders, paddings, pieces, slices, blocks, indices, sizes
