# TensorFlow Lite models on MicroPython boards: the Python side of the C module _microlite, which
# does the work. A Model here holds the C module's Model and adds files and conveniences.

import os as _os

try:
    import _microlite
except ImportError as e:
    raise ImportError("microlite needs a firmware that contains its C module: %s" % e)

__version__ = "0.1.0"

if _microlite.API != 1:
    raise ImportError(
        "microlite %s needs _microlite with API 1, this firmware has API %d"
        % (__version__, _microlite.API)
    )

Tensor = _microlite.Tensor
ArenaError = _microlite.ArenaError
ModelError = _microlite.ModelError
OpError = _microlite.OpError
InvokeError = _microlite.InvokeError


# A file's bytes and whether they are where the file system has them, as on ROMFS, and not in RAM.
def _open(path):
    try:
        with open(path, "rb") as f:
            try:
                return memoryview(f), True
            except TypeError:
                pass
            data = _microlite.block(_os.stat(path)[6], path)
            if f.readinto(data) != len(data):
                raise OSError(5)  # EIO
            return data, False
    except OSError as e:
        raise OSError(e.errno, path)


def _pick(tensors, key):
    if isinstance(key, int):
        return tensors[key]
    found = [t for t in tensors if t.name == key]
    if not found:
        found = [t for t in tensors if _short(t.name) == key]
    if len(found) != 1:
        raise KeyError("%s is not one of %s" % (key, ", ".join(t.name for t in tensors)))
    return found[0]


# Without what converters wrap around a name: "serving_default_x:0" is "x".
def _short(name):
    if name.startswith("serving_default_"):
        name = name[16:]
    return name[:-2] if name.endswith(":0") else name


def check(model):
    from ._reports import Report

    file = None
    if isinstance(model, str):
        file = model
        model, _ = _open(model)
    return Report(model, file)


class Model:
    def __init__(self, model, *, arena=None, copy=False):
        self.file = None
        in_place = True
        if isinstance(model, str):
            self.file = model
            model, in_place = _open(model)
        self._model = m = _microlite.Model(model, arena=arena, copy=copy, name=self.file)
        self.in_place = in_place and m.in_place
        self.inputs = m.inputs
        self.outputs = m.outputs
        self.invoke = m.invoke
        self.close = m.close

    # reset, last_us, arena_size, arena_needed, size and ops are the C object's.
    def __getattr__(self, name):
        return getattr(self._model, name)

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc, tb):
        self.close()

    def __repr__(self):
        return "<%s %s, %s>" % (
            self.file or "model",
            "in place" if self.in_place else "copied",
            self._model,
        )

    @property
    def on_op(self):
        return self._model.on_op

    @on_op.setter
    def on_op(self, function):
        self._model.on_op = function

    async def ainvoke(self, slice_ms=5):
        from asyncio import sleep_ms

        slices = self._model._slices(slice_ms)
        try:
            for _ in slices:
                await sleep_ms(0)
        finally:
            slices.close()

    def profile(self, runs=1):
        from ._reports import Profile

        return Profile(self._model, runs)

    def input(self, key=0):
        return _pick(self.inputs, key)

    def output(self, key=0):
        return _pick(self.outputs, key)

    def predict(self, *inputs):
        if len(self.outputs) != 1:
            raise ValueError(
                "predict() is for one output, this model has %d: predict_all()" % len(self.outputs)
            )
        return self.predict_all(*inputs)[0]

    def predict_all(self, *inputs):
        if len(inputs) != len(self.inputs):
            raise ValueError("%d inputs needed, %d given" % (len(self.inputs), len(inputs)))
        for tensor, values in zip(self.inputs, inputs):
            tensor.write(values)
        self.invoke()
        return tuple(t.read() for t in self.outputs)
