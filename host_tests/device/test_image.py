# write_image(): frames of any size and format into tensors of images.

import unittest
from array import array

import micropython
from one_tensor import FLOAT32, INT8, INT16, UINT8, one_tensor

RAMP = bytes(range(0, 240, 20))  # 4 x 3 grey pixels
RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
COLOURS = (RED, GREEN, BLUE, WHITE)


def written(tensor, *args, **kwargs):
    tensor.write_image(*args, **kwargs)
    return list(tensor.data)


def grey(height, width):
    return one_tensor(UINT8, (1, height, width, 1)).inputs[0]


def words(colours, order):
    """RGB565."""
    out = b""
    for r, g, b in colours:
        out += ((r >> 3) << 11 | (g >> 2) << 5 | b >> 3).to_bytes(2, order)
    return out


class TestValues(unittest.TestCase):
    def test_own_range(self):
        frame = bytes(range(256))
        signed = array("b", [v - 256 if v > 127 else v for v in frame])
        for dtype, black in ((UINT8, 0), (INT8, -128)):
            tensor = one_tensor(dtype, (1, 16, 16, 1)).inputs[0]
            for source in (frame, bytearray(frame), memoryview(frame), signed):
                tensor.write_raw(bytes(256))
                self.assertEqual(written(tensor, source, 16, 16), list(range(black, black + 256)))

    def test_range(self):
        floats = one_tensor(FLOAT32, (1, 3, 4, 1)).inputs[0]
        floats.write_image(RAMP, 4, 3, range=(-1, 1))
        expected = one_tensor(FLOAT32, (1, 3, 4, 1)).inputs[0]
        expected.write(RAMP, mul=2 / 255, add=-1)
        self.assertEqual(list(floats.read()), list(expected.read()))
        for dtype, scale, zero in ((INT8, 0.01, 5), (UINT8, 0.01, 5), (INT16, 0.001, 0)):
            tensor = one_tensor(dtype, (1, 3, 4, 1), scale, zero).inputs[0]
            expected = one_tensor(dtype, (1, 3, 4, 1), scale, zero).inputs[0]
            expected.write(RAMP, mul=1 / 255)
            self.assertEqual(written(tensor, RAMP, 4, 3, range=(0, 1)), list(expected.data))

    def test_range_saturates(self):
        tensor = one_tensor(INT8, (1, 1, 2, 1), 0.01, 0).inputs[0]
        self.assertEqual(written(tensor, b"\0\xff", 2, 1, range=(-9, 9)), [-128, 127])

    def test_long_rows(self):
        """Rows longer than what is converted at a time."""
        frame = bytes([i & 0xFF for i in range(100 * 3)])
        tensor = one_tensor(UINT8, (1, 3, 100, 1)).inputs[0]
        self.assertEqual(bytes(written(tensor, frame, 100, 3)), frame)
        colour = one_tensor(FLOAT32, (1, 1, 100, 3)).inputs[0]
        colour.write_image(frame, 100, 1, "rgb888", range=(0, 255))
        self.assertEqual([round(v) for v in colour.read()], list(frame))


class TestColour(unittest.TestCase):
    def test_formats(self):
        flat = [v for colour in COLOURS for v in colour]
        frames = {
            "rgb888": bytes(flat),
            "rgb565": words(COLOURS, "little"),
            "rgb565be": words(COLOURS, "big"),
        }
        for name, frame in frames.items():
            tensor = one_tensor(UINT8, (1, 2, 2, 3)).inputs[0]
            self.assertEqual(written(tensor, frame, 2, 2, name), flat)
            planes = one_tensor(UINT8, (1, 3, 2, 2)).inputs[0]
            wanted = [colour[c] for c in range(3) for colour in COLOURS]
            self.assertEqual(written(planes, frame, 2, 2, format=name), wanted)

    def test_to_grey(self):
        """By the weights of ITU-R BT.601."""
        frame = bytes([v for colour in COLOURS for v in colour])
        wanted = [round(0.299 * r + 0.587 * g + 0.114 * b) for r, g, b in COLOURS]
        self.assertEqual(written(grey(2, 2), frame, 2, 2, "rgb888"), wanted)

    def test_from_grey(self):
        tensor = one_tensor(UINT8, (1, 1, 2, 3)).inputs[0]
        self.assertEqual(written(tensor, b"\x07\x09", 2, 1), [7, 7, 7, 9, 9, 9])

    def test_words(self):
        frame = array("H", [0xF800, 0x07E0])
        if bytes(array("H", [1])) == b"\1\0":
            tensor = one_tensor(UINT8, (1, 1, 2, 3)).inputs[0]
            self.assertEqual(written(tensor, frame, 2, 1, "rgb565"), [255, 0, 0, 0, 255, 0])

    def test_shapes(self):
        frame = bytes(range(12))
        for shape in ((2, 2, 3), (1, 2, 2, 3)):
            tensor = one_tensor(UINT8, shape).inputs[0]
            self.assertEqual(bytes(written(tensor, frame, 2, 2, "rgb888")), frame)
        tensor = one_tensor(UINT8, (1, 3, 4)).inputs[0]  # one plane
        self.assertEqual(bytes(written(tensor, RAMP, 4, 3)), RAMP)


class TestScaling(unittest.TestCase):
    def test_nearest(self):
        nearest = {"resample": "nearest"}
        self.assertEqual(written(grey(1, 2), b"\1\2\3\4", 4, 1, fit="stretch", **nearest), [2, 4])
        self.assertEqual(
            written(grey(1, 4), b"\1\2", 2, 1, fit="stretch", **nearest), [1, 1, 2, 2]
        )

    def test_bilinear(self):
        """Centres of two pixels for one, and of one for two."""
        self.assertEqual(
            written(grey(1, 2), bytes((0, 20, 40, 60)), 4, 1, fit="stretch"), [10, 50]
        )
        self.assertEqual(
            written(grey(1, 4), bytes((0, 100)), 2, 1, fit="stretch"), [0, 25, 75, 100]
        )
        self.assertEqual(
            written(grey(2, 1), bytes((0, 20, 40, 60)), 1, 4, fit="stretch"), [10, 50]
        )

    def test_fit(self):
        self.assertEqual(written(grey(3, 3), RAMP, 4, 3), [0, 20, 40, 80, 100, 120, 160, 180, 200])
        self.assertEqual(written(grey(1, 4), RAMP, 4, 3), [80, 100, 120, 140])

    def test_crop(self):
        for part in ((1, 1, 2, 2), [1, 1, 2, 2]):
            self.assertEqual(written(grey(2, 2), RAMP, 4, 3, crop=part), [100, 120, 180, 200])

    def test_stride(self):
        padded = b"".join(RAMP[i : i + 4] + b"\xff" * 3 for i in (0, 4, 8))
        for frame in (padded, padded[:-3]):
            self.assertEqual(bytes(written(grey(3, 4), frame, 4, 3, stride=7)), RAMP)

    def test_allocates_nothing(self):
        tensor = one_tensor(INT8, (1, 2, 2, 3), 0.01, 0).inputs[0]
        frame = bytes(3 * 12)
        part, both = (0, 0, 3, 3), (0, 1)
        micropython.heap_lock()
        try:
            tensor.write_image(frame, 4, 3, "rgb888", crop=part, range=both)
            tensor.write_image(frame, 4, 3, "rgb888", fit="stretch", resample="nearest")
        finally:
            micropython.heap_unlock()


class TestRefused(unittest.TestCase):
    def refused(self, error, *args, **kwargs):
        tensor = kwargs.pop("tensor", None) or grey(3, 4)
        before = bytes(tensor.data)
        with self.assertRaises(error) as raised:
            tensor.write_image(*args, **kwargs)
        self.assertEqual(bytes(tensor.data), before)
        return str(raised.exception)

    def test_sizes(self):
        for n in (0, 11, 13, 36):
            text = self.refused(ValueError, bytes(n), 4, 3)
            self.assertIn("12 bytes needed, %d given" % n, text)
        self.assertIn("24 bytes", self.refused(ValueError, RAMP, 4, 3, "rgb565"))
        for width, height in ((0, 3), (-4, -3), (4, 0), (1 << 20, 1)):
            text = "%d by %d pixels; 1 to 16384" % (width, height)
            self.assertIn(text, self.refused(ValueError, RAMP, width, height))

    def test_integers(self):
        good = {"width": 4, "height": 3, "stride": 4, "crop": (0, 0, 4, 3)}
        for name in good:
            for kind, wrong in (("float", 4.0), ("str", "4"), ("bool", True)):
                number = (0, 0, wrong, 3) if name == "crop" else wrong
                options = dict(good, **{name: number})
                text = "%s: int needed, not %s" % (name, kind)
                self.assertIn(text, self.refused(TypeError, RAMP, **options))
            for wrong in (1 << 70, -(1 << 70)):
                number = (0, 0, wrong, 3) if name == "crop" else wrong
                options = dict(good, **{name: number})
                text = "%s: %g is too large" % (name, wrong)
                self.assertIn(text, self.refused(ValueError, RAMP, **options))

    def test_crops(self):
        for part in ((0, 0, 5, 3), (-1, 0, 2, 2), (0, 2, 4, 2), (0, 0, 0, 1), (4, 0, 1, 1)):
            self.assertIn(
                "within the frame of 4 by 3", self.refused(ValueError, RAMP, 4, 3, crop=part)
            )
        for part in ((0, 0, 4), 4, "abcd", (0, 0, 1, 1, 1)):
            self.assertIn("(x, y, width, height)", self.refused(ValueError, RAMP, 4, 3, crop=part))

    def test_strides(self):
        for stride in (0, 3, -4, 1 << 29):
            self.assertIn(
                "stride %d" % stride, self.refused(ValueError, RAMP, 4, 3, stride=stride)
            )
        self.refused(ValueError, bytes(22), 4, 3, stride=7)
        self.refused(ValueError, bytes(17), 4, 3, stride=7)

    def test_words(self):
        self.assertIn("'rgb565be'", self.refused(ValueError, RAMP, 4, 3, "RGB"))
        self.assertIn("'stretch'", self.refused(ValueError, RAMP, 4, 3, fit="fill"))
        for word in (1, b"nearest", array("f", (1,))):
            self.assertIn("'bilinear'", self.refused(ValueError, RAMP, 4, 3, resample=word))
        self.refused(TypeError, RAMP, 4, 3, depth=1)
        self.refused(TypeError, RAMP, 4)

    def test_frames(self):
        for frame in (array("H", RAMP), "x" * 12, None, list(RAMP), array("f", [0] * 12)):
            self.assertIn("buffer of bytes", self.refused(TypeError, frame, 4, 3))
        self.refused(TypeError, array("H", RAMP), 4, 3, "rgb565be")
        tensor = grey(3, 4)
        self.assertIn("overlaps", self.refused(ValueError, tensor.data, 4, 3, tensor=tensor))

    def test_ranges(self):
        floats = one_tensor(FLOAT32, (1, 3, 4, 1)).inputs[0]
        self.assertIn("range=(lo, hi)", self.refused(TypeError, RAMP, 4, 3, tensor=floats))
        for both in ((0,), 1, (0, 1, 2), "01"):
            self.assertIn(
                "(lo, hi)", self.refused(ValueError, RAMP, 4, 3, tensor=floats, range=both)
            )
        for both in ((0, float("inf")), (float("nan"), 1), (-3e38, 3e38)):
            self.refused(ValueError, RAMP, 4, 3, tensor=floats, range=both)
        self.refused(TypeError, RAMP, 4, 3, tensor=floats, range=(0, "1"))

    def test_tensors(self):
        for shape in ((12,), (1, 12), (2, 3, 4, 1), (1, 2, 2, 2), (1, 1, 1, 3, 4)):
            tensor = one_tensor(UINT8, shape).inputs[0]
            self.assertIn("no image", self.refused(ValueError, RAMP, 4, 3, tensor=tensor))


if __name__ == "__main__":
    unittest.main()
