# The names of tf.lite.Interpreter over Model, for scripts that come from a computer. There is no
# numpy: tensors are set from arrays and lists, nested or flat, and come as arrays, nested as their
# shape is, a number when there is none. dtypes are str.

from array import array as _array

from . import Model as _Model
from . import _made, _wrong_type


# Of an input: outputs are not set.
def _refuse(error, tensor, text):
    raise error("input %d (%s): %s" % (tensor.index, tensor.name, text))


# Appends the numbers of nested lists to a flat one.
def _flatten(value, flat):
    if isinstance(value, str):
        _wrong_type("value", "numbers", value)
    try:
        values = iter(value)
    except TypeError:
        flat.append(value)
        return
    for value in values:
        _flatten(value, flat)


def _nest(view, typecode, shape):
    if not shape:
        return view[0]
    if len(shape) == 1:
        return _array(typecode, view)
    step = len(view) // shape[0] if shape[0] else 0
    return [_nest(view[i * step : (i + 1) * step], typecode, shape[1:]) for i in range(shape[0])]


class Interpreter:
    def __init__(self, model_path=None, model_content=None, **ignored):
        if (model_path is None) == (model_content is None):
            raise ValueError("either model_path or model_content is needed")
        self.model = _Model(model_content if model_path is None else model_path, keep_inputs=True)
        self._tensors = self.model.inputs + self.model.outputs

    def allocate_tensors(self):
        pass

    def _details(self, tensors, first):
        return [
            {
                "name": t.name,
                "index": first + t.index,
                "shape": t.shape,
                "dtype": t.dtype,
                "quantization": (0.0, 0) if t.scale is None else (t.scale, t.zero_point),
                "quantization_parameters": {
                    "scales": t.scales,
                    "zero_points": t.zero_points,
                    "quantized_dimension": t.quantized_dimension,
                },
            }
            for t in tensors
        ]

    def get_input_details(self):
        return self._details(self.model.inputs, 0)

    def get_output_details(self):
        return self._details(self.model.outputs, len(self.model.inputs))

    def _tensor(self, index):
        if not isinstance(index, int):
            _wrong_type("tensor index", "int", index)
        n = len(self._tensors)
        if not 0 <= index < n:
            raise IndexError("tensor index %d, the model has 0 to %d" % (index, n - 1))
        return self._tensors[index]

    def resize_tensor_input(self, input_index, tensor_size, strict=False):
        tensor = self._tensor(input_index)
        if _made(tuple, "tensor_size", "shape", tensor_size) != tensor.shape:
            _refuse(ValueError, tensor, "the shape is fixed here: %s" % (tensor.shape,))

    # The numbers themselves, as they stand in the model.
    def set_tensor(self, tensor_index, value):
        tensor = self._tensor(tensor_index)
        if tensor_index >= len(self.model.inputs):
            tensor.write_raw(b"")  # raises: it is read-only
        if isinstance(value, _array):
            kind = repr(value[:0])
            if kind != repr(_array(tensor.typecode)):
                _refuse(TypeError, tensor, "array('%s') needed, not %s" % (tensor.typecode, kind))
        elif not isinstance(value, (bytes, bytearray, memoryview)):
            value = self._numbers(tensor, value)
        tensor.write_raw(value)

    def _numbers(self, tensor, value):
        flat = []
        _flatten(value, flat)
        numbers = _array(tensor.typecode, [0] * len(flat))
        for i, number in enumerate(flat):
            try:
                numbers[i] = number
            except OverflowError:  # as CPython has it
                pass
            except TypeError:
                kind = type(number).__name__
                _refuse(TypeError, tensor, "value %d is %s, %s needed" % (i, kind, tensor.dtype))
            if numbers[i] != number and tensor.typecode != "f":
                _refuse(ValueError, tensor, "value %d is %s, no %s" % (i, number, tensor.dtype))
        if len(flat) != tensor.size:
            _refuse(ValueError, tensor, "%d values needed, %d given" % (tensor.size, len(flat)))
        return numbers

    def get_tensor(self, tensor_index):
        tensor = self._tensor(tensor_index)
        try:
            if tensor.size:
                tensor[0]  # raises when there is no result
        except TypeError:  # there is, but without real values
            pass
        try:
            return _nest(tensor.data, tensor.typecode, tensor.shape)
        except MemoryError:
            raise MemoryError(
                "tensor %d (%s): no room for lists of shape %s; tensor(%d)() is a flat view"
                % (tensor_index, tensor.name, tensor.shape, tensor_index)
            )

    # Returns a function, as tf.lite does, that returns the numbers in place, flat.
    def tensor(self, tensor_index):
        tensor = self._tensor(tensor_index)
        return lambda: tensor.data

    def invoke(self):
        self.model.invoke()

    def reset_all_variables(self):
        self.model.reset()
