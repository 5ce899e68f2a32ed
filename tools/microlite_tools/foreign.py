# Files that are no models for microlite but are taken for one: what they are, what to do.

"""Files of other kinds."""

from __future__ import annotations

import re

_CONVERT = "Convert it with tf.lite.TFLiteConverter"
BEGINNING = 1 << 16  # bytes by which a file is recognised
_TORCH = "Convert the PyTorch model to TensorFlow Lite, with the package litert-torch for one."
_ONNX = "Convert it to TensorFlow Lite, with the package onnx2tf for one."
_ARRAY = re.compile(rb"(char|uint8_t|int8_t)\b[^=;]{0,200}\[[^]]*\][^=;]{0,100}=\s*\{", re.ASCII)

# How files begin, at byte 0 or 4.
_BEGINNINGS = (
    (0, b"\x89HDF", "a Keras model (HDF5)", f"{_CONVERT}.from_keras_model()."),
    (0, b"version https://git-lfs", "a Git LFS pointer, not the file itself", "Run: git lfs pull"),
    (0, b"\x93NUMPY", "an array of NumPy", "Name the .tflite file."),
    (0, b"\x1f\x8b", "compressed by gzip", "Unpack it first."),
    (0, b"{", "a text (JSON)", "Name the .tflite file."),
    (4, b"TFL", "a model of an older TensorFlow Lite", "Convert it with a current TensorFlow."),
    (4, b"ET", "a program for ExecuTorch", _TORCH),
)
_SUFFIXES = {
    ".onnx": ("an ONNX model", _ONNX),
    ".pb": ("a model of TensorFlow", f"{_CONVERT}.from_saved_model(), given its folder."),
    ".pt": ("a PyTorch model", _TORCH),
    ".pth": ("a PyTorch model", _TORCH),
    ".keras": ("a Keras model", f"{_CONVERT}.from_keras_model()."),
    ".h5": ("a Keras model", f"{_CONVERT}.from_keras_model()."),
}


def _zip(data: bytes) -> tuple[str, str]:
    if b"data.pkl" in data:
        return _SUFFIXES[".pt"]
    if b"config.json" in data:
        return _SUFFIXES[".keras"]
    return "a ZIP archive", "Unpack it, and name the .tflite file in it."


def _kind(data: bytes, suffix: str) -> tuple[str, str]:
    for at, beginning, kind, advice in _BEGINNINGS:
        if data.startswith(beginning, at):
            return kind, advice
    if data.startswith(b"PK\x03\x04"):
        return _zip(data)
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if re.match(rb"\s*<(!doctype|html)", data, re.IGNORECASE):
        return "a web page", "Download the file itself, by its raw link."
    if _ARRAY.search(data[:100_000]):
        return "a model as C source", "Name the .tflite file that it was made from."
    if b"\0" not in data[:1000] and data[:1000].isascii():
        return "a text", "Name the .tflite file."
    return "", "Name a .tflite file."


def recognise(data: bytes, suffix: str, size: int) -> tuple[str, str]:
    """What is wrong with a file that is no model, and what to do, by how it begins."""
    if not data:
        return "an empty file", "Copy or download it again."
    if not any(data):
        begins = "" if len(data) == size else "begins with "
        return f"{begins}{len(data):,} bytes of nothing but zeros", "Copy or download it again."
    kind, advice = _kind(data, suffix)
    problem = "not a TensorFlow Lite model"
    return f"{problem} but {kind}" if kind else problem, advice
