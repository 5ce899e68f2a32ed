# Shapes and parameters drawn by hypothesis: any way to broadcast, any geometry of windows.

import numpy as np
from hypothesis import strategies as st

from builder import Tensor, activation
from one_op import NONE, RELU, RELU6, RELU_N1, Case, bias, one_op, random, weights
from window_models import SAME, VALID

MAX_RANK = 5
ACTIVATIONS = [NONE, RELU, RELU_N1, RELU6]

sizes = st.integers(1, 5)
seeds = st.integers(0, 1 << 16)
zero_points = st.sampled_from([-128, 127]) | st.integers(-128, 127)
scales = st.integers(10, 200).map(lambda n: n / 1000)


def _tensor(draw: st.DrawFn, shape: list[int], dtype: str, scale: float) -> Tensor:
    if dtype == "int8":
        return activation(shape, dtype, scale, draw(zero_points))
    return activation(shape, dtype)


# --- two inputs ---


@st.composite
def broadcasts(draw: st.DrawFn) -> Case:
    op = draw(st.sampled_from(["ADD", "SUB", "MUL"]))
    dtype = draw(st.sampled_from(["float32", "int8"]))
    out = draw(st.lists(sizes, min_size=1, max_size=MAX_RANK))
    shorter = draw(st.integers(0, len(out) - 1))
    full, other = list(out), out[shorter:]
    for shape in full, other:
        for i in range(len(shape)):
            if draw(st.booleans()) and draw(st.booleans()):
                shape[i] = 1
    shape = list(np.broadcast_shapes(tuple(full), tuple(other)))
    parts = [_tensor(draw, part, dtype, draw(scales)) for part in (full, other)]
    if draw(st.booleans()):
        parts.reverse()
    if draw(st.booleans()):
        values = random(draw(seeds), parts[1].shape, dtype)
        parts[1].data = values.tobytes()
    return one_op(
        "drawn",
        op,
        parts,
        [_tensor(draw, shape, dtype, draw(scales))],
        f"{op.capitalize()}Options",
        FusedActivationFunction=draw(st.sampled_from(ACTIVATIONS)),
    )


# --- windows ---


def _out_size(size: int, window: int, stride: int, dilation: int, padding: int) -> int:
    covered = 1 if padding == SAME else (window - 1) * dilation + 1
    return (size - covered) // stride + 1


@st.composite
def windows(draw: st.DrawFn) -> Case:
    dtype = draw(st.sampled_from(["float32", "int8"]))
    depthwise = draw(st.booleans())
    padding = draw(st.sampled_from([SAME, VALID]))
    window = [draw(sizes), draw(sizes)]
    dilation = [draw(st.integers(1, 3)), draw(st.integers(1, 3))]
    stride = [draw(st.integers(1, 3)), draw(st.integers(1, 3))]
    least = [
        1 if padding == SAME else (w - 1) * d + 1 for w, d in zip(window, dilation, strict=True)
    ]
    image = [low + draw(st.integers(0, 6)) for low in least]
    depth, multiplier = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    channels = depth * multiplier if depthwise else multiplier
    batches = draw(st.integers(1, 2))
    sides = [_out_size(*of, padding) for of in zip(image, window, stride, dilation, strict=True)]
    seed = draw(seeds)
    shape = [1, *window, channels] if depthwise else [channels, *window, depth]
    per_channel = channels if dtype == "int8" and draw(st.booleans()) else 0
    kernel = weights(seed, shape, dtype, per_channel, 3 if depthwise else 0)
    values = {"DepthMultiplier": multiplier} if depthwise else {}
    return one_op(
        "drawn",
        "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D",
        [
            _tensor(draw, [batches, *image, depth], dtype, 0.05),
            kernel,
            bias(seed, channels, dtype),
        ],
        [_tensor(draw, [batches, *sides, channels], dtype, draw(scales))],
        "DepthwiseConv2DOptions" if depthwise else "Conv2DOptions",
        Padding=padding,
        StrideH=stride[0],
        StrideW=stride[1],
        DilationHFactor=dilation[0],
        DilationWFactor=dilation[1],
        FusedActivationFunction=draw(st.sampled_from(ACTIVATIONS)),
        **values,
    )


def strategies() -> list[st.SearchStrategy[Case]]:
    return [broadcasts(), windows()]
