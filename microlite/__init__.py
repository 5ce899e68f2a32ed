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

ops = _microlite.ops


# What a Model has at hand, without __getattr__().
_OFTEN_USED = ("inputs", "outputs", "input", "output", "invoke", "predict", "predict_all", "close")

# Ports without __setattr__() of classes do without the guard against misspelt attributes.
_set = getattr(object, "__setattr__", setattr)


# Errors name the file.
def _open_file(path):
    if not path:
        raise ValueError("the path is empty")
    try:
        return open(path, "rb")
    except OSError as e:
        raise OSError(e.errno, path)


# A file's bytes: a memoryview of where the file system has them, as on ROMFS, or a bytearray.
def _open(path):
    with _open_file(path) as f:
        try:
            return memoryview(f)
        except TypeError:
            pass
        data = _microlite.block(_os.stat(path)[6], path)
        try:
            n = f.readinto(data)
        except OSError as e:
            raise OSError(e.errno, path)
        if n != len(data):
            raise OSError(5, path)  # EIO
        return data


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


class Model:
    _model = _Nothing()

    def __init__(self, model, *, arena=None, copy=False, keep_inputs=False, state=None):
        file = None
        if isinstance(model, str):
            file = model
            model = _open(model)
        m = _microlite.Model(
            model, arena=arena, copy=copy, keep_inputs=keep_inputs, state=state, name=file
        )
        _set(self, "_model", m)
        for name in _OFTEN_USED:
            _set(self, name, getattr(m, name))

    # All else is the C object's.
    def __getattr__(self, name):
        return getattr(self._model, name)

    # A misspelt on_op would go unnoticed.
    def __setattr__(self, name, value):
        if type(self) is Model:
            raise AttributeError("Model has no attribute '%s' that can be set" % name)
        _set(self, name, value)

    def __enter__(self):
        _ = self._model.size  # raises when it is closed
        return self

    def __exit__(self, exc_type, exc, tb):
        self.close()

    def __repr__(self):
        return repr(self._model)

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
