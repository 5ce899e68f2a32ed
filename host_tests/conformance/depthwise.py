# DEPTHWISE_CONV_2D: sizes around every step of the loops, windows over every edge of the image,
# zero points at both ends, every fused activation.

from collections.abc import Iterator
from dataclasses import replace

from one_op import NONE, RELU, RELU6, RELU_N1, Case
from window_models import SAME, VALID, Window, of_each_type, scaling, window_case

CHANNELS = [*range(1, 41), *range(250, 261), 1001, 1280]
ZERO_POINTS = -128, 0, 127


def channels() -> Iterator[Case]:
    for n in CHANNELS:
        yield window_case(f"channels_{n}", Window((1, 4, 3, n), (3, 3), multiplier=1))
        if n <= 257:
            yield window_case(f"one_to_{n}", Window((1, 4, 5, 1), (3, 3), multiplier=n))
    for n in 2, 3, 5, 8:
        for multiplier in 2, 3, 8:
            window = Window((1, 5, 4, n), (3, 3), multiplier=multiplier, in_zero=-128)
            yield window_case(f"multiplied_{n}_{multiplier}", window)


WINDOWS = {
    "3x3": Window((1, 7, 8, 4), (3, 3)),
    "3x3_odd": Window((2, 5, 7, 5), (3, 3)),
    "3x3_narrow": Window((1, 6, 1, 9), (3, 3)),
    "3x3_low": Window((1, 1, 6, 6), (3, 3)),
    "3x3_larger": Window((1, 2, 2, 8), (3, 3)),
    "5x5": Window((1, 9, 8, 6), (5, 5)),
    "5x5_larger": Window((1, 3, 3, 4), (5, 5)),
    "1x1": Window((1, 4, 5, 7), (1, 1)),
    "1x7": Window((1, 1, 20, 4), (1, 7)),
    "7x1": Window((2, 20, 1, 3), (7, 1)),
    "10x8": Window((1, 21, 10, 1), (10, 8), multiplier=8),
    "3x3_one": Window((1, 9, 9, 1), (3, 3)),
}


def windows() -> Iterator[Case]:
    for name, window in WINDOWS.items():
        for stride in (1, 1), (2, 2):
            for padding in SAME, VALID:
                padded = replace(
                    window,
                    multiplier=window.multiplier or 1,
                    padding=padding,
                    stride=stride,
                    out_zero=-3,
                )
                if min(padded.out_size) >= 1:
                    yield from of_each_type(f"{name}_{stride[0]}_{padding}", padded)
    for step in 1, 2, 3:
        for dilation in 1, 2, 3:
            for padding in SAME, VALID:
                dilated = Window((1, 9, 11, 5), (3, 3), 1, 1, 1, (step, step))
                dilated = replace(dilated, dilation=(dilation, 4 - dilation), padding=padding)
                yield from of_each_type(f"stride_{step}_{dilation}_{padding}", dilated)
    yield window_case(
        "strides", Window((1, 9, 11, 5), (3, 3), multiplier=1, stride=(1, 2), in_zero=-128)
    )


def numbers() -> Iterator[Case]:
    for multiplier in 1, 3:
        base = Window((1, 4, 4, 6), (3, 3), multiplier=multiplier)
        for in_zero in ZERO_POINTS:
            for out_zero in ZERO_POINTS:
                for function in NONE, RELU, RELU6, RELU_N1:
                    window = replace(base, in_zero=in_zero, out_zero=out_zero, function=function)
                    name = f"zero_{multiplier}_{in_zero}_{out_zero}_{function}"
                    yield window_case(name, window)
    base = Window((1, 4, 4, 6), (3, 3), multiplier=1)
    yield from scaling(base)


def cases() -> Iterator[Case]:
    yield from channels()
    yield from windows()
    yield from numbers()
