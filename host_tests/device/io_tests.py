# Inputs and outputs by name, predict(), kept inputs and state. Runs in the folder with the models
# of io_models.py.

import asyncio
import unittest
from array import array

from common import TestCase, contents

import microlite

RECURRENT = "recurrent_int8.tflite"
STATE = {"h_out": "h"}
X = [0.5, -0.25, 1.0, 0.75]


class Stop(Exception):
    pass


def stop():
    raise Stop


class TestNames(TestCase):
    def test_found(self):
        with microlite.Model("three.tflite") as model:
            for pick, tensors, names in (
                (model.input, model.inputs, ("a", "serving_default_b:0", "c")),
                (model.output, model.outputs, ("StatefulPartitionedCall:1", "reals")),
            ):
                self.assertIs(pick(), tensors[0])
                for i in range(3):
                    self.assertIs(pick(i), tensors[i])
                    self.assertIs(pick(i - 3), tensors[i])
                for i, name in enumerate(names):
                    self.assertIs(pick(name), tensors[i])
            self.assertIs(model.output("StatefulPartitionedCall"), model.outputs[2])

    def test_not_found(self):
        model = microlite.Model("three.tflite")
        for key in (3, -4, 1 << 70, "d", "", "serving_default_c:0", "A"):
            words = self.fails(KeyError, model.input, key)
            self.assertIn("serving_default_a:0, serving_default_b:0, c", words)
            self.assertIn(repr(key), words)
        for key in (None, 1.0, b"a", ("a",)):
            self.assertIn("output: index or name", self.fails(TypeError, model.output, key))
        model.close()
        self.assertIn("closed", self.fails(RuntimeError, model.input))

    def test_ambiguous(self):
        # Two inputs and two outputs are called the same.
        data = contents("three.tflite")
        for old, new in (
            (b"serving_default_b:0", b"serving_default_a:0"),
            (b"StatefulPartitionedCall:1", b"StatefulPartitionedCall:0"),
        ):
            at = data.find(old)
            data[at : at + len(old)] = new
        with microlite.Model(data) as model:
            for pick, key in (
                (model.input, "a"),
                (model.input, "serving_default_a:0"),
                (model.output, "StatefulPartitionedCall:0"),
            ):
                self.assertIn("several", self.fails(KeyError, pick, key))


class TestPredict(TestCase):
    def setUp(self):
        self.model = microlite.Model("three.tflite")

    def tearDown(self):
        self.model.close()

    def test_wrong_inputs(self):
        a, b, c = [0] * 4, [0] * 6, [0] * 10
        call = self.model.predict_all
        names = "serving_default_a:0, serving_default_b:0, c"
        self.assertIn("missing: " + names, self.fails(ValueError, call))
        self.assertIn("missing: serving_default_b:0, c", self.fails(ValueError, call, a))
        self.assertIn("missing: serving_default_b:0", self.fails(ValueError, call, a, c=c))
        words = self.fails(ValueError, call, a, b, c, c)
        self.assertEqual(words, "4 inputs given, 3 needed: " + names)
        self.assertIn("given twice", self.fails(ValueError, call, a, b, c, a=a))
        self.assertIn("given twice", self.fails(ValueError, call, a, c, b=b))
        self.assertIn(names, self.fails(KeyError, call, a, b, c, d=c))
        self.assertIn("6 values needed", self.fails(ValueError, call, a, c, c))
        call(a, b, c)

    def test_one_output(self):
        words = self.fails(ValueError, self.model.predict, [0] * 4, [0] * 6, [0] * 10)
        self.assertIn("predict_all()", words)
        with microlite.Model("accumulator.tflite") as model:
            self.assertEqual(list(model.predict([1, 2, 3], total=[0.5, 1, 1])), [1.5, 3, 4])
            self.assertEqual(list(model.predict([1, 2, 3], [0.5, 1, 1])), [1.5, 3, 4])

    def test_scalar(self):
        with microlite.Model("scalar.tflite") as model:
            self.assertEqual(model.inputs[0].shape, ())
            self.assertEqual(list(model.predict([2.5])), [-2.5])

    def test_image(self):
        with microlite.Model("image.tflite", keep_inputs=True) as model:
            frame = bytes(range(60))
            model.inputs[0].write_image(frame, 6, 10)
            self.assertEqual(model.inputs[0].data[59], 59 - 128)
            with self.assertRaises(ValueError):
                model.inputs[0].write_image(frame, 10, 7)


class TestKeepInputs(TestCase):
    def test_kept(self):
        for name in ("three.tflite", "image.tflite", RECURRENT):
            with microlite.Model(name, keep_inputs=True) as model:
                for tensor in model.inputs:
                    tensor.write([0.5 - 0.125 * i for i in range(tensor.size)])
                inputs = [list(t.read()) for t in model.inputs]
                results = []
                for _ in range(3):
                    model.invoke()
                    results.append([list(t.read()) for t in model.outputs])
                    self.assertEqual([list(t.read()) for t in model.inputs], inputs)
                self.assertEqual(results[0], results[2])
                needed = model.arena_needed
            with microlite.Model(name, keep_inputs=True, arena=needed) as model:
                self.assertEqual(model.arena_size, needed)
            with microlite.Model(name) as model:
                self.assertTrue(model.arena_needed <= needed)

    def test_not_kept(self):
        with microlite.Model(RECURRENT, keep_inputs=False) as model:
            model.invoke()
            self.fails(RuntimeError, model.invoke)


# A model that keeps its last input in a variable, whose initial value is 0 to 5.
class TestVariables(TestCase):
    def test_reset(self):
        with microlite.Model("stream.tflite") as model:
            for _ in range(2):
                first = list(model.predict([6, 7, 8, 9, 10, 11]))
                self.assertEqual(first, list(range(12)))
                second = list(model.predict([0] * 6))
                self.assertEqual(second, [6, 7, 8, 9, 10, 11] + [0] * 6)
                model.reset()


class TestState(TestCase):
    def setUp(self):
        self.model = microlite.Model(RECURRENT, state=STATE)

    def tearDown(self):
        self.model.close()

    def h(self):
        return list(self.model.input("h").read())

    def test_carried(self):
        model = self.model
        self.assertEqual(self.h(), [0] * 6)
        seen = []
        for _ in range(4):
            model.predict(X)
            seen.append(self.h())
            for carried, out in zip(self.h(), model.output("h_out").read()):
                self.assertAlmostEqual(carried, out, delta=0.0051)
        self.assertNotEqual(seen[0], seen[1])
        model.reset()
        self.assertEqual(self.h(), [0] * 6)
        for h in seen:
            model.predict_all(x=X)
            self.assertEqual(self.h(), h)

    def test_as_by_hand(self):
        with microlite.Model(RECURRENT) as other:
            h = [0] * 6
            for i in range(5):
                x = [i * number for number in X]
                y = self.model.predict(x)
                self.assertEqual(list(other.predict_all(x, h)[0]), list(y))
                other.input("h").write(other.output("h_out"))
                h = list(other.input("h").read())
                self.assertEqual(self.h(), h)

    def test_only_x_is_wanted(self):
        model = self.model
        self.assertIn("missing: serving_default_x:0", self.fails(ValueError, model.predict))
        self.assertEqual(
            self.fails(ValueError, model.predict, X, [0] * 6),
            "2 inputs given, 1 needed: serving_default_x:0; carried by state: serving_default_h:0",
        )
        self.assertEqual(len(model.predict(X)), 2)
        self.assertEqual([len(y) for y in model.predict_all(X)], [2, 6])
        model.invoke()  # neither input needs to be written again

    def test_written(self):
        first = list(self.model.predict(X))
        second = list(self.model.predict(X))
        self.assertNotEqual(first, second)
        self.model.input("h").write([0] * 6)
        self.assertEqual(list(self.model.predict(X)), first)
        self.assertEqual(list(self.model.predict(X, h=[0] * 6)), first)

    def test_runs_that_did_not_finish(self):
        model = self.model
        model.predict(X)
        h = self.h()
        model.on_op = stop
        self.fails(Stop, model.predict, X)
        self.fails(Stop, asyncio.run, model.ainvoke(0))
        model.on_op = None
        self.assertEqual(self.h(), h)
        slices = model._slices(0)
        next(slices)
        self.fails(RuntimeError, self.h)
        slices.close()
        self.assertEqual(self.h(), h)

    def test_profile(self):
        self.model.predict(X)
        h = self.h()
        self.model.profile(3)
        self.assertEqual(self.h(), h)

    def test_ainvoke(self):
        model = self.model
        model.predict(X)
        model.predict(X)
        h = self.h()
        model.reset()
        for _ in range(2):
            model.input("x").write(X)
            asyncio.run(model.ainvoke(0))
        self.assertEqual(self.h(), h)

    def test_keys(self):
        for state in ({1: 1}, {-1: -1}, {"h_out": "serving_default_h:0"}, {"h_out": 1}, {}, None):
            microlite.Model(RECURRENT, state=state).close()
        for error, state, word in (
            (TypeError, ["h_out", "h"], "dict"),
            (TypeError, "h", "dict"),
            (TypeError, {None: "h"}, "output"),
            (TypeError, {"h_out": 1.0}, "input"),
            (KeyError, {"h": "h_out"}, "StatefulPartitionedCall:0, h_out; it is an input"),
            (KeyError, {"h_out": "y"}, "serving_default_x:0, serving_default_h:0"),
            (KeyError, {2: 1}, "h_out"),
            (ValueError, {"h_out": "x"}, "shape (1, 6) does not fit (1, 4) of input 0"),
            (ValueError, {"h_out": "h", 1: 1}, "only one output"),
        ):
            self.assertIn(word, self.fails(error, microlite.Model, RECURRENT, state=state))

    def test_an_input_as_it_is(self):
        arena = bytearray(5000)
        for _ in range(2):
            words = self.fails(
                ValueError, microlite.Model, "delay.tflite", state={"x": "y"}, arena=arena
            )
            self.assertIn("output 0 (x)", words)
        microlite.Model("delay.tflite", state={"-y": "y"}, arena=arena).close()

    def test_only_output_is_carried(self):
        # In halves of 0.25, halves away from zero, and saturated at (127 - 10) * 0.25.
        with microlite.Model("accumulator.tflite", state={"sum": "total"}) as model:
            total = model.input("total")
            self.assertEqual(list(model.predict([1.25, 0.125, -0.125])), [1.25, 0.125, -0.125])
            self.assertEqual(list(total.read()), [1.25, 0.25, -0.25])
            self.assertEqual(list(model.predict([28, 0, -40])), [29.25, 0.25, -40.25])
            self.assertEqual(list(total.read()), [29.25, 0.25, -34.5])
            model.predict([100, 0, 0])
            self.assertEqual(list(total.read()), [29.25, 0.25, -34.5])

    def test_not_finite(self):
        with microlite.Model("accumulator.tflite", state={"sum": "total"}) as model:
            total = model.input("total")
            model.predict([1, 2, 3])
            for _ in range(2):
                model.input("x").write_raw(array("f", [0, 1, float("nan")]))
                words = self.fails(ValueError, model.invoke)
                self.assertIn("output 0 (sum)", words)
                self.assertEqual(list(total.read()), [1, 2, 3])
            self.assertEqual(list(model.predict([1, 1, 1])), [2, 3, 4])


if __name__ == "__main__":
    unittest.main()
