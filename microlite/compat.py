# The names of tf.lite.Interpreter over Model, for scripts that come from a computer. There is no
# numpy: tensors are set from arrays and lists, nested or flat, and come as arrays, nested as their
# shape is, a number when there is none. dtypes are str.

from array import array as _array

from . import Model as _Model


# Appends the numbers of nested lists to a flat one.
def _flatten(value, flat):
    if isinstance(value, str):
        raise TypeError("numbers needed, not str")
    try:
        values = iter(value)
    except TypeError:
        flat.append(value)
        return
    for value in values:
        _flatten(value, flat)


def _nest(values, shape):
    if not shape:
        return values[0]
    if len(shape) == 1:
        return values
    step = len(values) // shape[0] if shape[0] else 0
    return [_nest(values[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


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

    def resize_tensor_input(self, input_index, tensor_size, strict=False):
        shape = self._tensors[input_index].shape
        if tuple(tensor_size) != shape:
            raise ValueError("shapes are fixed here: input %d is %s" % (input_index, shape))

    # The numbers themselves, as they stand in the model.
    def set_tensor(self, tensor_index, value):
        tensor = self._tensors[tensor_index]
        try:
            tensor.write_raw(value)
            return
        except TypeError:  # no buffer, or of another type
            flat = []
            _flatten(value, flat)
        numbers = _array(tensor.typecode, [0] * len(flat))
        for i, number in enumerate(flat):
            numbers[i] = number
            if numbers[i] != number and tensor.typecode != "f":
                raise ValueError("input %d: %s is no %s" % (tensor.index, number, tensor.dtype))
        tensor.write_raw(numbers)

    def get_tensor(self, tensor_index):
        tensor = self._tensors[tensor_index]
        return _nest(_array(tensor.typecode, tensor.data), tensor.shape)

    # Returns a function, as tf.lite does, that returns the numbers in place, flat.
    def tensor(self, tensor_index):
        return lambda: self._tensors[tensor_index].data

    def invoke(self):
        self.model.invoke()

    def reset_all_variables(self):
        self.model.reset()
