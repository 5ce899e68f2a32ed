# Models of one transposed convolution or one product of matrices, of any size.

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import tflite

from builder import Array, Tensor, activation, constant
from goldens import DTYPES
from one_op import Case, bias_for, by_formula, ints, number, one_op, random, real

SAME, VALID = tflite.Padding.SAME, tflite.Padding.VALID
IN_SCALE = 0.05


# --- transposed convolution ---


@dataclass(frozen=True)
class Layer:
    image: tuple[int, int, int, int]  # of the input
    filter: tuple[int, int]
    channels: int
    stride: tuple[int, int] = (1, 1)
    padding: int = SAME
    more: tuple[int, int] = (0, 0)  # what the output has beyond its least size
    dtype: str = "int8"
    in_zero: int = 0
    out_zero: int = 0
    per_channel: bool = True
    bias: str | None = "int32"  # its type where it is an integer; None: there is none
    absent: bool = False  # where there is none, index -1 stands for it
    computed: bool = False  # the shape is an input of the model
    gain: float = 1.0  # of the outputs

    @property
    def out_shape(self) -> list[int]:
        least = self.filter if self.padding == VALID else (1, 1)
        sides = [(self.image[i + 1] - 1) * self.stride[i] + least[i] for i in (0, 1)]
        return [self.image[0], *(sides[i] + self.more[i] for i in (0, 1)), self.channels]

    @property
    def pads(self) -> list[int]:
        if self.padding == VALID:
            return [0, 0]
        reach = [(self.image[i + 1] - 1) * self.stride[i] + self.filter[i] for i in (0, 1)]
        return [max(0, reach[i] - self.out_shape[i + 1]) // 2 for i in (0, 1)]


def _weights(layer: Layer) -> Tensor:
    shape = [layer.channels, *layer.filter, layer.image[3]]
    kind = "float32" if layer.dtype == "float32" else "int8"
    values = random(layer.channels + layer.image[3], shape, kind)
    if kind == "float32":
        return constant(values)
    n = layer.channels if layer.per_channel else 1
    return constant(values, np.random.default_rng(n).uniform(0.01, 0.03, n).tolist())


def _stored(tensor: Tensor) -> Array:
    """The real values of a constant, with scales along its first dimension."""
    assert tensor.data is not None
    values = np.frombuffer(tensor.data, DTYPES[tensor.type]).reshape(tensor.shape)
    scales = tensor.quantization.scales if tensor.quantization else [1.0]
    each = np.array(scales, np.float32).astype(np.float64)
    return values * each.reshape(-1, *[1] * (values.ndim - 1))


def _formula(layer: Layer, weights: Tensor, bias: Tensor | None, out: Tensor, x: Array) -> Array:
    """In float64: every input adds its filter to the output, from which the edge is cut off."""
    _, height, width, _ = layer.image
    (top, left), (down, right) = layer.pads, layer.stride
    _, rows, columns, _ = layer.out_shape
    sums = np.zeros(
        (
            layer.image[0],
            max(top + rows, (height - 1) * down + layer.filter[0]),
            max(left + columns, (width - 1) * right + layer.filter[1]),
            layer.channels,
        )
    )
    w = _stored(weights)
    for j, i in np.ndindex(*layer.filter):
        part = sums[:, j::down, i::right]
        part[:, :height, :width] += x @ w[:, j, i].T
    inner = sums[:, top : top + rows, left : left + columns]
    return number(inner if bias is None else inner + _stored(bias), out)


def transpose_conv_case(name: str, layer: Layer) -> Case:
    quantised = layer.dtype != "float32"
    weights = _weights(layer)
    bias = bias_for(weights, layer.channels, layer.bias, IN_SCALE)
    taps = np.prod([-(-layer.filter[i] // layer.stride[i]) for i in (0, 1)])
    out_scale = float(IN_SCALE * (taps * layer.image[3]) ** 0.5 / layer.gain)
    if layer.dtype == "int16":
        out_scale /= 100
    x = activation(layer.image, layer.dtype, IN_SCALE if quantised else None, layer.in_zero)
    y = activation(layer.out_shape, layer.dtype, out_scale if quantised else None, layer.out_zero)
    shape = activation([4], "int32") if layer.computed else ints(*layer.out_shape)
    parts = [shape, weights, x, bias] if bias or layer.absent else [shape, weights, x]
    case = one_op(
        f"{layer.dtype}_{name}",
        "TRANSPOSE_CONV",
        parts,
        [y],
        "TransposeConvOptions",
        Padding=layer.padding,
        StrideH=layer.stride[0],
        StrideW=layer.stride[1],
        FusedActivationFunction=0,
    )
    # The other implementation takes all biases of int16 layers for int64, and crashes without one.
    if layer.dtype == "int16" and layer.bias != "int64":
        return by_formula(
            case,
            lambda inputs: [_formula(layer, weights, bias, y, real(inputs[-1], x))],
            step=1,
        )
    return case


def of_each_type(name: str, layer: Layer) -> Iterator[Case]:
    symmetric = replace(layer, in_zero=0, out_zero=0)
    yield transpose_conv_case(name, layer)
    yield transpose_conv_case(name, replace(symmetric, dtype="float32"))
    yield transpose_conv_case(name, replace(symmetric, dtype="int16", bias=layer.bias and "int64"))


def transpose_conv() -> Iterator[Case]:
    image = Layer((1, 3, 2, 5), (3, 3), 4, (2, 2), in_zero=3, out_zero=-5)
    yield from of_each_type("same", replace(image, more=(1, 1)))
    yield from of_each_type("valid", replace(image, padding=VALID))
    without = replace(image, bias=None, per_channel=False)
    yield from of_each_type("no_bias", without)
    yield from of_each_type("absent", replace(without, absent=True))
    yield transpose_conv_case("int32_bias", replace(image, dtype="int16", in_zero=0, out_zero=0))
    yield from of_each_type("computed", replace(image, computed=True))


# --- products of matrices ---


def transposed(shape: list[int]) -> list[int]:
    return [*shape[:-2], shape[-1], shape[-2]]


@dataclass(frozen=True)
class Product:
    a: list[int]  # shapes before adjoining
    b: list[int]
    dtype: str = "int8"
    adj_x: bool = False
    adj_y: bool = False
    stored: bool = False  # b is a constant
    zeros: tuple[int, int, int] = (0, 0, 0)  # of both inputs and the output
    gain: float = 1.0  # of the outputs

    @property
    def out(self) -> list[int]:
        batches = np.broadcast_shapes(tuple(self.a[:-2]), tuple(self.b[:-2]))
        return [*batches, self.a[-2], self.b[-1]]


def batch_matmul_case(name: str, product: Product) -> Case:
    dtype = product.dtype
    out_scale = 0.05 * 0.02 * {"int16": 1000}.get(dtype, 60) * product.a[-1] ** 0.5
    scales = 0.05, 0.02, out_scale / product.gain

    def tensor(shape: list[int], place: int) -> Tensor:
        scale = None if dtype == "float32" else scales[place]
        return activation(shape, dtype, scale, product.zeros[place])

    a = tensor(transposed(product.a) if product.adj_x else product.a, 0)
    b = tensor(transposed(product.b) if product.adj_y else product.b, 1)
    if product.stored:
        b.data = random(product.b[-1], b.shape, dtype).tobytes()
    return one_op(
        f"{dtype}_{name}",
        "BATCH_MATMUL",
        [a, b],
        [tensor(product.out, 2)],
        "BatchMatMulOptions",
        AdjX=product.adj_x,
        AdjY=product.adj_y,
    )


TYPES = "float32", "int8", "int16"


def zeros_of(dtype: str, *zeros: int) -> tuple[int, int, int]:
    return (zeros[0], zeros[1], zeros[2]) if dtype == "int8" else (0, 0, 0)


def batch_matmul() -> Iterator[Case]:
    for dtype in TYPES:
        zeros = zeros_of(dtype, 3, -7, 10)
        plain = Product([3, 4], [4, 2], dtype, zeros=zeros)
        yield batch_matmul_case("2", plain)
        yield batch_matmul_case("stored", replace(plain, stored=True))
        yield batch_matmul_case("adj", replace(plain, adj_x=True, adj_y=True))
        yield batch_matmul_case("4", Product([2, 1, 3, 5], [3, 5, 4], dtype, False, True))
        yield batch_matmul_case("5", Product([2, 1, 2, 2, 3], [3, 1, 3, 2], dtype, True))


FAMILIES: list[Callable[[], Iterator[Case]]] = [transpose_conv, batch_matmul]
