# What a Model shows of itself, what can be set, and paths that are none. Runs in the folder that
# holds the crates' models.

import gc
import unittest

from common import SINE, contents

import microlite


class TestObject(unittest.TestCase):
    def test_repr(self):
        with microlite.Model(contents(SINE)) as model:
            words = "Model(%d bytes in place at " % model.size
            self.assertEqual(repr(model)[: len(words)], words)
            self.assertIn(", arena %d bytes at " % model.arena_size, repr(model))
        self.assertEqual(repr(model), "Model(closed)")
        with microlite.Model(SINE, copy=True) as model:
            words = "Model(%s: %d bytes copied at " % (SINE, model.size)
            self.assertEqual(repr(model)[: len(words)], words)
        self.assertEqual(repr(model), "Model(%s: closed)" % SINE)

    def test_attributes(self):
        class Derived(microlite.Model):
            pass

        with microlite.Model(SINE) as model:
            for name in ("on_opp", "arena_size", "inputs", "invoke", "_model"):
                with self.assertRaises(AttributeError):
                    setattr(model, name, None)
            self.assertFalse(hasattr(model, "nothing"))
            model.predict([1])
        with Derived(SINE) as model:
            model.threshold = 0.5
            model.on_op = gc.collect
            model.predict([1])
            self.assertEqual((model.threshold, model.on_op), (0.5, gc.collect))

    def test_derived(self):
        class Counted(microlite.Model):
            def predict(self, *inputs):
                self.calls = getattr(self, "calls", 0) + 1
                return super().predict(*inputs)

            def invoke(self):
                self.invoked = True
                super().invoke()

            def close(self):
                self.was_closed = True
                super().close()

        with microlite.Model(SINE) as plain, Counted(SINE) as model:
            self.assertEqual(list(model.predict([1])), list(plain.predict([1])))
            self.assertEqual(len(model.classify([1], top=1)), 1)
            self.assertEqual(model.calls, 2)
            super(Counted, model).input().write([1])
            model.invoke()
            self.assertTrue(model.invoked)
            self.assertEqual(model.output(0)[0], plain.output(0)[0])
        self.assertTrue(model.was_closed)
        with self.assertRaises(RuntimeError):
            model.predict([1])

    def test_not_loaded(self):
        class Derived(microlite.Model):
            def __init__(self):
                pass

        model = Derived()
        for use in (model.__enter__, model.profile, lambda: model.inputs, lambda: model.on_op):
            with self.assertRaises(RuntimeError) as raised:
                use()
            self.assertIn("super().__init__()", str(raised.exception))

    def test_closed(self):
        model = microlite.Model(SINE)
        model.close()
        with self.assertRaises(RuntimeError):
            model.__enter__()

    def test_path_in_bytes(self):
        with self.assertRaises(microlite.ModelError) as raised:
            microlite.Model(SINE.encode())
        self.assertIn("paths are str", str(raised.exception))
        for call in (microlite.Model, microlite.check):
            with self.assertRaises(ValueError) as raised:
                call("")
            self.assertIn("path is empty", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
