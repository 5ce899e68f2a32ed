# TRANSPOSE_CONV: filters smaller and larger than the stride, over every edge, channel counts, zero
# points at both ends, scales far apart.

from collections.abc import Iterator
from dataclasses import replace

from matmul_models import SAME, VALID, Layer, of_each_type, transpose_conv_case
from one_op import Case

CHANNELS = 1, 2, 3, 4, 5, 7, 8, 255, 257, 1001, 1280
ZERO_POINTS = -128, 0, 127


def channels() -> Iterator[Case]:
    """Of the output and of the input."""
    for n in CHANNELS:
        yield transpose_conv_case(f"out_{n}", Layer((1, 2, 2, 3), (2, 3), n, (2, 2)))
        yield transpose_conv_case(f"in_{n}", Layer((1, 2, 2, n), (3, 2), 2, (2, 1), in_zero=-128))
    for n in 1, 5, 257:
        yield from of_each_type(f"both_{n}", Layer((1, 2, 3, n), (2, 2), n, (2, 2)))


def windows() -> Iterator[Case]:
    """All outputs that convolution makes inputs of this size from."""
    for size in 1, 2, 3, 4, 5:
        for stride in 1, 2, 3, 4:
            for padding in SAME, VALID:
                for more in {0, 1 % stride, stride - 1}:
                    layer = Layer(
                        (2, 3, 4, 2),
                        (size, 6 - size),
                        3,
                        (stride, 1 + stride % 3),
                        padding,
                        (more, 0),
                        out_zero=-9,
                    )
                    yield from of_each_type(f"{size}_{stride}_{padding}_{more}", layer)
    yield from of_each_type("large", Layer((1, 2, 1, 2), (9, 11), 2, (2, 1)))
    yield from of_each_type("row", Layer((1, 1, 17, 3), (1, 8), 5, (1, 4), more=(0, 3)))
    yield from of_each_type("pixel", Layer((3, 1, 1, 6), (4, 4), 2, (4, 4), VALID))


def scaling() -> Iterator[Case]:
    base = Layer((1, 3, 3, 9), (3, 3), 5, (2, 2), VALID)
    for in_zero in ZERO_POINTS:
        for out_zero in ZERO_POINTS:
            layer = replace(base, in_zero=in_zero, out_zero=out_zero)
            yield transpose_conv_case(f"zero_{in_zero}_{out_zero}", layer)
    without = replace(base, bias=None, per_channel=False)
    yield from of_each_type("no_bias", without)
    yield from of_each_type("absent_bias", replace(without, absent=True))
    yield from of_each_type("one_scale", replace(base, per_channel=False))
    yield from of_each_type("computed_shape", replace(base, computed=True))
    yield transpose_conv_case("bias_int32", replace(base, dtype="int16"))
    for gain in 1e-6, 1e-3, 30, 100, 1000:
        yield transpose_conv_case(f"gain_{gain}", replace(base, gain=gain))
    for gain in 1e-6, 1e-3, 0.1, 5:
        wide = replace(base, dtype="int16", bias="int64", gain=gain)
        yield transpose_conv_case(f"gain_{gain}", wide)


def cases() -> Iterator[Case]:
    yield from channels()
    yield from windows()
    yield from scaling()
