# Runs the models that goldens.json lists in the current folder and prints a line of JSON for
# each load and each case. Long outputs are told by their SHA-256.

import gc
import json

from common import told

import microlite


def emit(model, **record):
    record["model"] = model
    print(json.dumps(record))


def run(model, inputs, case):
    for tensor, data in zip(model.inputs, inputs):
        start = case * tensor.nbytes
        tensor.write_raw(memoryview(data)[start : start + tensor.nbytes])
    model.invoke()
    return [told(tensor.data) for tensor in model.outputs]


# What the figures promise: the least arena loads and 64 bytes less, if there are so many, do not.
def bounds(path, needed, inputs):
    with microlite.Model(path, arena=needed) as model:
        emit(path, arena=needed, outputs=run(model, inputs, 0))
    gc.collect()
    try:
        microlite.Model(path, arena=max(needed - 64, 0))
        emit(path, short="loaded")
    except microlite.ArenaError as e:
        figures = {"needed": e.needed, "given": e.given, "missing": e.missing}
        emit(path, short="ArenaError", text=str(e), **figures)


def golden(path, names):
    inputs = []
    for name in names:
        with open(name, "rb") as f:
            inputs.append(f.read())
    with microlite.Model(path) as model:
        needed = model.arena_needed
        emit(path, needed=needed, size=model.arena_size)
        for case in range(len(inputs[0]) // model.inputs[0].nbytes):
            emit(path, case=case, outputs=run(model, inputs, case))
    del model
    gc.collect()
    bounds(path, needed, inputs)


with open("goldens.json") as f:
    index = json.load(f)
for entry in index:
    gc.collect()
    golden(entry["model"], entry["inputs"])
print(json.dumps({"done": len(index)}))
