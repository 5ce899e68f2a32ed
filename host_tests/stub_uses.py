# Programs for type checkers: right uses of microlite, and mistakes that they must find. Each one
# has the comment that silences mypy, so that one which is not found shows as an unused comment.

WRONG = """\
import microlite
from microlite import timing
from microlite.compat import Interpreter

microlite.Model(5)  # type: ignore[arg-type]
microlite.Model("m", 1000)  # type: ignore[call-arg]
microlite.Model("m", arena="1000")  # type: ignore[arg-type]
model = microlite.Model("m", arena=bytearray(1000), copy=True)
model.invoke(1)  # type: ignore[call-arg]
model.inputs[0] = model.outputs[0]  # type: ignore[index]
model.arena_size = 5  # type: ignore[misc]
tensor = model.inputs[0]
tensor.write([1, 2.5], mul=2)
tensor.write(["a"])  # type: ignore[list-item]
tensor.write([1], scale=2)  # type: ignore[call-arg]
tensor.write_raw([1])  # type: ignore[arg-type]
tensor.write_raw(buffer=b"")  # type: ignore[call-arg]
tensor.write_image(b"", height=96, width=96)
tensor.write_image(b"", 96)  # type: ignore[call-arg]
tensor[0] = 1  # type: ignore[index]
tensor["x"]  # type: ignore[index]
tensor[0:1]  # type: ignore[index]
tensor.read_into([0.0])  # type: ignore[arg-type]
tensor.write([1], mul="2")  # type: ignore[arg-type]
tensor.dequantize(0.5)  # type: ignore[arg-type]
tensor.scales[0] + tensor.scale  # type: ignore[operator]
tensor.shape.append(1)  # type: ignore[attr-defined]
tensor.nothing  # type: ignore[attr-defined]
model.on_op = 5  # type: ignore[assignment]
model.on_op = lambda x: None  # type: ignore[assignment]
model.last_us = 5  # type: ignore[misc]
model.profile("x")  # type: ignore[arg-type]
microlite.check(5)  # type: ignore[arg-type]
microlite.check("m").arena + 1  # type: ignore[operator]
microlite.Model("m").predict("3")  # type: ignore[arg-type]
model.input(None)  # type: ignore[arg-type]
model.inputs = ()  # type: ignore[misc]
model.on_opp = None  # type: ignore[attr-defined]
model.predict_all(x=None)  # type: ignore[arg-type]
microlite.Model("m", state=["h_out", "h"])  # type: ignore[arg-type]
microlite.Model("m", state={"h_out": None})  # type: ignore[arg-type]
microlite.selftest(1)  # type: ignore[call-arg]
microlite.info().kernels + 1  # type: ignore[operator]
microlite.verify("m")  # type: ignore[call-arg]
microlite.verify("m", 5)  # type: ignore[arg-type]
Interpreter("m").set_tensor("x", [1])  # type: ignore[arg-type]
timing.evaluate(model)  # type: ignore[arg-type]
timing.evaluate(model.invoke, 5)  # type: ignore[call-arg]
timing.evaluate(model.invoke, min_repeat_ms=0.5)  # type: ignore[arg-type]
"""

# Right uses of what comes back.
RIGHT = """\
import microlite
from microlite import timing
from microlite.compat import Interpreter

with microlite.Model(memoryview(b""), arena=None) as model:
    total: float = sum(model.predict([1.0])) + model.output("y")[0]
    first: memoryview = model.outputs[0].data
    saturated: int = model.inputs[0].write(model.outputs[0], mul=(1, 2.5), add=0.5)
    real: float = model.inputs[0][0, 1] + max(model.inputs[0])
    model.outputs[0].read_into(bytearray(2))
    names: tuple[str, ...] = model.ops
    model.on_op = print
    model.on_op = None
    slowest: str = max(model.profile(2), key=lambda row: row[2])[1]
    shape: tuple[int, ...] = microlite.check(b"").inputs[0].shape
    results: tuple[object, ...] = model.predict_all([1], h=b"", other=model.outputs[0])
with microlite.Model("m", keep_inputs=True, state={"h_out": "h"}) as model:
    worst: float = microlite.verify(model, "m.golden", rtol=0.01).largest
    microlite.Model("m", state={1: 1}), microlite.Model("m", state={"h_out": 1})
missing: bool = "CONV_2D" not in microlite.ops() or not microlite.selftest()
bits: int = microlite.info().float_bits
interpreter = Interpreter(model_path="m", num_threads=1)
interpreter.set_tensor(interpreter.get_input_details()[0]["index"], [[1, 2]])
number: float = interpreter.get_tensor(1)[0][0]
fastest: float = timing.evaluate(lambda: model.predict([1]), number=10, repeat=5).min
us: float = timing.cycles() / timing.cycles_per_us
async def run() -> None:
    await model.ainvoke(slice_ms=2)


try:
    model.reset()
    model.invoke()
except microlite.OpError as e:
    print(", ".join(e.missing_ops + e.problems))
except microlite.ArenaError as e:
    print(e.missing + e.heap_free)
"""
