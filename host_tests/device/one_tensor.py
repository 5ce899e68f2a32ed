# Models of one tensor, made on the spot: alone, or copied to an output by one RESHAPE.

import struct

import microlite

RESHAPE = 22
FLOAT32, FLOAT16, INT32, UINT8, INT64, BOOL, INT16, COMPLEX64, INT8 = 0, 1, 2, 3, 4, 6, 7, 8, 9
TYPECODES = {FLOAT32: "f", INT32: "i", UINT8: "B", INT64: "q", BOOL: "B", INT16: "h", INT8: "b"}


# A FlatBuffer from nested nodes: a tuple is a table, in whose slots stand ints, bytes (a vector
# with items of the size that its first byte tells) or nodes; a list is a vector of tables. What
# a slot refers to follows it.
def put(out, node):
    if isinstance(node, bytes):
        while (len(out) + 4) % 8:
            out.append(0)
        start = len(out)
        out.extend(struct.pack("<I", (len(node) - 1) // node[0]) + node[1:] + b"\0" * 4)
    elif isinstance(node, tuple):
        vtable = len(out)
        offsets = [0 if slot is None else 4 + 4 * i for i, slot in enumerate(node)]
        out.extend(
            struct.pack("<%dH" % (2 + len(node)), 4 + 2 * len(node), 4 + 4 * len(node), *offsets)
        )
        while len(out) % 4:
            out.append(0)
        start = len(out)
        out.extend(struct.pack("<i", start - vtable))
    else:
        start = len(out)
        out.extend(struct.pack("<I", len(node)))
    if not isinstance(node, bytes):
        first = len(out)
        out.extend(
            b"".join(struct.pack("<i", slot if isinstance(slot, int) else 0) for slot in node)
        )
        for i, slot in enumerate(node):
            if slot is not None and not isinstance(slot, int):
                at = put(out, slot)
                struct.pack_into("<I", out, first + 4 * i, at - first - 4 * i)
    while len(out) % 4:
        out.append(0)
    return start


def ints(*values):
    return b"\4" + struct.pack("<%di" % len(values), *values)


# The slots of a tensor. scales may be one or, with a dimension, several.
def tensor_slots(name, dtype, shape, scale, zero_point, dimension=None):
    quantization = None
    if scale is not None:
        scales = scale if isinstance(scale, tuple) else (scale,)
        zeros = zero_point if isinstance(zero_point, tuple) else (zero_point,)
        quantization = (
            None,
            None,
            b"\4" + struct.pack("<%df" % len(scales), *scales),
            b"\10" + struct.pack("<%dq" % len(zeros), *zeros),
            None,
            None,
            dimension,
        )
    return (ints(*shape), dtype, 0, b"\1" + name, quantization)


def to_bytes(model):
    out = bytearray(b"\0\0\0\0TFL3")
    struct.pack_into("<I", out, 0, put(out, model))
    return out


# A model of nothing but one tensor, "x", which is input and output.
def one_tensor(dtype, shape=(3,), scale=None, zero_point=0, dimension=None):
    tensor = tensor_slots(b"x", dtype, shape, scale, zero_point, dimension)
    graph = ([tensor], ints(0), ints(0), [])
    return microlite.Model(to_bytes((3, [], [graph], None, [(None,)])))


# One input "in" and one output "out" of that shape and type.
def reshape_model(dtype, shape, scale=None, zero_point=0):
    operator = (0, ints(0), ints(1), 17, (ints(*shape),))
    graph = (
        [tensor_slots(n, dtype, shape, scale, zero_point) for n in (b"in", b"out")],
        ints(0),
        ints(1),
        [operator],
    )
    return to_bytes((3, [(RESHAPE, None, 1)], [graph], None, [(None,)]))


def reshape(dtype, n, scale=None, zero_point=0):
    return microlite.Model(reshape_model(dtype, (1, n), scale, zero_point))
