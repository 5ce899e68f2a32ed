# Runs: inputs that a run overwrites, reset(), last_us, and what happens between operators. Runs
# in the folder that holds the crates' models.

import gc
import time
import unittest
from array import array

import micropython
from common import OTHER_X, OTHER_Y, SINE, TestCase, X, Y

import microlite


class Stop(Exception):
    pass


def stop(*_):
    raise Stop


class RunTestCase(TestCase):
    def setUp(self):
        self.model = microlite.Model(SINE)

    def tearDown(self):
        self.model.on_op = None
        self.check()
        self.model.close()

    def check(self, x=X, y=Y):
        self.assertAlmostEqual(self.model.predict([x])[0], y, delta=1e-5)

    # A run that ends after its first operator.
    def interrupt(self, x=OTHER_X):
        self.model.inputs[0].write([x])
        self.model.on_op = stop
        with self.assertRaises(Stop):
            self.model.invoke()
        self.model.on_op = None


class TestInputs(RunTestCase):
    def refused(self):
        name = self.model.inputs[0].name
        self.assertEqual(
            self.fails(RuntimeError, self.model.invoke),
            "input 0 (%s): must be written again before each invoke(), "
            "its memory was reused" % name,
        )

    def test_zeros_at_first(self):
        self.assertEqual(self.model.inputs[0][0], 0)
        self.model.invoke()
        self.check(0, self.model.outputs[0][0])
        with microlite.Model("person_detect.tflite", arena=bytearray(b"\xa5" * 100000)) as model:
            self.assertEqual(set(model.inputs[0].read()), {0.0})

    def test_written_once(self):
        self.check()
        for _ in range(2):
            self.refused()
        # The results of the last run are still there.
        self.assertAlmostEqual(self.model.outputs[0][0], Y, delta=1e-5)

    def test_every_way_of_writing(self):
        tensor = self.model.inputs[0]
        bits = array("f", [X])
        for write in (
            lambda: tensor.write([X]),
            lambda: tensor.write(bits),
            lambda: tensor.write_raw(bits),
            lambda: tensor.write_raw(bytes(bits)),
        ):
            write()
            self.model.invoke()
            self.assertAlmostEqual(self.model.outputs[0][0], Y, delta=1e-5)
            self.refused()

    def test_write_that_failed(self):
        self.check()
        for values in ([float("nan")], [1, 2], "x"):
            with self.assertRaises((ValueError, TypeError)):
                self.model.inputs[0].write(values)
            self.refused()

    def test_views_are_exempt(self):
        self.check()
        view = self.model.inputs[0].data
        for x, y in ((X, Y), (OTHER_X, OTHER_Y)):
            view[0] = x
            self.model.invoke()
            self.assertAlmostEqual(self.model.outputs[0][0], y, delta=1e-5)

    def test_reading_what_is_gone(self):
        tensor = self.model.inputs[0]
        tensor.write([X])
        self.assertEqual(tensor[0], X)
        self.model.invoke()
        for read in (tensor.read, tensor.argmax, lambda: tensor[0]):
            self.assertIn("reused", self.fails(RuntimeError, read))
        with self.assertRaises(RuntimeError):
            tensor.write(tensor)

    def test_after_an_interrupted_run(self):
        self.interrupt()
        self.refused()


class TestResults(RunTestCase):
    def test_before_the_first_run(self):
        output = self.model.outputs[0]
        for read in (output.read, output.argmax, lambda: output[0]):
            self.assertIn("no result", self.fails(RuntimeError, read))
        self.assertEqual(len(output.data), 1)

    def test_after_an_interrupted_run(self):
        self.check()
        self.interrupt()
        for _ in range(2):
            self.assertIn("no result", self.fails(RuntimeError, self.model.outputs[0].read))
            self.model.reset()


class TestReset(RunTestCase):
    def test_keeps_inputs_and_results(self):
        self.check()
        self.model.inputs[0].write([OTHER_X])
        self.model.reset()
        self.assertAlmostEqual(self.model.outputs[0][0], Y, delta=1e-5)
        self.model.invoke()
        self.assertAlmostEqual(self.model.outputs[0][0], OTHER_Y, delta=1e-5)

    def test_closed(self):
        model = microlite.Model(SINE)
        model.close()
        self.assertIn("closed", self.fails(RuntimeError, model.reset))


class TestTime(RunTestCase):
    def test_last_us(self):
        self.assertIsNone(self.model.last_us)
        self.model.inputs[0].write([X])
        start = time.ticks_us()
        self.model.invoke()
        spent = time.ticks_diff(time.ticks_us(), start)
        self.assertTrue(0 <= self.model.last_us <= spent)

    def test_counts_complete_runs(self):
        self.interrupt()
        self.assertIsNone(self.model.last_us)
        self.model.inputs[0].write([X])
        self.model.on_op = lambda: time.sleep_us(2000)
        self.model.invoke()
        spent = self.model.last_us
        self.assertGreaterEqual(spent, 2000 * (len(self.model.ops) - 1))
        self.interrupt()
        self.assertEqual(self.model.last_us, spent)


class TestOnOp(RunTestCase):
    def test_between_operators(self):
        calls = []
        self.assertIsNone(self.model.on_op)
        self.model.on_op = hook = lambda: calls.append(1)
        self.assertIs(self.model.on_op, hook)
        self.check()
        self.assertEqual(len(calls), len(self.model.ops) - 1)
        self.model.on_op = None
        self.check()
        self.assertEqual(len(calls), len(self.model.ops) - 1)

    def test_kinds(self):
        for hook in (5, "feed", [], object()):
            self.assertIn("on_op", self.fails(TypeError, setattr, self.model, "on_op", hook))
        for hook in (gc.mem_free, [].copy, Stop):
            self.model.on_op = hook
            self.check()

    def test_what_it_raises(self):
        for error in (Stop, KeyboardInterrupt, SystemExit, MemoryError, StopIteration):

            def hook(error=error):
                raise error

            self.model.inputs[0].write([OTHER_X])
            self.model.on_op = hook
            with self.assertRaises(error):
                self.model.invoke()
            self.model.on_op = None
            self.check()

    def test_what_it_may_do(self):
        # The model is taken, so all but looking at it is refused; whatever is caught in the hook,
        # the run goes on and is right.
        def hook():
            for call in (
                model.invoke,
                model.close,
                model.reset,
                lambda: model.profile(),
                lambda: model.inputs[0].write([OTHER_X]),
                lambda: model.inputs[0].write_raw(bytes(4)),
                lambda: model.inputs[0].data,
                model.inputs[0].read,
                model.outputs[0].read,
                lambda: model.outputs[0][0],
            ):
                self.assertIn("busy", self.fails(RuntimeError, call))
            self.assertEqual(model.inputs[0].shape, (1, 1))
            self.assertEqual(len(model.ops), 5)
            gc.collect()
            seen.append(microlite.Model(SINE).predict([OTHER_X])[0])

        model, seen = self.model, []
        model.on_op = hook
        self.check()
        self.assertEqual(len(seen), 4)
        self.assertAlmostEqual(seen[0], OTHER_Y, delta=1e-5)

    def test_takes_itself_off(self):
        def hook():
            calls.append(1)
            self.model.on_op = None

        calls = []
        self.model.on_op = hook
        self.check()
        self.assertEqual(len(calls), 1)

    def test_buffers_that_move(self):
        def move(buffer):
            buffer.extend(bytes(20000))
            gc.collect()

        for i in range(2):
            with open(SINE, "rb") as f:
                buffers = bytearray(f.read()), bytearray(10000)
            with microlite.Model(buffers[0], arena=buffers[1]) as model:
                model.inputs[0].write([X])
                model.on_op = lambda buffer=buffers[i]: move(buffer)
                self.assertIn("moved", self.fails(RuntimeError, model.invoke))
                self.assertIn("moved", self.fails(RuntimeError, model.invoke))


class TestLocked(RunTestCase):
    def test_without_the_heap(self):
        outputs = array("f", [X])
        tensor, invoke, reset = self.model.inputs[0], self.model.invoke, self.model.reset
        hook = gc.collect
        micropython.heap_lock()
        try:
            tensor.write(outputs)
            invoke()
            reset()
            tensor.write_raw(outputs)
            self.model.on_op = hook
            invoke()
        finally:
            micropython.heap_unlock()
        self.assertAlmostEqual(self.model.outputs[0][0], Y, delta=1e-5)


if __name__ == "__main__":
    unittest.main()
