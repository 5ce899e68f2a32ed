# Models of one layer with weights, or of pooling.

from collections.abc import Callable, Iterator
from dataclasses import replace

from builder import constant
from one_op import EIGHT_BITS, NONE, RELU, RELU6, Case, act, bias, one_op, random, weights
from window_models import SAME, VALID, Window, of_each_type, window_case


def conv_2d() -> Iterator[Case]:
    image = Window((1, 5, 5, 3), (3, 3), 8)
    yield from of_each_type("same", replace(image, stride=(2, 2), function=RELU))
    two = replace(image, padding=VALID, bias=None, per_channel=False)
    yield from of_each_type("two", two)
    yield from of_each_type("absent", replace(two, absent=True))
    dilated = Window((1, 7, 7, 2), (3, 3), 3, dilation=(2, 2), function=RELU6, out_zero=-100)
    yield from of_each_type("dilated", dilated)
    yield window_case("int32_bias", replace(image, dtype="int16"))
    yield window_case("groups", Window((1, 4, 4, 6), (3, 2), 4, groups=2))


def depthwise_conv_2d() -> Iterator[Case]:
    image = Window((1, 6, 6, 3), (3, 3), multiplier=2)
    yield from of_each_type("same", replace(image, stride=(2, 2), function=RELU6))
    two = replace(image, padding=VALID, bias=None, per_channel=False)
    yield from of_each_type("two", two)
    yield from of_each_type("absent", replace(two, absent=True))
    dilated = Window((1, 7, 7, 5), (3, 3), multiplier=1, dilation=(2, 2), function=RELU)
    yield from of_each_type("dilated", dilated)
    yield from of_each_type("one_to_8", Window((1, 9, 7, 1), (5, 4), multiplier=8))


def pool_2d() -> Iterator[Case]:
    for dtype in *EIGHT_BITS, "int16":
        for op in "AVERAGE_POOL_2D", "MAX_POOL_2D":
            for padding, size in (SAME, 3), (VALID, 2):
                yield one_op(
                    f"{dtype}_{padding}",
                    op,
                    [act([1, 5, 6, 3], dtype)],
                    [act([1, size, 3, 3], dtype)],
                    "Pool2DOptions",
                    FilterHeight=3,
                    FilterWidth=2,
                    FusedActivationFunction=RELU,
                    Padding=padding,
                    StrideH=2,
                    StrideW=2,
                )


def fully_connected() -> Iterator[Case]:
    for dtype in *EIGHT_BITS, "int16":
        shapes_of = {
            "2": ([2, 12], [2, 7]),
            "4": ([1, 2, 2, 6], [2, 7]),
            "3": ([1, 3, 5], [1, 3, 6]),
        }
        for shapes, (a, b) in shapes_of.items():
            depth, channels = (5, 6) if shapes == "3" else (12, 7)
            each = channels if dtype in ("int8", "int16") and shapes == "4" else 0
            kind = "int8" if dtype == "int16" else dtype
            offsets = bias(2, channels, dtype)
            if dtype == "int16":
                offsets = constant(random(2, [channels], "int64"), 0.05 * 0.02)
            parts = [act(a, dtype), weights(1, [channels, depth], kind, each), offsets]
            yield one_op(
                f"{dtype}_{shapes}",
                "FULLY_CONNECTED",
                parts,
                [act(b, dtype, 0.3)],
                "FullyConnectedOptions",
                FusedActivationFunction=NONE,
            )
            yield one_op(
                f"{dtype}_{shapes}_absent",
                "FULLY_CONNECTED",
                [*parts[:2], None],
                [act(b, dtype, 0.3)],
                "FullyConnectedOptions",
                FusedActivationFunction=RELU,
            )
    parts = [act([1, 2, 6], "float32"), weights(1, [7, 6], "float32"), bias(2, 7, "float32")]
    yield one_op(
        "keep_num_dims",
        "FULLY_CONNECTED",
        parts,
        [act([1, 2, 7], "float32")],
        "FullyConnectedOptions",
        KeepNumDims=True,
    )


FAMILIES: list[Callable[[], Iterator[Case]]] = [
    conv_2d,
    depthwise_conv_2d,
    pool_2d,
    fully_connected,
]
