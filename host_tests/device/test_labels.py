# Labels of a model, classify() and mse(). Runs in the folder that holds the crates' models, and
# writes to a file system.

import gc
import os
import struct
import unittest
from array import array

from one_tensor import FLOAT32, INT8, one_tensor

import microlite

MODEL = "speech.tflite"
NAMES = ("silence", "unknown", "yes", "no")
FOLDER = "/tmp" if "tmp" in os.listdir("/") else ""


# A ZIP archive of files as they are, behind something.
def packed(files, before=b"", comment=b"", method=0):
    out = bytearray(before)
    directory = b""
    for name, data in files:
        name = name.encode()
        sizes = struct.pack("<II", len(data), len(data))
        start = len(out) - len(before)
        out += b"PK\3\4" + bytes(14) + sizes + struct.pack("<HH", len(name), 3) + name + b"abc"
        out += data
        directory += (
            b"PK\1\2"
            + struct.pack("<6xH8x", method)
            + sizes
            + struct.pack("<HHH", len(name), 0, 0)
        )
        directory += bytes(8) + struct.pack("<I", start) + name
    offset = len(out) - len(before)
    n = len(files)
    end = struct.pack("<4xHHIIH", n, n, len(directory), offset, len(comment))
    return bytes(out) + directory + b"PK\5\6" + end + comment


class TestLabels(unittest.TestCase):
    def setUp(self):
        self.paths = []
        with open(MODEL, "rb") as f:
            self.model = f.read()

    def tearDown(self):
        for path in self.paths:
            os.remove(path)

    def write(self, name, data):
        path = FOLDER + "/" + name
        with open(path, "wb") as f:
            f.write(data)
        self.paths.append(path)
        return path

    def labels(self, model, **kwargs):
        with microlite.Model(model, **kwargs) as loaded:
            return loaded.labels

    def test_none(self):
        self.assertEqual(self.labels(MODEL), ())
        self.assertEqual(self.labels(self.model), ())

    def test_given(self):
        self.assertEqual(self.labels(MODEL, labels=["a", "b"]), ("a", "b"))
        path = self.write("names.txt", b"one\r\ntwo words\n\nfour\n\n")
        self.assertEqual(self.labels(MODEL, labels=path), ("one", "two words", "", "four"))
        with self.assertRaises(OSError):
            microlite.Model(MODEL, labels=FOLDER + "/nowhere.txt")

    def test_beside(self):
        path = self.write("labelled.tflite", self.model)
        self.write("labelled.txt", b"nobody\nperson")
        self.assertEqual(self.labels(path), ("nobody", "person"))

    def test_packed(self):
        files = [("read.txt", b"no"), ("labels.txt", "é\nb\n".encode())]
        for comment in (b"", b"of the archive"):
            data = self.model + packed(files, comment=comment)
            self.assertEqual(self.labels(data), ("é", "b"))
            self.assertEqual(self.labels(data, copy=True), ("é", "b"))
            path = self.write("packed.tflite", data)
            self.assertEqual(self.labels(path), ("é", "b"))
            self.paths.pop()
        self.paths.append(path)

    def test_deflated(self):
        """Made by zlib."""
        data = b"\xcbIM+\xe1*\xcaL\xcf(\xe1\xca\x012\x15 L\x00"
        packing = self.model + packed([("labels.txt", data)], method=8)
        self.assertEqual(self.labels(packing), ("left", "right", "left right"))
        for wrong in (b"", b"\xff" * 20, data[:5]):
            packing = self.model + packed([("labels.txt", wrong)], method=8)
            self.assertIsInstance(self.labels(packing), tuple)

    def test_damaged(self):
        """An archive that is none leaves the model as good as before."""
        data = packed([("labels.txt", b"a\nb")])
        for i in range(len(data)):
            self.assertIsInstance(
                self.labels(self.model + data[:i] + b"\xff" + data[i + 1 :]), tuple
            )

    def test_classify(self):
        with microlite.Model(MODEL, labels=NAMES) as model:
            tensor = model.inputs[0]
            spectrogram = bytes(i * 7 & 0xFF for i in range(tensor.size))
            tensor.write_raw(spectrogram)
            ranked = model.classify(top=4)
            scores = model.outputs[0].read()
            self.assertEqual(ranked, sorted(zip(NAMES, scores), key=lambda row: -row[1]))
            tensor.write_raw(spectrogram)
            real = tensor.read()
            self.assertEqual(model.classify(real), ranked[:3])
        with microlite.Model(MODEL) as model:
            index = max(range(4), key=lambda i: scores[i])
            self.assertEqual(model.classify(real, top=1), [(index, scores[index])])
        with microlite.Model(MODEL, labels=["a"]) as model:
            with self.assertRaises(ValueError) as raised:
                model.classify(real)
            self.assertIn("1 labels, but the output has 4", str(raised.exception))


class TestMse(unittest.TestCase):
    def test_rows(self):
        a, b = array("f", range(100)), array("h", (i + 3 for i in range(100)))
        self.assertEqual(microlite.mse(a, b), 9.0)
        self.assertEqual(microlite.mse(b, b), 0.0)
        self.assertEqual(microlite.mse(bytes((1, 2)), array("d", (2, 4))), 2.5)

    def test_tensors(self):
        tensor = one_tensor(INT8, (1, 4), 0.5, 10).inputs[0]
        tensor.write([0, 1, 2, 3])
        self.assertEqual(microlite.mse(tensor, array("f", (1, 1, 1, 1))), 1.5)
        other = one_tensor(FLOAT32, (4,)).inputs[0]
        other.write([0, 1, 2, 5])
        self.assertEqual(microlite.mse(other, tensor), 1.0)
        self.assertEqual(microlite.mse(tensor, tensor), 0.0)
        with microlite.Model(MODEL) as model:
            with self.assertRaises(RuntimeError):
                microlite.mse(model.outputs[0], array("f", bytes(16)))

    def test_nan(self):
        result = microlite.mse(array("f", (1, float("nan"))), array("f", (1, 1)))
        self.assertTrue(result != result)

    def test_refused(self):
        row = array("f", (1, 2))
        for error, a, b in (
            (ValueError, row, array("f", (1,))),
            (ValueError, array("f"), array("f")),
            (TypeError, row, [1, 2]),
            (TypeError, "ab", row),
            (TypeError, row, None),
        ):
            with self.assertRaises(error):
                microlite.mse(a, b)

    def test_allocates_only_its_result(self):
        row = array("f", range(100))
        gc.collect()
        before = gc.mem_alloc()
        result = microlite.mse(row, row)
        self.assertTrue(gc.mem_alloc() - before <= 64)
        self.assertEqual(result, 0.0)


if __name__ == "__main__":
    unittest.main()
