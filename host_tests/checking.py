# What the engine's check tells of a model.

import copy
from pathlib import Path

from builder import Model
from op_models import cases
from programs import Record, call

ERR_MODEL, ERR_OP = -2, -3
CASES = {case.name: case for case in cases()}


def copy_of(name: str) -> Model:
    return copy.deepcopy(CASES[name].model)


def check(model: bytes | Model, folder: Path) -> Record:
    path = folder / "model.tflite"
    path.write_bytes(model if isinstance(model, bytes) else model.to_bytes())
    (record,) = call("asan", "check", path)
    return record
