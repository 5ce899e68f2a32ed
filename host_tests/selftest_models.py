# The models that microlite.selftest() runs on a board: one for each of the main operators, with an
# input and what the oracle answers. As a script it writes microlite/_selftest_cases.py.

from pathlib import Path

import numpy as np
import tflite

from builder import Array, Tensor, activation, constant
from microlite_tools.golden import Oracle
from one_op import Case, one_op

TARGET = Path(__file__).resolve().parent.parent / "microlite/_selftest_cases.py"
HEAD = """\
# Made by host_tests/selftest_models.py. Of each operator its name, a model, an input and the
# output it must give.

# fmt: off
CASES = (
"""
BYTES_PER_LINE = 22
SEED = 20


def layers(rng: np.random.Generator) -> list[Case]:
    def image(channels: int, size: int = 4) -> Tensor:
        return activation([1, size, size, channels], "int8", 0.05, -3)

    def weights(*shape: int, scales: int = 1, dimension: int = 0) -> Tensor:
        values = rng.integers(-127, 128, shape).astype(np.int8)
        return constant(values, [0.01 + 0.002 * i for i in range(scales)], 0, dimension)

    def bias(n: int, scales: int = 1) -> Tensor:
        values = rng.integers(-2000, 2000, n).astype(np.int32)
        return constant(values, [0.05 * (0.01 + 0.002 * i) for i in range(scales)])

    steps = {"StrideW": 1, "StrideH": 1}
    dense = {"Padding": tflite.Padding.SAME, "DilationWFactor": 1, "DilationHFactor": 1, **steps}
    window = {"FilterWidth": 2, "FilterHeight": 2, "Padding": tflite.Padding.VALID, **steps}
    return [
        one_op(
            *("", "CONV_2D"),
            [image(5), weights(2, 2, 2, 5, scales=2), bias(2, 2)],
            *([activation([1, 4, 4, 2], "int8", 0.1, 5)], "Conv2DOptions"),
            **dense,
        ),
        one_op(
            *("", "DEPTHWISE_CONV_2D"),
            [image(5), weights(1, 3, 3, 5, scales=5, dimension=3), bias(5, 5)],
            *([activation([1, 4, 4, 5], "int8", 0.1, 5)], "DepthwiseConv2DOptions"),
            **{**dense, "DepthMultiplier": 1},
        ),
        one_op(
            *("", "FULLY_CONNECTED"),
            [activation([1, 22], "int8", 0.05, -3), weights(3, 22), bias(3)],
            *([activation([1, 3], "int8", 0.1, 5)], "FullyConnectedOptions"),
        ),
        one_op(
            *("", "AVERAGE_POOL_2D", [image(5, 3)]),
            *([activation([1, 2, 2, 5], "int8", 0.05, -3)], "Pool2DOptions"),
            **window,
        ),
        one_op(
            *("", "MAX_POOL_2D", [image(5, 3)]),
            *([activation([1, 2, 2, 5], "int8", 0.05, -3)], "Pool2DOptions"),
            **window,
        ),
        one_op(
            *("", "ADD"),
            [image(5, 2), weights(5)],
            *([activation([1, 2, 2, 5], "int8", 0.07, 4)], "AddOptions"),
        ),
        one_op(
            *("", "SOFTMAX", [activation([1, 11], "int8", 0.05, -3)]),
            *([activation([1, 11], "int8", 1 / 256, -128)], "SoftmaxOptions"),
            Beta=1.0,
        ),
    ]


def run(model: bytes, rng: np.random.Generator) -> tuple[Array, Array]:
    oracle = Oracle(model)
    given = oracle.inputs[0].random(rng)
    (output,) = oracle.run([given])
    return given, output


def literal(data: bytes, indent: str) -> str:
    lines = [data[i : i + BYTES_PER_LINE] for i in range(0, len(data), BYTES_PER_LINE)]
    texts = ("".join(f"\\x{byte:02x}" for byte in line) for line in lines)
    return "\n".join(f'{indent}b"{text}"' for text in texts)


def source() -> str:
    """The text of the module with all cases."""
    rng = np.random.default_rng(SEED)
    text = HEAD
    for case in layers(rng):
        for tensor in case.model.tensors:
            tensor.name = ""
        model = case.model.to_bytes()
        given, output = run(model, rng)
        name = case.name.rstrip("_").upper()
        parts = [literal(data, "        ") for data in (model, given.tobytes(), output.tobytes())]
        text += (
            f'    (\n        "{name}",\n' + "".join(f"{part},\n" for part in parts) + "    ),\n"
        )
    return text + ")\n"


if __name__ == "__main__":
    TARGET.write_text(source())
