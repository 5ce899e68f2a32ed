# Models changed in one to three places, by meaning rather than by byte: shapes, types, constants,
# scales, indices, lists and options. Most must be refused; none may do harm.

import copy
import random
import struct
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from builder import Model, Op, Quantization, Tensor
from op_models import cases

CHANGES_MAX = 3
SIZES = [
    -(2**31),
    -2,
    -1,
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    16,
    255,
    256,
    1024,
    2**15,
    2**16,
    2**28,
    2**31 - 1,
]
SCALES = [0.0, -1.0, 1e-38, 1e-9, 1e-4, 1 / 256, 1 / 128, 0.1, 0.99, 1.0, 300.0, 1e9, 1e20, 3e38]
SCALES += [float("inf"), float("nan")]
ZERO_POINTS = [
    -(2**63),
    -(2**31),
    -32768,
    -129,
    -128,
    -1,
    0,
    1,
    127,
    128,
    255,
    256,
    2**31,
    2**63 - 1,
]
ITEM_SIZES = {0: 4, 1: 2, 2: 4, 3: 1, 4: 8, 6: 1, 7: 2, 9: 1}
N_TYPES = 18
N_CODES = 150
N_OPTIONS = 115


def number(rng: random.Random, old: int) -> int:
    return rng.choice([old - 1, old + 1, old * 2, -old, rng.choice(SIZES), rng.choice(SIZES)])


def int32(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def nbytes(tensor: Tensor) -> int:
    size = ITEM_SIZES.get(tensor.type, 4)
    for dim in tensor.shape:
        size *= max(dim, 0)
    return min(size, 1 << 20)


def fill(rng: random.Random, tensor: Tensor) -> None:
    """Gives a constant as many bytes as its shape asks for."""
    old = tensor.data or b"\0"
    wanted = nbytes(tensor)
    tensor.data = (old * (wanted // len(old) + 1))[:wanted] if rng.random() < 0.8 else old


def change_shape(rng: random.Random, model: Model) -> None:
    tensor = rng.choice(model.tensors)
    at = rng.randrange(len(tensor.shape) + 1)
    kind = rng.randrange(5)
    if kind == 0 or at == len(tensor.shape):
        tensor.shape.insert(at, rng.choice([1, 1, 1, 2, 0, -1]))
    elif kind == 1:
        del tensor.shape[at]
    elif kind == 2:
        rng.shuffle(tensor.shape)
    else:
        tensor.shape[at] = int32(number(rng, tensor.shape[at]))
    if tensor.data is not None:
        fill(rng, tensor)


def resize(rng: random.Random, model: Model) -> None:
    """A size wherever it occurs: what comes out often fits together."""
    old = rng.choice([dim for tensor in model.tensors for dim in tensor.shape] or [1])
    new = rng.choice([1, 2, 3, 4, 5, 6, 9, 17, 33, 64, 300])
    for tensor in model.tensors:
        tensor.shape = [new if dim == old else dim for dim in tensor.shape]
        if tensor.data is not None:
            fill(rng, tensor)


def change_type(rng: random.Random, model: Model) -> None:
    tensor = rng.choice(model.tensors)
    old, tensor.type = tensor.type, rng.randrange(N_TYPES)
    if rng.random() < 0.5:
        for other in model.tensors:
            other.type = tensor.type if other.type == old else other.type
    for other in model.tensors:
        if other.data is not None:
            fill(rng, other)


def change_values(rng: random.Random, model: Model) -> None:
    constants = [tensor for tensor in model.tensors if tensor.data]
    if not constants:
        return
    tensor = rng.choice(constants)
    data = bytearray(tensor.data or b"")
    for _ in range(rng.choice([1, 1, 2, len(data)])):
        if len(data) >= 4 and len(data) % 4 == 0:
            at = 4 * rng.randrange(len(data) // 4)
            (old,) = struct.unpack_from("<i", data, at)
            struct.pack_into("<i", data, at, int32(number(rng, old)))
        else:
            data[rng.randrange(len(data))] = rng.choice([0, 1, 127, 128, 255])
    tensor.data = bytes(data)


def change_data(rng: random.Random, model: Model) -> None:
    tensor = rng.choice(model.tensors)
    if tensor.data is None:
        tensor.data = b"\1"
        fill(rng, tensor)
    else:
        tensor.data = rng.choice([None, tensor.data[:-1], tensor.data + b"\0", b""])


def change_quantization(rng: random.Random, model: Model) -> None:
    tensor = rng.choice(model.tensors)
    quantization = tensor.quantization
    if quantization is None:
        tensor.quantization = Quantization([rng.choice(SCALES)], [rng.choice(ZERO_POINTS)])
        return
    kind = rng.randrange(7)
    if kind == 0:
        tensor.quantization = None
    elif kind == 1:
        at = rng.randrange(len(quantization.scales) or 1)
        quantization.scales[at : at + 1] = [rng.choice(SCALES)]
    elif kind == 2:
        at = rng.randrange(len(quantization.zero_points) or 1)
        quantization.zero_points[at : at + 1] = [rng.choice(ZERO_POINTS)]
    elif kind == 3:
        quantization.scales = (quantization.scales * 8)[: rng.choice([0, 1, 2, 3, 5, 8])]
    elif kind == 4:
        quantization.zero_points = (quantization.zero_points * 8)[: rng.choice([0, 1, 2, 3, 5, 8])]
    elif kind == 5:
        quantization.dimension = rng.choice([-1, 0, 1, 2, 3, 4, 1000, 2**31 - 1])
    else:
        for other in model.tensors:
            if other.quantization:
                factor = rng.choice([1e-6, 0.01, 1, 100, 1e6])
                other.quantization.scales = [scale * factor for scale in other.quantization.scales]


def change_tensor(rng: random.Random, model: Model) -> None:
    tensor = rng.choice(model.tensors)
    if rng.random() < 0.6:
        tensor.variable = not tensor.variable
    else:
        tensor.buffer = rng.choice([0, 1, 2, 3, 100, 2**32 - 1])


def change_list(rng: random.Random, model: Model) -> None:
    op = rng.choice(model.ops)
    indices = rng.choice([op.inputs, op.outputs, model.inputs, model.outputs])
    n = len(model.tensors)
    at = rng.randrange(len(indices) + 1)
    kind = rng.randrange(5)
    index = rng.choice([-2, -1, n, 2**31 - 1, rng.randrange(n), rng.randrange(n)])
    if kind == 0 or at == len(indices):
        indices.insert(at, index)
    elif kind == 1:
        del indices[at]
    elif kind == 2:
        rng.shuffle(indices)
    elif kind == 3:
        indices[:] = indices * rng.choice([2, 3, 11])
    else:
        indices[at] = index


def change_op(rng: random.Random, model: Model) -> None:
    op = rng.choice(model.ops)
    kind = rng.randrange(4)
    if kind == 0:
        op.code = rng.randrange(N_CODES)
    elif kind == 1:
        op.options_type = rng.randrange(N_OPTIONS)
    elif kind == 2:
        op.options = None
    else:
        model.ops.append(copy.deepcopy(op))


def change_options(rng: random.Random, model: Model) -> None:
    op = rng.choice([op for op in model.ops if op.values] or [Op(0, [], [])])
    if not op.values:
        return
    name = rng.choice(list(op.values))
    old = op.values[name]
    if isinstance(old, list):
        op.values[name] = [int32(number(rng, 3)) for _ in range(rng.choice([0, 1, 5, 8, 9, 100]))]
    elif isinstance(old, str):
        op.values[name] = rng.choice(["", "other", old * 2])
    elif isinstance(old, float):
        op.values[name] = rng.choice(SCALES)
    elif name in ("Padding", "FusedActivationFunction", "OutputType"):
        op.values[name] = rng.choice([-128, -1, 0, 1, 2, 3, 4, 5, 6, 127])
    elif isinstance(old, bool):
        op.values[name] = not old
    else:
        op.values[name] = int32(number(rng, old))


CHANGES: list[Callable[[random.Random, Model], None]] = [
    change_shape,
    change_shape,
    resize,
    resize,
    change_type,
    change_values,
    change_values,
    change_data,
    change_quantization,
    change_quantization,
    change_tensor,
    change_list,
    change_op,
    change_options,
    change_options,
]


def mutant(rng: random.Random, source: Model) -> bytes:
    while True:
        model = copy.deepcopy(source)
        for _ in range(rng.randint(1, CHANGES_MAX)):
            rng.choice(CHANGES)(rng, rng.choice([model, *model.subgraphs]))
        try:
            return model.to_bytes()
        except (TypeError, OverflowError, AssertionError, struct.error):
            continue  # what the builder cannot write


def of_each_op(n: int, seed: int) -> Iterator[bytes]:
    """n mutants of small models, an equal share for each operator."""
    rng = random.Random(seed)
    by_op: dict[int, list[Model]] = {}
    for case in cases():
        for code in {op.code for op in case.model.ops}:
            by_op.setdefault(code, []).append(case.model)
    codes = list(by_op)
    for i in range(n):
        yield mutant(rng, rng.choice(by_op[codes[i % len(codes)]]))


def of_file(n: int, seed: int, path: Path) -> Iterator[bytes]:
    rng = random.Random(seed)
    model = Model.from_bytes(path.read_bytes())
    for _ in range(n):
        yield mutant(rng, model)


def write(models: Iterable[bytes], path: Path) -> int:
    """A file for the program mutate. Returns how many models it holds."""
    n = 0
    with path.open("wb") as file:
        for model in models:
            file.write(struct.pack("<I", len(model)) + model)
            n += 1
    return n
