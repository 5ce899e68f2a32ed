# Inputs as the command line takes them, and what tensors' bytes mean: the same numbers as on a
# board.

import json
import struct
import sys
import wave
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from builder import Array
from microlite_tools.errors import UserError
from microlite_tools.inputs import read, read_all
from microlite_tools.tensors import DTYPES, Tensor
from microlite_tools.unix import Unix

DEVICE = Path(__file__).parent / "device"


def tensor(
    dtype: str, shape: tuple[int, ...], scale: float | None = None, zero_point: int = 0
) -> Tensor:
    scales = [] if scale is None else [struct.pack("<f", scale).hex()]
    return Tensor.told("input", 0, ["x", dtype, shape, scales, [zero_point], None])


def numbers(data: bytes, dtype: str) -> list[int | float]:
    return list(np.frombuffer(data, DTYPES[dtype]).tolist())


# On unix, the same values through Tensor.write() and Tensor.read().
WRITE = """\
import sys
sys.path.append(DEVICE)
from array import array
from binascii import hexlify, unhexlify
from one_tensor import *
t = one_tensor(globals()[DTYPE.upper()], (1, SIZE), SCALE, ZERO).inputs[0]
t.write(array("f", unhexlify(VALUES)))
print('"%s"' % hexlify(t.data).decode())
print('"%s"' % hexlify(array("f", t.read())).decode())
"""


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32"])
@pytest.mark.parametrize(("scale", "zero_point"), [(0.5, 3), (0.0173, -7), (1 / 256, -128)])
def test_same_numbers_as_on_the_board(
    micropython: Path, dtype: str, scale: float, zero_point: int
) -> None:
    zero_point = abs(zero_point) if dtype == "uint8" else zero_point
    rng = np.random.default_rng(5)
    halves = (np.arange(-20, 20) + 0.5) * np.float32(scale)
    wide = rng.uniform(-200, 200, 500) * scale
    values = np.concatenate([halves, wide, [1e6, -1e6, 0.49999997 * scale]]).astype(np.float32)
    constants = {"DEVICE": str(DEVICE), "DTYPE": dtype, "SIZE": values.size, "SCALE": scale}
    constants |= {"ZERO": zero_point, "VALUES": values.tobytes().hex()}
    head = "".join(f"{name} = {value!r}\n" for name, value in constants.items())
    raw, reals = map(json.loads, Unix(micropython).run(head + WRITE).splitlines())
    mine = tensor(dtype, (1, values.size), scale, zero_point)
    data, beyond = mine.quantize(values, "x")
    assert data.hex() == raw
    assert mine.dequantize(data).astype("<f4").tobytes().hex() == reals
    assert (beyond >= 2) == (dtype != "int32")


def test_scales_of_slices() -> None:
    scales = [struct.pack("<f", scale).hex() for scale in (0.5, 2.0)]
    each = Tensor.told("output", 1, ["y", "int8", (1, 2, 2), scales, [0, 1], 2])
    values = np.array([[[1.0, 4.0], [-1.0, 8.0]]])
    data, _ = each.quantize(values, "x")
    assert numbers(data, "int8") == [2, 3, -2, 5]
    assert np.array_equal(each.dequantize(data), values)


def test_no_real_values() -> None:
    with pytest.raises(UserError, match=r"input 0 \(x\) is string, which has no real values"):
        tensor("string", (1,))


def save(folder: Path, array: Array) -> str:
    path = folder / "x.npy"
    np.save(path, array)
    return str(path)


@pytest.mark.parametrize(
    ("dtype", "scale", "array", "expected", "how"),
    [
        ("int8", 0.5, np.array([[0.5, -1.0]]), [1, -2], "real values, float64"),
        ("int8", 0.5, np.array([0.5, 1e3], "f2"), [1, 127], "float16, 1 beyond"),
        ("int8", 0.5, np.array([[5], [6]], "i1"), [5, 6], "the tensor's own numbers"),
        ("int16", 0.5, np.array([5, 6], ">i2"), [5, 6], "the tensor's own numbers"),
        ("float32", None, np.array([5, 6], "i8"), [5, 6], "real values, int64"),
        ("float32", None, np.array([0.1, 6], ">f4"), [np.float32(0.1), 6], "real values"),
        ("int32", None, np.array([5, 6], "u1"), [5, 6], "real values, uint8"),
        ("int64", None, np.array([2**53 + 1, -1], "i8"), [2**53 + 1, -1], "own numbers"),
        ("bool", None, np.array([True, False]), [True, False], "own numbers"),
        ("bool", None, np.array([1.0, 0.0]), [True, False], "real values"),
    ],
)
def test_npy(
    tmp_path: Path,
    dtype: str,
    scale: float | None,
    array: Array,
    expected: list[float],
    how: str,
) -> None:
    got = read(tensor(dtype, (1, 2), scale), save(tmp_path, array))
    assert numbers(got.data, dtype) == expected
    assert how in got.how


def test_words() -> None:
    one = [tensor("float32", (1, 3))]
    for words in (["1", "-2.5", "3e1"], ["[1, -2.5, 30]"], ["[[1], [-2.5], [30]]"]):
        (got,) = read_all(one, words, None)
        assert numbers(got.data, "float32") == [1, -2.5, 30]
    scalars = [tensor("float32", ()), tensor("int8", (), 0.5)]
    assert [each.data for each in read_all(scalars, ["1", "2"], None)] == [b"\0\0\x80?", b"\x04"]


def test_raw(tmp_path: Path) -> None:
    path = tmp_path / "x.data"
    path.write_bytes(b"\1\2\3\4")
    assert read(tensor("int16", (1, 2), 0.5), str(path)).data == b"\1\2\3\4"


@pytest.mark.parametrize("suffix", ["png", "bmp", "jpg"])
@pytest.mark.parametrize("channels", [1, 3])
def test_images(tmp_path: Path, suffix: str, channels: int) -> None:
    pixels = np.arange(0, 8 * 16 * channels).reshape(8, 16, channels) // channels * 2
    pixels = pixels.astype(np.uint8)
    path = str(tmp_path / f"x.{suffix}")
    Image.fromarray(pixels.squeeze()).save(path)
    near = 6 if suffix == "jpg" else 0
    shape = (1, 8, 16, channels)
    for dtype, least in (("int8", -128), ("uint8", 0)):
        got = read(tensor(dtype, shape, 0.1, 5), path)
        values = np.array(numbers(got.data, dtype)) - least
        assert np.abs(values - pixels.ravel()).max() <= near
        assert "16 x 8 pixels, " in got.how and "resized" not in got.how
    reals = read(tensor("float32", shape), path, (-1, 1))
    expected = pixels.ravel() / 127.5 - 1
    assert np.allclose(numbers(reals.data, "float32"), expected, atol=1e-6 + near / 100)
    quantized = read(tensor("int8", shape, 1 / 64, 0), path, (-1, 1))
    assert np.abs(np.array(numbers(quantized.data, "int8")) - expected * 64).max() <= 0.51 + near
    halved = read(tensor("uint8", (1, 4, 8, channels), 1.0), path)
    assert "16 x 8 pixels, resized to 8 x 4" in halved.how
    assert len(halved.data) == 32 * channels


@pytest.mark.parametrize("turned", [False, True])
def test_fit(tmp_path: Path, turned: bool) -> None:
    """Images of other proportions: the middle, or all."""
    pixels = np.repeat(np.array([0, 100, 100, 0], np.uint8), 2)[np.newaxis].repeat(4, 0)
    pixels = pixels.T if turned else pixels
    path = str(tmp_path / "x.png")
    Image.fromarray(pixels).save(path)
    square = tensor("uint8", (1, 4, 4, 1), 1.0)
    cropped = read(square, path)
    assert set(cropped.data) == {100}
    assert "of these 4 x 4 in the middle" in cropped.how and "resized" not in cropped.how
    stretched = read(square, path, fit="stretch")
    assert min(stretched.data) < 50 and "in the middle" not in stretched.how


def test_colours_become_grey(tmp_path: Path) -> None:
    path = str(tmp_path / "x.png")
    Image.fromarray(np.full((2, 2, 4), (255, 0, 0, 90), np.uint8)).save(path)
    assert set(read(tensor("uint8", (1, 2, 2, 1), 1.0), path).data) == {76}
    assert read(tensor("uint8", (1, 1, 1, 3), 1.0), path).data == b"\xff\0\0"


def save_wav(path: Path, samples: Array, channels: int = 1, rate: int = 16000) -> str:
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, samples.itemsize, rate, 0, "NONE", ""))
        file.writeframes(samples.tobytes())
    return str(path)


def test_wav(tmp_path: Path) -> None:
    samples = np.array([0, 16384, -32768, 32767], "<i2")
    path = save_wav(tmp_path / "x.wav", samples)
    plain = read(tensor("int16", (1, 4)), path)
    assert plain.data == samples.tobytes() and "4 samples at 16000 Hz, as they are" in plain.how
    reals = read(tensor("float32", (4,)), path)
    assert numbers(reals.data, "float32") == [0, 0.5, -1, 32767 / 32768]
    assert numbers(read(tensor("int8", (4, 1), 1 / 128), path).data, "int8") == [0, 64, -128, 127]
    assert read(tensor("int16", (4,), 1 / 32768), path).data == samples.tobytes()


def test_complaints_about_files(tmp_path: Path) -> None:
    def fails(words: str, each: Tensor, name: str, content: bytes | Array | None = None) -> None:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif content is not None:
            np.save(path, content)
        with pytest.raises(UserError, match=words) as raised:
            read(each, str(path))
        assert str(raised.value).startswith(str(path)) and "\n" not in str(raised.value)

    int8, reals = tensor("int8", (1, 4), 0.5), tensor("float32", (1, 4))
    picture, plain = tensor("int8", (1, 2, 2, 1), 0.5), tensor("int32", (1, 4))
    fails(r"shape \(2, 2\), but input 0 \(x\) is \(1, 4\)", int8, "a.npy", np.zeros((2, 2)))
    fails("shape", int8, "a.npy", np.zeros(5))
    fails("int64, but .* floats for real values, or int8", int8, "a.npy", np.zeros(4, "i8"))
    fails("NaN or infinity", int8, "a.npy", np.array([0, 1, 2, np.nan]))
    fails("too large for .* float32", reals, "a.npy", np.full(4, 1e39))
    fails("whole numbers from -2147483648 to 2147483647, not 0.5", plain, "a.npy", np.full(4, 0.5))
    fails("not 4294967296", plain, "a.npy", np.full(4, 2**32))
    fails("takes whole numbers from 0 to 1, not 2", tensor("bool", (1,)), "a.npy", np.array([2]))
    fails("not a .npy file", int8, "a.npy", np.array(["a"]))
    fails("not a .npy file", int8, "b.npy", b"text")
    fails("not a .npy file", int8, "b.npy", b"")
    fails("input 0 .* takes 16 bytes, the file has 5", reals, "x.raw", b"12345")
    fails("no image that Pillow can read", picture, "a.png", b"\x89PNG\r\n\x1a\nnothing")
    fails("no image that Pillow can read", picture, "a.bmp", b"")
    fails(r"images need \(1, height, width, 1\)", int8, "a.bmp", b"")
    Image.new("L", (2, 2)).save(tmp_path / "c.png")
    fails("float32: say what black and white are", tensor("float32", (1, 2, 2, 1)), "c.png")
    fails("no wav file of plain samples", reals, "a.wav", b"RIFF")
    fails("no wav file of plain samples", reals, "a.wav", b"")
    save_wav(tmp_path / "b.wav", np.zeros(5, "<i2"), rate=8000)
    fails("5 samples at 8000 Hz, but input 0 .* takes 4 values", reals, "b.wav")
    save_wav(tmp_path / "b.wav", np.zeros(8, "<i2"), channels=2)
    fails("16 bits and 2 channels: 16 bits and 1 channel needed", reals, "b.wav")
    save_wav(tmp_path / "b.wav", np.zeros(4, "u1"))
    fails("8 bits and 1 channel", reals, "b.wav")
    (tmp_path / "b.wav").write_bytes(b"")
    fails("no wav file of plain samples: it is cut", reals, "b.wav")


def test_without_pillow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.png").touch()
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(UserError, match="pip install pillow"):
        read(tensor("int8", (1, 2, 2, 1), 0.5), str(tmp_path / "x.png"))
