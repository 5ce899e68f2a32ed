# microlite.timing: cycles that go on over an overflow, and measurements of functions.

import gc
import sys
import time
import unittest

from microlite import timing

ON_MPS2 = sys.platform == "qemu"
if ON_MPS2:
    from machine import mem32

TIMER0_CTRL = 0x40000000
TIMER0_VALUE = 0x40000004
TICKS_PER_MS = 25000

# QEMU's counters are late when the PC is busy.
LATE_US = 8000 if ON_MPS2 else 2


def counter():
    return mem32[TIMER0_VALUE] & 0xFFFFFFFF


def spin(n):
    for _ in range(n):
        pass


class TestCycles(unittest.TestCase):
    def test_source(self):
        self.assertTrue(timing.cycles_per_us > 0)
        self.assertTrue(timing.source)
        # QEMU's cycle counter stands still, so that the next one was taken.
        wanted = {"qemu": "cmsdk_timer0", "linux": "clock_gettime"}
        self.assertEqual(timing.source, wanted.get(sys.platform, timing.source))

    def test_advances(self):
        last = timing.cycles()
        for _ in range(1000):
            now = timing.cycles()
            self.assertLessEqual(last, now)
            last = now
        spin(1000)
        self.assertLess(last, timing.cycles())

    def test_agrees_with_ticks_us(self):
        # However long other programs on a PC come between.
        outer = time.ticks_us()
        start = timing.cycles()
        inner = time.ticks_us()
        time.sleep_ms(100)
        inner = time.ticks_diff(time.ticks_us(), inner)
        us = (timing.cycles() - start) / timing.cycles_per_us
        outer = time.ticks_diff(time.ticks_us(), outer)
        self.assertTrue(
            0.999 * inner - LATE_US <= us <= 1.001 * outer + LATE_US, (inner, us, outer)
        )

    def test_allocates_its_result_only(self):
        gc.collect()
        before = gc.mem_alloc()
        timing.cycles()
        block = gc.mem_alloc() - before
        for _ in range(10):
            timing.cycles()
        self.assertLessEqual(gc.mem_alloc() - before, 11 * block)
        self.assertLessEqual(block, 64)

    @unittest.skipUnless(ON_MPS2, "the counter cannot be set")
    def test_overflow(self):
        # Ten milliseconds before the end.
        mem32[TIMER0_VALUE] = 10 * TICKS_PER_MS
        start, start_us = timing.cycles(), time.ticks_us()
        last = start
        while counter() < 0x80000000:
            now = timing.cycles()
            self.assertLessEqual(last, now)
            last = now
        spent, us = timing.cycles() - start, time.ticks_diff(time.ticks_us(), start_us)
        self.assertTrue(us < 1000000)
        self.assertAlmostEqual(spent / timing.cycles_per_us, us, delta=LATE_US)

    @unittest.skipUnless(ON_MPS2, "the counter cannot be set")
    def test_counter_set_by_others(self):
        for value in (0xFFFFFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 5 * TICKS_PER_MS, 0x12345678):
            start, start_us = timing.cycles(), time.ticks_us()
            mem32[TIMER0_VALUE] = value
            spent, us = timing.cycles() - start, time.ticks_diff(time.ticks_us(), start_us)
            self.assertTrue(0 <= spent <= (us + LATE_US) * timing.cycles_per_us)

    @unittest.skipUnless(ON_MPS2, "the counter cannot be stopped")
    def test_stopped_counter_is_replaced(self):
        last = timing.cycles()
        for ctrl, source in ((0, "ticks_us"), (1, "cmsdk_timer0")):
            mem32[TIMER0_CTRL] = ctrl
            slept = timing.evaluate(lambda: time.sleep_ms(5), number=2, repeat=2)
            self.assertEqual(timing.source, source)
            self.assertTrue(4900 <= slept.min < 500000, str(slept))
            now = timing.cycles()
            self.assertLess(last, now)
            last = now
        self.assertAlmostEqual(timing.cycles_per_us, 25, delta=1)


class TestEvaluate(unittest.TestCase):
    def test_scales(self):
        once = timing.evaluate(lambda: spin(500), min_repeat_ms=20)
        tenfold = timing.evaluate(lambda: spin(5000), min_repeat_ms=20)
        self.assertTrue(3 < tenfold.min / once.min < 30, (str(once), str(tenfold)))

    def test_figures(self):
        spun = timing.evaluate(lambda: spin(100), number=7, repeat=4)
        self.assertEqual(spun.number, 7)
        self.assertEqual(len(spun.times), 4)
        self.assertEqual(spun.min, min(spun.times))
        self.assertTrue(spun.min <= spun.median <= max(spun.times))
        self.assertTrue(spun.min <= spun.mean <= max(spun.times))
        self.assertTrue(0 <= spun.stdev)
        self.assertTrue(0 < spun.overhead < 1000)
        self.assertIn(" us (median ", str(spun))
        self.assertIn("4 x 7 calls", str(spun))

    def test_known_figures(self):
        known = timing.Timing([4.0, 1.0, 2.0, 5.0], 1, 0.0)
        self.assertEqual((known.min, known.median, known.mean), (1.0, 3.0, 3.0))
        self.assertAlmostEqual(known.stdev, (10 / 3) ** 0.5, delta=1e-6)
        known = timing.Timing([4.0, 1.0, 3.0], 1, 0.0)
        self.assertEqual(known.median, 3.0)
        self.assertEqual(timing.Timing([4.0], 1, 0.0).stdev, 0.0)

    def test_finds_the_number(self):
        calls = []

        def fn():
            calls.append(None)
            time.sleep_us(500)

        slept = timing.evaluate(fn, repeat=2, min_repeat_ms=10)
        self.assertTrue(1 <= slept.number <= 22, slept.number)
        self.assertTrue(2 * slept.number < len(calls))
        self.assertTrue(500 <= slept.min)
        self.assertTrue(timing.evaluate(globals, min_repeat_ms=5).number > 50)

    def test_counts_calls(self):
        calls = []
        timing.evaluate(lambda: calls.append(None), number=3, repeat=5)
        self.assertEqual(len(calls), 15)

    def test_empty_functions_take_nothing(self):
        def nothing():
            pass

        class Empty:
            def method(self):
                pass

        slow = timing.evaluate(lambda: spin(100), number=100, repeat=7)
        for fn in (nothing, globals, Empty().method):
            empty = timing.evaluate(fn, number=200, repeat=7)
            self.assertTrue(empty.min < slow.min / 4, (str(empty), str(slow)))
        self.assertTrue(slow.overhead > 0)

    def test_known_time(self):
        start = time.ticks_us()
        slept = timing.evaluate(lambda: time.sleep_ms(20), number=2, repeat=3)
        us = time.ticks_diff(time.ticks_us(), start)
        self.assertTrue(19500 <= slept.min <= us / 6, str(slept))

    def test_raising(self):
        def fn():
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            timing.evaluate(fn)

    def test_arguments(self):
        for wrong in ({"number": 0}, {"repeat": 0}, {"min_repeat_ms": -1}):
            with self.assertRaises(ValueError):
                timing.evaluate(gc.collect, **wrong)
        for wrong in ({"number": 1.5}, {"repeat": "3"}, {"min_repeat_ms": None}):
            with self.assertRaises(TypeError):
                timing.evaluate(gc.collect, **wrong)
        with self.assertRaises(TypeError):
            timing.evaluate(5, number=1)


if __name__ == "__main__":
    unittest.main()
