# Labels of a model, classify() and mse(). Runs in the folder that holds the crates' models.

import gc
import os
import struct
import unittest
from array import array

from one_tensor import FLOAT32, INT8, one_tensor
from scratch import Folder

import microlite

MODEL = "speech.tflite"
NAMES = ("silence", "unknown", "yes", "no")


# A ZIP archive behind something: of files as they are, or of a deflated one that has that size.
def packed(files, before=b"", comment=b"", flags=0, method=0, size=None):
    out = bytearray(before)
    directory = b""
    for name, data in files:
        sizes = struct.pack("<II", len(data), len(data) if size is None else size)
        start = len(out) - len(before)
        out += b"PK\3\4" + bytes(14) + sizes + struct.pack("<HH", len(name), 3) + name + b"abc"
        out += data
        directory += (
            b"PK\1\2"
            + struct.pack("<4xHH8x", flags, method)
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
        self.folder = Folder().__enter__()
        self.write = self.folder.write
        with open(MODEL, "rb") as f:
            self.model = f.read()

    def tearDown(self):
        self.folder.__exit__(None, None, None)

    def refuse(self, error, words, labels):
        with self.assertRaises(error) as raised:
            self.labels(MODEL, labels=labels)
        self.assertIn(words, str(raised.exception))

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
        path = self.write("names.txt", b"\xef\xbb\xbfone\n\xc3\xa9")
        self.assertEqual(self.labels(MODEL, labels=path), ("one", "é"))

    def test_bad(self):
        self.refuse(TypeError, "labels: name 1: str needed, not bytes", ["a", b"b"])
        self.refuse(TypeError, "labels: name 0: str needed, not int", b"ab")
        self.refuse(TypeError, "labels: path or names needed, not int", 5)
        nowhere = self.folder.path + "/nowhere.txt"
        self.refuse(OSError, nowhere, nowhere)
        self.refuse(OSError, self.folder.path, self.folder.path)
        path = self.write("names.txt", b"na\xefve\n")
        self.refuse(ValueError, path + ": labels must be UTF-8", path)
        path = self.write("names.txt", bytes(65537))
        self.refuse(ValueError, path + ": 65537 bytes of labels, 65536 at most", path)

    def test_beside(self):
        path = self.write("labelled.tflite", self.model)
        self.write("labelled.txt", b"nobody\nperson")
        self.assertEqual(self.labels(path), ("nobody", "person"))

    def test_folder_beside(self):
        path = self.write("labelled.tflite", self.model)
        beside = self.folder.path + "/labelled.txt"
        os.mkdir(beside)
        try:
            self.assertEqual(self.labels(path), ())
        finally:
            os.rmdir(beside)

    def test_packed(self):
        files = [(b"\x81.txt", b"no"), (b"labels.txt", "é\nb\n".encode())]
        for comment in (b"", b"of the archive"):
            data = self.model + packed(files, comment=comment)
            self.assertEqual(self.labels(data), ("é", "b"))
            self.assertEqual(self.labels(data, copy=True), ("é", "b"))
            path = self.write("packed.tflite", data)
            self.assertEqual(self.labels(path), ("é", "b"))

    def test_deflated(self):
        """Made by zlib."""
        data = b"\xcbIM+\xe1*\xcaL\xcf(\xe1\xca\x012\x15 L\x00"
        size = len("left\nright\nleft right\n")
        self.assertEqual(self.inflated(data, size), ("left", "right", "left right"))
        for wrong in (b"", b"\xff" * 20, data[:5]):
            self.assertEqual(self.inflated(wrong, size), ())
        for wrong in (0, size - 1, size + 1, 1 << 31):
            self.assertEqual(self.inflated(data, wrong), ())

    def inflated(self, data, size):
        return self.labels(self.model + packed([(b"labels.txt", data)], method=8, size=size))

    def test_far_back(self):
        """A block as it is, and one that repeats 10 of the characters 300 before its end."""
        names = b"\n".join(b"name %d" % i for i in range(100))
        n = len(names)
        data = b"\0" + struct.pack("<HH", n, n ^ 0xFFFF) + names + b"C\x84\x15\0"
        wanted = names + names[n - 300 : n - 290]
        wanted = tuple(line.strip() for line in wanted.decode().split("\n"))
        self.assertEqual(self.inflated(data, n + 10), wanted)

    def test_packed_otherwise(self):
        """Encrypted, or compressed by other methods than deflate."""
        files = [(b"labels.txt", b"a\nb")]
        self.assertEqual(self.labels(self.model + packed(files)), ("a", "b"))
        self.assertEqual(self.labels(self.model + packed(files, flags=1)), ())
        for method in (1, 9, 12, 14, 93, 99):
            self.assertEqual(self.labels(self.model + packed(files, method=method)), ())

    def test_damaged(self):
        """An archive that is none leaves the model as good as before."""
        data = packed([(b"labels.txt", b"a\nb")])
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
            self.assertEqual(len(model.classify(real, top=5)), 4)
            wrong = (0, ValueError), (-1, ValueError), (True, TypeError), (1.0, TypeError)
            for top, error in wrong:
                with self.assertRaises(error) as raised:
                    model.classify(real, top=top)
                self.assertIn("top: ", str(raised.exception))
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

    def test_large(self):
        """Squares, or their sum, beyond float32, though the mean is not."""
        for power, n, of in ((64, 1, 4), (63, 4, 4), (64, 1, 1000), (-60, 3, 3)):
            row = array("f", [2.0**power] * n + [0] * (of - n))
            mean = microlite.mse(row, array("f", [0] * of))
            self.assertAlmostEqual(mean / 2.0**power / 2.0**power, n / of, 7)
        large = microlite.mse(array("f", (2.0**90,)), array("f", (0,)))
        self.assertEqual(large, float("inf"))

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
