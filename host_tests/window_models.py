# Models of one convolution or depthwise convolution, of any size.

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import tflite

from builder import Array, Tensor, activation, constant
from goldens import DTYPES
from one_op import (
    NONE,
    RELU,
    RELU6,
    RELU_N1,
    Case,
    bias_for,
    by_formula,
    number,
    one_op,
    random,
    real,
)

SAME, VALID = tflite.Padding.SAME, tflite.Padding.VALID
LIMITS = {NONE: (-np.inf, np.inf), RELU: (0, np.inf), RELU6: (0, 6), RELU_N1: (-1, 1)}
IN_SCALE = 0.05


@dataclass(frozen=True)
class Window:
    """A layer. multiplier > 0: depthwise, with so many channels for each of the input."""

    image: tuple[int, int, int, int]
    filter: tuple[int, int]
    channels: int = 1
    multiplier: int = 0
    groups: int = 1
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    padding: int = SAME
    function: int = NONE
    dtype: str = "int8"
    in_zero: int = 0
    out_zero: int = 0
    per_channel: bool = True
    bias: str | None = "int32"  # its type where it is an integer; None: there is none
    absent: bool = False  # where there is none, index -1 stands for it
    gain: float = 1.0  # of the outputs

    @property
    def out_channels(self) -> int:
        return self.image[3] * self.multiplier if self.multiplier else self.channels

    @property
    def reach(self) -> list[int]:
        return [(self.filter[i] - 1) * self.dilation[i] + 1 for i in (0, 1)]

    @property
    def out_size(self) -> list[int]:
        lost = self.reach if self.padding == VALID else [1, 1]
        return [(self.image[i + 1] - lost[i]) // self.stride[i] + 1 for i in (0, 1)]

    @property
    def depth(self) -> int:
        """Products in a sum."""
        each = 1 if self.multiplier else self.image[3] // self.groups
        return each * self.filter[0] * self.filter[1]


def _weights(window: Window) -> Tensor:
    n = window.out_channels
    if window.multiplier:
        shape, axis = [1, *window.filter, n], 3
    else:
        shape, axis = [n, *window.filter, window.image[3] // window.groups], 0
    kind = "int8" if window.dtype == "int16" else window.dtype
    values = random(n + window.depth, shape, kind)
    if kind == "float32":
        return constant(values)
    scales = np.random.default_rng(n).uniform(0.01, 0.03, n if window.per_channel else 1)
    return constant(values, scales.tolist(), 119 if kind == "uint8" else 0, axis)


def _formula(window: Window, weights: Tensor, bias: Tensor | None, out: Tensor, x: Array) -> Array:
    """In float64, for one scale."""
    assert weights.data is not None
    w = np.frombuffer(weights.data, DTYPES[weights.type]).reshape(weights.shape)
    w = real(w, weights)
    pads = [
        max(0, (window.out_size[i] - 1) * window.stride[i] + window.reach[i] - window.image[i + 1])
        for i in (0, 1)
    ]
    if window.padding == VALID:
        pads = [0, 0]
    sides = [(pads[i] // 2, pads[i] + window.reach[i]) for i in (0, 1)]
    padded = np.pad(x, [(0, 0), *sides, (0, 0)])
    (kh, kw), (height, width) = window.filter, window.out_size
    sums = np.zeros(out.shape)
    for j, i in np.ndindex(kh, kw):
        top, left = j * window.dilation[0], i * window.dilation[1]
        part = padded[:, top :: window.stride[0], left :: window.stride[1]][:, :height, :width]
        if window.multiplier:
            sums += np.repeat(part, window.multiplier, axis=3) * w[0, j, i]
        else:
            sums += part @ w[:, j, i].T
    if bias is not None and bias.data is not None:
        sums += real(np.frombuffer(bias.data, DTYPES[bias.type]), bias)
    return number(np.clip(sums, *LIMITS[window.function]), out)


def window_case(name: str, window: Window) -> Case:
    quantised = window.dtype != "float32"
    weights = _weights(window)
    bias = bias_for(weights, window.out_channels, window.bias, IN_SCALE)
    out_scale = float(IN_SCALE * window.depth**0.5 / window.gain)
    if window.dtype == "int16":
        out_scale /= 100
    x = activation(window.image, window.dtype, IN_SCALE if quantised else None, window.in_zero)
    y = activation(
        [window.image[0], *window.out_size, window.out_channels],
        window.dtype,
        out_scale if quantised else None,
        window.out_zero,
    )
    values: dict[str, object] = {
        "Padding": window.padding,
        "StrideH": window.stride[0],
        "StrideW": window.stride[1],
        "DilationHFactor": window.dilation[0],
        "DilationWFactor": window.dilation[1],
        "FusedActivationFunction": window.function,
    }
    if window.multiplier:
        values["DepthMultiplier"] = window.multiplier
    op, options = (
        ("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions")
        if window.multiplier
        else ("CONV_2D", "Conv2DOptions")
    )
    parts = [x, weights, bias] if bias or window.absent else [x, weights]
    case = one_op(f"{window.dtype}_{name}", op, parts, [y], options, **values)
    # The other implementation has no uint8, and crashes without a bias of depthwise layers.
    if window.dtype == "uint8" or (window.absent and window.multiplier):
        return by_formula(
            case, lambda inputs: [_formula(window, weights, bias, y, real(inputs[0], x))], step=1
        )
    return case


def of_each_type(name: str, window: Window) -> list[Case]:
    symmetric = replace(window, in_zero=0, out_zero=0)
    return [
        window_case(name, window),
        window_case(name, replace(symmetric, dtype="float32")),
        window_case(
            name, replace(window, dtype="uint8", in_zero=3, out_zero=250, per_channel=False)
        ),
        window_case(name, replace(symmetric, dtype="int16", bias=window.bias and "int64")),
    ]


def scaling(base: Window) -> Iterator[Case]:
    """Activation functions, biases and scales of any window."""
    for function in NONE, RELU, RELU6, RELU_N1:
        yield from of_each_type(f"function_{function}", replace(base, function=function))
    without = replace(base, bias=None, per_channel=False)
    yield from of_each_type("no_bias", without)
    yield from of_each_type("absent_bias", replace(without, absent=True))
    yield window_case("one_scale", replace(base, per_channel=False))
    for gain in 1e-6, 1e-3, 30, 100, 1000:
        yield window_case(f"gain_{gain}", replace(base, gain=gain))
