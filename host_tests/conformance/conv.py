# CONV_2D: sizes around every step of the loops, windows over every edge of the image, zero points
# at both ends, every fused activation.

from collections.abc import Iterator
from dataclasses import replace

from one_op import NONE, RELU, RELU6, RELU_N1, Case
from window_models import SAME, VALID, Window, of_each_type, scaling, window_case

CHANNELS = [*range(1, 41), 255, 257, 1001, 1280]
ZERO_POINTS = -128, 0, 127


def channels() -> Iterator[Case]:
    """Of the output and of the input, for windows of one pixel."""
    for n in CHANNELS:
        yield window_case(f"out_{n}", Window((1, 3, 3, 5), (1, 1), n))
        yield window_case(f"in_{n}", Window((1, 2, 3, n), (1, 1), 3, in_zero=-128))
    for n in range(250, 261):
        yield window_case(f"both_{n}", Window((1, 1, n % 5 + 1, n), (1, 1), n))


WINDOWS = {
    "3x3": Window((1, 7, 8, 3), (3, 3), 4),
    "3x3_one_channel": Window((2, 8, 7, 1), (3, 3), 5, stride=(2, 2)),
    "3x3_many": Window((1, 4, 5, 17), (3, 3), 9),
    "5x5": Window((1, 9, 6, 2), (5, 5), 3),
    "10x4": Window((1, 25, 5, 1), (10, 4), 7, stride=(2, 2)),
    "1x8": Window((1, 1, 23, 6), (1, 8), 5),
    "8x1": Window((1, 23, 1, 6), (8, 1), 5, stride=(2, 1)),
    "1x3_wide": Window((2, 3, 10, 4), (1, 3), 6, stride=(1, 3)),
    "beyond": Window((1, 2, 2, 3), (5, 5), 2),
    "1x1_apart": Window((1, 7, 5, 4), (1, 1), 8, stride=(2, 3)),
    "groups": Window((1, 5, 5, 6), (3, 3), 9, groups=3),
    "groups_1x1": Window((1, 5, 3, 8), (1, 1), 4, groups=2),
}


def windows() -> Iterator[Case]:
    for name, window in WINDOWS.items():
        for padding in SAME, VALID:
            padded = replace(window, padding=padding, out_zero=-3)
            if min(padded.out_size) >= 1:
                known = of_each_type(f"{name}_{padding}", padded)
                yield from (known if window.groups == 1 else known[:2])
    for stride in 1, 2, 3:
        for dilation in 1, 2, 3:
            for padding in SAME, VALID:
                window = Window((1, 9, 11, 3), (3, 3), 3, 0, 1, (stride, stride))
                window = replace(window, dilation=(dilation, 4 - dilation), padding=padding)
                yield from of_each_type(f"stride_{stride}_{dilation}_{padding}", window)


def numbers() -> Iterator[Case]:
    base = Window((1, 4, 4, 6), (3, 3), 5)
    for in_zero in ZERO_POINTS:
        for out_zero in ZERO_POINTS:
            for function in NONE, RELU, RELU6, RELU_N1:
                window = replace(base, in_zero=in_zero, out_zero=out_zero, function=function)
                yield window_case(f"zero_{in_zero}_{out_zero}_{function}", window)
    yield from scaling(base)
    yield window_case("bias_int32", replace(base, dtype="int16"))


def cases() -> Iterator[Case]:
    yield from channels()
    yield from windows()
    yield from numbers()
