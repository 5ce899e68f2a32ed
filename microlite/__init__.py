# TensorFlow Lite models on MicroPython boards: the Python side of the C module _microlite, which
# does the work. A Model here holds the C module's Model and adds files and conveniences.

import os as _os

try:
    import _microlite
except ImportError as e:
    if str(e).startswith("_microlite:"):  # it is there, but was built wrongly
        raise
    raise ImportError(
        "microlite needs a firmware with the C module _microlite, which this one lacks; "
        "docs/firmware.md tells how to build it"
    )

__version__ = "0.1.0"

_API = 3  # of _microlite

if _microlite.API != _API:
    raise ImportError(
        "microlite %s needs interface %d of _microlite, this firmware has %d; %s"
        % (
            __version__,
            _API,
            _microlite.API,
            "build a newer firmware"
            if _microlite.API < _API
            else "install the package of the firmware's version, or remove this one where "
            "the firmware has its own",
        )
    )

Tensor = _microlite.Tensor
ArenaError = _microlite.ArenaError
ModelError = _microlite.ModelError
OpError = _microlite.OpError
InvokeError = _microlite.InvokeError

ops = _microlite.ops
mse = _microlite.mse

if hasattr(_microlite, "spectrum"):  # not with MICROLITE_AUDIO=0
    spectrum = _microlite.spectrum


# What a Model has at hand, without __getattr__(). Classes derived from it may have their own.
_OFTEN_USED = ("inputs", "outputs", "invoke", "predict")

# Ports without __setattr__() of classes do without the guard against misspelt attributes.
_set = getattr(object, "__setattr__", setattr)


# Errors about arguments name them and tell what was given.
def _wrong_type(name, needed, value):
    raise TypeError("%s: %s needed, not %s" % (name, needed, type(value).__name__))


# What a function makes of an argument.
def _made(function, name, needed, value):
    try:
        return function(value)
    except TypeError:
        _wrong_type(name, needed, value)


# A number from least to most; None stands for no limit.
def _check(name, value, least, most=None, kind=int):
    if not isinstance(value, kind) or isinstance(value, bool):
        _wrong_type(name, "int" if kind is int else "number", value)
    if most is None:
        if not value >= least:
            raise ValueError("%s: %s is not at least %s" % (name, value, least))
    elif not least <= value <= most:
        raise ValueError("%s: %s is not within %s to %s" % (name, value, least, most))


# The path of what belongs to a model's file.
def _beside(file, suffix):
    dot = file.rfind(".")
    return (file[:dot] if dot > file.rfind("/") + 1 else file) + suffix


# Bytes of a file. Anything else of that name may be endless, or have nobody at its other end.
def _size(path):
    if not path:
        raise ValueError("the path is empty")
    try:
        stat = _os.stat(path)
    except OSError as e:
        raise OSError(e.errno, path)
    kind = stat[0] & 0xF000
    if kind != 0x8000:
        raise OSError(21 if kind == 0x4000 else 22, path)  # EISDIR, EINVAL
    return stat[6]


# An open file and its size. Errors name the file.
def _open_file(path):
    size = _size(path)
    try:
        return open(path, "rb"), size
    except OSError as e:
        raise OSError(e.errno, path)


# A file's bytes: a memoryview of where the file system has them, as on ROMFS, or a bytearray.
def _open(path):
    f, size = _open_file(path)
    with f:
        try:
            return memoryview(f)
        except TypeError:
            pass
        data = _microlite.block(size, path)
        try:
            n = f.readinto(data)
        except OSError as e:
            raise OSError(e.errno, path)
        if n != size:
            raise OSError(5, path)  # EIO
        return data


def _find_labels(given, file, model):
    from ._labels import find

    return find(given, file, model)


def check(model):
    from ._reports import Report

    file = None
    if isinstance(model, str):
        file = model
        model = _open(model)
    return Report(model, file)


def verify(model, cases, *, rtol=1e-5, atol=1e-5):
    from ._verify import verify

    return verify(model, cases, rtol, atol)


def info():
    from ._reports import Info

    return Info(__version__)


def selftest():
    from ._selftest import SelfTest

    return SelfTest()


# What a Model holds until it is initialised.
class _Nothing:
    def __getattr__(self, name):
        raise RuntimeError("model is not loaded: call super().__init__() first")


# The loaded model, as the plan beside its file says where there is one, and a note about that.
def _load(model, file, plan, arena, copy, args):
    if file and plan:
        path = _beside(file, ".plan")
        try:
            _os.stat(path)
        except OSError:
            pass
        else:
            from ._plan import load

            return load(path, model, arena, copy, args)
    return _microlite.Model(model, arena=arena, copy=copy, **args), None


class Model:
    _model = _Nothing()

    def __init__(
        self,
        model,
        *,
        arena=None,
        copy=False,
        keep_inputs=False,
        state=None,
        labels=None,
        plan=True,
    ):
        file = None
        if isinstance(model, str):
            file = model
            model = _open(model)
        args = {"keep_inputs": keep_inputs, "state": state, "name": file}
        m, note = _load(model, file, plan, arena, copy, args)
        _set(self, "_model", m)
        _set(self, "_note", note)
        if type(self) is Model:
            for name in _OFTEN_USED:
                _set(self, name, getattr(m, name))
        # Labels are looked for when they are wanted, if their place is still there then.
        is_there = file is not None or m.in_place
        _set(self, "_bytes", model if is_there else None)
        _set(self, "_labels", None)
        if labels is not None or not is_there:
            _set(self, "_labels", _find_labels(labels, None, model))

    # For classes derived from this one; instances of Model itself have those that matter at hand.
    def input(self, *key):
        return self._model.input(*key)

    def output(self, *key):
        return self._model.output(*key)

    def invoke(self):
        self._model.invoke()

    def predict(self, *inputs, **named):
        return self._model.predict(*inputs, **named)

    def predict_all(self, *inputs, **named):
        return self._model.predict_all(*inputs, **named)

    def reset(self):
        self._model.reset()

    def close(self):
        self._model.close()

    # All else is the C object's.
    def __getattr__(self, name):
        return getattr(self._model, name)

    # A misspelt on_op would go unnoticed.
    def __setattr__(self, name, value):
        if type(self) is Model and name != "on_op":
            raise AttributeError("Model has no attribute '%s' that can be set" % name)
        _set(self, name, value)

    def __enter__(self):
        _ = self._model.size  # raises when it is closed
        return self

    def __exit__(self, exc_type, exc, tb):
        self.close()

    def __repr__(self):
        text = repr(self._model)
        return "%s, %s)" % (text[:-1], self._note) if self._note else text

    @property
    def on_op(self):
        return self._model.on_op

    @on_op.setter
    def on_op(self, function):
        self._model.on_op = function

    @property
    def labels(self):
        if self._labels is None:
            _set(self, "_labels", _find_labels(None, self._model.file, self._bytes))
        return self._labels

    # Without inputs: of those that were written.
    def classify(self, *inputs, top=3, **named):
        from ._labels import best

        if inputs or named:
            scores = self.predict(*inputs, **named)
        else:
            self.invoke()
            scores = self.output().read()
        return best(scores, self.labels, top)

    async def ainvoke(self, slice_ms=5):
        from asyncio import current_task, sleep

        _check("slice_ms", slice_ms, 0)
        current_task()  # raises outside of asyncio, where sleep() would end MicroPython
        slices = self._model._slices(slice_ms)
        try:
            for _ in slices:
                await sleep(0)
        finally:
            slices.close()

    def profile(self, runs=1):
        from ._reports import Profile

        return Profile(self._model, runs)
