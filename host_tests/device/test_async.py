# ainvoke(): other tasks run meanwhile, and whatever happens to the task, the model stays usable.
# Runs in the folder that holds the crates' models.

import asyncio
import gc
import os
import unittest

from common import FRAME, OTHER_X, OTHER_Y, PERSON, SCORES, SINE, X, Y

import microlite


class Stop(Exception):
    pass


class TestCase(unittest.TestCase):
    def setUp(self):
        self.model = microlite.Model(SINE)

    def tearDown(self):
        self.model.on_op = None
        self.assertAlmostEqual(self.model.predict([X])[0], Y, delta=1e-5)
        self.model.close()

    # Runs the coroutine and whatever the test left, in a fresh loop.
    def run_async(self, coroutine):
        asyncio.new_event_loop()
        return asyncio.run(coroutine)

    async def fails(self, error, awaitable):
        try:
            await awaitable
        except error as e:
            return str(e)
        return self.fail("nothing raised")

    # A task with a run that has begun.
    async def start(self, x=X):
        self.model.inputs[0].write([x])
        task = asyncio.create_task(self.model.ainvoke(0))
        await asyncio.sleep_ms(0)
        self.assertFalse(task.done())
        return task


class TestAinvoke(TestCase):
    def test_outside_of_asyncio(self):
        with self.assertRaises(RuntimeError):
            self.model.ainvoke().send(None)

    def test_result(self):
        async def main():
            for slice_ms in (0, 1, 5, 10**6, 10**9):
                self.model.inputs[0].write([X])
                self.assertIsNone(await self.model.ainvoke(slice_ms=slice_ms))
                self.assertAlmostEqual(self.model.outputs[0][0], Y, delta=1e-5)
                self.assertTrue(self.model.last_us >= 0)
            self.model.inputs[0].write([OTHER_X])
            await self.model.ainvoke()
            self.assertAlmostEqual(self.model.outputs[0][0], OTHER_Y, delta=1e-5)

        self.run_async(main())

    def test_others_run(self):
        # After each operator but the last, when slices are short.
        async def counter():
            while True:
                turns.append(1)
                await asyncio.sleep_ms(0)

        async def main():
            task = asyncio.create_task(counter())
            self.model.inputs[0].write([X])
            await self.model.ainvoke(0)
            task.cancel()

        turns = []
        self.run_async(main())
        self.assertTrue(len(self.model.ops) - 2 <= len(turns) <= len(self.model.ops))

    def test_stop_iteration_in_a_callback_is_no_end(self):
        async def main():
            self.model.inputs[0].write([X])
            self.model.on_op = iter(()).__next__
            await self.fails(RuntimeError, self.model.ainvoke())
            self.model.on_op = None
            self.assertRaises(RuntimeError, self.model.outputs[0].read)

        self.run_async(main())

    def test_two_models(self):
        async def person(frame, slice_ms):
            with microlite.Model(PERSON) as model:
                for _ in range(2):
                    model.inputs[0].write_raw(frame)
                    await model.ainvoke(slice_ms)
                    self.assertEqual(list(model.outputs[0].data), SCORES)

        async def sine():
            for _ in range(10):
                self.model.inputs[0].write([X])
                await self.model.ainvoke(0)
                self.assertAlmostEqual(self.model.outputs[0][0], Y, delta=1e-5)

        async def main():
            frame = bytearray(os.stat(FRAME)[6])
            with open(FRAME, "rb") as f:
                f.readinto(frame)
            await asyncio.gather(person(frame, 0), sine(), person(frame, 1))

        self.run_async(main())

    def test_stale_inputs(self):
        async def main():
            self.model.inputs[0].write([X])
            await self.model.ainvoke()
            self.assertIn("written", await self.fails(RuntimeError, self.model.ainvoke()))

        self.run_async(main())

    def test_arguments(self):
        async def main():
            self.assertIn("slice_ms", await self.fails(ValueError, self.model.ainvoke(-1)))
            await self.fails(TypeError, self.model.ainvoke("x"))

        self.run_async(main())

    def test_never_awaited(self):
        self.model.inputs[0].write([X])
        self.model.ainvoke()


class TestConcurrent(TestCase):
    def test_everything_else_is_refused(self):
        async def main():
            task = await self.start()
            model = self.model
            for use in (
                model.invoke,
                lambda: model.profile(),
                lambda: model.inputs[0].write([OTHER_X]),
                lambda: model.inputs[0].write_raw(bytes(4)),
                lambda: model.inputs[0].data,
                model.inputs[0].read,
                model.outputs[0].read,
            ):
                with self.assertRaises(RuntimeError) as raised:
                    use()
                self.assertIn("ainvoke", str(raised.exception))
            self.assertIn("ainvoke", await self.fails(RuntimeError, model.ainvoke()))
            self.assertEqual(model.outputs[0].shape, (1, 1))
            await task
            self.assertAlmostEqual(model.outputs[0][0], Y, delta=1e-5)

        self.run_async(main())

    def test_reset_gives_the_run_up(self):
        async def main():
            task = await self.start()
            self.model.reset()
            second = await self.start(OTHER_X)
            self.assertIn("reset", await self.fails(RuntimeError, task))
            await second
            self.assertAlmostEqual(self.model.outputs[0][0], OTHER_Y, delta=1e-5)

        self.run_async(main())

    def test_close(self):
        async def main():
            model = microlite.Model(SINE)
            task = asyncio.create_task(model.ainvoke(0))
            await asyncio.sleep_ms(0)
            model.close()
            gc.collect()
            self.assertIn("closed", await self.fails(RuntimeError, task))
            self.assertIn("closed", await self.fails(RuntimeError, model.ainvoke()))

        self.run_async(main())

    def test_buffer_that_moves(self):
        async def main():
            arena = bytearray(10000)
            model = microlite.Model(SINE, arena=arena)
            task = asyncio.create_task(model.ainvoke(0))
            await asyncio.sleep_ms(0)
            arena.extend(bytes(10000))
            gc.collect()
            self.assertIn("moved", await self.fails(RuntimeError, task))
            model.close()

        self.run_async(main())


class TestEnds(TestCase):
    def test_cancelled(self):
        async def main():
            task = await self.start()
            task.cancel()
            await self.fails(asyncio.CancelledError, task)
            self.assertIn("no result", await self.fails(RuntimeError, self.read()))
            self.assertAlmostEqual(self.model.predict([X])[0], Y, delta=1e-5)

        self.run_async(main())

    async def read(self):
        return self.model.outputs[0].read()

    def test_timeout(self):
        async def main():
            self.model.on_op = lambda: None
            self.model.inputs[0].write([X])

            async def slow():
                await self.model.ainvoke(0)
                await asyncio.sleep(100)

            await self.fails(asyncio.TimeoutError, asyncio.wait_for_ms(slow(), 20))

        self.run_async(main())

    def test_on_op_raises(self):
        def hook():
            raise Stop

        async def main():
            self.model.on_op = hook
            self.model.inputs[0].write([X])
            await self.fails(Stop, self.model.ainvoke())

        self.run_async(main())

    def test_loop_that_ends_before_the_run(self):
        # The task is left, with its run; reset() frees the model.
        async def main():
            await self.start()

        self.run_async(main())
        with self.assertRaises(RuntimeError) as raised:
            self.model.invoke()
        self.assertIn("reset()", str(raised.exception))
        self.model.reset()

    def test_dropped_while_suspended(self):
        async def main():
            model = microlite.Model(SINE)
            task = asyncio.create_task(model.ainvoke(0))
            await asyncio.sleep_ms(0)
            model = None
            gc.collect()
            await task

        self.run_async(main())


if __name__ == "__main__":
    unittest.main()
