# The documentation in the stubs: everything has some, and each error it names is raised.

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import tflite

from builder import Model, Op, Tensor
from io_models import collect
from stub_raises import RAISES

ROOT = Path(__file__).parent.parent
STUBS = sorted((ROOT / "stubs").glob("**/*.pyi"))
SINE = "hello_world.tflite"

BEGIN = f"""\
import sys
sys.path.append({str(ROOT / "host_tests/device")!r})
import _microlite, microlite
from array import array
from microlite import audio, stream, timing
from microlite.compat import Interpreter
from one_tensor import FLOAT16, one_tensor
SINE = {SINE!r}

def full(function):
    hog = None
    for size in (4096, 256, 16):
        try:
            while True:
                hog = [hog, bytearray(size)]
        except MemoryError:
            pass
    try:
        function()
    finally:
        while hog:  # piece by piece: an old reference may be lying on the stack
            rest = hog[0]
            hog.clear()
            hog = rest

def nan(tensor):
    tensor.write_raw(array("f", [float("nan")] * len(tensor)))
    return tensor

def closing():
    sine.on_op = sine.close
    sine.invoke()

def resized():
    chunk = bytearray(2)
    front_end = audio.FrontEnd().feed(chunk)
    chunk.extend(bytes(100000))
    next(front_end)

def reload():
    global sine, labelled, three, image, carried, asked, shim, half, again, closed, dead
    sine = microlite.Model(SINE)
    labelled = microlite.Model(SINE, labels=["a", "b"])
    three = microlite.Model("three.tflite")
    image = microlite.Model("image.tflite")
    carried = microlite.Model("accumulator.tflite", state={{"sum": "total"}})
    asked = microlite.Model("gather.tflite")
    shim = Interpreter(SINE)
    half = one_tensor(FLOAT16).inputs[0]
    again = microlite.Model(SINE)
    again.predict([1])
    closed = microlite.Model(SINE)
    dead = closed.inputs[0]
    closed.close()

"""
PIECE = """\
reload()
try:
    {code}
    print("nothing")
except Exception as e:
    print(isinstance(e, getattr(microlite, "{error}", None) or {error}), repr(e))
"""


def gather() -> bytes:
    """y = x[i], which fails when there is no such element."""
    model = Model()
    x = model.add(Tensor([3], tflite.TensorType.FLOAT32, name="x"))
    i = model.add(Tensor([2], tflite.TensorType.INT32, name="i"))
    y = model.add(Tensor([2], tflite.TensorType.FLOAT32, name="y"))
    model.ops.append(Op(tflite.BuiltinOperator.GATHER, [x, i], [y], "GatherOptions"))
    model.inputs, model.outputs = [x, i], [y]
    return model.to_bytes()


def nobody_has_it() -> bytes:
    model = Model()
    x, y = (model.add(Tensor([1], tflite.TensorType.FLOAT32, name=name)) for name in "xy")
    model.ops.append(Op(tflite.BuiltinOperator.CUSTOM, [x], [y], custom="Unheard"))
    model.inputs, model.outputs = [x], [y]
    return model.to_bytes()


Described = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def text_of(node: ast.AST) -> str | None:
    """The docstring of a definition."""
    return ast.get_docstring(node) if isinstance(node, Described) else None


def is_setter(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(decorator).endswith(".setter") for decorator in node.decorator_list)


def walk(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, str | None]]:
    """Names and docstrings of what is defined, also those of attributes."""
    for node, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            value = following.value if isinstance(following, ast.Expr) else None
            is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
            yield prefix + node.target.id, ast.unparse(value) if value and is_text else None
        elif isinstance(node, ast.ClassDef):
            yield prefix + node.name, text_of(node)
            if "TypedDict" not in map(ast.unparse, node.bases):
                yield from walk(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_setter(node):
            yield prefix + node.name, text_of(node)


def described() -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for path in STUBS:
        prefix = "_microlite." if path.parent.name == "_microlite" else ""
        tree = ast.parse(path.read_text())
        found[str(path.relative_to(ROOT))] = ast.get_docstring(tree)
        for name, text in walk(tree.body, prefix):
            found.setdefault(name, text)
    return found


def errors(text: str | None) -> dict[str, str]:
    """The errors in a docstring's section Raises and what is said of each."""
    section = re.search(r"^Raises:\n((?: .*\n?)+)", text or "", re.MULTILINE)
    rows = re.findall(r"^ {4}(\w.*?): (.*)", section[1] if section else "", re.MULTILINE)
    return {name: words for names, words in rows for name in names.split(", ")}


DESCRIBED = described()


def test_everything_is_described() -> None:
    bare = [name for name, text in DESCRIBED.items() if not text]
    # What the C module's Model shares with the package's is described there.
    assert not [name for name in bare if not DESCRIBED.get(name.removeprefix("_microlite."))]
    assert len(DESCRIBED) > 150


def test_references_lead_to_the_same_errors() -> None:
    for name, text in DESCRIBED.items():
        for error, words in errors(text).items():
            if reference := re.fullmatch(r"as `(.*)`\.", words):
                wanted = reference[1]
                candidates = (wanted, f"{name.rpartition('.')[0]}.{wanted}", f"{wanted}.__init__")
                assert any(error in errors(DESCRIBED.get(c)) for c in candidates), (name, error)


def test_documented_errors_are_raised(
    micropython: Path, crate_models: Path, tmp_path: Path
) -> None:
    documented = {
        (name, error)
        for name, text in DESCRIBED.items()
        for error, words in errors(text).items()
        if not re.fullmatch(r"as `.*`\.", words)
    }
    assert documented == set(RAISES)
    models = collect()
    models |= {"gather": gather(), "missing": nobody_has_it()}
    for name, model in models.items():
        (tmp_path / f"{name}.tflite").write_bytes(model)
    (tmp_path / SINE).write_bytes((crate_models / SINE).read_bytes())
    (tmp_path / "image.txt").write_bytes(b"\xff")
    with (tmp_path / "huge.tflite").open("wb") as f:
        f.truncate(1 << 40)
    pieces = [PIECE.format(code=code, error=error) for (_, error), code in RAISES.items()]
    done = subprocess.run(
        [micropython, "-c", BEGIN + "".join(pieces)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert not done.stderr, done.stderr
    wrong = [
        (*key, line)
        for key, line in zip(RAISES, done.stdout.splitlines(), strict=True)
        if not line.startswith("True ")
    ]
    assert not wrong
