# profile(): the time of each operator, without a trace afterwards. Runs in the folder that holds
# the crates' models.

import gc
import time
import unittest

from common import SINE, X, Y

import microlite

PERSON = "person_detect.tflite"


class Stop(Exception):
    pass


class TestProfile(unittest.TestCase):
    def setUp(self):
        self.model = microlite.Model(SINE)
        self.model.inputs[0].write([X])

    def tearDown(self):
        self.assertAlmostEqual(self.model.predict([X])[0], Y, delta=1e-5)
        self.model.close()

    def test_rows(self):
        profile = self.model.profile()
        self.assertEqual([row[0] for row in profile], list(range(len(self.model.ops))))
        self.assertEqual(tuple(row[1] for row in profile), self.model.ops)
        self.assertEqual(len(profile), len(self.model.ops))
        self.assertEqual(profile[1], list(profile)[1])
        self.assertTrue(all(us >= 0 for _, _, us, _ in profile))
        self.assertEqual(profile.runs, 1)

    def test_times_add_up(self):
        with microlite.Model(PERSON, keep_inputs=True) as model:
            start = time.ticks_us()
            profile = model.profile(2)
            spent = time.ticks_diff(time.ticks_us(), start)
            self.assertAlmostEqual(sum(us for _, _, us, _ in profile), profile.us, delta=1)
            self.assertAlmostEqual(sum(share for _, _, _, share in profile), 1.0, delta=1e-4)
            self.assertTrue(spent / 4 < 2 * profile.us <= 1.01 * spent, (spent, profile.us))
            # Other programs run on a PC at the same time, though not each time.
            for _ in range(10):
                model.invoke()
                profile = model.profile(1)
                if model.last_us / 3 < profile.us < 3 * model.last_us:
                    break
            else:
                self.fail("invoke() %d us, profile %d us" % (model.last_us, profile.us))
            heaviest = max(profile, key=lambda row: row[2])
            self.assertIn("CONV_2D", heaviest[1])

    def test_words(self):
        lines = str(self.model.profile(3)).split("\n")
        self.assertEqual(len(lines), len(self.model.ops) + 2)
        for word in ("operator", "us", "share"):
            self.assertIn(word, lines[0])
        for i, op in enumerate(self.model.ops):
            self.assertEqual(lines[1 + i].split()[:2], [str(i), op])
            self.assertTrue(lines[1 + i].endswith("%"))

    def test_inputs_stay(self):
        # So does the rule that they are written before each run.
        tensor, output = self.model.inputs[0], self.model.outputs[0]
        self.model.profile(3)
        self.assertAlmostEqual(output[0], Y, delta=1e-5)
        self.assertEqual(tensor[0], X)
        output = None
        self.model.invoke()
        self.model.profile()
        for use in (self.model.invoke, self.model.outputs[0].read):
            with self.assertRaises(RuntimeError):
                use()

    def test_leaves_last_us(self):
        self.model.profile()
        self.assertIsNone(self.model.last_us)

    def test_interrupted(self):
        def hook():
            raise Stop

        self.model.on_op = hook
        with self.assertRaises(Stop):
            self.model.profile()
        self.model.on_op = None
        with self.assertRaises(RuntimeError):
            self.model.outputs[0].read()

    def test_hooks_are_not_counted(self):
        self.model.on_op = lambda: time.sleep_us(20000)
        self.assertTrue(self.model.profile().us < 20000)
        self.model.on_op = None

    def test_arguments(self):
        for runs in (0, -1):
            with self.assertRaises(ValueError):
                self.model.profile(runs)
        with self.assertRaises(TypeError):
            self.model.profile("3")

    def test_keeps_nothing(self):
        def use():
            self.model.profile(2)
            gc.collect()
            return gc.mem_alloc()

        figures = [use() for _ in range(8)]
        self.assertLessEqual(min(figures[i + 1] - figures[i] for i in range(7)), 0)

    def test_closed(self):
        model = microlite.Model(SINE)
        model.close()
        with self.assertRaises(RuntimeError):
            model.profile()


if __name__ == "__main__":
    unittest.main()
