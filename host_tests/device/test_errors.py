# Errors: the right exception with the right words and numbers, and the next good load works.
# Runs in the folder that holds the crates' models.

import gc
import unittest
from array import array

import _microlite
import micropython
from common import SINE, X, Y, contents, follow, slot, with_operators
from scratch import Folder

import microlite


class TestCase(unittest.TestCase):
    def tearDown(self):
        with microlite.Model(SINE) as model:
            self.assertAlmostEqual(model.predict([X])[0], Y, delta=1e-5)

    def raised(self, error, *args, **options):
        with self.assertRaises(error) as context:
            microlite.Model(*args, **options)
        self.assertIs(type(context.exception), error)
        return context.exception


class TestTypes(TestCase):
    def test_bases(self):
        for error, base in (
            (microlite.ArenaError, MemoryError),
            (microlite.ModelError, ValueError),
            (microlite.OpError, microlite.ModelError),
            (microlite.InvokeError, RuntimeError),
        ):
            self.assertTrue(issubclass(error, base))
            with self.assertRaises(base):
                raise error("words")

    def test_made_by_hand(self):
        for error, names in (
            (
                microlite.ArenaError,
                ("needed", "given", "missing", "stage", "largest_free", "heap_free", "log"),
            ),
            (microlite.ModelError, ("problems", "log")),
            (microlite.OpError, ("problems", "missing_ops", "log")),
            (microlite.InvokeError, ("op_index", "op", "log")),
        ):
            e = error("words")
            self.assertEqual(str(e), "words")
            self.assertEqual(e.args, ("words",))
            for name in names:
                self.assertIsNone(getattr(e, name))
            with self.assertRaises(AttributeError):
                _ = e.nothing
            e = error("words", 7)
            self.assertEqual(str(e), "words")
            self.assertEqual(repr(e), "%s('words',)" % error.__name__)
            self.assertEqual(getattr(e, names[0]), 7)
            self.assertEqual(str(error()), "")


class TestFiles(TestCase):
    def test_wrong_path(self):
        for path in ("nothing.tflite", "/nothing/at/all"):
            e = self.raised(OSError, path)
            self.assertEqual(e.errno, 2)
            self.assertIn(path, str(e))

    def test_folder(self):
        e = self.raised(OSError, "/")
        self.assertEqual((e.errno, str(e)), (21, "[Errno 21] EISDIR: /"))

    def test_too_large(self):
        # What the package calls for the bytes of a file.
        with self.assertRaises(microlite.ArenaError) as context:
            _microlite.block(1 << 29, "large.tflite")
        e = context.exception
        self.assertEqual((e.needed, e.stage), (1 << 29, "model"))
        self.assertIn("large.tflite: no block of %d bytes for the model: " % (1 << 29), str(e))
        self.assertTrue(str(e).endswith("; in a ROMFS the model needs no memory"))


class TestModels(TestCase):
    def test_no_model(self):
        for data in (
            b"",
            b"TFL3",
            b"12345678",
            b"hello world, this is text\n" * 20,
            bytes(1000),
            b"\xff" * 1000,
        ):
            e = self.raised(microlite.ModelError, data)
            self.assertTrue(str(e))
            self.assertEqual(e.problems, (str(e),))
            self.assertEqual(type(e.log), str)

    def test_truncated(self):
        data = memoryview(contents(SINE))
        for i in range(16):
            self.raised(microlite.ModelError, data[: i * len(data) // 16])

    def test_version(self):
        data = contents(SINE)
        data[slot(data, follow(data, 0), 0)] = 9
        e = self.raised(microlite.ModelError, data)
        self.assertIn("9", str(e))
        self.assertIn("3", str(e))

    def test_missing_ops(self):
        # FULLY_CONNECTED (9) and QUANTIZE (114) become two that TFLM never had.
        e = self.raised(microlite.OpError, with_operators(contents(SINE), {9: 16, 114: 52}))
        self.assertEqual(sorted(e.missing_ops), ["BIDIRECTIONAL_SEQUENCE_LSTM", "LSTM"])
        for op in e.missing_ops:
            self.assertIn(op, str(e))

    def test_other_objects(self):
        for model in (None, 5, 1.5, [1, 2], object()):
            e = self.raised(TypeError, model)
            self.assertIn("model", str(e))
        with self.assertRaises(TypeError):
            microlite.Model()


class TestSources(TestCase):
    # The same error in the same words wherever a model comes from; only a file is named.
    def check_all(self, error, data, **options):
        data = bytes(data)
        errors = [
            self.raised(error, model, **options)
            for model in (data, bytearray(data), memoryview(data), memoryview(b"x" + data)[1:])
        ]
        with Folder() as folder:
            path = folder.write("source.tflite", data)
            named = self.raised(error, path, **options)
        for e in errors:
            self.assertEqual(path + ": " + str(e), str(named))
            for name in ("problems", "missing_ops", "needed", "given", "missing", "stage", "log"):
                self.assertEqual(getattr(e, name, None), getattr(named, name, None))

    def test_errors(self):
        data = contents(SINE)
        self.check_all(microlite.ModelError, b"")
        self.check_all(microlite.ModelError, data[:1000])
        self.check_all(microlite.OpError, with_operators(contents(SINE), {9: 16, 114: 52}))
        for size in (0, 100, 800):
            self.check_all(microlite.ArenaError, data, arena=size)
            self.check_all(microlite.ArenaError, data, arena=bytearray(size))


class TestArena(TestCase):
    def test_short(self):
        for given in (0, 16, 1000):
            for arena in (given, bytearray(given)):
                e = self.raised(microlite.ArenaError, SINE, arena=arena)
                self.assertEqual(e.given, given)
                self.assertEqual(e.missing, e.needed - given)
                self.assertIn(e.stage, ("tensors", "operators", "activations"))
                self.assertTrue(0 < e.largest_free <= e.heap_free)
                text = "arena: %d bytes needed, %d given (%d short)" % (e.needed, given, e.missing)
                self.assertEqual(str(e), SINE + ": " + text)
                with microlite.Model(SINE, arena=e.needed):
                    pass

    def test_every_size(self):
        # Any size below the least is refused with the same numbers.
        data = contents(SINE)
        with microlite.Model(data) as model:
            needed = model.arena_needed
        for size in list(range(0, needed, 48)) + [1, 15, 17, needed - 1]:
            self.assertEqual(self.raised(microlite.ArenaError, data, arena=size).needed, needed)

    def test_without_a_file(self):
        e = self.raised(microlite.ArenaError, contents(SINE), arena=16)
        self.assertTrue(str(e).startswith("arena: "))

    def test_no_block(self):
        for size in (10**9, 1 << 29):
            e = self.raised(microlite.ArenaError, SINE, arena=size)
            self.assertEqual(e.needed, size)
            self.assertEqual(e.given, e.largest_free)
            self.assertEqual(e.missing, size - e.largest_free)
            text = "no block of %d bytes for the arena: largest free is %d, %d free in all" % (
                size,
                e.largest_free,
                e.heap_free,
            )
            self.assertIn(text, str(e))

    def test_fragmented(self):
        # Enough memory in all, but no block so large.
        e = self.raised(microlite.ArenaError, SINE, arena=10**9)
        self.assertIn("heap", str(e))
        size = e.largest_free * 3 // 4
        first = bytearray(e.largest_free * 2 // 5)
        hog = bytearray(e.largest_free // 10)
        e = self.raised(microlite.ArenaError, SINE, arena=size)
        self.assertIn("free memory first", str(e))
        first = None
        gc.collect()
        e = self.raised(microlite.ArenaError, SINE, arena=size)
        self.assertIn("load the model earlier", str(e))
        self.assertTrue(first is None and hog is not None)

    def test_arena_types(self):
        class View(memoryview):
            pass

        for arena in (View(bytearray(4000)), b"abc", memoryview(b"abc"), "abc", 1.0):
            self.raised(TypeError, SINE, arena=arena)
        e = self.raised(microlite.ArenaError, SINE, arena=memoryview(bytearray(4000))[1:4])
        self.assertEqual(e.given, 3)
        with microlite.Model(SINE, arena=bytearray(e.needed)) as model:
            self.assertTrue(model.arena_needed <= e.needed)

    def test_bad_sizes(self):
        for arena in (-1, -(2**40), 2**70, -(2**70)):
            e = self.raised(ValueError, SINE, arena=arena)
            self.assertIn("arena", str(e))

    def test_other_objects(self):
        for arena in (b"x" * 5000, memoryview(b"x" * 5000)):
            e = self.raised(TypeError, SINE, arena=arena)
            self.assertIn("read-only", str(e))
        for arena in ("x" * 5000, 5000.0, [1], True, array("O", [None] * 2000)):
            e = self.raised(TypeError, SINE, arena=arena)
            self.assertIn("arena", str(e))

    def test_options(self):
        with self.assertRaises(TypeError):
            microlite.Model(SINE, 5000)
        with self.assertRaises(TypeError):
            microlite.Model(SINE, size=5000)


class TestFullHeap(TestCase):
    # Takes nearly all memory, so that loads fail at one place after the other. Whatever is
    # raised is a MemoryError, and nothing else goes wrong.
    def test_exceptions_need_memory_too(self):
        hogs = []
        gc.collect()
        block = 1 << 20
        while block > 64:
            try:
                hogs.append(bytearray(block))
            except MemoryError:
                block //= 2
        failed = 0
        while hogs:
            try:
                microlite.Model(SINE).close()
                break
            except MemoryError:
                failed += 1
            hogs.pop()
        hogs = None
        self.assertTrue(failed > 3)

    def test_locked(self):
        data = contents(SINE)
        micropython.heap_lock()
        try:
            microlite.Model(data)
            outcome = None
        except MemoryError:
            outcome = MemoryError
        finally:
            micropython.heap_unlock()
        self.assertIs(outcome, MemoryError)


if __name__ == "__main__":
    unittest.main()
