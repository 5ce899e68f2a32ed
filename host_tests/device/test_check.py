# check(): all that is wrong with a model, what the model is, and nothing kept. Runs in the folder
# that holds the crates' models.

import gc
import struct
import unittest

from common import SINE, X, Y, contents, follow, slot, tables, with_operators

import microlite

PERSON = "person_detect.tflite"


# The model with a buffer of the last tensors that does not exist.
def with_wrong_buffers(data, n):
    graph = next(tables(data, follow(data, slot(data, follow(data, 0), 2))))
    for tensor in list(tables(data, follow(data, slot(data, graph, 0))))[:n]:
        struct.pack_into("<I", data, slot(data, tensor, 2), 999)
    return data


class TestCase(unittest.TestCase):
    def tearDown(self):
        with microlite.Model(SINE) as model:
            self.assertAlmostEqual(model.predict([X])[0], Y, delta=1e-5)


class TestGood(TestCase):
    def test_what_it_is(self):
        report = microlite.check(PERSON)
        self.assertTrue(report)
        self.assertEqual((report.problems, report.missing_ops), ((), ()))
        with microlite.Model(PERSON) as model:
            self.assertEqual(report.ops, model.ops)
            self.assertEqual(report.arena, model.arena_needed)
            for infos, tensors in ((report.inputs, model.inputs), (report.outputs, model.outputs)):
                self.assertEqual(len(infos), len(tensors))
                for info, tensor in zip(infos, tensors):
                    for name in ("name", "shape", "dtype", "scale", "zero_point"):
                        self.assertEqual(getattr(info, name), getattr(tensor, name))
        self.assertIsNone(report.reason)
        self.assertEqual(report.file, PERSON)

    def test_words(self):
        text = str(microlite.check(PERSON))
        for words in (
            PERSON + ": fine",
            "14 CONV_2D",
            "input 0",
            "int8 (1, 96, 96, 1)",
            "arena: ",
        ):
            self.assertIn(words, text)

    def test_sources(self):
        data = contents(SINE)
        first = microlite.check(SINE)
        shifted = memoryview(b"x" + data)[1:]
        for model in (data, bytes(data), memoryview(data), shifted):
            report = microlite.check(model)
            self.assertTrue(report)
            self.assertIsNone(report.file)
            self.assertEqual(report.arena, first.arena)
            self.assertEqual(report.inputs, first.inputs)
            self.assertIn("model: fine", str(report))

    def test_keeps_nothing(self):
        def use():
            for model in (SINE, data, damaged):
                microlite.check(model)
            gc.collect()
            return gc.mem_alloc()

        data, damaged = contents(SINE), contents(SINE)[:1000]
        figures = [use() for _ in range(8)]
        self.assertLessEqual(min(figures[i + 1] - figures[i] for i in range(7)), 0)
        data.extend(b"not in use")


class TestBad(TestCase):
    def both(self, data):
        report = microlite.check(data)
        self.assertFalse(report)
        with self.assertRaises(microlite.ModelError) as raised:
            microlite.Model(data)
        for problem in report.problems:
            self.assertIn(problem, raised.exception.problems)
            self.assertIn(problem, str(report))
        self.assertIsNone(report.arena)
        self.assertIn(report.reason, str(report))
        return report

    def test_no_model(self):
        for data in (b"", b"12345678", bytes(1000), b"hello world\n" * 20):
            report = self.both(data)
            self.assertEqual(len(report.problems), 1)
            self.assertEqual((report.ops, report.inputs, report.outputs), ((), (), ()))

    def test_truncated(self):
        data = memoryview(contents(SINE))
        for i in range(16):
            self.assertEqual(len(self.both(data[: i * len(data) // 16]).problems), 1)

    def test_missing_operators(self):
        report = self.both(with_operators(contents(SINE), {9: 16, 114: 52}))
        self.assertEqual(sorted(report.missing_ops), ["BIDIRECTIONAL_SEQUENCE_LSTM", "LSTM"])
        self.assertEqual(report.problems, ())
        for op in report.missing_ops:
            self.assertIn(op, report.ops)
            self.assertIn(op, str(report))
        self.assertEqual(report.inputs[0].shape, (1, 1))

    def test_several_problems(self):
        for n in (1, 3):
            report = self.both(with_wrong_buffers(contents(SINE), n))
            self.assertEqual(sum("999" in problem for problem in report.problems), n)
        with self.assertRaises(microlite.ModelError) as raised:
            microlite.Model(with_wrong_buffers(contents(SINE), 3))
        self.assertIn("more)", str(raised.exception))

    def test_other_objects(self):
        for model in (None, 5, [1, 2]):
            with self.assertRaises(TypeError):
                microlite.check(model)
        with self.assertRaises(OSError):
            microlite.check("nothing.tflite")


class TestArena(TestCase):
    def test_no_room(self):
        # The heap has room for all but the arena.
        data = contents(PERSON)
        gc.collect()
        hogs, step = None, 1 << 20
        while step >= 32768:
            try:
                hogs = (hogs, bytearray(step))
            except MemoryError:
                step //= 2
        report = microlite.check(data)
        try:
            named = str(microlite.check(PERSON))
        except microlite.ArenaError:  # no room for the file either
            named = PERSON + ": fine but for memory\n"
        hogs = None
        self.assertTrue(report)
        self.assertIsNone(report.arena)
        self.assertIn("no block of", report.reason)
        self.assertIn("model: fine but for memory\n", str(report))
        self.assertIn(PERSON + ": fine but for memory\n", named)
        self.assertEqual(named.count(PERSON), 1)
        self.assertEqual(len(report.inputs), 1)
        self.assertTrue(microlite.check(data).arena > 32768)


if __name__ == "__main__":
    unittest.main()
