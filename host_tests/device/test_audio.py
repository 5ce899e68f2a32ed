# Front ends, spectrum() and cmvn() on a board: the recordings of the crate against its features,
# chunks of every kind, what is refused, and a heap that stays as it is. The numbers of all kinds
# are compared by host_tests/test_audio.py.

import gc
import unittest
from array import array

import micropython
from common import contents

import microlite
from microlite.audio import FrontEnd, cmvn

try:
    import random
except ImportError:
    random = None

RECORDINGS = (
    ("yes_1000ms_sample.data", "yes_micro_f2e59fea_nohash_1.data"),
    ("no_1000ms_sample.data", "no_micro_f9643d42_nohash_4.data"),
)
NAN, INF = float("nan"), float("inf")


def features(front_end, chunks):
    return b"".join(bytes(row) for chunk in chunks for row in front_end.feed(chunk))


# Chunks of any length from 0 to 1000 samples.
def cut(samples):
    view, at, n = memoryview(samples), 0, 1
    while at < len(view):
        yield view[at : at + n]
        at += n
        n = random.randint(0, 1000) if random else n * 7 % 1001


class TestRecordings(unittest.TestCase):
    def test_features(self):
        front_end = FrontEnd("pcan", typecode="B")
        for recording, expected in RECORDINGS:
            samples, expected = contents(recording), contents(expected)
            front_end.reset()
            self.assertEqual(features(front_end, [samples]), expected)
            front_end.reset()
            self.assertEqual(features(front_end, cut(array("h", samples))), expected)

    def test_model(self):
        with microlite.Model("micro_speech.tflite") as model:
            for category, (recording, expected) in enumerate(RECORDINGS, 2):
                front_end = FrontEnd()
                real = array("f")
                for row in front_end.feed(contents(recording)):
                    real.extend(array("f", row))
                model.inputs[0].write(real)
                self.assertEqual(bytes(model.inputs[0].data), contents(expected))
                model.invoke()
                self.assertEqual(model.outputs[0].argmax(), category)


class TestRows(unittest.TestCase):
    def setUp(self):
        self.samples = array("h", contents(RECORDINGS[0][0]))

    def rows(self, **options):
        return features(FrontEnd(**options), [self.samples])

    def test_typecodes(self):
        raw = array("H", self.rows(typecode="H"))
        self.assertTrue(0 < max(raw) < 670)
        self.assertEqual(self.rows(), bytes(array("f", (v * (10 / 256) for v in raw))))
        low = bytes((v * 256 + 333) // 666 - 128 & 0xFF for v in raw)
        self.assertEqual(self.rows(typecode="b"), low)

    def test_row(self):
        for kind, n in (("pcan", 40), ("mfe", 40), ("mfcc", 13)):
            front_end = FrontEnd(kind)
            self.assertEqual(len(front_end.row), n)
            self.assertEqual(front_end.kind, kind)
            self.assertEqual(front_end.typecode, "f")
            for row in front_end.feed(self.samples):
                self.assertIs(row, front_end.row)
            with self.assertRaises(TypeError):
                row[0] = 1.0

    def test_number_of_rows(self):
        front_end = FrontEnd(window_ms=30, stride_ms=10)
        self.assertEqual((front_end.window, front_end.stride), (480, 160))
        for n, expected in ((479, 0), (1, 1), (159, 0), (1, 1), (1600, 10)):
            chunk = self.samples[:n]
            self.assertEqual(sum(1 for _ in front_end.feed(chunk)), expected)

    def test_instances(self):
        alone = self.rows()
        pair = FrontEnd(), FrontEnd()
        both = [b"", b""]
        for chunk in cut(self.samples):
            for i in range(2):
                both[i] += features(pair[i], [chunk])
        self.assertEqual(both, [alone, alone])

    def test_options(self):
        plain = self.rows()
        for option, value in (
            ("lower", 200),
            ("upper", 7000.0),
            ("smoothing_bits", 11),
            ("even_smoothing", 0.5),
            ("odd_smoothing", 0.5),
            ("min_signal_remaining", 0.5),
            ("pcan", False),
            ("strength", 0.5),
            ("offset", 10),
            ("gain_bits", 20),
            ("log", False),
            ("log_shift", 5),
        ):
            self.assertTrue(self.rows(**{option: value}) != plain, option)


class TestSamples(unittest.TestCase):
    def setUp(self):
        self.samples = array("h", contents(RECORDINGS[1][0])[:6400])
        self.expected = features(FrontEnd(), [self.samples])

    def test_buffers(self):
        raw = bytes(self.samples)
        wide = array("i", (v << 16 | 0x1234 for v in self.samples))
        for samples in (raw, bytearray(raw), array("B", raw), memoryview(b"x" + raw)[1:]):
            self.assertEqual(features(FrontEnd(), [samples]), self.expected)
        self.assertEqual(features(FrontEnd(), [wide]), self.expected)
        for samples in (bytes(wide), memoryview(b"xxx" + bytes(wide))[3:]):
            self.assertEqual(features(FrontEnd(bits=32), [samples]), self.expected)
            self.assertEqual(features(FrontEnd("pcan", bits=32), [samples]), self.expected)

    def test_shift(self):
        loud = array("h", (max(-32768, min(v * 64, 32767)) for v in self.samples))
        wide = array("i", (v << 16 for v in self.samples))
        self.assertEqual(features(FrontEnd(shift=10), [wide]), features(FrontEnd(), [loud]))

    def test_bad(self):
        front_end = FrontEnd()
        for samples in ("text", 5, None, [1, 2], array("H", (1,)), array("f", (1,)), array("q")):
            with self.assertRaises(TypeError):
                front_end.feed(samples)
        for samples in (b"1", b"123"):
            with self.assertRaises(ValueError):
                front_end.feed(samples)
        with self.assertRaises(ValueError):
            FrontEnd(bits=32).feed(b"123456")
        for samples in (b"", array("h"), array("i")):
            self.assertEqual(list(front_end.feed(samples)), [])
        self.assertEqual(features(front_end, [self.samples]), self.expected)

    def test_left_over(self):
        front_end = FrontEnd()
        for _ in front_end.feed(self.samples):
            break
        with self.assertRaises(RuntimeError) as caught:
            front_end.feed(self.samples)
        self.assertTrue(str(caught.exception).startswith("2720 samples"))
        self.assertEqual(len(list(front_end)), 8)
        self.assertEqual(list(front_end), [])
        front_end.feed(self.samples)
        front_end.reset()
        self.assertEqual(features(front_end, [self.samples]), self.expected)

    def test_resized(self):
        front_end = FrontEnd()
        chunk = bytearray(self.samples)
        front_end.feed(chunk)
        chunk.extend(bytes(100000))
        with self.assertRaises(RuntimeError):
            next(front_end)
        front_end.reset()
        self.assertEqual(features(front_end, [self.samples]), self.expected)


class TestParameters(unittest.TestCase):
    def refuse(self, error, words, *args, **options):
        with self.assertRaises(error) as caught:
            FrontEnd(*args, **options)
        text = str(caught.exception)
        self.assertTrue(text.startswith(words), text)

    def test_ranges(self):
        self.refuse(ValueError, "channels: 0 is not within 1 to 256", channels=0)
        self.refuse(ValueError, "channels: 257 is", channels=257)
        self.refuse(ValueError, "strength: 1.5 is not within 0 to 1", strength=1.5)
        self.refuse(ValueError, "lower: nan is", lower=NAN)
        self.refuse(ValueError, "window_ms: 0 is", window_ms=0)
        self.refuse(ValueError, "stride_ms: -1 is", stride_ms=-1)
        self.refuse(ValueError, "sample_rate: 0 is", sample_rate=0)
        self.refuse(ValueError, "bits: 16 or 32 needed, not 24", bits=24)

    def test_types(self):
        self.refuse(TypeError, "channels: an int needed, not float", channels=4.0)
        self.refuse(TypeError, "lower: a number needed, not str", lower="4")
        self.refuse(TypeError, "chans: no parameter of 'pcan'", chans=40)
        self.refuse(TypeError, "noise_floor: no parameter of 'mfcc'", "mfcc", noise_floor=-52)
        self.refuse(ValueError, "kind: 'pcan', 'mfe' or 'mfcc' needed, not mel", "mel")
        self.refuse(ValueError, "typecode: one of f needed", "mfe", typecode="b")
        self.refuse(ValueError, "typecode: one of fbBH needed", typecode=5)

    def test_together(self):
        self.refuse(ValueError, "stride_ms: 40 is more than window_ms, 30", stride_ms=40)
        self.refuse(ValueError, "upper: 7500 is more than half", sample_rate=8000)
        self.refuse(ValueError, "lower: 500 is not below upper, 400", lower=500, upper=400)
        self.refuse(ValueError, "upper: 8000 is too close to half", upper=8000)
        self.refuse(ValueError, "window_ms: 32000 samples", window_ms=2000)
        self.refuse(ValueError, "gain_bits: 14 is less than", gain_bits=14)
        self.refuse(ValueError, "smoothing_bits: 2 is less than", smoothing_bits=2)
        self.refuse(ValueError, "fft_size: 100 is not a power of two", "mfe", fft_size=100)
        self.refuse(ValueError, "channels: 200 is too many for fft_size", "mfe", channels=200)
        self.refuse(ValueError, "cepstra: 33 is more than channels, 32", "mfcc", cepstra=33)

    def test_kind(self):
        self.assertEqual(FrontEnd(kind="mfcc").kind, "mfcc")
        with self.assertRaises(TypeError):
            FrontEnd("mfcc", kind="mfcc")
        with self.assertRaises(TypeError):
            FrontEnd("mfcc", 16000)


class TestSpectrum(unittest.TestCase):
    def test_tone(self):
        samples = array("h", (1000, 0, -1000, 0) * 16)
        out = array("f", bytes(4 * 33))
        self.assertIs(microlite.spectrum(samples, out, window=None), out)
        self.assertEqual(max(out), out[16])
        self.assertAlmostEqual(out[16], 32000, 2)
        self.assertAlmostEqual(sum(out), out[16], 1)

    def test_all_that_floats_hold(self):
        """Numbers whose squares would not fit."""
        for a in (3e37, 1e20, 1.0, 1e-30, 1e-37):
            samples = array("f", (a, -a, a, -a))
            found = microlite.spectrum(samples, array("f", bytes(12)), window=None)
            self.assertEqual(list(found), [0, 0, 4 * samples[0]])
        largest = array("f", [3e38] * 4)
        found = microlite.spectrum(largest, array("f", bytes(12)), window=None)
        self.assertEqual(list(found), [INF, 0, 0])

    def test_not_finite(self):
        out = array("f", (7, 7, 7))
        for code, bad in (("f", NAN), ("f", INF), ("f", -INF), ("d", -1e300)):
            with self.assertRaises(ValueError) as raised:
                microlite.spectrum(array(code, (0, 0, bad, 0)), out)
            text = "samples: number 2 is NaN, infinite or too large"
            self.assertEqual(str(raised.exception), text)
        self.assertEqual(list(out), [7, 7, 7])

    def test_bad(self):
        good, out = array("f", bytes(4 * 8)), array("f", bytes(4 * 5))
        for n in (0, 1, 2, 3, 7, 12):
            with self.assertRaises(ValueError):
                microlite.spectrum(array("h", bytes(2 * n)), out)
        for samples in (b"12345678", "12345678", [1] * 8, 8):
            with self.assertRaises(TypeError):
                microlite.spectrum(samples, out)
        for wrong in (array("h", bytes(10)), bytes(20), None):
            with self.assertRaises(TypeError):
                microlite.spectrum(good, wrong)
        with self.assertRaises(ValueError):
            microlite.spectrum(good, array("f", bytes(4 * 4)))
        for window in ("hanning", 5, b"hann", array("f", (1,))):
            with self.assertRaises(ValueError):
                microlite.spectrum(good, out, window=window)
        with self.assertRaises(ValueError):
            microlite.spectrum(good, out, scratch=array("f", bytes(4 * 10)))
        shared = array("f", bytes(4 * 11))
        with self.assertRaises(ValueError):
            microlite.spectrum(memoryview(shared)[:8], out, scratch=shared)


class TestCmvn(unittest.TestCase):
    def test_constant(self):
        """As of silence: nothing is left, whatever the last digits are."""
        features = array("f", (0.1, -23.02585, 7.3) * 49)
        out = array("f", bytes(4 * len(features)))
        for window in (5, 101, 2**30 - 1):
            self.assertIs(cmvn(features, out, 3, window=window), out)
            self.assertEqual((min(out), max(out)), (0, 0))

    def test_large(self):
        for a in (1e10, 2.0**47):
            features = array("f", (a, 1, -a, 2) * 6)
            found = cmvn(features, array("f", features), 2)
            ends = cmvn(features, array("f", features), 2, window=2**30 - 1)
            self.assertAlmostEqual(ends[0], 1, delta=0.05)
            for i in range(12):
                self.assertAlmostEqual(found[2 * i], (1, -1)[i % 2], delta=0.05)
                self.assertAlmostEqual(found[2 * i + 1], (-1, 1)[i % 2], delta=0.05)

    def test_far_from_large(self):
        """Rows whose window does not hold the large one are as without it."""
        features = array("f", (i * i % 7 for i in range(40)))
        plain = cmvn(features, array("f", features), 1, window=5)
        features[30] = 2.0**47
        found = cmvn(features, array("f", features), 1, window=5)
        self.assertEqual(list(found[:26]), list(plain[:26]))

    def test_plain_mean(self):
        features = array("f", (1e14, -1e14))
        found = cmvn(features, array("f", features), 1, window=3, variance=False)
        self.assertAlmostEqual(found[0] / 1e14, 2 / 3, 5)

    def test_bad(self):
        features, out = array("f", bytes(4 * 12)), array("f", bytes(4 * 12))
        for error, words, columns, window in (
            (ValueError, "columns: 5 do not divide 12 features", 5, 5),
            (ValueError, "columns: 0 is not within 1 to 1073741823", 0, 5),
            (ValueError, "columns: -1 is", -1, 5),
            (ValueError, "columns: 2.14748e+09 is", 2**31, 5),
            (ValueError, "window: an odd number of rows needed, not 4", 3, 4),
            (ValueError, "window: 0 is not within 1 to 1073741823", 3, 0),
            (ValueError, "window: -1 is", 3, -1),
            (ValueError, "window: 2.14748e+09 is", 3, 2**31),
            (ValueError, "window: 1.18059e+21 is", 3, 2**70),
            (TypeError, "columns: an int needed, not float", 3.0, 5),
            (TypeError, "columns: an int needed, not bool", True, 5),
            (TypeError, "window: an int needed, not str", 3, "5"),
        ):
            with self.assertRaises(error) as raised:
                cmvn(features, out, columns, window=window)
            self.assertTrue(str(raised.exception).startswith(words), str(raised.exception))
        for bad in (NAN, INF, -INF, 1.5e14):
            features[7] = bad
            with self.assertRaises(ValueError) as raised:
                cmvn(features, out, 3)
            text = "features: number 7 is NaN or beyond 2 ** 47"
            self.assertEqual(str(raised.exception), text)
        shared = memoryview(array("f", bytes(4 * 13)))
        with self.assertRaises(ValueError):
            cmvn(shared[:12], shared[1:], 3)
        with self.assertRaises(ValueError):
            cmvn(features, out[:9], 3)
        with self.assertRaises(TypeError):
            cmvn(array("h", bytes(24)), out, 3)


class TestHeap(unittest.TestCase):
    def test_no_allocation(self):
        samples = array("h", contents(RECORDINGS[0][0])[:8000])
        front_ends = FrontEnd(), FrontEnd("mfe"), FrontEnd("mfcc")
        vibration, out = array("f", bytes(4 * 256)), array("f", bytes(4 * 129))
        scratch = array("f", bytes(4 * (256 + 65)))
        spectrum, n = microlite.spectrum, 0
        micropython.heap_lock()
        try:
            for front_end in front_ends:
                for _ in front_end.feed(samples):
                    n += 1
                front_end.reset()
            spectrum(vibration, out, window="hamming", scratch=scratch)
        finally:
            micropython.heap_unlock()
        self.assertEqual(n, 12 + 24 + 12)

    def test_flat(self):
        front_end = FrontEnd()
        chunk = bytearray(640)
        gc.collect()
        before = gc.mem_alloc()
        for _ in range(1000):
            for _ in front_end.feed(chunk):
                pass
        gc.collect()
        self.assertTrue(gc.mem_alloc() <= before + 64)

    def test_size(self):
        gc.collect()
        before = gc.mem_alloc()
        front_end = FrontEnd()
        taken = gc.mem_alloc() - before
        self.assertTrue(front_end.size < taken < front_end.size + 1024)
        self.assertTrue(FrontEnd(channels=10).size < front_end.size)


if __name__ == "__main__":
    unittest.main()
