# Who keeps whom alive: objects dropped in every order, memory filled with junk in between,
# collections at every allocation, deep recursion. Runs in the folder that holds the crates'
# models.

import gc
import unittest

from common import FRAME, ON_BOARD, PERSON, SCORES, SINE, X, Y, contents, deep

import microlite

JUNK = b"\xa5" * 512


# As deep as the stack allows, calling function at the bottom.
def deepest(function):
    try:
        return deepest(function) + 1
    except RuntimeError:
        function()
        return 0


def permutations(items):
    if len(items) < 2:
        yield items
    for i in range(len(items)):
        for rest in permutations(items[:i] + items[i + 1 :]):
            yield items[i : i + 1] + rest


# Overwrites what nothing keeps alive: after a collection the lowest free blocks are taken first.
def fill_memory():
    deep(20)
    gc.collect()
    blocks = [bytearray(JUNK) for _ in range(256)]
    blocks += [bytearray(JUNK[:32]) for _ in range(512)]
    blocks = None
    gc.collect()


class TestCase(unittest.TestCase):
    def tearDown(self):
        gc.threshold(-1)
        with microlite.Model(SINE) as model:
            self.check_sine(model)

    def check_sine(self, model):
        self.assertAlmostEqual(model.predict([X])[0], Y, delta=1e-5)


class TestOrders(TestCase):
    # Whatever is left works as long as it is there.
    def check(self, alive):
        if "model" in alive:
            self.check_sine(alive["model"])
        if "tensor" in alive:
            self.assertAlmostEqual(alive["tensor"].read()[0], Y, delta=1e-5)
        if "input" in alive:
            alive["input"].write([X])
            self.assertEqual(alive["input"].read()[0], X)
        if "view" in alive:
            self.assertAlmostEqual(alive["view"][0], Y, delta=1e-5)

    def drop_in_order(self, order, close):
        alive = {"bytes": contents(SINE)}
        if "arena" in order:
            alive["arena"] = bytearray(4096)
        alive["model"] = microlite.Model(alive["bytes"], arena=alive.get("arena"))
        self.check_sine(alive["model"])
        alive["tensor"] = alive["model"].outputs[0]
        alive["view"] = alive["tensor"].data
        if "input" in order:
            alive["input"] = alive["model"].inputs[0]
        for name in order:
            dropped = alive.pop(name)
            if close and name == "model":
                dropped.close()
                alive.pop("tensor", None)
                alive.pop("input", None)
            dropped = None
            fill_memory()
            self.check(alive)

    def orders(self, *names):
        for i, order in enumerate(permutations(names)):
            if i % 13 == 0 or not ON_BOARD:
                yield order

    def test_own_arena(self):
        for order in self.orders("bytes", "model", "tensor", "input", "view"):
            self.drop_in_order(order, False)

    def test_callers_arena(self):
        for order in self.orders("bytes", "arena", "model", "tensor", "view"):
            self.drop_in_order(order, False)

    def test_closed(self):
        for order in self.orders("bytes", "arena", "model", "view"):
            self.drop_in_order(order, True)


class TestViews(TestCase):
    def test_after_close(self):
        with microlite.Model(SINE) as model:
            self.check_sine(model)
            views = [model.outputs[0].data, model.inputs[0].data, model.outputs[0].data]
            before = [bytes(view) for view in views]
        model = None
        fill_memory()
        self.assertEqual([bytes(view) for view in views], before)
        views[1][0] = X
        with self.assertRaises(TypeError):
            views[0][0] = X

    def test_slices_and_casts(self):
        model = microlite.Model(PERSON)
        model.inputs[0].write_raw(contents(FRAME))
        model.invoke()
        part = model.outputs[0].data[1:]
        model = None
        fill_memory()
        self.assertEqual(list(part), SCORES[1:])


class TestStress(TestCase):
    def test_collection_at_every_allocation(self):
        frame = contents(FRAME)
        gc.threshold(1)
        for _ in range(3):
            with microlite.Model(SINE) as model:
                self.check_sine(model)
                output = model.output("Identity")
                self.assertEqual(output.read()[0], output.data[0])
                model.inputs[0].write(float(x) for x in range(X, X + 1))
                self.assertEqual(len(model.profile(2)), len(model.ops))
                for _ in model._model._slices(0):
                    pass
                self.assertAlmostEqual(output[0], Y, delta=1e-5)
            with self.assertRaises(microlite.ArenaError):
                microlite.Model(SINE, arena=500)
            with self.assertRaises(microlite.ModelError):
                microlite.Model(bytes(100))
            self.assertTrue(microlite.check(SINE))
        with microlite.Model(PERSON) as model:
            model.inputs[0].write_image(frame, 96, 96)
            model.on_op = lambda: bytearray(100)
            model.invoke()
            self.assertEqual(list(model.outputs[0].data), SCORES)

    def test_many_runs_deep_down(self):
        def use():
            self.assertEqual(len(bytearray(JUNK)), len(JUNK))
            self.check_sine(model)

        with microlite.Model(SINE) as model:
            for i in range(1000):
                self.check_sine(model)
                if i % 50 == 0:
                    junk = [bytearray(JUNK) for _ in range(100)]
                    gc.collect()
                    deep(20)
                    self.check_sine(model)
                    self.assertEqual(len(junk), 100)
            # Where the stack is used up, calls raise RuntimeError and nothing else happens.
            for _ in range(20):
                try:
                    deepest(use)
                except RuntimeError:
                    pass
            self.check_sine(model)


class TestEqual(TestCase):
    def results(self, arena):
        results = []
        with microlite.Model(PERSON, arena=arena) as model:
            for _ in range(3 if ON_BOARD else 10):
                model.inputs[0].write_raw(contents(FRAME))
                model.invoke()
                results.append(bytes(model.outputs[0].data))
        return results

    def test_any_fill(self):
        with microlite.Model(PERSON) as model:
            size = model.arena_needed + 32
        for fill in (0, 0xA5, 0xFF):
            arena = bytearray(bytes([fill]) * size)
            results = self.results(memoryview(arena)[fill & 16 :])
            self.assertEqual(results, [bytes(SCORES)] * len(results))

    def test_one_arena_after_another(self):
        # What a model leaves in an arena changes nothing for the next one.
        with microlite.Model(PERSON) as model:
            arena = bytearray(model.arena_needed)
        for _ in range(2):
            with microlite.Model(SINE, arena=arena) as model:
                self.check_sine(model)
            self.assertEqual(self.results(arena)[0], bytes(SCORES))


class TestFragments(TestCase):
    def test_one_block(self):
        # One free block of just the needed size is found, however full the rest of the heap is.
        data = contents(PERSON)
        with microlite.Model(data) as model:
            size = model.arena_size
        model = None
        gc.collect()
        blocks, hogs = [bytearray(size), bytearray(8000)], []
        step = 1 << 20
        while step >= 64:
            try:
                hogs.append(bytearray(step))
            except MemoryError:
                step //= 2
        blocks.clear()
        gc.collect()
        try:
            model = microlite.Model(data)
        finally:
            hogs.clear()
        self.assertEqual(model.arena_size, size)
        model.inputs[0].write_raw(contents(FRAME))
        model.invoke()
        self.assertEqual(list(model.outputs[0].data), SCORES)


class TestStack(TestCase):
    # Where the stack ends, calls that need more of it than is left raise, and the next level up
    # tries again.
    def test_person_detection_at_its_end(self):
        frame = contents(FRAME)
        with microlite.Model(PERSON) as model:

            def run():
                model.inputs[0].write_raw(frame)
                model.invoke()

            self.assertGreater(deepest(run), 0)
            self.assertEqual(list(model.outputs[0].data), SCORES)

    def test_load_and_check_at_its_end(self):
        data = contents(PERSON)
        self.assertGreater(deepest(lambda: microlite.Model(data).close()), 0)
        self.assertGreater(deepest(lambda: microlite.check(data)), 0)


if __name__ == "__main__":
    unittest.main()
