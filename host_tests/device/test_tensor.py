# Tensor: types, shapes, conversion of real values, views. Most models here are made on
# the spot: one RESHAPE, which copies its input to its output whatever the type.

import gc
import struct
import unittest
from array import array

from one_tensor import (
    BOOL,
    FLOAT32,
    INT8,
    INT16,
    INT32,
    INT64,
    TYPECODES,
    UINT8,
    reshape,
    reshape_model,
)

import microlite


class TestAttributes(unittest.TestCase):
    def test_plain(self):
        names = "float32", "int32", "uint8", "int64", "bool", "int16", "int8"
        for dtype, name in zip((FLOAT32, INT32, UINT8, INT64, BOOL, INT16, INT8), names):
            with microlite.Model(reshape_model(dtype, (1, 2, 3))) as model:
                for i, tensor in enumerate((model.inputs[0], model.outputs[0])):
                    self.assertEqual(tensor.name, ("in", "out")[i])
                    self.assertEqual(tensor.index, 0)
                    self.assertEqual(tensor.dtype, name)
                    self.assertEqual(tensor.typecode, TYPECODES[dtype])
                    self.assertEqual(tensor.shape, (1, 2, 3))
                    self.assertEqual(tensor.size, 6)
                    self.assertEqual(len(tensor), 6)
                    self.assertEqual(tensor.nbytes, 6 * struct.calcsize(TYPECODES[dtype]))
                    self.assertIsNone(tensor.scale)
                    self.assertIsNone(tensor.zero_point)
                    self.assertIn(name, repr(tensor))

    def test_quantised(self):
        with reshape(INT8, 4, 0.25, -3) as model:
            self.assertEqual(model.inputs[0].scale, 0.25)
            self.assertEqual(model.inputs[0].zero_point, -3)
            self.assertIn("-3", repr(model.inputs[0]))

    def test_read_only(self):
        with reshape(INT8, 4) as model:
            with self.assertRaises(AttributeError):
                model.inputs[0].name = "x"
            with self.assertRaises(AttributeError):
                _ = model.inputs[0].nothing

    def test_keys(self):
        with reshape(INT8, 4) as model:
            self.assertIs(model.input("in"), model.inputs[0])
            self.assertIs(model.output(), model.outputs[0])
            with self.assertRaises(KeyError) as raised:
                model.input("out")
            self.assertIn("in", str(raised.exception))
            with self.assertRaises(KeyError):
                model.input(1)


class TestWrite(unittest.TestCase):
    # Values written give this raw output, and so many of them saturate.
    def check(self, model, values, raw, saturated=0, **options):
        with model:
            self.assertEqual(model.inputs[0].write(values, **options), saturated)
            model.invoke()
            self.assertEqual(list(model.outputs[0].data), raw)

    def test_rounding(self):
        # Halves go away from zero, before the zero point is added.
        values = [0.25, -0.25, 0.75, -0.75, 1.2, -1.3, 0.0]
        for source in (
            values,
            tuple(values),
            array("f", values),
            array("d", values),
            iter(values),
        ):
            self.check(reshape(INT8, 7, 0.5, -1), source, [0, -2, 1, -3, 1, -4, -1])

    def test_saturation(self):
        cases = (
            (INT8, (-128, 127), [-1000.0, -64.5, 63.5, 64.0, 1e30, 0.0], 4),
            (UINT8, (0, 255), [-1.0, 0.0, 127.5, 127.8, -1e30, 1.0], 3),
            (INT16, (-32768, 32767), [-16384.0, -16385.0, 16383.5, 16384.0, 0.0, 0.0], 2),
            (INT32, (-(2**31), 2**31 - 1), [-2e9, 2e9, 1e8, -1e8, 1e30, -1e30], 4),
        )
        for dtype, limits, values, n in cases:
            with self.subTest(dtype=dtype):
                raw = [min(max(int(v * 2), limits[0]), limits[1]) for v in values]
                self.check(reshape(dtype, 6, 0.5), values, raw, n)

    def test_sources(self):
        # All numeric arrays mean real values.
        for typecode in "bhHiIlLqQfd":
            self.check(reshape(INT8, 3, 1.0, 5), array(typecode, [0, 1, 100]), [5, 6, 105])
        part = memoryview(array("h", [9, 8, 7, 6]))[1:]
        self.check(reshape(INT8, 3, 1.0, 5), part, [13, 12, 11])
        self.check(reshape(INT8, 3, 1.0, 5), [True, 2, 3.0], [6, 7, 8])
        self.check(reshape(INT8, 3, 1.0, 5), range(3), [5, 6, 7])

    def test_mul_add(self):
        for source in (bytes((0, 100, 255)), bytearray((0, 100, 255)), array("B", (0, 100, 255))):
            self.check(reshape(INT8, 3, 0.5, 1), source, [-19, 31, 109], mul=0.25, add=-10)
            self.check(reshape(FLOAT32, 3), source, [0, 200, 510], mul=2)
        self.check(reshape(FLOAT32, 3), [1, 2, 3], [1.5, 2.5, 3.5], add=0.5)

    def test_float32_arithmetic(self):
        # Wider arithmetic would give 16777218, 2**-24 and 2.
        self.check(reshape(FLOAT32, 1), array("i", [16777217]), [16777216], add=1)
        v = 1 + 2**-12
        self.check(reshape(FLOAT32, 1), array("f", [v]), [0], mul=v, add=-(1 + 2**-11))
        self.check(reshape(INT8, 1, 0.1), array("f", [0.25]), [3])

    def test_integers(self):
        # Where nothing is quantised, integers arrive exactly.
        low, high = -(2**31), 2**31 - 1
        big = [16777217, -16777217, high]
        self.check(reshape(INT32, 3), big, big)
        self.check(reshape(INT32, 3), array("i", big), big)
        self.check(reshape(INT32, 3), [2**40, -(2**40), 5], [high, low, 5], 2)
        low, high = -(2**63), 2**63 - 1
        big = [2**53 + 1, low, high]
        self.check(reshape(INT64, 3), big, big)
        self.check(reshape(INT64, 3), array("q", big), big)
        self.check(reshape(INT64, 1), array("Q", [2**64 - 1]), [high], 1)
        self.check(reshape(INT64, 3), [1e30, -1e30, 2.5], [high, low, 3], 2)
        self.check(reshape(UINT8, 3), [-1, 256, 7], [0, 255, 7], 2)
        self.check(reshape(INT16, 2), [1.5, -40000], [2, -32768], 1)

    def test_bools(self):
        self.check(reshape(BOOL, 4), [True, False, 0.5, -3], [1, 0, 1, 1])

    def test_tensor(self):
        a, b, c = reshape(INT8, 3, 0.5, 1), reshape(UINT8, 3, 0.25, 100), reshape(FLOAT32, 3)
        a.inputs[0].write([-1, 2.5, 30])
        a.invoke()
        self.assertEqual(b.inputs[0].write(a.outputs[0]), 0)
        self.assertEqual(list(b.inputs[0].data), [96, 110, 220])
        c.inputs[0].write(b.inputs[0])
        self.assertEqual(list(c.inputs[0].read()), [-1, 2.5, 30])

    def test_arguments(self):
        with reshape(FLOAT32, 1) as model:
            tensor = model.inputs[0]
            for args, options in (((), {}), (([1], 2.0), {}), (([1],), {"div": 2.0})):
                with self.assertRaises(TypeError):
                    tensor.write(*args, **options)
            with self.assertRaises(ValueError):
                tensor.write(array("f", [1e38]), mul=100)

    def test_words(self):
        with reshape(INT8, 3, 1.0) as model:
            with self.assertRaises(TypeError) as raised:
                model.inputs[0].write(b"abc")
            for word in ("input 0", "mul", "add", "write_image", "write_raw"):
                self.assertIn(word, str(raised.exception))
            with self.assertRaises(ValueError) as raised:
                model.inputs[0].write([1, 2])
            self.assertEqual(str(raised.exception), "input 0 (in): 3 values needed, 2 given")
            for nested in ([[1, 2, 3]], [(1, 2), (3,)], [[1], [2], [3]]):
                with self.assertRaises(TypeError) as raised:
                    model.inputs[0].write(nested)
                words = ", not a number: give the numbers flat"
                self.assertTrue(str(raised.exception).endswith(words))
            for wrong in (None, "123", model, len, {1, 2, 3}):
                with self.assertRaises(TypeError) as raised:
                    model.inputs[0].write(wrong)
                words = "input 0 (in): numbers needed, not " + type(wrong).__name__
                self.assertEqual(str(raised.exception), words)
            with self.assertRaises(RuntimeError) as raised:
                model.outputs[0].read()
            self.assertIn("no result yet: invoke() first", str(raised.exception))
        with reshape(INT8, 1, 1.0) as model:
            with self.assertRaises(ValueError) as raised:
                model.inputs[0].write(v for v in range(3))
            self.assertEqual(str(raised.exception), "input 0 (in): 1 value needed, more given")
            with self.assertRaises(TypeError) as raised:
                model.inputs[0].write(["a"])
            self.assertEqual(str(raised.exception), "input 0 (in): value 0 is str, not a number")
            with self.assertRaises(ValueError) as raised:
                model.inputs[0].write([float("nan")])
            self.assertEqual(str(raised.exception), "input 0 (in): value 0 is NaN or infinite")

    def test_python_code_in_between(self):
        # An iterator that closes the model or shrinks a list must not lead to stale memory.
        def closing(model):
            yield 1.0
            model.close()
            yield 2.0

        class Shrinking:
            def __float__(self):
                numbers.clear()
                gc.collect()
                return 1.0

        model = reshape(FLOAT32, 2)
        with self.assertRaises(RuntimeError):
            model.inputs[0].write(closing(model))
        with reshape(FLOAT32, 2) as model:
            numbers = [Shrinking(), 2.0]
            with self.assertRaises((ValueError, TypeError)):
                model.inputs[0].write(numbers)

    def test_outputs_are_read_only(self):
        with reshape(INT8, 3, 1.0) as model:
            output = model.outputs[0]
            for write in (output.write, output.write_raw):
                with self.assertRaises(TypeError):
                    write(array("b", [1, 2, 3]))
            with self.assertRaises(TypeError):
                output.data[0] = 1


class TestRaw(unittest.TestCase):
    def test_types(self):
        for dtype, typecode in TYPECODES.items():
            with self.subTest(dtype=dtype), reshape(dtype, 3) as model:
                tensor = model.inputs[0]
                raw = array(typecode, [1, 0, 1])
                for source in (raw, memoryview(raw), bytes(raw), bytearray(raw)):
                    tensor.write_raw(bytes(tensor.nbytes))
                    tensor.write_raw(source)
                    self.assertEqual(bytes(tensor.data), bytes(raw))
                for n in (0, tensor.nbytes - 1, tensor.nbytes + 1):
                    with self.assertRaises(ValueError):
                        tensor.write_raw(bytes(n))
                for other in "bhiqfd":
                    if other != typecode:
                        with self.assertRaises(TypeError):
                            tensor.write_raw(array(other, [1, 0, 1]))
                for source in ("abc", [1, 0, 1], None):
                    with self.assertRaises(TypeError):
                        tensor.write_raw(source)
                self.assertEqual(bytes(tensor.data), bytes(raw))

    def test_bools_are_0_and_1(self):
        with reshape(BOOL, 2) as model:
            with self.assertRaises(ValueError):
                model.inputs[0].write_raw(b"\1\2")


class TestRead(unittest.TestCase):
    def test_types(self):
        for dtype, typecode in TYPECODES.items():
            with self.subTest(dtype=dtype), reshape(dtype, 3) as model:
                tensor = model.inputs[0]
                tensor.write_raw(array(typecode, [1, 0, 1]))
                values = tensor.read()
                self.assertIn("array('%s'" % typecode, repr(values))
                self.assertEqual(list(values), [1, 0, 1])
                self.assertEqual(type(tensor[0]), {FLOAT32: float, BOOL: bool}.get(dtype, int))
        with reshape(INT16, 2, 0.5) as model:
            model.inputs[0].write([1, -2.5])
            self.assertEqual(list(model.inputs[0].read()), [1, -2.5])
            self.assertEqual(model.inputs[0][1], -2.5)


class TestViews(unittest.TestCase):
    def test_data(self):
        for dtype in TYPECODES:
            with self.subTest(dtype=dtype), reshape(dtype, 5) as model:
                view = model.inputs[0].data
                self.assertEqual(len(view), 5)
                for i in range(5):
                    view[i] = i % 2
                model.invoke()
                self.assertEqual(list(model.outputs[0].data), [0, 1, 0, 1, 0])
                self.assertEqual(list(view[1:3]), [1, 0])


if __name__ == "__main__":
    unittest.main()
