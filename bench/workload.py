# The models that are measured, the inputs that they get and their multiply-accumulates.

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from microlite_tools.macs import of_op
from microlite_tools.model_file import parse

ROOT = Path(__file__).resolve().parent.parent
HAND_OUT = ROOT.parent / "shared/models"
CRATES = ROOT / "build/models"

# Names are those of the hand-out, which is no part of the repository; the first two are also in a
# crate, under other names.
CRATE_NAMES = {
    "person_detect": "person_detect",
    "micro_speech_quantized": "speech",
    "hello_world": "hello_world",
    "magic_wand": "magic_wand",
}
HAND_OUT_NAMES = ["kws_ref_model", "hello_world_int8"]


@dataclass(frozen=True)
class Op:
    name: str
    macs: int


def models() -> dict[str, Path]:
    found = {name: CRATES / f"{file}.tflite" for name, file in CRATE_NAMES.items()}
    if HAND_OUT.is_dir():
        found |= {name: HAND_OUT / name / f"{name}.tflite" for name in HAND_OUT_NAMES}
    return found


def seeded_inputs(data: bytes) -> bytes:
    """All inputs of a model, one after the other, from a generator with the seed 1."""
    rng = np.random.default_rng(1)
    inputs = b""
    for tensor in parse(data).graphs[0].inputs:
        if tensor.dtype == "float32":
            inputs += rng.uniform(-1.0, 1.0, size=tensor.shape).astype("<f4").tobytes()
        else:
            limits = np.iinfo(tensor.dtype)
            values = rng.integers(limits.min, limits.max + 1, size=tensor.shape)
            inputs += values.astype(limits.dtype).tobytes()
    return inputs


def ops(data: bytes) -> list[Op]:
    """The operators in their order, with their nominal multiply-accumulates in one invoke."""
    return [Op(op.name, of_op(op)) for op in parse(data).graphs[0].ops]


def macs(data: bytes) -> int:
    """Multiply-accumulates of one invoke."""
    return sum(op.macs for op in ops(data))
