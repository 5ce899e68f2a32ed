# Runs the models of the file "records" in the current folder and prints a line of JSON for each.
# host_tests/engine/batch.c tells what the file and the lines hold; long outputs are told by their
# SHA-256.

import gc
import json
import struct

from common import told

import microlite

HEAD = "<4I"


def write(model, inputs):
    at = 0
    for tensor in model.inputs:
        tensor.write_raw(memoryview(inputs)[at : at + tensor.nbytes])
        at += tensor.nbytes


def run(model, inputs, reset):
    if reset:
        model.reset()
    write(model, inputs)
    model.invoke()
    return told(b"".join(bytes(tensor.data) for tensor in model.outputs))


def outputs(f, model_size, n_sets, set_size, reset):
    data = f.read(model_size)
    sets = [f.read(set_size) for _ in range(n_sets)]
    with microlite.Model(data) as model:
        return [run(model, inputs, reset) for inputs in sets]


def record(f, head):
    try:
        return {"status": 0, "outputs": outputs(f, *struct.unpack(HEAD, head))}
    except Exception as e:
        return {"status": 1, "problem": repr(e)}


n = 0
with open("records", "rb") as f:
    while head := f.read(struct.calcsize(HEAD)):
        print(json.dumps(record(f, head)))
        gc.collect()
        n += 1
print(json.dumps({"done": n}))
