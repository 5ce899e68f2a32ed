# Models with inputs and the outputs they must give: those beside this repository, described by
# io.json, those of the crates in build/models and those of examples/hello_world. Inputs are raw
# little-endian bytes, one case after the other; outputs have one row per case. Nothing is read
# before it is asked for.

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tflite

Array = npt.NDArray[Any]
Cases = list[tuple[list[Array], list[Array]]]  # (inputs, outputs) of each, flat arrays

ROOT = Path(__file__).resolve().parent.parent
HAND_OUT = ROOT.parent / "shared/models"
CRATES = ROOT / "build/models"
HELLO_WORLD = ROOT / "examples/hello_world"

DTYPES: dict[int, np.dtype[Any]] = {
    tflite.TensorType.FLOAT32: np.dtype("<f4"),
    tflite.TensorType.INT32: np.dtype("<i4"),
    tflite.TensorType.UINT8: np.dtype("u1"),
    tflite.TensorType.INT64: np.dtype("<i8"),
    tflite.TensorType.BOOL: np.dtype("?"),
    tflite.TensorType.INT16: np.dtype("<i2"),
    tflite.TensorType.INT8: np.dtype("i1"),
}


@dataclass(frozen=True)
class Golden:
    name: str
    model: Path
    read: Callable[[Path], Cases] = field(repr=False)  # of the model

    @cached_property
    def cases(self) -> Cases:
        return self.read(self.model)

    @property
    def inputs(self) -> list[bytes]:
        columns = zip(*(inputs for inputs, _ in self.cases), strict=True)
        return [b"".join(array.tobytes() for array in column) for column in columns]

    @property
    def is_float(self) -> bool:
        return self.cases[0][1][0].dtype.kind == "f"

    def check(self, case: int, outputs: list[bytes]) -> None:
        """Integers exactly, floats within 1e-5 and 1e-5 of the value."""
        expected = self.cases[case][1]
        assert len(outputs) == len(expected)
        for array, raw in zip(expected, outputs, strict=True):
            got = np.frombuffer(raw, array.dtype)
            if array.dtype.kind == "f":
                np.testing.assert_allclose(got, array, rtol=1e-5, atol=1e-5)
            else:
                np.testing.assert_array_equal(got, array)


def tensor_nbytes(tensor: tflite.Tensor) -> int:
    shape = [tensor.Shape(i) for i in range(tensor.ShapeLength())]
    return int(np.prod(shape, dtype=np.int64)) * DTYPES[tensor.Type()].itemsize


def collect() -> list[Golden]:
    return [*hand_out(), *tfmicro(), *microflow(), *hello_world()]


def files(goldens: list[Golden]) -> dict[str, bytes]:
    """All that host_tests/device/golden_runner.py reads."""
    found: dict[str, bytes] = {}
    index = []
    for golden in goldens:
        inputs = {f"{golden.name}.{i}": data for i, data in enumerate(golden.inputs)}
        model = f"{golden.name}.tflite"
        found |= {model: golden.model.read_bytes(), **inputs}
        index.append({"model": model, "inputs": list(inputs)})
    return found | {"goldens.json": json.dumps(index).encode()}


# The hand-out.


def hand_out() -> list[Golden]:
    return [_from_io_json(path) for path in sorted(HAND_OUT.glob("*/io.json"))]


def _from_io_json(path: Path) -> Golden:
    io = json.loads(path.read_text())
    return Golden(io["name"], path.parent / io["file"], _hand_out_cases)


def _hand_out_cases(model: Path) -> Cases:
    """All cases of an io.json, those of its exhaustive and sweep tables too."""
    io = json.loads((model.parent / "io.json").read_text())

    def array(entry: dict[str, Any]) -> Array:
        dtype = np.dtype(entry["dtype"]).newbyteorder("<")
        if "npy" in entry:
            return np.frombuffer((model.parent / entry["npy"]).read_bytes()[128:], dtype)
        return np.array(entry["values"], dtype).ravel()

    def table(xs: list[float], ys: list[float], dtype: str) -> Cases:
        rows = zip(xs, ys, strict=True)
        return [([np.array([x], dtype)], [np.array([y], dtype)]) for x, y in rows]

    cases = [
        ([array(e) for e in case["input"]], [array(e) for e in case["output"]])
        for case in io["cases"]
    ]
    if "exhaustive" in io:
        cases += table([*range(-128, 128)], io["exhaustive"]["values"], "i1")
    if "sweep" in io:
        cases += table(io["sweep"]["x"], io["sweep"]["y"], "<f4")
    return cases


# The crate tfmicro: what its models are known to answer.


def tfmicro() -> list[Golden]:
    sine = [-0.0339032, 0.8814837, 0.1695161, -1.0086207]
    ring = [0.03927298, 0.8009154, 0.03070321, 0.1291084]
    slope = [0.0004253496, 3.439739e-05, 0.9538399, 0.04570042]

    def cases(inputs: list[Array], outputs: list[list[float]], dtype: str) -> Cases:
        rows = zip(inputs, outputs, strict=True)
        return [([x.astype(dtype)], [np.array(y, dtype)]) for x, y in rows]

    def hello_world(_: Path) -> Cases:
        return cases([np.array([x]) for x in (0, 1, 3, 5)], [[y] for y in sine], "<f4")

    def magic_wand(_: Path) -> Cases:
        files = "ring_micro_f9643d42_nohash_4", "slope_micro_f2e59fea_nohash_1"
        return cases([_data(name, ">f4") for name in files], [ring, slope], "<f4")

    def person(_: Path) -> Cases:
        return cases(_photographs(), [[43, 250, 44], [14, 107, 215]], "u1")

    def speech(_: Path) -> Cases:
        return cases(_words(), [[0, 0, 255, 0], [0, 17, 0, 239]], "u1")

    readers = {
        "hello_world": hello_world,
        "magic_wand": magic_wand,
        "person_detection_grayscale": person,
        "micro_speech": speech,
    }
    return [
        Golden(f"tfmicro-{name}", CRATES / f"{name}.tflite", read)
        for name, read in readers.items()
    ]


def _data(name: str, dtype: str) -> Array:
    return np.frombuffer((CRATES / f"{name}.data").read_bytes(), dtype)


def _photographs() -> list[Array]:
    return [_data(f"{name}_image_data_grayscale", "u1") for name in ("person", "no_person")]


def _words() -> list[Array]:
    files = "yes_micro_f2e59fea_nohash_1", "no_micro_f9643d42_nohash_4"
    return [_data(name, "u1") for name in files]


# The crate microflow: what upstream's reference kernels answer, which the oracle runs.


def answers(inputs: Callable[[], list[Array]]) -> Callable[[Path], Cases]:
    return lambda model: [([x], [oracle(model, x)]) for x in inputs()]


def every_int8() -> list[Array]:
    return [np.array([x], "i1") for x in range(-128, 128)]


def microflow() -> list[Golden]:
    def signed(arrays: list[Array]) -> list[Array]:
        return [(array ^ 0x80).view("i1") for array in arrays]

    inputs = {
        "person_detect": lambda: signed(_photographs()),
        "speech": lambda: signed(_words()),
        "sine": every_int8,
    }
    return [
        Golden(f"microflow-{name}", CRATES / f"{name}.tflite", answers(arrays))
        for name, arrays in inputs.items()
    ]


# The models of the example hello_world: what the oracle answers over the period of the sine.


def hello_world() -> list[Golden]:
    def angles() -> list[Array]:
        return [np.array([x], "<f4") for x in np.linspace(0, 2 * np.pi, 101)]

    inputs = {"int8": every_int8, "float": angles}
    return [
        Golden(f"example-{name}", HELLO_WORLD / f"hello_world_{name}.tflite", answers(arrays))
        for name, arrays in inputs.items()
    ]


def oracle(model: Path, values: Array) -> Array:
    """The output of a model with one input and one output, by the package tflite-micro."""
    from tflite_micro.python.tflite_micro import runtime

    interpreter = runtime.Interpreter.from_file(str(model))
    shape = interpreter.get_input_details(0)["shape"]
    interpreter.set_input(values.reshape(shape), 0)
    interpreter.invoke()
    return np.asarray(interpreter.get_output(0)).ravel()
