# What a firmware says of itself, and whether it computes what it should.

import gc
import sys
import unittest

import _microlite

import microlite
from microlite._selftest import SelfTest
from microlite._selftest_cases import CASES


def corrupted(case, place):
    op, model, given, expected = case
    expected = bytearray(expected)
    expected[place] ^= 1
    return op, model, given, bytes(expected)


class TestOps(unittest.TestCase):
    def test_sorted_names(self):
        ops = microlite.ops()
        self.assertIsInstance(ops, tuple)
        self.assertEqual(list(ops), sorted(set(ops)))

    def test_those_of_a_model_that_runs(self):
        with microlite.Model("hello_world.tflite") as model:
            for op in model.ops:
                self.assertIn(op, microlite.ops())


class TestInfo(unittest.TestCase):
    def test_values(self):
        info = microlite.info()
        self.assertEqual(info.version, microlite.__version__)
        self.assertEqual(info.api, _microlite.API)
        self.assertEqual(info.n_ops, len(microlite.ops()))
        self.assertIn(info.kernels, ("reference", "portable", "dsp"))
        self.assertEqual(info.alignment, 16)
        self.assertEqual(info.float_bits, 32 if 1.0 + 1e-10 == 1.0 else 64)
        self.assertIn("tfmicro", info.library)
        self.assertIn(info.micropython, sys.version)

    def test_table(self):
        info = microlite.info()
        lines = str(info).split("\n")
        self.assertEqual(len(lines), 7)
        for text in (info.version, info.micropython, info.library, info.kernels, str(info.n_ops)):
            self.assertIn(text, str(info))


class TestSelfTest(unittest.TestCase):
    def test_passes(self):
        report = microlite.selftest()
        self.assertTrue(report, str(report))
        ops = [case[0] for case in CASES]
        self.assertEqual(sorted(report.passed), sorted(op for op in ops if op in microlite.ops()))
        self.assertEqual(report.skipped, [op for op in ops if op not in microlite.ops()])
        self.assertIn("fine", str(report))

    def test_each_answer_counts(self):
        for i, case in enumerate(CASES):
            if case[0] not in microlite.ops():
                continue
            for place in (0, len(case[3]) - 1):
                cases = list(CASES)
                cases[i] = corrupted(case, place)
                report = SelfTest(cases)
                self.assertFalse(report)
                what = "1 of %d values are wrong" % len(case[3])
                self.assertEqual(report.failures, [(case[0], what)])
                self.assertNotIn(case[0], report.passed)
                self.assertIn("FAILED", str(report))
                self.assertIn("%s: %s" % (case[0], what), str(report))

    def test_damaged_model(self):
        op, model, given, expected = CASES[0]
        report = SelfTest([(op, model[:100], given, expected)])
        self.assertFalse(report)
        self.assertEqual(report.failures[0][0], op)

    def test_missing_operator(self):
        report = SelfTest([("NOTHING", b"", b"", b"")])
        self.assertTrue(report)
        self.assertEqual(report.skipped, ["NOTHING"])
        self.assertIn("not in this firmware: NOTHING", str(report))

    def test_leaves_nothing(self):
        microlite.selftest()
        gc.collect()
        before = gc.mem_alloc()
        microlite.selftest()
        gc.collect()
        self.assertLess(gc.mem_alloc() - before, 64)


if __name__ == "__main__":
    unittest.main()
