# Streams: chunks of a source, the sliding window and the scores made steady, by iteration and by
# `async for`; and all of them together on a model of keywords.

import asyncio
import gc
import unittest
from array import array

import micropython
from common import contents

import microlite
from microlite.audio import FrontEnd
from microlite.stream import Chunks, Scores, Stream, Window

YES, NO = "yes_1000ms_sample.data", "no_1000ms_sample.data"
SILENCE, UNKNOWN, HEARD_YES, HEARD_NO = range(4)
FEATURES = "yes_micro_f2e59fea_nohash_1.data"
NAN, INF = float("nan"), float("inf")


# A stream that gives what it has in pieces of any length.
class Source:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def readinto(self, buffer):
        n = min(len(buffer) - self.at % 3 * 2, len(self.data) - self.at)
        buffer[:n] = self.data[self.at : self.at + n]
        self.at += n
        return n


class AsyncSource(Source):
    async def readinto(self, buffer):
        await asyncio.sleep(0)
        return Source.readinto(self, buffer)


class TestChunks(unittest.TestCase):
    def test_plain(self):
        data = bytes(range(200))
        chunks = [bytes(c) for c in Chunks(Source(data), bytearray(32))]
        self.assertEqual(b"".join(chunks), data)
        self.assertEqual(list(Chunks(Source(b""), bytearray(32))), [])

    def test_words(self):
        class Bytes:  # as streams do, whatever the buffer's type
            parts = [b"abcd", b"ef", b""]

            def readinto(self, buffer):
                part = self.parts.pop(0)
                for i in range(0, len(part), 2):
                    buffer[i // 2] = int.from_bytes(part[i : i + 2], "little")
                return len(part)

        chunks = [bytes(c) for c in Chunks(Bytes(), array("h", (0, 0)))]
        self.assertEqual(chunks, [b"abcd", b"ef"])

    def test_part_of_a_word(self):
        class Bytes:
            def readinto(self, buffer):
                return 3

        with self.assertRaises(ValueError) as raised:
            list(Chunks(Bytes(), array("h", (0, 0))))
        self.assertIn("part of an item of 2 bytes", str(raised.exception))

    def test_no_room(self):
        for buffer in (bytearray(), array("h")):
            with self.assertRaises(ValueError):
                Chunks(Source(b"1234"), buffer)

    def test_read_only(self):
        for buffer in (b"12", memoryview(b"12"), "12"):
            with self.assertRaises(TypeError) as raised:
                Chunks(Source(b"1234"), buffer)
            self.assertIn("buffer: writable buffer needed", str(raised.exception))

    def test_async(self):
        data = bytes(range(200))

        async def main():
            found = b""
            async for chunk in Chunks(AsyncSource(data), bytearray(32)):
                found += chunk
            return found

        self.assertEqual(asyncio.run(main()), data)


class TestStream(unittest.TestCase):
    def setUp(self):
        self.data = contents(YES)
        self.expected = b"".join(bytes(row) for row in FrontEnd().feed(self.data))

    def test_plain(self):
        stream = Stream(Chunks(Source(self.data), bytearray(1000)), FrontEnd().feed)
        self.assertEqual(b"".join(bytes(row) for row in stream), self.expected)

    def test_async(self):
        stream = Stream(Chunks(AsyncSource(self.data), bytearray(3000)), FrontEnd().feed)
        found = []
        others = 0

        async def other():
            nonlocal others
            while True:
                others += 1
                await asyncio.sleep(0)

        async def main():
            task = asyncio.create_task(other())
            async for row in stream:
                found.append(bytes(row))
            task.cancel()

        asyncio.run(main())
        self.assertEqual(b"".join(found), self.expected)
        self.assertTrue(others >= 10)

    def test_lists(self):
        self.assertEqual(list(Stream([1, 2, 3], lambda x: [x] * (x - 1))), [2, 3, 3])


class TestWindow(unittest.TestCase):
    def test_features(self):
        with microlite.Model("micro_speech.tflite") as model:
            for code in "Bf":
                front_end = FrontEnd(typecode=code)
                window = Window(model.inputs[0], 40, code)
                self.assertEqual(window.rows, 49)
                full = [window.append(row) for row in front_end.feed(contents(YES))]
                self.assertEqual(full, [False] * 48 + [True])
                window.write()
                self.assertEqual(bytes(model.inputs[0].data), contents(FEATURES))

    def test_slides(self):
        window = self.window()
        for i in range(5):
            window.append(array("h", (i, 10 * i)))
        self.assertEqual(list(window.data), [2, 20, 3, 30, 4, 40])
        self.assertEqual(window.count, 5)
        window.reset()
        self.assertFalse(window.append(array("h", (7, 70))))
        self.assertEqual(list(window.data), [3, 30, 4, 40, 7, 70])

    # A window without a model: len(), write() and write_raw() are all that it wants of a tensor.
    def window(self):
        class Tensor:
            def __len__(self):
                return 6

            typecode = "h"
            nbytes = 12
            write = write_raw = None

        return Window(Tensor(), 2, "h")

    def test_bad(self):
        window = self.window()
        for row in (array("f", (1, 2)), b"12", "ab", 5, None):
            with self.assertRaises(TypeError):
                window.append(row)
        for n in (0, 1, 3, 7):
            with self.assertRaises(ValueError) as raised:
                window.append(array("h", bytes(2 * n)))
            self.assertIn("%d values, 2 needed" % n, str(raised.exception))
        model = microlite.Model("micro_speech.tflite")
        for error, words, *args in (
            (ValueError, "columns: 0 is not within 1 to 1960", 0),
            (ValueError, "columns: -1 is not within 1 to 1960", -1),
            (ValueError, "columns: 1961 is not within 1 to 1960", 1961),
            (ValueError, "columns: 39 do not divide the tensor's 1960 values", 39),
            (TypeError, "columns: int needed, not float", 40.0),
            (TypeError, "columns: int needed, not str", "40"),
            (TypeError, "columns: int needed, not bool", True),
            (ValueError, "typecode: 'O' does not fit the tensor's 'B'", 40, "O"),
            (ValueError, "typecode: 'h' does not fit the tensor's 'B'", 40, "h"),
            (ValueError, "typecode: '' does not fit the tensor's 'B'", 40, ""),
            (ValueError, "typecode: 5 does not fit the tensor's 'B'", 40, 5),
        ):
            with self.assertRaises(error) as raised:
                Window(model.inputs[0], *args)
            self.assertEqual(str(raised.exception), words)
        reals = microlite.Model("hello_world.tflite").inputs[0]
        with self.assertRaises(ValueError) as raised:
            Window(reals, 1, "B")
        words = "typecode: 'B' does not fit the tensor's 'f'"
        self.assertEqual(str(raised.exception), words)

    def test_no_allocation(self):
        with microlite.Model("micro_speech.tflite") as model:
            window = Window(model.inputs[0], 40)
            row = array("f", bytes(160))
            window.append(row)
            micropython.heap_lock()
            try:
                for _ in range(100):
                    window.append(row)
                    window.write()
            finally:
                micropython.heap_unlock()
            self.assertEqual(window.count, 101)


class TestScores(unittest.TestCase):
    # What is found for the scores of one category after the other, every 100 ms.
    def found(self, tops, **options):
        scores = Scores(3, **options)
        found = []
        for i, top in enumerate(tops):
            one = [0.0] * 3
            one[top] = 1.0
            category = scores.update(one, 100 * i)
            if category is not None:
                found.append((i, category))
        return found

    def test_found_once(self):
        self.assertEqual(self.found([1] * 10), [(3, 1)])

    def test_found_again_after_suppression(self):
        self.assertEqual(self.found([1] * 40), [(3, 1), (19, 1), (35, 1)])
        self.assertEqual(self.found([1] * 12, suppression_ms=300), [(3, 1), (7, 1), (11, 1)])

    def test_found_again_after_days(self):
        """Though the clock has come near where it was."""
        scores = Scores(2, ignore=(), minimum_count=1, window_ms=4)
        days = 2**29 + 10
        times = (0, 2, 4, days, days + 2, days + 4, days + 6000, 2**30 - 10, 2**30 + 2, 2**30 + 4)
        found = [scores.update((0, 1), now) for now in times]
        self.assertEqual(found, [None, 1, None, None, 1, None, None, None, None, 1])

    def test_change(self):
        self.assertEqual(self.found([1] * 10 + [2] * 12), [(3, 1), (18, 2)])

    def test_silence_ends_suppression(self):
        tops = [1] * 5 + [0] * 12 + [1] * 12
        self.assertEqual(self.found(tops), [(3, 1), (25, 1)])
        self.assertEqual(self.found([0] * 20), [])

    def test_ignore(self):
        self.assertEqual(self.found([1] * 10, ignore=(0, 1)), [])
        self.assertEqual(self.found([0] * 10, ignore=()), [(3, 0)])

    def test_threshold(self):
        scores = Scores(2, threshold=0.5)
        for i in range(10):
            self.assertIs(scores.update([0.5, 0.5], 100 * i), None)
        self.assertAlmostEqual(scores.averages[1], 0.5, 5)
        self.assertEqual(Scores(2, threshold=0.5, minimum_count=1).update([0, 1.0], 0), None)

    def test_minimum_count(self):
        self.assertEqual(self.found([1] * 10, minimum_count=6), [(5, 1)])
        self.assertEqual(self.found([1] * 10, window_ms=200, minimum_count=4), [])

    def test_average(self):
        scores = Scores(1, window_ms=200, ignore=())
        for i in range(6):
            scores.update([i / 10], 100 * i)
        self.assertAlmostEqual(scores.averages[0], 0.4, 5)

    def test_capacity(self):
        scores = Scores(1, capacity=4, ignore=())
        for i in range(20):
            scores.update([i / 20], 100 * i)
        self.assertAlmostEqual(scores.averages[0], (16 + 17 + 18 + 19) / 80, 5)

    def test_clock(self):
        scores = Scores(2)
        self.assertIs(scores.update((0, 1)), None)

    def test_clock_wraps(self):
        from time import ticks_add

        scores = Scores(2)
        late = ticks_add(0, -1)  # one before the clock starts anew
        found = [scores.update((0, 1), ticks_add(late, 100 * i - 150)) for i in range(5)]
        self.assertEqual(found, [None, None, None, 1, None])

    def test_long_clock(self):
        """Of a PC that has been on for a month."""
        now = (1 << 31) + 5000
        scores = Scores(2)
        found = [scores.update((0, 1), now + 100 * i) for i in range(20)]
        self.assertEqual(found, [None] * 3 + [1] + [None] * 15 + [1])

    def test_bad(self):
        for name, error, values in (
            ("categories", ValueError, (0, -1, 8192, 2**40)),
            ("minimum_count", ValueError, (0, 51)),
            ("window_ms", ValueError, (0, -1, 2**29, 2**70)),
            ("suppression_ms", ValueError, (-1, 2**29)),
            ("capacity", ValueError, (0, 8192, 2**70)),
            ("ignore", ValueError, ((3,), (0, -1))),
            ("threshold", ValueError, (NAN, -INF, INF)),
            ("categories", TypeError, (3.0, "3", None, True)),
            ("minimum_count", TypeError, (1.5, NAN)),
            ("window_ms", TypeError, (NAN, 100.0)),
            ("suppression_ms", TypeError, (NAN,)),
            ("capacity", TypeError, (INF,)),
            ("ignore", TypeError, (("a",),)),
            ("threshold", TypeError, ("0.5", None)),
        ):
            for value in values:
                with self.assertRaises(error) as raised:
                    Scores(**{"categories": 3, name: value})
                self.assertEqual(str(raised.exception).split(":")[0], name)

    def test_bad_scores(self):
        scores = Scores(3, capacity=4)
        good = [0.5, 0.25, 0.25]
        for i in range(4):
            scores.update(good, 100 * i)
        for error, bad, now in (
            (ValueError, [1, 2], 400),
            (ValueError, [0.5, NAN, 0.5], 400),
            (ValueError, [0.5, 0.5, INF], 400),
            (ValueError, [0.5, 0.5, -INF], 400),
            (TypeError, [0.5, 0.5, "1"], 400),
            (TypeError, "abc", 400),
            (TypeError, good, 400.0),
            (TypeError, good, "400"),
        ):
            with self.assertRaises(error):
                scores.update(bad, now)
        scores.update(good, 400)
        self.assertEqual(list(scores.averages), good)


# A second of it, as a linear congruential generator makes it.
def noise(loud):
    samples, seed = array("h", bytes(32000)), 1
    for i in range(len(samples)):
        seed = (seed * 25173 + 13849) & 0xFFFF
        samples[i] = (seed - 0x8000) * loud >> 15
    return bytes(samples)


class TestKeywords(unittest.TestCase):
    used = None

    def note_heap(self):
        if self.used is not None:
            gc.collect()
            self.used.append(gc.mem_alloc())

    # The words that are heard in a second of silence, the recording, and silence again.
    def heard(self, recording):
        quiet = bytes(32000)
        heard = []
        with microlite.Model("micro_speech.tflite") as model:
            front_end = FrontEnd()
            window, scores = Window(model.inputs[0], 40), Scores(4, ignore=(SILENCE, UNKNOWN))
            source = Chunks(Source(quiet + recording + quiet), bytearray(640))
            for row in Stream(source, front_end.feed):
                if window.append(row) and window.count % 4 == 0:
                    window.write()
                    model.invoke()
                    word = scores.update(model.outputs[0], 20 * window.count)
                    self.note_heap()
                    if word is not None:
                        heard.append(word)
        return heard

    def test_words(self):
        self.assertEqual(self.heard(contents(YES)), [HEARD_YES])
        self.assertEqual(self.heard(contents(NO)), [HEARD_NO])

    def test_silence_and_noise(self):
        self.assertEqual(self.heard(bytes(32000)), [])
        for loud in (100, 3000):
            self.assertEqual(self.heard(noise(loud)), [])

    def test_flat(self):
        self.used = array("i")
        self.heard(contents(YES))
        self.assertTrue(len(self.used) > 20)
        self.assertTrue(max(self.used[1:]) - min(self.used[1:]) <= 256, self.used)


if __name__ == "__main__":
    unittest.main()
