# Calls methods of tensors with what calls.json in the current folder says, and prints a line for
# each call: the result or the exception in words, and the tensor's bytes.

import json
import struct
from array import array
from binascii import hexlify, unhexlify

from one_tensor import one_tensor


# Floats are their bytes, since JSON may round.
def number(told):
    if isinstance(told, dict):
        return struct.unpack("<d", unhexlify(told["float"]))[0]
    return [number(item) for item in told] if isinstance(told, list) else told


def argument(kind, told):
    value = number(told)
    if kind.startswith("array "):
        return array(kind[6:], value)
    return {"tuple": tuple, "iter": iter, "bytes": bytes, "plain": lambda v: v}[kind](value)


def call(tensor, name, arguments, options):
    values = [argument(*each) for each in arguments]
    named = {key: argument(*each) for key, each in options.items()}
    try:
        return repr(getattr(tensor, name)(*values, **named))
    except (TypeError, ValueError, IndexError) as e:
        return "%s: %s" % (type(e).__name__, e)


with open("calls.json") as f:
    calls = json.load(f)
for (dtype, shape, scales), name, arguments, options in calls:
    scales = [number(item) for item in scales]
    with one_tensor(dtype, tuple(shape), *scales) as model:
        tensor = model.inputs[0]
        result = call(tensor, name, arguments, options)
        data = hexlify(bytes(tensor.data)).decode()
        real = hexlify(bytes(tensor.read())).decode()
        print(result, data, real, tensor.argmax())
print("done")
