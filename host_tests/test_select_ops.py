# Which rows of ops.def a build links, what the selection says of models that it cannot take, and
# operators of a firmware's own, which are linked and run.

import os
import struct
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest
import tflite
from hypothesis import given
from hypothesis import strategies as st

from builder import Model, Op
from builder import activation as tensor
from programs import records

ROOT = Path(__file__).resolve().parent.parent
TFLM = ROOT / "src_c/tflm"
sys.path.append(str(TFLM))
select_ops = import_module("select_ops")

ROWS = select_ops.read_rows([TFLM / "ops.def"])
B = tflite.BuiltinOperator


@dataclass
class Result:
    rows: list[str]
    errors: list[str]


def run(*words: object) -> Result:
    """As a build runs it: with Python alone, not even its site packages."""
    command = [sys.executable, "-I", "-S", TFLM / "select_ops.py", *words]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == (1 if done.stderr else 0), done.stderr
    lines = done.stdout.splitlines()
    return Result([line[3:].partition(",")[0] for line in lines], done.stderr.splitlines())


def select(*words: object) -> Result:
    return run(TFLM / "ops.def", *words)


def model_of(*ops: int | str) -> bytes:
    """A model with these operators, by code or the name of a custom one. Only its list of codes
    makes sense."""
    model = Model([tensor([1], "int8", 1.0)], inputs=[0], outputs=[0])
    for op in ops:
        code, name = (op, None) if isinstance(op, int) else (B.CUSTOM, op)
        model.ops.append(Op(code, [0], [0], custom=name))
    return model.to_bytes()


def told(*words: str) -> str:
    command = [sys.executable, str(TFLM / "select_ops.py"), str(TFLM / "ops.def"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def types_of(name: str, *words: str) -> str:
    return told(*words, name).split('"')[1]


def test_types_left_out() -> None:
    assert types_of("ADD") == "ff>f bb>b BB>B hh>h ii>i"
    assert types_of("ADD", "-float32") == "bb>b BB>B hh>h ii>i"
    assert types_of("ADD", "-float32", "-uint8") == "bb>b hh>h ii>i"
    assert "COS" in select("all").rows
    assert "COS" not in select("-float32", "all").rows
    assert select("-int8", "all").errors == [
        "select_ops: cannot leave out int8, only float32, uint8"
    ]


def test_types_that_models_lack(tmp_path: Path) -> None:
    paths = {}
    for dtype in "int8", "float32", "uint8":
        model = Model([tensor([1], dtype)], inputs=[0], outputs=[0])
        model.ops = [Op(B.RELU, [0], [0])]
        paths[dtype] = f"@{tmp_path / dtype}"
        (tmp_path / dtype).write_bytes(model.to_bytes())

    def lacking(*words: str) -> str:
        return told("-auto", *words).strip()

    assert lacking(paths["int8"]) == "float32 uint8"
    assert lacking(paths["float32"]) == "uint8"
    assert lacking(paths["int8"], paths["uint8"]) == "float32"
    assert lacking(paths["int8"], "RELU") == lacking("all") == ""


def test_all() -> None:
    text = (TFLM / "ops.def").read_text()
    rows = [line for line in text.splitlines() if line.startswith("OP(")]
    assert select("all").rows == [row[3:].partition(",")[0] for row in sorted(rows)]
    assert len(rows) > 50


def test_names_and_models_mixed(crate_models: Path) -> None:
    words = "SIN", f"@{crate_models / 'hello_world.tflite'}", "ADD", "SIN"
    assert select(*words).rows == ["ADD", "DEQUANTIZE", "FULLY_CONNECTED", "QUANTIZE", "SIN"]


def test_nothing() -> None:
    assert select().errors == ["select_ops: name operators, @models or all"]


def test_unknown_name() -> None:
    (line,) = select("ADD", "NOTHING").errors
    assert line.startswith("select_ops: no operator NOTHING; there are ABS ADD ")


def test_names_are_those_of_the_schema() -> None:
    names = {code: name for name, code in vars(B).items() if name[0] != "_"}
    assert dict(enumerate(select_ops.NAMES)) == {
        code: name for code, name in names.items() if code < len(select_ops.NAMES)
    }
    assert len(select_ops.NAMES) > max(int(row.split(",")[1]) for row in ROWS.values())


def test_newer_codes(tmp_path: Path) -> None:
    """They stand in the second field of the table of codes."""
    path = tmp_path / "new.tflite"
    path.write_bytes(model_of(B.READ_VARIABLE, B.ADD))
    assert select(f"@{path}").rows == ["ADD", "READ_VARIABLE"]


def test_several_subgraphs(tmp_path: Path) -> None:
    model = Model([tensor([1], "int8", 1.0)], [Op(B.ABS, [0], [0])], [0], [0])
    model.subgraphs = [Model([tensor([1], "int8", 1.0)], [Op(B.NEG, [0], [0])], [0], [0])]
    path = tmp_path / "two.tflite"
    path.write_bytes(model.to_bytes())
    assert select(f"@{path}").rows == ["ABS", "NEG"]


def test_all_that_is_missing_at_once(tmp_path: Path) -> None:
    one, two = tmp_path / "one.tflite", tmp_path / "two.tflite"
    ops = B.ADD, B.LSTM, 4000, B.BUCKETIZE, "MyOp", "FlexErf", "Odd\x1b[2J\xff"
    one.write_bytes(model_of(*ops))
    two.write_bytes(b"something else")
    assert select(f"@{one}", "NOTHING", f"@{two}").errors == [
        f"select_ops: {one}: no kernel for BUCKETIZE, BUILTIN_4000, LSTM",
        f"select_ops: {one}: custom operator FlexErf: no kernel; it is TensorFlow's: convert "
        "without SELECT_TF_OPS",
        f"select_ops: {one}: custom operator MyOp: no kernel",
        f"select_ops: {one}: custom operator Odd?[2J??: no kernel",
        f"select_ops: no operator NOTHING; there are {' '.join(sorted(ROWS))}",
        f"select_ops: {two}: not a TensorFlow Lite model",
    ]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (None, "No such file or directory"),
        (b"", "not a TensorFlow Lite model"),
        (b"\0\0\0\0TFL", "not a TensorFlow Lite model"),
        (b"\0\0\0\0TFL3", "a model without operators"),
        (b"\xff\xff\xff\xffTFL3", "damaged model"),
        (b"\x08\0\0\0TFL3\xff\xff\xff\x7f", "damaged model"),
        (Model().to_bytes(), "a model without operators"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes | None, what: str) -> None:
    path = tmp_path / "bad.tflite"
    if content is not None:
        path.write_bytes(content)
    assert select(f"@{path}").errors == [f"select_ops: {path}: {what}"]


def test_folder(tmp_path: Path) -> None:
    assert select(f"@{tmp_path}").errors == [f"select_ops: {tmp_path}: Is a directory"]


def read(path: Path, data: bytes) -> bool:
    """Whether the reader takes it; it may fail in one way alone."""
    path.write_bytes(data)
    try:
        builtin, custom = select_ops.model_ops(str(path))
    except select_ops.Problems as found:
        (line,) = found.args
        assert line.startswith(f"{path}: ") and line.isprintable()
        return False
    assert all(name.isprintable() for name in builtin | custom)
    return True


def test_truncations(tmp_path: Path) -> None:
    whole = model_of(B.ADD, B.BUCKETIZE, "MyOp")
    taken = [read(tmp_path / "cut", whole[:n]) for n in range(len(whole) + 1)]
    assert taken[-1] and not any(taken[:40])


def test_changed_bytes(tmp_path: Path) -> None:
    whole = model_of(B.ADD, B.BUCKETIZE, "MyOp")
    taken = [
        read(tmp_path / "changed", whole[:i] + bytes([value]) + whole[i + 1 :])
        for i in range(len(whole))
        for value in (0, 1, 0x7F, 0x80, 0xFF)
    ]
    assert any(taken) and not all(taken)


@given(data=st.data())
def test_changed_words(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    changed = bytearray(model_of(B.ADD, B.BUCKETIZE, "MyOp"))
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(changed) - 4))
        changed[place : place + 4] = data.draw(st.binary(min_size=4, max_size=4))
    read(tmp_path_factory.getbasetemp() / "words", bytes(changed))


# A firmware's own operators.

KERNEL = """\
#include "check_op.h"
#include "kernel.h"

#include <math.h>

static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
    const float *in = kernel_read<float>(kernel_in(context, node, 0));
    TfLiteTensor *out = kernel_out(context, node, 0);
    for (int32_t i = 0; i < kernel_size(out); ++i) {
        kernel_write<float>(out)[i] = (in[i] > 0) - (in[i] < 0);
    }
    return kTfLiteOk;
}

KERNEL(SIGN, nullptr, invoke)

bool check_sign(const op_view_t *op) {
    return need_same_shape(op);
}
"""
SIGN = 'OP(SIGN, 158, 1, 1, 1, NONE, NONE, "f>f", sign)\n'


@pytest.fixture
def extra(tmp_path: Path) -> Path:
    folder = tmp_path / "my_ops"
    folder.mkdir()
    (folder / "ops.def").write_text(f"// Ours.\n\n{SIGN}")
    (folder / "sign.cc").write_text(KERNEL)
    return folder


def test_extra_rows(extra: Path) -> None:
    table = extra / "ops.def"
    assert run(TFLM / "ops.def", table, "SIGN", "ADD").rows == ["ADD", "SIGN"]
    assert "SIGN" in run(TFLM / "ops.def", table, "all").rows
    table.write_text(SIGN.replace("158", "157"))
    problem = f"select_ops: {table}: SIGN has another code than 157"
    assert run(TFLM / "ops.def", table, "all").errors == [problem]
    table.write_text(ROWS["ADD"])
    problem = f"select_ops: {table}: ADD has a row already"
    assert run(TFLM / "ops.def", table, "all").errors == [problem]
    table.unlink()
    problem = f"select_ops: {table}: No such file or directory"
    assert run(TFLM / "ops.def", table, "all").errors == [problem]


@pytest.mark.soak
def test_extra_kernels_run(extra: Path, tmp_path: Path) -> None:
    """In a build with nothing else."""
    model = tmp_path / "sign.tflite"
    graph = Model([tensor([3], "float32"), tensor([3], "float32")], inputs=[0], outputs=[1])
    graph.ops = [Op(B.SIGN, [0], [1])]
    model.write_bytes(graph.to_bytes())
    given = tmp_path / "input"
    given.write_bytes(struct.pack("<3f", -5, 0, 0.5))
    program = tmp_path / "run"
    variables = f"OUT={tmp_path}", f"OPS=@{model}", f"OPS_EXTRA={extra}"
    words = "-s", f"-j{os.cpu_count()}", "-C", ROOT / "host_tests/engine", *variables, program
    subprocess.run(["make", *map(str, words)], check=True)
    done = subprocess.run([program, model, given], capture_output=True, text=True, check=True)
    (output,) = records(done.stdout)[-1]["outputs"]
    assert struct.unpack("<3f", bytes.fromhex(output)) == (-1, 0, 1)
    done = subprocess.run([program, "ops"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["SIGN"]
