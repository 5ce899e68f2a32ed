# What the examples print, by what their recordings and pictures are known to be, and by what
# TensorFlow Lite Micro or numpy make of them. EXPECTED has a check for each example.

import re
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tflite

import goldens

EXAMPLES = Path(__file__).parent.parent / "examples"
FLASH = "person_detection_grayscale.tflite"  # that flash_model uses in place

Array = npt.NDArray[Any]

GOLDENS = {golden.name: golden for golden in goldens.tfmicro()}


def known(name: str) -> Iterator[Array]:
    """The real values of a crate's model, which the crate publishes, for each of its inputs."""
    golden = GOLDENS[f"tfmicro-{name}"]
    scale, zero_point = 1.0, 0
    if not golden.is_float:
        scale, zero_point = quantization(golden.model, output=True)
    for _, (outputs,) in golden.cases:
        yield (outputs.astype(float) - zero_point) * scale


def quantization(path: Path, output: bool = False) -> tuple[float, int]:
    """Scale and zero point of the only input or output."""
    graph = tflite.Model.GetRootAsModel(path.read_bytes(), 0).Subgraphs(0)
    tensor = graph.Tensors(graph.Outputs(0) if output else graph.Inputs(0))
    return tensor.Quantization().Scale(0), tensor.Quantization().ZeroPoint(0)


def run_int8(path: Path, rows: Array) -> tuple[Array, Array]:
    """What a model in int8 takes and gives for rows of real values, both in real values, by
    TensorFlow Lite Micro."""
    (scale, zero), (out_scale, out_zero) = quantization(path), quantization(path, output=True)
    x = (np.round(rows / scale) + zero).clip(-128, 127).astype("i1")
    y = np.array([goldens.oracle(path, row) for row in x])
    return (x.astype(float) - zero) * scale, (y.astype(float) - out_zero) * out_scale


def micro_speech(text: str) -> None:
    """A word is recognised after it was said, and before a second is over."""
    (yes, no) = re.findall(r'^(\d\.\d) s: heard "(\w+)" \(0\.\d\d\)$', text, re.MULTILINE)
    assert len(text.splitlines()) == 2
    assert yes[1] == "yes" and 1 < float(yes[0]) < 3
    assert no[1] == "no" and 4 < float(no[0]) < 6


def async_keywords(text: str) -> None:
    *heard, last = text.splitlines()
    assert heard == ['heard "yes"', 'heard "no"']
    match = re.fullmatch(r"blinked (\d+) times in (\d+) ms", last)
    assert match
    times, ms = map(int, match.groups())
    assert ms > 3500  # the recordings' length
    assert times * 50 > ms / 2  # other processes want the computer as well


def person_detection(text: str) -> None:
    found = [line for line in text.splitlines() if len(line) != 24]
    person, nobody = known("person_detection_grayscale")
    assert [int(scores.argmax()) for scores in (person, nobody)] == [1, 2]
    assert found == [f"a person ({person[1]:.2f})", f"nobody ({nobody[2]:.2f})"]


def magic_wand(text: str) -> None:
    ring, slope = known("magic_wand")
    found = re.findall(r"^(\w+) \((\d\.\d\d)\)$", text, re.MULTILINE)
    assert [name for name, _ in found] == ["slope", "ring", "nothing"]
    np.testing.assert_allclose(
        [float(score) for _, score in found[:2]], [slope[2], ring[1]], atol=0.0051
    )


def vibration(text: str) -> None:
    """The bearing is worn from a window on that train.py knows, and three in a row tell."""
    folder = EXAMPLES / "vibration"
    model = folder / "autoencoder.tflite"
    made = runpy.run_path(str(folder / "train.py"))
    windows = np.frombuffer((folder / "motor.data").read_bytes(), "<i2")
    spectra = made["spectra"](windows.reshape(-1, made["WINDOW"])) * made["SCALE"]
    scores = [np.mean((x - y) ** 2) for x, y in zip(*run_int8(model, spectra), strict=True)]
    limit = 2 * max(scores[:20])
    good, last = made["GOOD"], made["GOOD"] + 2
    assert max(scores[20:good]) < limit < min(scores[good:])
    match = re.fullmatch(r"(\d\.\d) s: strange, score (\d\.\d) times the limit\n", text)
    assert match
    assert abs(float(match[1]) - (last + 1) * made["WINDOW"] / made["RATE"]) < 0.051
    assert abs(float(match[2]) - scores[last] / limit) < 0.1


def recurrent_sensor(text: str) -> None:
    folder = EXAMPLES / "recurrent_sensor"
    made = runpy.run_path(str(folder / "train.py"))
    weights = made["network"](np.random.default_rng(made["SEED"]))
    readings, truth = np.loadtxt(folder / "sensor.txt").T
    line = r"^ *(\d+): reading +(-?\d\.\d\d), value +(-?\d\.\d\d)$"
    _, first, second = text.split("sensor started\n")
    assert first == second  # the state is that of the start again
    found = [[*map(float, words)] for words in re.findall(line, first, re.MULTILINE)]
    assert len(found) == len(readings) // 20
    at = np.array([int(row[0]) - 1 for row in found])
    values = np.array([row[2] for row in found])
    states = made["states"](weights, readings)
    out = constant(folder / "filter.tflite", "weights_out")
    np.testing.assert_allclose(values, (states @ out)[at], atol=0.0051)
    better = np.abs(values - truth[at]).mean(), np.abs(readings - truth)[at].mean()
    assert better[0] < 0.7 * better[1]


def constant(path: Path, name: str) -> Array:
    """The float numbers of a constant tensor."""
    model = tflite.Model.GetRootAsModel(path.read_bytes(), 0)
    graph = model.Subgraphs(0)
    for tensor in map(graph.Tensors, range(graph.TensorsLength())):
        if tensor.Name() == name.encode():
            data = model.Buffers(tensor.Buffer()).DataAsNumpy()
            return np.frombuffer(data.tobytes(), "<f4")
    raise KeyError(name)


def few_shot(text: str) -> None:
    """Samples come in turns. Distances are those from the means of the first ten."""
    folder = EXAMPLES / "few_shot"
    made = runpy.run_path(str(folder / "train.py"))
    samples = np.frombuffer((folder / "tools.data").read_bytes(), "<i2")
    spectra = made["spectra"](samples.reshape(-1, made["WINDOW"])) * made["SCALE"]
    _, rows = run_int8(folder / "embedding.tflite", spectra)
    embeddings = rows.reshape(made["NEW"], made["SAMPLES"], -1).swapaxes(0, 1)
    errors = embeddings[10:, :, None] - embeddings[:10].mean(axis=0)
    distances = np.sqrt((errors**2).mean(axis=-1)).reshape(-1, made["NEW"])
    found = re.findall(r"^(\w+) \(distance (\d+\.\d\d)\)$", text, re.MULTILINE)
    assert len(found) == len(distances)
    tools = "drill", "saw", "pump"
    assert [name for name, _ in found] == [tools[i] for i in distances.argmin(axis=1)]
    np.testing.assert_allclose([float(d) for _, d in found], distances.min(axis=1), atol=0.03)
    right = sum(name == tools[i % 3] for i, (name, _) in enumerate(found))
    assert right > 0.9 * len(found)


def two_models(text: str) -> None:
    first, *rest = text.splitlines()
    match = re.fullmatch(r"arenas of (\d+) and (\d+) bytes in (\d+) bytes", first)
    assert match and int(match[3]) == max(int(match[1]), int(match[2]))
    assert rest == ['somebody says "yes"', "nobody is there", 'somebody says "no"']


def flash_model(text: str) -> None:
    line = r"{}: heap from \d+ to \d+ bytes, which are (\d+); model (\d+), arena (\d+), .*\n"
    match = re.fullmatch(line.format("in place") + line.format("copied"), text)
    assert match
    in_place, size, arena, copied = map(int, match.groups()[:4])
    assert size == (EXAMPLES / "person_detection" / FLASH).stat().st_size
    assert arena < in_place < arena + 2500
    assert abs(copied - in_place - size) < 2500


EXPECTED: dict[str, Callable[[str], None]] = {
    name.__name__: name
    for name in (
        *(micro_speech, async_keywords, person_detection, magic_wand, vibration),
        *(recurrent_sensor, few_shot, two_models, flash_model),
    )
}
