# Writes and reads the tensors that values.json lists in the current folder and prints a line of
# JSON for each: what the numbers are then, which the host compares with a model of its own.

import json
from array import array

from common import told

import microlite


def load(row):
    with open(row["file"], "rb") as f:
        return array(row["code"], f.read())


# All ways to read agree, and quantize() with write().
def check_one_by_one(tensor, values, real):
    step = 1 + tensor.size // 64
    for i in range(0, tensor.size, step):
        assert tensor[i] == tensor[i - tensor.size] == real[i]
        if tensor.scale is not None:
            assert tensor.dequantize(tensor.data[i]) == real[i]
            if values is not None:
                assert tensor.quantize(values[i]) == tensor.data[i]
    if tensor.size <= 256:
        assert list(tensor) == list(real)
    assert tensor.argmax() == list(real).index(max(real))


def run(row, others):
    record = {"name": row["name"]}
    with microlite.Model(row["model"]) as model:
        tensor = model.inputs[0]
        values = load(row["values"])
        options = {key: load(row[key]) for key in ("mul", "add") if key in row}
        record["saturated"] = tensor.write(values, **options)
        record["raw"] = told(tensor.data)
        real = tensor.read()
        record["read"] = told(real)
        code = "d" if isinstance(real[0], float) else tensor.typecode
        copy = array(code, [i & 0x7F for i in range(tensor.size)])
        tensor.read_into(copy)
        assert list(copy) == list(real)
        check_one_by_one(tensor, values if not options else None, real)
        if tensor.size <= 256:
            saturated = tensor.write(list(values), **options)
            assert [saturated, told(tensor.data)] == [record["saturated"], record["raw"]]
        record["others"] = []
        for other in others:
            with microlite.Model(other) as other_model:
                saturated = other_model.inputs[0].write(tensor)
                record["others"].append([saturated, told(other_model.inputs[0].data)])
        tensor.write(tensor)
        assert told(tensor.data) == record["raw"]
    print(json.dumps(record))


with open("values.json") as f:
    cases = json.load(f)
for row in cases:
    run(row, row["others"])
print(json.dumps({"done": len(cases)}))
