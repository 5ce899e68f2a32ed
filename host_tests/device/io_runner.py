# Runs the models of io_models.py, which lie in the current folder with their golden outputs, and
# prints lines of JSON. io.json has values for them.

import json
from array import array
from binascii import hexlify

import micropython

import microlite


def told(tensors):
    return [hexlify(bytes(t.data)).decode() for t in tensors]


def verify(name):
    with microlite.Model(name + ".tflite", keep_inputs=True) as model:
        report = microlite.verify(model, name + ".golden")
        again = microlite.verify(name + ".tflite", name + ".golden")
        print(json.dumps({"model": name, "equal": bool(report), "text": str(report)}))
        assert str(again) == str(report)


# One case, given by position, by names, and by both.
def three(values):
    a, b, c = values
    with microlite.Model("three.tflite") as model:
        rows = []
        for call in (
            lambda: model.predict_all(a, b, c),
            lambda: model.predict_all(c=c, b=b, a=a),
            lambda: model.predict_all(a, b, c=c),
        ):
            results = call()
            assert [list(r) for r in results] == [list(t.read()) for t in model.outputs]
            rows.append(told(model.outputs))
        print(json.dumps({"case": "three", "rows": rows}))


# Steps of a recurrent model, the last ones without the heap.
def steps(name, rows, reset_at, lock_at):
    with microlite.Model(name + ".tflite", state={"h_out": "h"}) as model:
        x = model.input("x")
        write, invoke = x.write, model.invoke
        outputs = []
        for i, row in enumerate(rows):
            if i == reset_at:
                model.reset()
                assert set(model.input("h").read()) == {0.0}
            if i < lock_at:
                y = model.predict(row)
                assert list(y) == list(model.outputs[0].read())
            else:
                values = array("f", row)
                micropython.heap_lock()
                write(values)
                invoke()
                micropython.heap_unlock()
            outputs.append(told(model.outputs))
        print(json.dumps({"steps": name, "outputs": outputs}))


with open("io.json") as f:
    todo = json.load(f)
for name in todo["models"]:
    verify(name)
three(todo["three"])
for name, rows in todo["steps"].items():
    steps(name, rows, todo["reset_at"], todo["lock_at"])
print(json.dumps({"done": True}))
