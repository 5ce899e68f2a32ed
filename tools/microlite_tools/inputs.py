# Inputs of a model as a command line gives them: files of several kinds, and numbers.

"""Read inputs of models."""

from __future__ import annotations

import json
import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .checks import check_file, count
from .errors import UserError
from .tensors import DTYPES, Array, Tensor, load_npy

IMAGES = (".png", ".jpg", ".jpeg", ".bmp")

HELP = """\
An INPUT for each input of the model:
  x.npy          floats are real values and are quantised as the input needs it; an array of the
                 input's own integer type is taken as it is
  x.png .jpg .bmp  the largest part in the middle with the proportions of the input's (1, height,
                 width, 1 or 3), or all with --fit stretch, resized to that; 0 to 255 is the whole
                 range of 8-bit inputs; --range tells what it is in real values
  x.wav          16 bits, mono, as many samples as the input has values: -1.0 to 1.0 in real values
  1.57, [1, 2]   real values; for a model with one input several numbers in a row will do
  other files    the input's own representation, little-endian, of its exact size
"""


@dataclass(frozen=True)
class Read:
    """An input in the tensor's own representation, and in words how it was read."""

    data: bytes
    how: str


def read_all(
    tensors: list[Tensor], words: list[str], span: tuple[float, float] | None, fit: str = "crop"
) -> list[Read]:
    """The inputs that words of a command line stand for.

    `span` is what black and white mean, `fit` how images are fitted, "crop" or "stretch".
    """
    if len(tensors) == 1 and len(words) > 1 and all(_number(word) is not None for word in words):
        words = [f"[{', '.join(words)}]"]
    if len(words) != len(tensors):
        names = ", ".join(f"{each.name} {each.type}".strip() for each in tensors)
        needed = f"the model has {count(len(tensors), 'input')} ({names})"
        raise UserError(f"{needed}, {count(len(words), 'INPUT')} given")
    return [read(each, word, span, fit) for each, word in zip(tensors, words, strict=True)]


def read(
    tensor: Tensor, word: str, span: tuple[float, float] | None = None, fit: str = "crop"
) -> Read:
    """One input."""
    if word.startswith("[") or _number(word) is not None:
        return _quantized(tensor, _numbers(word), word if len(word) < 40 else "list", "")
    check_file(word)
    path = Path(word)
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return _npy(tensor, path)
    if suffix in IMAGES:
        return _image(tensor, path, span, fit)
    if suffix == ".wav":
        return _wav(tensor, path)
    data = path.read_bytes()
    if len(data) != tensor.nbytes:
        needed = f"{tensor} is {tensor.type} and takes {tensor.nbytes} bytes"
        raise UserError(f"{path}: {needed}, the file has {len(data)}")
    return Read(data, f"{path}: the tensor's own numbers")


def _quantized(tensor: Tensor, values: Array, source: str, words: str) -> Read:
    data, beyond = tensor.quantize(values, source)
    how = f"{source}: {words or 'real values'}"
    return Read(data, how + f", {beyond} beyond the tensor's range" * bool(beyond))


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _numbers(word: str) -> Array:
    try:
        array = np.array(json.loads(word) if word.startswith("[") else float(word))
    except (ValueError, OverflowError, RecursionError):  # ragged lists too
        array = np.array(None)
    if array.dtype.kind not in "iufb":
        raise UserError(f"{word}: no list of numbers, as [1, 2.5] or [[1, 2], [3, 4]]")
    return array


def _npy(tensor: Tensor, path: Path) -> Read:
    array = load_npy(path)
    fits = [n for n in array.shape if n != 1] == [n for n in tensor.shape if n != 1]
    if not fits and array.shape != (tensor.size,):
        raise UserError(f"{path}: shape {array.shape}, but {tensor} is {tensor.shape}")
    own = DTYPES[tensor.dtype]
    if array.dtype.newbyteorder("<") == own and own.kind != "f":
        return Read(array.astype(own).tobytes(), f"{path}: the tensor's own numbers")
    if array.dtype.kind != "f" and tensor.scales is not None:
        needed = f"floats for real values, or {tensor.dtype} for the tensor's own numbers"
        raise UserError(f"{path}: {array.dtype}, but {tensor} takes {needed}")
    return _quantized(tensor, array, str(path), f"real values, {array.dtype}")


def _middle(was: tuple[int, int], width: int, height: int) -> tuple[int, int, int, int]:
    """The largest part in the middle with those proportions, as Tensor.write_image() takes it."""
    across, down = was[0] * height, was[1] * width
    w, h = was
    if across > down:
        w = min(max((down + height // 2) // height, 1), w)
    else:
        h = min(max((across + width // 2) // width, 1), h)
    x, y = (was[0] - w) // 2, (was[1] - h) // 2
    return x, y, x + w, y + h


def _image(tensor: Tensor, path: Path, span: tuple[float, float] | None, fit: str) -> Read:
    try:
        from PIL import Image
    except ImportError as er:
        raise UserError("images need Pillow: pip install pillow") from er
    if len(tensor.shape) != 4 or tensor.shape[0] != 1 or tensor.shape[3] not in (1, 3):
        needed = "(1, height, width, 1) for grey ones or (1, height, width, 3)"
        raise UserError(f"{path}: {tensor} is {tensor.shape}, images need {needed}")
    _, height, width, channels = tensor.shape
    try:
        with Image.open(path) as file:
            was = file.size
            image = file.convert("L" if channels == 1 else "RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as er:
        raise UserError(f"{path}: no image that Pillow can read") from er
    words = f"{was[0]} x {was[1]} pixels"
    box = (0, 0, *was) if fit == "stretch" else _middle(was, width, height)
    if box != (0, 0, *was):
        words += f", of these {box[2] - box[0]} x {box[3] - box[1]} in the middle"
    if (box[2] - box[0], box[3] - box[1]) != (width, height):
        words += f", resized to {width} x {height}"
    image = image.resize((width, height), Image.Resampling.BILINEAR, box)
    pixels = np.asarray(image, np.uint8).reshape(tensor.shape)
    words += ", grey" if channels == 1 else ", RGB"
    if span:
        low, high = map(np.float32, span)
        reals = low + pixels.astype(np.float32) * ((high - low) / np.float32(255))
        return _quantized(tensor, reals, str(path), f"{words}, 0 to 255 as {low:g} to {high:g}")
    if tensor.dtype not in ("int8", "uint8"):
        needed = "say what black and white are, as with --range 0 1 or --range -1 1"
        raise UserError(f"{path}: {tensor} is {tensor.dtype}: {needed}")
    flip = 128 if tensor.dtype == "int8" else 0
    return Read((pixels ^ flip).tobytes(), f"{path}: {words}, 0 to 255 as the tensor's range")


def _wav(tensor: Tensor, path: Path) -> Read:
    try:
        with wave.open(str(path)) as file:
            channels, width, rate, n, *_ = file.getparams()
            data = file.readframes(n)
    except (wave.Error, EOFError, RuntimeError, ValueError) as er:
        raise UserError(f"{path}: no wav file of plain samples: {str(er) or 'it is cut'}") from er
    if (channels, width) != (1, 2):
        given = f"{8 * width} bits and {count(channels, 'channel')}"
        raise UserError(f"{path}: {given}: 16 bits and 1 channel needed")
    samples = np.frombuffer(data[: len(data) & ~1], "<i2")
    words = f"{count(len(samples), 'sample')} at {rate} Hz"
    if len(samples) != tensor.size:
        needed = f"{tensor} takes {tensor.size} values {tensor.shape}"
        raise UserError(f"{path}: {words}, but {needed}: as many samples, or features, are needed")
    if tensor.dtype != "float32" and tensor.scales is None:
        return _quantized(tensor, samples, str(path), f"{words}, as they are")
    reals = samples.astype(np.float32) / np.float32(32768)
    return _quantized(tensor, reals, str(path), f"{words}, as -1.0 to 1.0")
