# Model: loading from files and buffers, arenas, running, closing, and who keeps whom alive. Runs
# in the folder that holds the crates' models.

import gc
import unittest
from array import array

import micropython
from common import FRAME, PERSON, SCORES, SINE, contents, deep, used

import microlite

SINES = ((0, -0.0339032), (1, 0.8814837), (3, 0.1695161), (5, -1.0086207))


class TestCase(unittest.TestCase):
    def check_sine(self, model):
        for x, y in SINES:
            self.assertAlmostEqual(model.predict([x])[0], y, delta=1e-5)

    # What nothing keeps alive is overwritten.
    def fill_memory(self):
        gc.collect()
        blocks = []
        try:
            while True:
                blocks.append(bytearray(b"\xa5" * 512))
        except MemoryError:
            pass
        blocks = None
        gc.collect()


class TestResults(TestCase):
    def test_sine(self):
        with microlite.Model(SINE) as model:
            self.check_sine(model)

    def test_person(self):
        with microlite.Model(PERSON) as model:
            for _ in range(2):
                model.inputs[0].write_image(contents(FRAME), 96, 96)
                model.invoke()
                self.assertEqual(list(model.outputs[0].data), SCORES)
            self.assertEqual(model.outputs[0].argmax(), 1)

    def test_two_models_alive(self):
        with microlite.Model(SINE) as a, microlite.Model(PERSON) as b, microlite.Model(SINE) as c:
            b.inputs[0].write_image(contents(FRAME), 96, 96)
            self.check_sine(a)
            b.invoke()
            self.check_sine(c)
            self.check_sine(a)
            self.assertEqual(list(b.outputs[0].data), SCORES)

    def test_predict(self):
        with microlite.Model(SINE) as model:
            self.assertEqual(len(model.predict_all([1])), 1)
            self.assertAlmostEqual(model.predict(dense_2_input=[1])[0], SINES[1][1], delta=1e-5)
            for inputs in ((), ([1], [2])):
                with self.assertRaises(ValueError):
                    model.predict(*inputs)
            with self.assertRaises(TypeError):
                model.predict("1")
            self.assertRaises(KeyError, lambda: model.input(1))


class TestSources(TestCase):
    def test_buffers(self):
        data = contents(SINE)
        for model in (data, bytes(data), memoryview(data), memoryview(bytes(data))):
            with microlite.Model(model) as m:
                self.check_sine(m)
                self.assertTrue(m.in_place)
                self.assertEqual(m.size, len(data))
                self.assertIsNone(m.file)

    def test_every_alignment(self):
        data = contents(SINE)
        for offset in range(17):
            buffer = bytearray(offset) + data
            with microlite.Model(memoryview(buffer)[offset:]) as model:
                self.assertEqual(model.in_place, offset % 16 == 0)
                if not model.in_place:
                    buffer[:] = bytes(len(buffer))
                self.check_sine(model)

    def test_copy(self):
        data = contents(SINE)
        with microlite.Model(data, copy=True) as model:
            self.assertFalse(model.in_place)
            data[:] = bytes(len(data))
            self.check_sine(model)

    def test_file(self):
        in_rom = True
        try:
            with open(SINE, "rb") as f:
                memoryview(f)
        except TypeError:
            in_rom = False
        with microlite.Model(SINE) as model:
            self.assertEqual(model.in_place, in_rom)
            self.assertEqual(model.file, SINE)
            for word in (SINE, "in place" if in_rom else "copied", str(model.arena_size)):
                self.assertIn(word, repr(model))
        with microlite.Model(SINE, copy=True) as model:
            self.assertFalse(model.in_place)

    def test_keeps_its_bytes(self):
        model = microlite.Model(contents(SINE))
        self.fill_memory()
        self.check_sine(model)

    def test_buffer_that_moves(self):
        data = contents(SINE)
        model = microlite.Model(data)
        data.extend(bytes(len(data)))
        for use in (
            model.invoke,
            model.outputs[0].read,
            lambda: model.inputs[0].data,
            lambda: model.inputs[0].name,
        ):
            with self.assertRaises(RuntimeError) as raised:
                use()
            self.assertIn("the buffer with the model has moved", str(raised.exception))
        model.close()


class TestArena(TestCase):
    def test_least(self):
        for path in (SINE, PERSON):
            with microlite.Model(path) as model:
                needed = model.arena_needed
                self.assertTrue(needed <= model.arena_size <= needed + 64)
                self.assertEqual(model.arena_used, needed)
            with microlite.Model(path, arena=needed) as model:
                self.assertEqual((model.arena_size, model.arena_needed), (needed, needed))
            with self.assertRaises(microlite.ArenaError) as raised:
                microlite.Model(path, arena=needed - 64)
            self.assertEqual(raised.exception.needed, needed)

    def test_buffer(self):
        with microlite.Model(SINE) as model:
            needed = model.arena_needed
        for kind in (bytearray, lambda n: memoryview(bytearray(n + 16))[16:]):
            arena = kind(needed)
            with microlite.Model(SINE, arena=arena) as model:
                self.check_sine(model)
            with microlite.Model(SINE, arena=arena) as model:
                self.check_sine(model)

    def test_every_alignment(self):
        with microlite.Model(SINE) as model:
            needed = model.arena_needed
        buffer = bytearray(b"\xa5" * (needed + 64))
        for offset in range(17):
            size = needed + -offset % 16
            with microlite.Model(SINE, arena=memoryview(buffer)[offset : offset + size]) as model:
                self.check_sine(model)
                view = model.outputs[0].data
                self.assertEqual(view[0], model.outputs[0][0])
            if offset % 16:
                with self.assertRaises(microlite.ArenaError) as raised:
                    microlite.Model(SINE, arena=memoryview(buffer)[offset : offset + needed])
                self.assertEqual(raised.exception.needed, size)
                self.assertEqual(raised.exception.given, needed)
            self.assertEqual(bytes(buffer[needed + 32 :]), b"\xa5" * 32)

    def test_carries_one_model(self):
        arena = bytearray(20000)
        first = microlite.Model(SINE, arena=memoryview(arena)[:8000])
        with self.assertRaises(ValueError):
            microlite.Model(SINE, arena=arena)
        with self.assertRaises(ValueError):
            microlite.Model(SINE, arena=memoryview(arena)[7984:])
        with microlite.Model(SINE, arena=memoryview(arena)[8000:]) as second:
            self.check_sine(second)
            self.check_sine(first)
        first.close()
        with microlite.Model(SINE, arena=arena) as model:
            self.check_sine(model)

    def test_not_the_memory_of_models(self):
        data = contents(SINE)
        with self.assertRaises(ValueError):
            microlite.Model(data, arena=data)
        with microlite.Model(PERSON) as model:
            with self.assertRaises(ValueError):
                microlite.Model(SINE, arena=model.inputs[0].data)
        with microlite.Model(data) as model:
            with self.assertRaises(ValueError):
                microlite.Model(SINE, arena=data)
            self.check_sine(model)

    def test_dropped_model_frees_its_arena(self):
        # Once no stale pointer on the stack keeps it alive.
        arena = bytearray(20000)
        for _ in range(5):
            microlite.Model(SINE, arena=arena).invoke()
            deep(30)
            self.fill_memory()
        with microlite.Model(SINE, arena=arena) as model:
            self.check_sine(model)

    def test_buffer_that_moves(self):
        arena = bytearray(20000)
        model = microlite.Model(SINE, arena=arena)
        arena.extend(bytes(20000))
        for use in (
            model.invoke,
            lambda: model.inputs[0].write([1]),
            model.outputs[0].read,
            lambda: model.outputs[0].data,
        ):
            with self.assertRaises(RuntimeError) as raised:
                use()
            self.assertIn("the arena's buffer has moved", str(raised.exception))
        model.close()

    def test_views_keep_a_callers_arena(self):
        model = microlite.Model(SINE, arena=memoryview(bytearray(20000))[160:])
        self.check_sine(model)
        view = model.outputs[0].data
        value = view[0]
        model = None
        self.fill_memory()
        self.assertEqual(view[0], value)


class TestLife(TestCase):
    def test_closed(self):
        model = microlite.Model(SINE)
        tensor, output = model.inputs[0], model.outputs[0]
        view = output.data
        self.check_sine(model)
        value = view[0]
        model.close()
        model.close()
        for use in (
            model.invoke,
            lambda: model.predict([1]),
            lambda: model.ops,
            lambda: model.arena_size,
            lambda: tensor.write([1]),
            lambda: tensor.write_raw(bytes(4)),
            lambda: tensor.write_image(bytes(1), 1, 1),
            lambda: tensor.data,
            lambda: tensor.name,
            lambda: tensor.shape,
            lambda: len(tensor),
            output.read,
            output.argmax,
            lambda: output[0],
        ):
            with self.assertRaises(RuntimeError):
                use()
        self.assertIn("closed", repr(model))
        self.assertIn("closed", repr(tensor))
        self.assertEqual(view[0], value)

    def test_views_outlive_the_model(self):
        # A view keeps the arena, whether the model is closed or only dropped.
        for close in (True, False):
            view = None
            gc.collect()
            model = microlite.Model(PERSON)
            model.inputs[0].write_image(contents(FRAME), 96, 96)
            model.invoke()
            view = model.outputs[0].data
            if close:
                model.close()
            model = None
            self.fill_memory()
            self.assertEqual(list(view), SCORES)

    def test_tensors_keep_the_model(self):
        tensor = microlite.Model(PERSON).inputs[0]
        self.fill_memory()
        frame = contents(FRAME)
        tensor.write_image(frame, 96, 96)
        self.assertEqual(bytes(tensor.data), frame)

    def test_context_manager(self):
        with self.assertRaises(KeyError):
            with microlite.Model(SINE) as model:
                raise KeyError
        with self.assertRaises(RuntimeError):
            model.invoke()

    def check_heap_returns(self, use):
        # A stale pointer on the stack may keep something for a round; a leak adds to each.
        figures = [used()]
        for _ in range(3):
            for _ in range(20):
                use()
            figures.append(used())
        self.assertLessEqual(min(figures[i + 1] - figures[i] for i in range(3)), 64)

    def test_heap_returns(self):
        def use():
            with microlite.Model(SINE) as model:
                for _ in range(50):
                    model.inputs[0].write(values)
                    model.invoke()

        values = array("f", [1])
        self.check_heap_returns(use)

    def test_failed_loads_leave_nothing(self):
        def use():
            for arena in (0, 16, 1000):
                try:
                    microlite.Model(SINE, arena=arena)
                except microlite.ArenaError:
                    pass

        self.check_heap_returns(use)

    def test_invoke_allocates_nothing(self):
        with microlite.Model(SINE) as model:
            model.inputs[0].write([1])
            invoke = model.invoke
            micropython.heap_lock()
            try:
                invoke()
            finally:
                micropython.heap_unlock()
            self.assertAlmostEqual(model.outputs[0][0], SINES[1][1], delta=1e-5)

    def test_survives_collections(self):
        model = microlite.Model(SINE)
        for _ in range(50):
            deep(20)
            gc.collect()
            junk = [bytearray(100) for _ in range(10)]
            self.check_sine(model)
        self.assertEqual(len(junk), 10)
        model.close()

    def test_used_while_running(self):
        # Scheduled functions run between two operators, where the model is taken.
        def use(_):
            for call in (
                model.invoke,
                model.close,
                model.outputs[0].read,
                lambda: model.inputs[0].data,
            ):
                try:
                    call()
                    outcomes.append("ran")
                except RuntimeError as e:
                    outcomes.append(str(e))

        outcomes = []
        with microlite.Model(SINE) as model:
            model.inputs[0].write([1])
            micropython.schedule(use, None)
            model.invoke()
            self.check_sine(model)
        self.assertEqual(len(outcomes), 4)
        for outcome in outcomes:
            self.assertIn("busy", outcome)

    def test_ops(self):
        with microlite.Model(SINE) as model:
            self.assertEqual(model.ops.count("FULLY_CONNECTED"), 3)


if __name__ == "__main__":
    unittest.main()
