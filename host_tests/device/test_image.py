# write_image(): frames of the tensor's own size into 8-bit tensors. Runs in the folder that holds
# the crates' models.

import unittest
from array import array

import micropython

import microlite

SIDE = 96
UINT8_MODEL = "person_detection_grayscale.tflite"
INT8_MODEL = "person_detect.tflite"
FLOAT_MODEL = "hello_world.tflite"


class TestImage(unittest.TestCase):
    def setUp(self):
        self.frame = bytearray(i & 0xFF for i in range(SIDE * SIDE))

    def refused(self, error, path, *args):
        with microlite.Model(path) as model:
            tensor = model.inputs[0]
            before = bytes(tensor.data)
            with self.assertRaises(error) as raised:
                tensor.write_image(*args)
            self.assertEqual(bytes(tensor.data), before)
            return str(raised.exception)

    def test_own_range(self):
        signed = array("b", (v - 256 if v > 127 else v for v in self.frame))
        for path, black in ((UINT8_MODEL, 0), (INT8_MODEL, -128)):
            with microlite.Model(path) as model:
                tensor = model.inputs[0]
                for frame in (self.frame, bytes(self.frame), signed):
                    tensor.write_raw(bytes(tensor.nbytes))
                    tensor.write_image(frame, SIDE, SIDE)
                    self.assertEqual(list(tensor.data[:256]), list(range(black, black + 256)))
                    self.assertEqual(tensor.data[-1], black + 255)

    def test_allocates_nothing(self):
        with microlite.Model(INT8_MODEL) as model:
            tensor = model.inputs[0]
            micropython.heap_lock()
            try:
                tensor.write_image(self.frame, SIDE, SIDE)
            finally:
                micropython.heap_unlock()

    def test_sizes(self):
        text = self.refused(ValueError, UINT8_MODEL, self.frame, 48, 192)
        for number in (96, 48, 192):
            self.assertIn(str(number), text)
        for n in (0, SIDE * SIDE - 1, SIDE * SIDE + 1, 3 * SIDE * SIDE):
            self.assertIn(str(n), self.refused(ValueError, UINT8_MODEL, bytes(n), SIDE, SIDE))
        self.refused(ValueError, UINT8_MODEL, self.frame, -SIDE, -SIDE)

    def test_frames(self):
        for frame in (array("H", self.frame), "x" * (SIDE * SIDE), None, list(self.frame)):
            self.refused(TypeError, UINT8_MODEL, frame, SIDE, SIDE)
        self.refused(TypeError, UINT8_MODEL, self.frame, SIDE)

    def test_keywords(self):
        with microlite.Model(UINT8_MODEL) as model:
            tensor = model.inputs[0]
            tensor.write_image(frame=self.frame, height=SIDE, width=SIDE)
            self.assertEqual(bytes(tensor.data), self.frame)
            with self.assertRaises(TypeError):
                tensor.write_image(self.frame, SIDE, SIDE, depth=1)
            with self.assertRaises(ValueError) as raised:
                tensor.write_image(self.frame, width=48, height=192)
            self.assertIn("the frame 48 and 192", str(raised.exception))

    def test_tensors(self):
        self.assertIn("mul=", self.refused(TypeError, FLOAT_MODEL, b"x", 1, 1))
        text = self.refused(ValueError, "speech.tflite", bytes(1960), 40, 49)
        self.assertIn("grey image; use write()", text)
        with microlite.Model(UINT8_MODEL) as model:
            with self.assertRaises(TypeError):
                model.outputs[0].write_image(b"abc", 3, 1)


if __name__ == "__main__":
    unittest.main()
