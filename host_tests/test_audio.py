# Sound: features of the fixed-point front end against those of TFLM's, bit for bit; mel energies,
# cepstra and spectra against models in numpy.

import json
import random
import subprocess
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import applications
import targets
from microlite_tools import romfs
from programs import make
from targets import DEVICE, ROOT, UNIX

RUNNER = (DEVICE / "audio_runner.py").read_text()
YES, NO, WORD, NOISE, FLOATS = "yes", "no", "word", "noise", "floats"

Job = tuple[Any, ...]
Run = Callable[[list[Job]], list[Any]]
Case = tuple[dict[str, float], str, list[int]]  # parameters, signal, sizes of chunks
Floats = npt.NDArray[np.float64]

# In the order of reference.c, with the defaults.
DEFAULTS: dict[str, float] = {
    "sample_rate": 16000,
    "window_ms": 30,
    "stride_ms": 20,
    "channels": 40,
    "lower": 125.0,
    "upper": 7500.0,
    "smoothing_bits": 10,
    "even_smoothing": 0.025,
    "odd_smoothing": 0.06,
    "min_signal_remaining": 0.05,
    "pcan": 1,
    "strength": 0.95,
    "offset": 80.0,
    "gain_bits": 21,
    "log": 1,
    "log_shift": 6,
}


@pytest.fixture(scope="session")
def signals(crate_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with recordings, a piece of one, and loud noise."""
    folder = tmp_path_factory.mktemp("signals")
    yes, no = (
        (crate_models / f"{name}_1000ms_sample.data").read_bytes() for name in ("yes", "no")
    )
    noise = np.random.default_rng(1).integers(-32768, 32768, 5000).astype("<i2").tobytes()
    floats = np.random.default_rng(2).normal(3, 5, 4096).astype("<f4")
    floats[:512] += 20 * np.sin(np.arange(512) * 0.4)
    (folder / FLOATS).write_bytes(floats.tobytes())
    for name, samples in ((YES, yes), (NO, no), (WORD, yes[8000:20000]), (NOISE, noise)):
        (folder / name).write_bytes(samples)
    return folder


@contextmanager
def running(target: str, signals: Path) -> Iterator[Run]:
    def run(jobs: list[Job]) -> list[Any]:
        lines = runner(f"JOBS = {jobs!r}\n{RUNNER}").splitlines()
        assert len(lines) == len(jobs), lines
        return [json.loads(line) for line in lines]

    with targets.runner(target, romfs.collect(signals)) as runner:
        yield run


@pytest.fixture(scope="module", params=[*UNIX, "MPS2_AN385", "MPS2_AN386"])
def run(request: pytest.FixtureRequest, signals: Path) -> Iterator[Run]:
    with running(request.param, signals) as run:
        yield run


# --- The fixed-point front end ---


@cache
def reference() -> Path:
    make("front_end")
    return ROOT / "build/audio/reference"


def reference_rows(options: dict[str, float], source: Path) -> bytes:
    words = [str(value) for value in (DEFAULTS | options).values()]
    command = [str(reference()), *words, "100000"]
    done = subprocess.run(command, input=source.read_bytes(), capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def draw(rng: random.Random) -> dict[str, float]:
    """Parameters that TFLM's set-up accepts."""
    rate = rng.choice([8000, 11025, 16000, 22050, 44100, 48000])
    window = rng.randint(5, 40)
    lower = rng.choice([0, 20, 125, 300, 1234.5])
    return {
        "sample_rate": rate,
        "window_ms": window,
        "stride_ms": rng.randint(1, window),
        "channels": rng.randint(1, 80),
        "lower": lower,
        "upper": rng.choice([lower + 200, rate / 4, rate / 2 - 300]),
        "smoothing_bits": rng.randint(8, 14),
        "even_smoothing": rng.random(),
        "odd_smoothing": rng.random(),
        "min_signal_remaining": rng.random(),
        "pcan": rng.randint(0, 1),
        "strength": rng.random(),
        "offset": rng.uniform(1, 200),
        "gain_bits": rng.randint(18, 25),
        "log": rng.choice([0, 1, 1]),
        "log_shift": rng.randint(0, 8),
    }


def sizes(rng: random.Random) -> list[int]:
    return [rng.choice([1, 7, 100, 320, 480, 5000]) for _ in range(20)]


def check_rows(run: Run, signals: Path, cases: list[Case]) -> None:
    jobs: list[Job] = [
        ("features", "pcan", {**options, "typecode": "H"}, source, chunks, False)
        for options, source, chunks in cases
    ]
    expected = [zlib.crc32(reference_rows(o, signals / source)) for o, source, _ in cases]
    assert run(jobs) == expected


def test_rows(run: Run, signals: Path) -> None:
    """The recordings and loud noise, whole and in random chunks."""
    rng = random.Random(1)
    sources = YES, NO, NOISE
    cases: list[Case] = [({}, s, chunks) for s in sources for chunks in ([10**6], sizes(rng))]
    check_rows(run, signals, cases)


def test_parameters(run: Run, signals: Path) -> None:
    rng = random.Random(2)
    cases = [(draw(rng), rng.choice([WORD, NOISE]), sizes(rng)) for _ in range(12)]
    check_rows(run, signals, cases)


@pytest.mark.soak
def test_more_parameters(signals: Path) -> None:
    rng = random.Random(3)
    with running("unix", signals) as run:
        for _ in range(20):  # what fits in a command
            cases = [(draw(rng), rng.choice([WORD, NOISE]), sizes(rng)) for _ in range(25)]
            check_rows(run, signals, cases)


# --- Mel energies and cepstra, by the formulas of the stub ---


def mel(hz: Floats | float) -> Any:
    return 1127 * np.log(1 + np.asarray(hz) / 700)


def filters(options: dict[str, Any]) -> Floats:
    """Triangles over the bins."""
    channels, size = options["channels"], options["fft_size"]
    points = np.linspace(mel(options["lower"]), mel(options["upper"]), channels + 2)
    hertz = 700 * (np.exp(points / 1127) - 1)
    hertz[-1] -= 0.001
    edges = np.floor((size + 1) * hertz / options["sample_rate"]).astype(int)
    bank = np.zeros((channels, size // 2 + 1))
    for row, left, middle, right in zip(bank, edges, edges[1:], edges[2:], strict=False):
        for i in range(left, right + 1):
            if left < i <= middle:
                row[i] = (i - left) / (middle - left)
            if middle <= i < right:
                row[i] = (right - i) / (right - middle)
    return bank


def power_spectra(options: dict[str, Any], samples: npt.NDArray[np.int16], scale: float) -> Floats:
    rate, size = options["sample_rate"], options["fft_size"]
    window, stride = (-(-rate * options[k] // 1000) for k in ("window_ms", "stride_ms"))
    x = samples.astype(np.float64) * scale
    x -= options["preemphasis"] * np.concatenate([[0.0], x[:-1]])
    frames = [x[i : i + window] for i in range(0, len(x) - window + 1, stride)]
    spectra: Floats = np.abs(np.fft.rfft(frames, size)) ** 2 / size
    return spectra


def mfe(options: dict[str, Any], samples: npt.NDArray[np.int16]) -> Floats:
    """Decibels."""
    energies = power_spectra(options, samples, 1 / 32768) @ filters(options).T
    decibels: Floats = 10 * np.log10(np.where(energies == 0, 1e-10, energies))
    return decibels


def mfcc(options: dict[str, Any], samples: npt.NDArray[np.int16]) -> Floats:
    spectra = power_spectra(options, samples, 1)
    energies = spectra @ filters(options).T
    logs = np.log(np.where(energies == 0, 1e-10, energies))
    n, k = options["channels"], np.arange(options["cepstra"])[:, None]
    dct = np.sqrt(2 / n) * np.cos(np.pi * k * (2 * np.arange(n) + 1) / (2 * n))
    cepstra: Floats = logs @ dct.T
    total = spectra.sum(1)
    cepstra[:, 0] = np.log(np.where(total == 0, 1e-10, total))
    return cepstra


MEL: dict[str, Any] = {
    "sample_rate": 16000,
    "window_ms": 20,
    "stride_ms": 10,
    "channels": 40,
    "fft_size": 256,
    "lower": 300,
    "upper": 8000,
    "preemphasis": 0.98,
}
SIZES = [480, 7, 3000]
MEL_CASES: list[dict[str, Any]] = [
    {},
    {"fft_size": 512, "window_ms": 25, "lower": 0, "channels": 32},
    {"sample_rate": 11025, "upper": 5000, "window_ms": 23, "stride_ms": 7, "channels": 13},
    {"preemphasis": 0, "fft_size": 1024, "window_ms": 64, "stride_ms": 64, "channels": 80},
]


def rows(answer: list[str]) -> Floats:
    return np.array([np.frombuffer(bytes.fromhex(row), "<f4") for row in answer], np.float64)


@pytest.mark.parametrize("changes", MEL_CASES, ids=str)
def test_mfe(run: Run, signals: Path, changes: dict[str, Any]) -> None:
    options = MEL | changes
    quiet = {**options, "noise_floor": 0}
    names = WORD, NOISE, WORD
    kinds = quiet, quiet, {**options, "noise_floor": -52}
    jobs = [
        ("features", "mfe", o, name, SIZES, True) for name, o in zip(names, kinds, strict=True)
    ]
    *plain, normalised = map(rows, run(jobs))
    decibels = [mfe(options, np.fromfile(signals / name, "<i2")) for name in (WORD, NOISE)]
    for found, right in zip(plain, decibels, strict=True):
        np.testing.assert_allclose(found, right, atol=2e-3, rtol=0)
    scaled = np.minimum(np.clip((decibels[0] + 52) / 64, 0, 1) * 256, 255)
    assert np.abs(normalised * 256 - scaled).max() <= 0.51
    assert (normalised * 256 == np.round(scaled)).mean() > 0.99


@pytest.mark.parametrize("changes", MEL_CASES, ids=str)
def test_mfcc(run: Run, signals: Path, changes: dict[str, Any]) -> None:
    options = MEL | changes | {"cepstra": 13}
    names = WORD, NOISE
    found = run([("features", "mfcc", options, name, SIZES, True) for name in names])
    for name, answer in zip(names, found, strict=True):
        right = mfcc(options, np.fromfile(signals / name, "<i2"))
        np.testing.assert_allclose(rows(answer), right, atol=2e-3, rtol=0)


# --- Spectrum, normalisation ---

WINDOWS: dict[str | None, tuple[float, float]] = {
    None: (1, 0),
    "hann": (0.5, 0.5),
    "hamming": (0.54, 0.46),
}


@pytest.mark.parametrize("window", WINDOWS)
def test_spectrum(run: Run, signals: Path, window: str | None) -> None:
    a, b = WINDOWS[window]
    cases = [(FLOATS, "f", 2**bits, 0) for bits in (2, 3, 4, 7, 10, 12)] + [(NOISE, "h", 512, 0)]
    cases += [(FLOATS, "f", 128, power) for power in (-120, -70, 70, 110)]
    found = run([("spectrum", window, *case) for case in cases])
    for (name, code, n, power), answer in zip(cases, found, strict=True):
        x = np.fromfile(signals / name, {"f": "<f4", "h": "<i2"}[code])[:n] * 2.0**power
        right = np.abs(np.fft.rfft(x * (a - b * np.cos(2 * np.pi * np.arange(n) / n))))
        magnitudes = np.frombuffer(bytes.fromhex(answer), "<f4")
        np.testing.assert_allclose(magnitudes, right, rtol=0, atol=1e-6 * right.max())


def normalise(x: Floats, window: int, variance: bool) -> Floats:
    def around(x: Floats) -> Floats:
        padded = np.pad(x, ((window // 2, window // 2), (0, 0)), "symmetric")
        return np.array([padded[i : i + window] for i in range(len(x))])

    x = x - around(x).mean(1)
    return x / (around(x).std(1) + 2**-30) if variance else x


def test_cmvn(run: Run, signals: Path) -> None:
    cases = [(0, 50, 13, 101, True), (0, 49, 4, 101, False), (0, 9, 3, 5, True)]
    cases += [(0, 3, 2, window, True) for window in (7, 11, 13, 31, 10001)]
    cases += [(power, 20, 3, 9, True) for power in (-40, 40)]
    found = run([("cmvn", FLOATS, *case) for case in cases])
    floats = np.fromfile(signals / FLOATS, "<f4").astype(np.float64)
    for (power, n_rows, columns, window, variance), answer in zip(cases, found, strict=True):
        features = floats[: n_rows * columns].reshape(n_rows, columns) * 2.0**power
        right = normalise(features, window, variance)
        normalised = np.frombuffer(bytes.fromhex(answer), "<f4").reshape(right.shape)
        np.testing.assert_allclose(normalised, right, atol=2e-5)


# --- Cost ---

# The most instructions on a Cortex-M4F for a second of sound, for making a front end, for a frame.
LIMITS = {
    "pcan": 5e6,
    "mfe": 4.5e6,
    "mfcc": 3e6,
    "pcan: set-up": 1e7,
    "frame of 320 x 240, nearest": 0.35e6,
    "frame of 320 x 240, bilinear": 1.3e6,
}


def test_cost(crate_models: Path) -> None:
    spent = applications.instructions(targets.binary(applications.BOARD))
    assert all(0 < spent[part] <= most for part, most in LIMITS.items()), spent
