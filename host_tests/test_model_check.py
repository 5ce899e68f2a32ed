# The model check: every rule refuses in its own words, right models pass and run, and whatever
# passes does no harm: models changed by meaning and by byte, under sanitizers.

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tflite
from tflite_micro import runtime

import goldens
import mutations
from builder import Array, Model, Op, Quantization, Tensor, activation, constant
from checking import CASES, ERR_OP, check, copy_of
from goldens import DTYPES
from one_op import Case, ints, one_op
from programs import Record, call
from window_models import SAME

ROOT = Path(__file__).resolve().parent.parent
N_MUTANTS = 5200
N_FLIPS = 20
GOOD = ["refused", "missing", "large", "ran"]
BAD = ["load_failed", "invoke_failed", "wrote", "crashed"]

# Neither kernels for uint8 nor these are in the other implementation.
NO_ORACLE = re.compile("uint8|svdf_.*absent|dequantize.*int32")

each_variant = pytest.mark.parametrize("variant", ["asan", "asan32"])


def mutate(variant: str, path: Path, *options: str) -> Record:
    *told, counts = call(variant, "mutate", *options, path)
    assert not told, told[:5]
    assert {name: counts[name] for name in BAD} == dict.fromkeys(BAD, 0)
    return counts


def table_ops() -> set[str]:
    table = (ROOT / "src_c/tflm/ops.def").read_text()
    return set(re.findall(r"^OP\((\w+)", table, re.M))


# --- right models ---


@each_variant
def test_right_models_run(variant: str, tmp_path: Path) -> None:
    n = mutations.write((case.model.to_bytes() for case in CASES.values()), tmp_path / "models")
    counts = mutate(variant, tmp_path / "models")
    assert counts["ran"] == n
    assert {op for op, (ran, _) in counts["ops"].items() if ran} == table_ops()


def random_inputs(model: Model, seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)

    def values(tensor: Tensor) -> Array:
        dtype = DTYPES[tensor.type]
        if dtype.kind == "f":
            return rng.uniform(-3, 3, tensor.shape).astype(dtype)
        low, high = (0, 2) if dtype.kind == "b" else (-128, 128)
        return rng.integers(low, high, tensor.shape).astype(dtype)

    return [values(model.tensors[i]) for i in model.inputs]


def oracle_outputs(model: bytes, inputs: list[Array]) -> list[Array]:
    oracle = runtime.Interpreter.from_bytes(model, arena_size=1 << 18)
    for i, values in enumerate(inputs):
        oracle.set_input(values, i)
    oracle.invoke()
    n = tflite.Model.GetRootAsModel(model, 0).Subgraphs(0).OutputsLength()
    return [oracle.get_output(i) for i in range(n)]


with_expected = [
    case for case in CASES.values() if case.expected or not NO_ORACLE.search(case.name)
]


@pytest.mark.parametrize("case", with_expected, ids=lambda case: case.name)
def test_right_numbers(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "model.tflite"
    path.write_bytes(case.model.to_bytes())
    inputs = random_inputs(case.model, 1)
    files = [tmp_path / f"input_{i}" for i in range(len(inputs))]
    for file, values in zip(files, inputs, strict=True):
        file.write_bytes(values.tobytes())
    formula = case.expected or (lambda values: oracle_outputs(path.read_bytes(), values))
    outputs = call("x64", "run", path, *files)[3]["outputs"]
    for raw, expected in zip(outputs, formula(inputs), strict=True):
        got = np.frombuffer(bytes.fromhex(raw), expected.dtype).reshape(expected.shape)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=case.step or 1e-5)


def odd_bias_dimension(model: Model) -> None:
    bias = model.tensors[2]
    bias.quantization = Quantization([0.001] * 8, [0] * 8, 7)


def one_zero_point(model: Model) -> None:
    filter_quantization = model.tensors[1].quantization
    assert filter_quantization
    filter_quantization.zero_points = [0]


def unused_tensors(model: Model) -> None:
    model.tensors += [Tensor([0, 3], 2), activation([5], "float32"), Tensor([], 9)]


def no_scales_on_bias(model: Model) -> None:
    model.tensors[2].quantization = None


def unread_input(model: Model) -> None:
    model.inputs.append(model.add(activation([3], "int8")))


def scaled_float(model: Model) -> None:
    model.tensors[0].quantization = Quantization([0.0], [0])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("conv_2d_int8_same", odd_bias_dimension),
        ("conv_2d_int8_same", one_zero_point),
        ("conv_2d_int8_same", unused_tensors),
        ("conv_2d_int8_same", no_scales_on_bias),
        ("conv_2d_int8_same", unread_input),
        ("conv_2d_float32_same", scaled_float),
    ],
)
def test_oddities_of_converters(
    name: str, change: Callable[[Model], None], tmp_path: Path
) -> None:
    model = copy_of(name)
    change(model)
    assert check(model, tmp_path)["problems"] == []


# --- what check tells ---


def test_misaligned_number(tmp_path: Path) -> None:
    """A number in a table that lies across its alignment."""
    data = bytearray(copy_of("conv_2d_float32_same").to_bytes())
    graph_of = tflite.Model.GetRootAsModel(bytes(data), 0).Subgraphs(0)
    table = graph_of.Operators(0)._tab
    vtable = table.Pos - int.from_bytes(data[table.Pos : table.Pos + 4], "little", signed=True)
    slot = vtable + 4
    at = int.from_bytes(data[slot : slot + 2], "little")
    data[slot : slot + 2] = (at + 1).to_bytes(2, "little")
    record = check(bytes(data), tmp_path)
    assert "damaged or truncated" in record["problem"]


def test_all_problems_at_once(tmp_path: Path) -> None:
    model = Model()
    image, strange, lost = (
        activation([1, 5, 5, 3], "float32"),
        Tensor([2], 12, name="strange"),
        Tensor([3], 0),
    )
    image.name = "image"
    filters = constant(np.zeros((8, 3, 3, 3), np.float32))
    x, _, _, w = (model.add(t) for t in (image, strange, lost, filters))
    outs = [model.add(activation([1, 3, 3, 8], "float32")) for _ in range(3)]
    code = tflite.BuiltinOperator
    window = {"Padding": SAME, "StrideH": 2, "StrideW": 0}
    model.ops = [
        Op(code.CONV_2D, [x, w], [outs[0]], "Conv2DOptions", window),
        Op(code.SKIP_GRAM, [x, 2], [outs[1]]),
        Op(code.ABS, [x], [outs[2]]),
        Op(code.LSH_PROJECTION, [x, w], [model.add(Tensor([1], 0))]),
    ]
    model.inputs, model.outputs = [x], [*outs, 1]
    record = check(model, tmp_path)
    assert record["problems"] == [
        "tensor 1: type 12 is not supported (strange)",
        "operator 0 (CONV_2D): filter 3, stride 0, dilation 1",
        "operator 1 (SKIP_GRAM): tensor 2: input without a source",
        "operator 2 (ABS): tensor 6: dimension 1 is 3, 5 is needed",
        "tensor 1: nothing produces output 3 (strange)",
    ]
    assert record["status"] == ERR_OP
    assert record["missing"] == ["SKIP_GRAM", "LSH_PROJECTION"]
    assert (record["op_index"], record["op"]) == (-1, "")


def test_operator_to_blame(tmp_path: Path) -> None:
    case = one_op("bad", "PAD", [activation([2], "bool"), ints(1, 1)], [activation([4], "int8")])
    record = check(case.model, tmp_path)
    assert (record["op_index"], record["op"]) == (0, "PAD")
    assert record["problems"] == ["operator 0 (PAD): bool int32 to int8 is not supported"]


# --- models changed anywhere ---


def every_op_reached(counts: Record) -> None:
    ops = counts["ops"]
    assert {name for name, (ran, refused) in ops.items() if ran and refused} == table_ops()


@each_variant
def test_mutants(variant: str, tmp_path: Path) -> None:
    n = mutations.write(mutations.of_each_op(N_MUTANTS, 1), tmp_path / "mutants")
    counts = mutate(variant, tmp_path / "mutants")
    assert sum(counts[name] for name in GOOD) == n
    every_op_reached(counts)


@each_variant
def test_changed_bytes_of_each_op(variant: str, tmp_path: Path) -> None:
    n = mutations.write((case.model.to_bytes() for case in CASES.values()), tmp_path / "models")
    counts = mutate(variant, tmp_path / "models", "-n", str(N_FLIPS))
    assert sum(counts[name] for name in GOOD) == n * (N_FLIPS + 1)


@pytest.mark.soak
@each_variant
@pytest.mark.parametrize("name", ["hello_world", "magic_wand", "sine", "speech"])
def test_truncated_anywhere(variant: str, name: str, tmp_path: Path) -> None:
    data = (goldens.CRATES / f"{name}.tflite").read_bytes()
    mutations.write((data[:n] for n in range(len(data))), tmp_path / "models")
    counts = mutate(variant, tmp_path / "models")
    assert sum(counts[name] for name in GOOD) == len(data)


@pytest.mark.soak
@each_variant
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_mutants(variant: str, seed: int, tmp_path: Path) -> None:
    mutations.write(mutations.of_each_op(20 * 1000, seed), tmp_path / "mutants")
    mutate(variant, tmp_path / "mutants", "-n", "1", "-s", str(seed))
