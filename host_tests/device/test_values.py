# Every source of values, every type of tensor, every method: accepted with the right numbers or
# refused with the right exception, and then nothing is changed. The arithmetic itself is tested
# to the bit by host_tests/test_values.py.

import unittest
from array import array

import micropython
from one_tensor import (
    BOOL,
    COMPLEX64,
    FLOAT16,
    FLOAT32,
    INT8,
    INT16,
    INT32,
    INT64,
    TYPECODES,
    UINT8,
    one_tensor,
)

VALUES = [1, 0, 2]
ARRAYS = "bhHiIlLqQfd"
PER_SLICE = (0.5, 0.25, 1.0), (1, 2, 3), 0
PLAIN = [(dtype,) for dtype in TYPECODES]
QUANTISED = [(dtype, 0.5, 3) for dtype in (INT8, UINT8, INT16, INT32, INT64)]
QUANTISED += [(dtype,) + PER_SLICE for dtype in (INT8, UINT8, INT16, INT32)]
NUMERIC = PLAIN + QUANTISED
NAN, INF = float("nan"), float("inf")
# Types and scales that give numbers no real values.
MEANINGLESS = [(INT8, INF), (INT8, (0.5, 0.0, 1.0), 0, 0), (INT8, (0.5, 1.0), 0, 0)]
MEANINGLESS += [(INT32, (0.5, 0.5, 0.5), 0, 1), (FLOAT16,), (COMPLEX64,)]


def tensor_of(kind, values=None):
    tensor = one_tensor(kind[0], (3,), *kind[1:]).inputs[0]
    if values is not None:
        tensor.write(values)
    return tensor


# What tensors of this kind hold after VALUES were written.
def written(kind):
    return [v != 0 for v in VALUES] if kind == (BOOL,) else VALUES


def good_sources():
    yield list(VALUES)
    yield tuple(VALUES)
    yield [1.0, False, 2]
    yield iter(VALUES)
    yield (v for v in VALUES)
    yield map(float, VALUES)
    for code in ARRAYS:
        yield array(code, VALUES)
        yield memoryview(array(code, [9] + VALUES + [9]))[1:-1]
    for kind in NUMERIC:
        if kind != (BOOL,):
            yield tensor_of(kind, VALUES)


def byte_sources():
    raw = bytes(VALUES)
    return raw, bytearray(raw), array("B", raw), memoryview(raw), memoryview(b"9" + raw)[1:]


# Sources and the exception that each raises.
def bad_sources():
    for values in ([1, 0], [1, 0, 2, 3], (), range(4), iter([1]), (v for v in range(9))):
        yield ValueError, values
    for code in ARRAYS:
        yield ValueError, array(code, [1, 0])
    yield ValueError, one_tensor(FLOAT32, (2,)).inputs[0]
    for number in (NAN, INF, -INF):
        yield ValueError, [1, 0, number]
        yield ValueError, array("f", [number, 0, 1])
        yield ValueError, array("d", [1, number, 0])
    for number in (1.5, 1, True):
        yield ValueError, number
    for values in (None, "abc", "", object(), len, {1: 1, 2: 2, 3: 3}, {1, 2, 3}, 2j):
        yield TypeError, values
    for values in (["a", 0, 1], [[1], [0], [2]], [None] * 3, [1, 0, 2j], "1 0 2".split()):
        yield TypeError, values
    for values in byte_sources():
        yield TypeError, values
    yield TypeError, array("O", VALUES)
    for kind in MEANINGLESS:
        yield TypeError, tensor_of(kind)


class TestSources(unittest.TestCase):
    def refused(self, error, tensor, function, *args, **options):
        before = bytes(tensor.data)
        try:
            function(*args, **options)
        except error as e:
            if isinstance(e, (TypeError, ValueError)) and error is not e.__class__:
                self.fail("%r" % e)
        else:
            self.fail("%s: %s %s accepted" % (tensor, args, options))
        self.assertEqual(bytes(tensor.data), before)

    def test_good(self):
        for kind in NUMERIC:
            tensor = tensor_of(kind)
            for values in good_sources():
                with self.subTest(kind=kind, values=values):
                    tensor.write_raw(b"\1" * tensor.nbytes)
                    self.assertEqual(tensor.write(values), 0)
                    self.assertEqual(list(tensor), written(kind))
            self.assertEqual(tensor.write(tensor_of((BOOL,), VALUES)), 0)
            self.assertEqual(list(tensor), [1, 0, 1])

    def test_bytes(self):
        for kind in NUMERIC:
            tensor = tensor_of(kind)
            for values in byte_sources():
                for options in ({"mul": 1}, {"add": 0.0}, {"mul": [1, 1, 1]}):
                    tensor.write_raw(b"\1" * tensor.nbytes)
                    self.assertEqual(tensor.write(values, **options), 0)
                    self.assertEqual(list(tensor), written(kind))

    def test_bad(self):
        for kind in NUMERIC:
            tensor = tensor_of(kind, VALUES)
            for error, values in bad_sources():
                with self.subTest(kind=kind, values=values):
                    self.refused(error, tensor, tensor.write, values)
            closed = one_tensor(FLOAT32)
            values = closed.inputs[0]
            closed.close()
            self.refused(RuntimeError, tensor, tensor.write, values)
        for kind in MEANINGLESS:
            tensor = tensor_of(kind)
            self.refused(TypeError, tensor, tensor.write, VALUES)
            self.refused(TypeError, tensor, tensor.read)
            self.refused(TypeError, tensor, tensor.argmax)
            self.refused(TypeError, tensor, list, tensor)

    def test_factors(self):
        good = 2, 2.0, [2, 2, 2], (2.0, 2, 2), array("f", [2] * 3), array("d", [2] * 3)
        good += array("h", [2] * 3), tensor_of((FLOAT32,), [2, 2, 2])
        errors = [(ValueError, v) for v in (NAN, INF, [1, 2], array("f", [1] * 4), iter([1]))]
        errors += [(ValueError, v) for v in ([1, NAN, 1], array("f", [1, 1, INF]), [])]
        errors += [
            (TypeError, v) for v in (None, "abc", b"\1\1\1", bytearray(3), {1: 1}, [None] * 3)
        ]
        for kind in NUMERIC:
            tensor = tensor_of(kind, VALUES)
            for factors in good:
                tensor.write([0.5, 0, 1], mul=factors)
                self.assertEqual(list(tensor), written(kind))
                tensor.write([-1, -2, 0], add=factors)
                self.assertEqual(list(tensor), written(kind))
            for error, factors in errors:
                for key in ("mul", "add"):
                    with self.subTest(kind=kind, key=key, factors=factors):
                        self.refused(error, tensor, tensor.write, VALUES, **{key: factors})
        with one_tensor(FLOAT32, (2, 2)) as model:
            tensor = model.inputs[0]
            tensor.write([1, 2, 3, 4], mul=array("f", [10, 100]), add=(v for v in (1, 2)))
            self.assertEqual(list(tensor), [11, 202, 31, 402])
            self.refused(ValueError, tensor, tensor.write, [1] * 4, mul=tensor.data[:2])

    def test_overlap(self):
        # Memory of the caller's may be written from what lies at its own place, or not at all.
        with one_tensor(FLOAT32) as model:
            tensor = model.inputs[0]
            tensor.write(VALUES)
            self.assertEqual(tensor.write(tensor.data, mul=2), 0)
            self.assertEqual(list(tensor), [2, 0, 4])
            self.assertEqual(tensor.write(tensor, add=1), 0)
            self.assertEqual(list(tensor), [3, 1, 5])
            self.refused(ValueError, tensor, tensor.read_into, tensor.data)

    def test_resized_meanwhile(self):
        # Python code that runs while values are collected resizes what was given besides.
        factors = array("f", [2, 2, 2])

        def growing():
            for v in VALUES:
                yield v
                factors.extend(array("f", range(1000)))

        tensor = tensor_of((FLOAT32,), VALUES)
        self.refused(ValueError, tensor, tensor.write, growing(), mul=factors)

    def test_raw_and_image(self):
        for kind in NUMERIC + MEANINGLESS:
            tensor = tensor_of(kind)
            raw = b"\1" * tensor.nbytes
            self.assertIsNone(tensor.write_raw(raw))
            self.assertEqual(bytes(tensor.data), raw)
            for wrong in (b"", raw[1:], raw + b"\1"):
                self.refused(ValueError, tensor, tensor.write_raw, wrong)
            for wrong in (VALUES, "abc", None, 1, tensor):
                self.refused(TypeError, tensor, tensor.write_raw, wrong)
            self.refused(ValueError, tensor, tensor.write_image, b"123", 3, 1)

    def test_single_number(self):
        for kind in PLAIN + [(INT8, 0.5, 3)]:
            with one_tensor(kind[0], (), *kind[1:]) as model:
                tensor = model.inputs[0]
                self.assertEqual((len(tensor), tensor.shape), (1, ()))
                for number in (1, 1.0, True):
                    tensor.write(0)
                    self.assertEqual(tensor.write(number), 0)
                    self.assertEqual([tensor[()], tensor[0], tensor[-1]], [1, 1, 1])
                self.refused(ValueError, tensor, tensor.write, NAN)
                self.refused(ValueError, tensor, tensor.write, [1, 2])

    def test_beyond(self):
        # Ints of any size saturate, and are counted once.
        for dtype, bits in ((INT64, 63), (INT32, 31), (INT16, 15), (INT8, 7)):
            tensor = tensor_of((dtype,))
            low, high = -(1 << bits), (1 << bits) - 1
            self.assertEqual(tensor.write([low, high, 5]), 0)
            self.assertEqual(list(tensor.data), [low, high, 5])
            for beyond in (1, 2**40, 2**64, 2**200):
                self.assertEqual(tensor.write([low - beyond, high + beyond, 5]), 2)
                self.assertEqual(list(tensor.data), [low, high, 5])
        self.assertEqual(one_tensor(INT64, (1,)).inputs[0].write(-(2**70)), 1)


class TestRead(unittest.TestCase):
    def test_read_into(self):
        for kind in NUMERIC:
            tensor = tensor_of(kind, VALUES)
            code = "f" if len(kind) > 1 else TYPECODES[kind[0]]
            self.assertIn("array('%s'" % code, repr(tensor.read()))
            good = [code, "d"] if code == "f" else [code]
            for other in "bBhHiIqQfd":
                buffer = array(other, [7, 7, 7])
                view = memoryview(array(other, [7] * 5))[1:4]
                short = array(other, [7, 7])
                if other in good:
                    for target in (buffer, view):
                        self.assertIsNone(tensor.read_into(target))
                        self.assertEqual(list(target), written(kind))
                    with self.assertRaises(ValueError):
                        tensor.read_into(short)
                    self.assertEqual(list(short), [7, 7])
                else:
                    with self.assertRaises(TypeError):
                        tensor.read_into(buffer)
                    self.assertEqual(list(buffer), [7, 7, 7])
            for target in (bytes(12), "abc", None, [0, 0, 0], memoryview(bytes(3))):
                with self.assertRaises(TypeError):
                    tensor.read_into(target)
            if code == "B":
                target = bytearray(3)
                tensor.read_into(target)
                self.assertEqual(list(target), written(kind))

    def test_index(self):
        numbers = list(range(24))
        with one_tensor(INT16, (2, 3, 4), 0.5, 1) as model:
            tensor = model.inputs[0]
            tensor.write(numbers)
            flat = [tensor[y, x, c] for y in range(2) for x in range(3) for c in range(4)]
            self.assertEqual(flat, numbers)
            self.assertEqual(list(tensor), numbers)
            self.assertEqual(tensor[-1, -3, -2], tensor[1, 0, 2])
            self.assertTrue(7.0 in tensor and 24 not in tensor)
            self.assertEqual((sum(tensor), max(tensor)), (sum(numbers), 23))
            wrong = (
                (24, "24 values"),
                (-25, "-25"),
                (2**70, str(2**70)),
                ((0, 3, 0), "dimension 1"),
            )
            wrong += ((2, 0, 0), "dimension 0"), ((0, 0, -5), "-5"), ((0, 0), "2 indices")
            for index, words in wrong:
                with self.assertRaises(IndexError) as raised:
                    tensor[index]
                self.assertIn(words, str(raised.exception))
            for index in (1.0, "0", None, (0, 0, 1.0)):
                with self.assertRaises(TypeError):
                    tensor[index]
            for part in (lambda: tensor[0:1], lambda: tensor[0, 0:1, 0]):
                with self.assertRaises(TypeError) as raised:
                    part()
                self.assertIn("use read()", str(raised.exception))
            with self.assertRaises(TypeError) as raised:
                tensor[0, 0, 0] = 1
            self.assertIn("write()", str(raised.exception))
            with self.assertRaises(TypeError):
                del tensor[0]
            iterator = iter(tensor)
            self.assertEqual(next(iterator), 0)
        with self.assertRaises(RuntimeError):
            next(iterator)

    def test_argmax(self):
        for kind in NUMERIC:
            tensor = tensor_of(kind)
            for values, best in (([1, 0, 1], 0), ([0, 1, 1], 1), ([0, 0, 1], 2), ([0, 0, 0], 0)):
                tensor.write(values)
                self.assertEqual(tensor.argmax(), best)
        tensor = tensor_of((FLOAT32,))
        for values, best in (([-INF, -INF, -5], 2), ([-INF] * 3, 0), ([1, INF, INF], 1)):
            tensor.write_raw(array("f", values))
            self.assertEqual(tensor.argmax(), best)
        for i in range(3):
            tensor.write(VALUES)
            tensor.data[i] = NAN
            with self.assertRaises(ValueError):
                tensor.argmax()
        tensor = tensor_of((INT64,))
        tensor.write([2**60, 2**60 + 1, 0])
        self.assertEqual(tensor.argmax(), 1)


class TestQuantisation(unittest.TestCase):
    def test_attributes(self):
        for kind in PLAIN:
            tensor = tensor_of(kind)
            self.assertEqual((tensor.scale, tensor.zero_point), (None, None))
            self.assertEqual((tensor.scales, tensor.zero_points), ((), ()))
        tensor = tensor_of((INT8, 0.5, 3))
        self.assertEqual((tensor.scale, tensor.zero_point), (0.5, 3))
        self.assertEqual((tensor.scales, tensor.zero_points), ((0.5,), (3,)))
        self.assertEqual(repr(tensor), "Tensor(input 0 (x), int8 (3,), scale 0.5, zero point 3)")
        with one_tensor(INT8, (1, 3), PER_SLICE[0], PER_SLICE[1], 1) as model:
            tensor = model.inputs[0]
            self.assertEqual((tensor.scale, tensor.zero_point), (None, None))
            self.assertEqual((tensor.scales, tensor.zero_points), PER_SLICE[:2])
            self.assertEqual(tensor.quantized_dimension, 1)
            self.assertIn("3 scales along dimension 1", repr(tensor))
            self.assertEqual(list(tensor.data), [1, 2, 3])
        with one_tensor(INT8, (1, 3), PER_SLICE[0], 5, 1) as model:
            self.assertEqual(model.inputs[0].zero_points, (5, 5, 5))

    def test_quantize(self):
        for dtype in (INT8, UINT8, INT16, INT32, INT64):
            tensor = tensor_of((dtype, 0.5, 3))
            low = 0 if dtype == UINT8 else -(1 << 8 * tensor.nbytes // 3 - 1)
            high = low + (1 << 8 * tensor.nbytes // 3) - 1
            for x, q in ((0, 3), (True, 5), (0.25, 4), (-0.25, 2), (-1e30, low), (1e30, high)):
                self.assertEqual(tensor.quantize(x), q)
            for q in (0, 3, 100):
                self.assertEqual(tensor.dequantize(q), (q - 3) / 2)
            for beyond in (low - 1, high + 1, 2**70, -(2**70)):
                with self.assertRaises(ValueError):
                    tensor.dequantize(beyond)
            for x in (NAN, INF, -INF):
                with self.assertRaises(ValueError):
                    tensor.quantize(x)
            for x in ("1", None, [1], b"1"):
                with self.assertRaises(TypeError):
                    tensor.quantize(x)
                with self.assertRaises(TypeError):
                    tensor.dequantize(x)
            with self.assertRaises(TypeError):
                tensor.dequantize(1.0)
        for kind in PLAIN + MEANINGLESS + [(INT8,) + PER_SLICE]:
            tensor = tensor_of(kind)
            for function in (tensor.quantize, tensor.dequantize):
                with self.assertRaises(TypeError):
                    function(1)


class TestHeapLock(unittest.TestCase):
    def test_nothing_is_allocated(self):
        n = 9216
        with one_tensor(INT8, (1, 96, 96, 1), 0.5, -1) as model:
            tensor, source = model.inputs[0], one_tensor(INT8, (n,), 0.25).inputs[0]
            pixels, floats, mul = bytes(n), array("f", range(n)), array("f", [2])
            target, calls = array("f", floats), 0
            micropython.heap_lock()
            try:
                tensor.write(pixels, mul=0.5, add=1)
                tensor.write(pixels, mul=mul, add=mul)
                tensor.write(floats)
                tensor.write(source)
                tensor.write_raw(pixels)
                tensor.write_image(pixels, 96, 96)
                tensor.read_into(target)
                model.invoke()
                calls = tensor.argmax() + tensor.quantize(3)
            finally:
                micropython.heap_unlock()
            self.assertEqual(calls, 5)
            self.assertEqual(target[0], (-128 + 1) / 2)


if __name__ == "__main__":
    unittest.main()
