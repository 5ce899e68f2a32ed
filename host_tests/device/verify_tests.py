# verify() and compat. Runs in the folder with the models of io_models.py and their golden outputs.

import struct
import unittest
from array import array
from binascii import crc32

from common import TestCase, contents

import microlite
from microlite.compat import Interpreter

RECURRENT = "recurrent_int8.tflite"
STATE = {"h_out": "h"}
X = [0.5, -0.25, 1.0, 0.75]


class TestVerify(TestCase):
    # The head and the cases with new checksums.
    def changed(self, at, value, name="recurrent_int8"):
        data = contents(name + ".golden")
        _, _, _, n_inputs, n_outputs, _, n = struct.unpack_from("<4s4B2I", data)
        sizes = struct.unpack_from("<%dI" % (n_inputs + n_outputs), data, 16)
        data[at : at + len(value)] = value
        place = 16 + 4 * len(sizes)
        start = 0
        for size in [place] + [sum(sizes)] * n:
            struct.pack_into("<I", data, start + size, crc32(data[start : start + size]))
            start += size + 4
        return data

    def test_equal(self):
        for name in ("three", "recurrent_float", "scalar"):
            with microlite.Model(name + ".tflite") as model:
                for m in (name + ".tflite", contents(name + ".tflite"), model):
                    for cases in (name + ".golden", contents(name + ".golden")):
                        report = microlite.verify(m, cases)
                        self.assertTrue(report)
                        self.assertEqual((report.cases, report.differences), (10, []))
                        self.assertTrue(report.largest <= 1e-5)

    def test_different(self):
        # The first number of the last output of case 1: 10 bytes of inputs, 2 and 6 of outputs.
        at = 16 + 4 * 4 + 4 + 22 + 10 + 2
        data = contents("recurrent_int8.golden")
        value = struct.unpack_from("b", data, at)[0]
        other = value - 3 if value > 0 else value + 3
        report = microlite.verify(RECURRENT, self.changed(at, struct.pack("b", other)))
        self.assertFalse(report)
        self.assertEqual(report.differences, [(1, "h_out", 0, other, value)])
        self.assertEqual((report.cases, report.largest), (10, 3))
        self.assertEqual(report.rows[1], ["h_out", "int8", 60, 1, 3])
        self.assertIn("10 cases: 1 value differs", str(report))
        self.assertIn("h_out", str(report).split("\n")[-1])

    def test_floats(self):
        at = 16 + 4 * 4 + 4 + 40
        (value,) = struct.unpack_from("<f", contents("recurrent_float.golden"), at)
        for factor, equal in (
            (1 + 5e-6, True),
            (1.01, False),
            (float("inf"), False),
            (float("nan"), False),
        ):
            data = self.changed(at, struct.pack("<f", value * factor), "recurrent_float")
            report = microlite.verify("recurrent_float.tflite", data)
            self.assertEqual(bool(report), equal)
            self.assertNotEqual(report.largest, 0)
        loose = microlite.verify("recurrent_float.tflite", data, rtol=1, atol=1)
        self.assertFalse(loose)  # NaN is near nothing
        data = self.changed(at, struct.pack("<f", value * 1.01), "recurrent_float")
        self.assertTrue(microlite.verify("recurrent_float.tflite", data, rtol=0.02))
        self.assertTrue(microlite.verify("recurrent_float.tflite", data, atol=1))

    def test_many_differences(self):
        data = contents("image.golden")
        data = self.changed(16 + 8 + 4 + 60, bytes(b ^ 1 for b in data[88:118]), "image")
        report = microlite.verify("image.tflite", data)
        self.assertEqual((len(report.differences), report.rows[0][3], report.largest), (10, 30, 1))

    def test_damaged(self):
        data = contents("recurrent_int8.golden")
        for wrong, words in (
            (data[:-1], "truncated: 4 bytes needed at byte 252, 3 there"),
            (data[:60], "truncated"),
            (data[:7], "truncated: 16 bytes needed at byte 0, 7 there"),
            (b"", "truncated"),
            (data + b"x", "more bytes than the 256"),
            (bytes(100), "not a file of golden outputs"),
            (contents("three.tflite"), "not a file of golden outputs"),
            (contents("three.golden"), "another model"),
            (self.changed(4, b"\x02"), "version 2"),
            (self.changed(5, b"\x02"), "flags 2"),
            (self.changed(16, b"\x05"), "sizes"),
        ):
            self.assertIn(words, self.fails(ValueError, microlite.verify, RECURRENT, wrong))
        for at in range(0, len(data), 5):
            wrong = bytearray(data)
            wrong[at] ^= 0x10
            self.fails(ValueError, microlite.verify, RECURRENT, wrong)
        self.assertIn("nothing", self.fails(OSError, microlite.verify, RECURRENT, "nothing"))
        for wrong in (5, None, [1]):
            words = self.fails(TypeError, microlite.verify, RECURRENT, wrong)
            self.assertIn("cases: path or buffer needed, not ", words)
        self.fails(ValueError, microlite.verify, RECURRENT, "")

    def test_tolerance(self):
        cases = "three.golden"
        for name in ("rtol", "atol"):
            for wrong in (-1e-9, float("nan"), "0"):
                error = TypeError if wrong == "0" else ValueError
                words = self.fails(error, microlite.verify, "three.tflite", cases, **{name: wrong})
                self.assertIn(name + ": ", words)
        self.assertTrue(microlite.verify("recurrent_int8.tflite", "recurrent_int8.golden", rtol=0))

    def test_sequence(self):
        for cases in ("variables.golden", "sequence.golden"):
            self.assertTrue(microlite.verify("variables.tflite", cases))
        data = contents("sequence.golden")
        at = 16 + 4 * 2
        data[5] = 0
        struct.pack_into("<I", data, at, crc32(data[:at]))
        self.assertFalse(microlite.verify("variables.tflite", data))

    def test_leaves_a_clean_state(self):
        with microlite.Model(RECURRENT, state=STATE) as model:
            first = list(model.predict(X))
            self.assertTrue(microlite.verify(model, "recurrent_int8.golden"))
            self.assertEqual(list(model.predict(X)), first)


class TestCompat(TestCase):
    def test_details(self):
        interpreter = Interpreter("three.tflite", num_threads=2)
        interpreter.allocate_tensors()
        _, b, _ = interpreter.get_input_details()
        self.assertEqual((b["name"], b["index"]), ("serving_default_b:0", 1))
        self.assertEqual((b["shape"], b["dtype"]), ((1, 3, 2, 1), "int8"))
        self.assertAlmostEqual(b["quantization"][0], 0.03, delta=1e-7)
        self.assertEqual(b["quantization"][1], -7)
        parameters = b["quantization_parameters"]
        self.assertEqual(parameters["zero_points"], (-7,))
        self.assertEqual(parameters["scales"], b["quantization"][:1])
        _, reals, _ = interpreter.get_output_details()
        self.assertEqual((reals["index"], reals["quantization"]), (4, (0.0, 0)))
        self.assertEqual(reals["quantization_parameters"]["scales"], ())

    def test_tensors(self):
        interpreter = Interpreter(model_content=contents("three.tflite"))
        a = [0.5, 1.0, -0.5, 0.0]
        b = [[[[1], [2]], [[3], [4]], [[-128], [127]]]]
        c = array("h", range(-5, 5))
        for index, value in enumerate((a, b, c)):
            interpreter.set_tensor(index, value)
        for _ in range(2):  # inputs are kept
            interpreter.invoke()
            self.assertEqual(
                [list(row) for row in interpreter.get_tensor(1)[0][2]], [[-128], [127]]
            )
            self.assertEqual(list(interpreter.get_tensor(2)[1]), [0, 1, 2, 3, 4])
            self.assertEqual(list(interpreter.get_tensor(5)[0]), [29, 54, -21, 4])
            self.assertAlmostEqual(interpreter.get_tensor(4)[0][0], -0.005, delta=1e-6)
        self.assertEqual(list(interpreter.tensor(5)()), [29, 54, -21, 4])

    def test_scalar(self):
        interpreter = Interpreter("scalar.tflite")
        interpreter.set_tensor(0, 2.5)
        interpreter.invoke()
        self.assertEqual(interpreter.get_tensor(1), -2.5)

    def test_refused(self):
        interpreter = Interpreter("image.tflite")
        for error, value in (
            (ValueError, [0] * 59),
            (ValueError, [[0] * 61]),
            (ValueError, [0] * 59 + [128]),
            (TypeError, [0.5] * 60),
            (TypeError, "x" * 60),
            (TypeError, ["x"] * 60),
            (TypeError, None),
            (TypeError, array("B", [0] * 60)),
            (TypeError, array("h", [0] * 60)),
        ):
            self.fails(error, interpreter.set_tensor, 0, value)
        interpreter.set_tensor(0, bytes(60))
        for value in ([0] * 30, None, array("b", [0] * 30)):
            self.assertIn("output 0", self.fails(TypeError, interpreter.set_tensor, 1, value))
        for index in (2, -1):
            for call in (interpreter.get_tensor, interpreter.tensor):
                self.assertIn("0 to 1", self.fails(IndexError, call, index))
        self.fails(TypeError, interpreter.get_tensor, "0")
        self.fails(ValueError, Interpreter)
        self.fails(ValueError, Interpreter, "image.tflite", b"")
        interpreter.resize_tensor_input(0, [1, 10, 6, 1])
        words = self.fails(ValueError, interpreter.resize_tensor_input, 0, [2, 10, 6, 1])
        self.assertIn("(1, 10, 6, 1)", words)

    def test_no_result(self):
        for name in ("image", "three", "scalar"):
            interpreter = Interpreter(name + ".tflite")
            index = interpreter.get_output_details()[0]["index"]
            self.assertIn("no result yet", self.fails(RuntimeError, interpreter.get_tensor, index))
            interpreter.get_tensor(0)
            interpreter.invoke()
            interpreter.get_tensor(index)

    def test_variables(self):
        interpreter = Interpreter("variables.tflite")
        interpreter.set_tensor(0, [[1.0, 0, -1.0, 0.5, 0, -0.5]] * 2)
        seen = []
        for i in range(3):
            if i == 2:
                interpreter.reset_all_variables()
            interpreter.invoke()
            seen.append([list(row) for row in interpreter.get_tensor(1)])
        self.assertNotEqual(seen[0], seen[1])
        self.assertEqual(seen[0], seen[2])


if __name__ == "__main__":
    unittest.main()
