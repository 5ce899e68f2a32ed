# Lets each allocation of each action fail in turn, alone and with all that follow. Every time the
# action succeeds or raises MemoryError, and then it works and nothing is left on the heap. Prints
# a line for each action. Needs the module failing of the build unix-oom.

import asyncio
from array import array

import failing
from common import SINE, X, Y, contents, used

import microlite


def load(*args, **options):
    with microlite.Model(*args, **options) as model:
        check(model.predict([X])[0])


def check(y):
    if abs(y - Y) > 1e-5:
        raise AssertionError("wrong result %r" % y)


def run_hooked():
    model.inputs[0].write(bits)
    model.on_op = lambda: bytearray(10)
    model.invoke()


def run_async():
    async def main():
        model.inputs[0].write(bits)
        await model.ainvoke(0)
        check(model.outputs[0][0])

    asyncio.run(main())


def run_slices():
    model.inputs[0].write(bits)
    for _ in model._model._slices(0):
        pass
    check(model.outputs[0][0])


# An error with all its attributes.
def expect(error, call, *args, **options):
    try:
        call(*args, **options)
    except error as e:
        if str(e) == "" or e.log is None:
            raise AssertionError("error without words")
    else:
        raise AssertionError("no error")


data, bits, arena = contents(SINE), array("f", [X]), bytearray(4096)
shifted = memoryview(b"x" + data)[1:]
damaged = data[:1000]
model = microlite.Model(data)

ACTIONS = (
    ("load a file", lambda: load(SINE)),
    ("load bytes", lambda: load(data)),
    ("load bytes that are not aligned", lambda: load(shifted)),
    ("load a copy", lambda: load(data, copy=True)),
    ("load into a buffer", lambda: load(data, arena=arena)),
    ("load into bytes of a size", lambda: load(data, arena=4096)),
    ("load into too few bytes", lambda: expect(microlite.ArenaError, load, data, arena=16)),
    ("load into a small buffer", lambda: expect(microlite.ArenaError, load, SINE, arena=bits)),
    ("load what is damaged", lambda: expect(microlite.ModelError, load, damaged)),
    (
        "load into what the heap lacks",
        lambda: expect(microlite.ArenaError, load, data, arena=1 << 29),
    ),
    ("write a list", lambda: model.inputs[0].write([X])),
    ("write an iterator", lambda: model.inputs[0].write(x for x in bits)),
    ("write an array", lambda: model.inputs[0].write(bits)),
    ("write raw bytes", lambda: model.inputs[0].write_raw(bits)),
    ("predict", lambda: check(model.predict([X])[0])),
    ("predict_all", lambda: check(model.predict_all([X])[0][0])),
    ("invoke", lambda: (model.inputs[0].write(bits), model.invoke())),
    ("invoke with a hook", run_hooked),
    ("read", lambda: check(model.outputs[0].read()[0])),
    ("index", lambda: check(model.outputs[0][0])),
    ("data", lambda: check(model.outputs[0].data[0])),
    ("names", lambda: (model.input("dense_2_input").shape, repr(model.outputs[0]))),
    ("repr", lambda: (repr(model), model.ops, model.arena_size)),
    ("check", lambda: str(microlite.check(SINE))),
    ("check what is damaged", lambda: str(microlite.check(damaged))),
    ("profile", lambda: (model.inputs[0].write(bits), str(model.profile(2)))),
    ("slices", run_slices),
    ("ainvoke", run_async),
    ("reset", model.reset),
)


# Returns whether the action came as far as the n-th allocation.
def attempt(action, n, once):
    failing.start(n, once)
    try:
        action()
    except MemoryError:
        failing.stop()
        return True
    return failing.stop() >= n


def recover():
    asyncio.new_event_loop()
    model.on_op = None
    model.reset()
    check(model.predict([X])[0])


# The number of allocations.
def try_all(action, once):
    n = 1
    while attempt(action, n, once):
        recover()
        action()
        recover()
        n += 1
    return n - 1


# Names and modules that are new stay after the first round.
for name, action in ACTIONS:
    for once in (True, False):
        try_all(action, once)
        before = used()
        n = try_all(action, once)
        left = used() - before
        print("%s: %d allocations, %d bytes left" % (name, n, left))
        if left > 0:
            raise AssertionError("bytes left")
print("done")
