# The models that are measured, the inputs that they get and their multiply-accumulates.

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tflite

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

INTEGERS = {tflite.TensorType.INT8: "int8", tflite.TensorType.UINT8: "uint8"}


@dataclass(frozen=True)
class Op:
    name: str
    macs: int


def models() -> dict[str, Path]:
    found = {name: CRATES / f"{file}.tflite" for name, file in CRATE_NAMES.items()}
    if HAND_OUT.is_dir():
        found |= {name: HAND_OUT / name / f"{name}.tflite" for name in HAND_OUT_NAMES}
    return found


def _graph(data: bytes) -> tuple[tflite.Model, tflite.SubGraph]:
    model = tflite.Model.GetRootAsModel(data, 0)
    return model, model.Subgraphs(0)


def _shape(graph: tflite.SubGraph, index: int) -> list[int]:
    tensor = graph.Tensors(index)
    return [tensor.Shape(i) for i in range(tensor.ShapeLength())]


def seeded_inputs(data: bytes) -> bytes:
    """All inputs of a model, one after the other, from a generator with the seed 1."""
    _, graph = _graph(data)
    rng = np.random.default_rng(1)
    inputs = b""
    for i in range(graph.InputsLength()):
        shape = _shape(graph, graph.Inputs(i))
        kind = graph.Tensors(graph.Inputs(i)).Type()
        if kind == tflite.TensorType.FLOAT32:
            inputs += rng.uniform(-1.0, 1.0, size=shape).astype("<f4").tobytes()
        else:
            limits = np.iinfo(INTEGERS[kind])
            values = rng.integers(limits.min, limits.max + 1, size=shape)
            inputs += values.astype(limits.dtype).tobytes()
    return inputs


def ops(data: bytes) -> list[Op]:
    """The operators in their order, with their nominal multiply-accumulates in one invoke."""
    model, graph = _graph(data)
    found = []
    for i in range(graph.OperatorsLength()):
        op = graph.Operators(i)
        code = model.OperatorCodes(op.OpcodeIndex())
        name = tflite.opcode2name(max(code.DeprecatedBuiltinCode(), code.BuiltinCode()))
        macs = 0
        if name in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"):
            weights = _shape(graph, op.Inputs(1))
            per_output = weights[1:3] if name == "DEPTHWISE_CONV_2D" else weights[1:]
            macs = math.prod(_shape(graph, op.Outputs(0))) * math.prod(per_output)
        found.append(Op(name, macs))
    return found


def macs(data: bytes) -> int:
    """Multiply-accumulates of one invoke: output elements times the inputs of each."""
    return sum(op.macs for op in ops(data))
