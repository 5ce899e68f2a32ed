# Arguments of a wrong type: errors name them and tell what was given.

import unittest
from array import array

from one_tensor import INT8, one_tensor

import microlite
from microlite import compat, timing

MODEL = "hello_world.tflite"
ROW = array("f", range(4))


class Other:
    pass


def calls():
    model = microlite.Model(MODEL)
    shim = compat.Interpreter(MODEL)
    return (
        ("model", microlite.check),
        ("model", microlite.Model),
        ("model", lambda x: microlite.verify(x, b"")),
        ("cases", lambda x: microlite.verify(model, x)),
        ("rtol", lambda x: microlite.verify(model, b"", rtol=x)),
        ("atol", lambda x: microlite.verify(model, b"", atol=x)),
        ("arena", lambda x: microlite.Model(MODEL, arena=x)),
        ("state", lambda x: microlite.Model(MODEL, state=x)),
        ("labels", lambda x: microlite.Model(MODEL, labels=x)),
        ("input", model.input),
        ("output", model.output),
        ("on_op", lambda x: setattr(model, "on_op", x)),
        ("runs", model.profile),
        ("top", lambda x: model.classify([0], top=x)),
        ("slice_ms", lambda x: model.ainvoke(x).send(None)),
        ("a", lambda x: microlite.mse(x, ROW)),
        ("b", lambda x: microlite.mse(ROW, x)),
        ("fn", timing.evaluate),
        ("number", lambda x: timing.evaluate(globals, number=x)),
        ("repeat", lambda x: timing.evaluate(globals, repeat=x)),
        ("min_repeat_ms", lambda x: timing.evaluate(globals, min_repeat_ms=x)),
        ("model", compat.Interpreter),
        ("tensor index", lambda x: shim.resize_tensor_input(x, (1, 1))),
        ("tensor_size", lambda x: shim.resize_tensor_input(0, x)),
        ("tensor index", lambda x: shim.set_tensor(x, [1])),
        ("tensor index", shim.get_tensor),
        ("tensor index", shim.tensor),
    )


# Those of firmware with sound.
def sound_calls():
    from microlite.audio import cmvn
    from microlite.stream import Chunks, Scores, Stream, Window

    tensor = one_tensor(INT8, (1, 4), 0.5, 10).inputs[0]
    window, scores = Window(tensor, 2), Scores(2)
    out = array("f", range(3))
    return (
        ("samples", lambda x: microlite.spectrum(x, out)),
        ("out", lambda x: microlite.spectrum(ROW, x)),
        ("scratch", lambda x: microlite.spectrum(ROW, out, scratch=x)),
        ("features", lambda x: cmvn(x, ROW, 2)),
        ("out", lambda x: cmvn(ROW, x, 2)),
        ("columns", lambda x: cmvn(ROW, ROW, x)),
        ("window", lambda x: cmvn(ROW, ROW, 2, window=x)),
        ("stream", lambda x: Chunks(x, bytearray(2))),
        ("buffer", lambda x: Chunks(open(MODEL, "rb"), x)),
        ("source", lambda x: Stream(x, iter)),
        ("feed", lambda x: Stream((), x)),
        ("tensor", lambda x: Window(x, 1)),
        ("columns", lambda x: Window(tensor, x)),
        ("row", window.append),
        ("categories", Scores),
        ("ignore", lambda x: Scores(2, ignore=x)),
        ("threshold", lambda x: Scores(2, threshold=x)),
        ("window_ms", lambda x: Scores(2, window_ms=x)),
        ("suppression_ms", lambda x: Scores(2, suppression_ms=x)),
        ("minimum_count", lambda x: Scores(2, minimum_count=x)),
        ("capacity", lambda x: Scores(2, capacity=x)),
        ("scores", scores.update),
        ("scores", lambda x: scores.update([1, x])),
        ("now", lambda x: scores.update([1, 0], x)),
    )


class TestArguments(unittest.TestCase):
    def check(self, cases):
        for name, call in cases:
            with self.assertRaises(TypeError) as raised:
                call(Other())
            words = str(raised.exception)
            self.assertEqual(words.split(":")[0], name)
            self.assertTrue(words.endswith(" needed, not Other"), words)

    def test_all(self):
        self.check(calls())

    @unittest.skipUnless(hasattr(microlite, "spectrum"), "no sound")
    def test_sound(self):
        self.check(sound_calls())

    def test_range(self):
        for name, call, value in (
            ("top", lambda x: microlite.Model(MODEL).classify([0], top=x), 0),
            ("runs", lambda x: microlite.Model(MODEL).profile(x), 0),
            ("repeat", lambda x: timing.evaluate(globals, repeat=x), -1),
        ):
            with self.assertRaises(ValueError) as raised:
                call(value)
            words = "%s: %d is not at least 1" % (name, value)
            self.assertEqual(str(raised.exception), words)


if __name__ == "__main__":
    unittest.main()
