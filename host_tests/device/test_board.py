# What an emulated board has besides microlite: time, select, asyncio, file systems, registers.

import asyncio
import gc
import os
import select
import struct
import sys
import time
import unittest

from common import ON_BOARD


@unittest.skipUnless(ON_BOARD, "the clock is the port's")
class TestTime(unittest.TestCase):
    def test_sleep(self):
        for sleep, arg, us in (
            (time.sleep, 0.25, 250000),
            (time.sleep_ms, 3, 3000),
            (time.sleep_us, 70, 70),
        ):
            start = time.ticks_us()
            sleep(arg)
            self.assertGreaterEqual(time.ticks_diff(time.ticks_us(), start), us)

    def test_ticks_agree(self):
        ms, us, ns = time.ticks_ms(), time.ticks_us(), time.time_ns()
        time.sleep_ms(100)
        ms = time.ticks_diff(time.ticks_ms(), ms)
        us = time.ticks_diff(time.ticks_us(), us)
        ns = time.time_ns() - ns
        self.assertAlmostEqual(ms, us // 1000, delta=20)
        self.assertAlmostEqual(ns // 1000000, us // 1000, delta=20)

    def test_calendar(self):
        now = time.time()
        self.assertAlmostEqual(time.mktime(time.localtime(now)), now, delta=1)


class TestPoll(unittest.TestCase):
    @unittest.skipUnless(ON_BOARD, "stdin of unix may be anything")
    def test_stdin_is_silent(self):
        poll = select.poll()
        poll.register(sys.stdin, select.POLLIN)
        start = time.ticks_ms()
        self.assertEqual(poll.poll(50), [])
        self.assertGreaterEqual(time.ticks_diff(time.ticks_ms(), start), 50)

    def test_stdout_is_ready(self):
        poll = select.poll()
        poll.register(sys.stdout, select.POLLOUT)
        self.assertEqual([event for _, event in poll.poll(0)], [select.POLLOUT])


class TestAsyncio(unittest.TestCase):
    def test_tasks_take_turns(self):
        order = []

        async def worker(name, ms):
            for _ in range(2):
                await asyncio.sleep_ms(ms)
                order.append(name)

        async def both():
            await asyncio.gather(worker("slow", 50), worker("fast", 20))

        asyncio.run(both())
        self.assertEqual(order, ["fast", "fast", "slow", "slow"])

    def test_timeout(self):
        async def waiter():
            await asyncio.wait_for_ms(asyncio.Event().wait(), 20)

        self.assertRaises(asyncio.TimeoutError, asyncio.run, waiter())


@unittest.skipUnless(ON_BOARD, "of the board")
class TestBoard(unittest.TestCase):
    def test_heap_is_large_and_empty(self):
        gc.collect()
        self.assertGreater(gc.mem_free(), 1900000)
        self.assertEqual(len(bytearray(1800000)), 1800000)

    def test_deep_recursion_is_an_exception(self):
        def depth(n):
            try:
                return depth(n + 1)
            except RuntimeError:
                return n

        self.assertGreater(depth(0), 50)

    def test_floating_point_unit_is_on(self):
        import machine

        enabled = machine.mem32[0xE000ED88] >> 20 & 0xF
        self.assertEqual(enabled, 0 if "M3" in sys.implementation._machine else 0xF)
        self.assertEqual(struct.unpack("I", struct.pack("f", 1.5 * 1.5))[0], 0x40100000)

    def test_instruction_timer_counts_down(self):
        from machine import mem32

        start = mem32[0x40000004]
        time.sleep_ms(2)
        ticks = start - mem32[0x40000004]
        self.assertGreaterEqual(ticks, 2 * 25000)

    def test_path(self):
        self.assertEqual(sys.path[-1], "/lib")
        self.assertIn(".frozen", sys.path)

    def test_files(self):
        os.mkdir("/board_test")
        try:
            with open("/board_test/a.txt", "w") as f:
                f.write("abc" * 5000)
            with open("/board_test/a.txt") as f:
                self.assertEqual(f.read(), "abc" * 5000)
            self.assertEqual(os.stat("/board_test/a.txt")[6], 15000)
            os.remove("/board_test/a.txt")
        finally:
            os.rmdir("/board_test")

    def test_block_device_refuses_what_lies_outside(self):
        import mps2

        blocks, size = mps2.disk.ioctl(4, 0), mps2.disk.ioctl(5, 0)
        block = bytearray(size)
        self.assertEqual(mps2.disk.readblocks(blocks - 1, block), 0)
        self.assertRaises(OSError, mps2.disk.readblocks, blocks, block)
        self.assertRaises(OSError, mps2.disk.readblocks, -1, block)
        self.assertRaises(OSError, mps2.disk.readblocks, blocks - 1, block, 1)
        self.assertRaises(OSError, mps2.disk.writeblocks, 0, block, -1)
        self.assertRaises(OSError, mps2.disk.writeblocks, 0, bytearray(size * 2), -size * 2)

    def test_romfs_window_refuses_what_lies_outside(self):
        import vfs

        window = vfs.rom_ioctl(2, 0)
        size = len(window)
        self.assertEqual(vfs.rom_ioctl(1), 1)
        self.assertEqual(vfs.rom_ioctl(4, 0, size - 4, b"tail"), 0)
        self.assertEqual(bytes(window[size - 4 :]), b"tail")
        for arguments in (
            (2, 1),
            (3, 0, size + 1),
            (3, 0, -1),
            (4, 0, size - 3, b"tail"),
            (4, 0, -1, b"x"),
        ):
            with self.subTest(arguments=arguments):
                self.assertLess(vfs.rom_ioctl(*arguments), 0)


class TestUnittest(unittest.TestCase):
    def test_counts(self):
        class Case(unittest.TestCase):
            def test_good(self):
                self.assertRaises(KeyError, lambda: {}[1])
                self.assertAlmostEqual(1.0, 1.004, places=2)

            def test_bad(self):
                self.assertEqual(1, 2)

            def test_broken(self):
                raise ValueError("x")

            @unittest.skipIf(True, "no")
            def test_skipped(self):
                self.fail()

        print("(a run inside a test)")
        result = unittest.run(Case)
        counts = [len(x) for x in (result.failures, result.errors, result.skipped)]
        self.assertEqual((result.testsRun, counts), (4, [1, 1, 1]))
        self.assertEqual(str(result), "FAILED (failures=1, errors=1, skipped=1)")

    def test_assertions_can_fail(self):
        for name, arguments in (
            ("assertTrue", (0,)),
            ("assertFalse", (1,)),
            ("assertNotEqual", (1, 1)),
            ("assertIs", ([], [])),
            ("assertIsNot", (None, None)),
            ("assertIsNone", (0,)),
            ("assertIsNotNone", (None,)),
            ("assertIn", (1, [])),
            ("assertNotIn", (1, [1])),
            ("assertIsInstance", (1, str)),
            ("assertLess", (1, 1)),
            ("assertLessEqual", (2, 1)),
            ("assertGreater", (1, 1)),
            ("assertGreaterEqual", (0, 1)),
            ("assertAlmostEqual", (1.0, 1.1)),
            ("assertRaises", (KeyError, int, "1")),
            ("fail", ()),
        ):
            with self.subTest(name=name), self.assertRaises(AssertionError):
                getattr(self, name)(*arguments)

    def test_tear_down_runs_after_a_failure(self):
        log = []

        class Case(unittest.TestCase):
            def setUp(self):
                log.append("up")

            def tearDown(self):
                log.append("down")

            def test_it(self):
                raise ValueError("x")

        print("(a run inside a test)")
        self.assertFalse(unittest.run(Case).wasSuccessful())
        self.assertEqual(log, ["up", "down"])


if __name__ == "__main__":
    unittest.main()
