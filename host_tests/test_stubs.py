# The stubs against the modules of the unix binary: the same names both ways, the same
# parameters; and against mypy, which must accept right uses and refuse wrong ones.

import ast
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from stub_uses import RIGHT, WRONG

MODULES = (
    "microlite",
    "microlite._reports",
    "microlite._selftest",
    "microlite._verify",
    "microlite.audio",
    "microlite.compat",
    "microlite.stream",
    "microlite.timing",
    "_microlite",
)
MODEL = "hello_world.tflite"
IMPORTS = f"import binascii, json, struct, {', '.join(MODULES)}\n"

# Golden outputs of no case.
IMPORTS += f"""\
def golden():
    with open({MODEL!r}, "rb") as f:
        crc = binascii.crc32(f.read())
    head = struct.pack("<4s4B4I", b"MLGO", 1, 0, 1, 1, crc, 0, 4, 4)
    return head + struct.pack("<I", binascii.crc32(head))


"""

# How to come by an object of each class, in a script for the device.
OBJECTS = {
    "microlite.Model": f"microlite.Model({MODEL!r})",
    "microlite.Tensor": f"microlite.Model({MODEL!r}).inputs[0]",
    "microlite._reports.Report": f"microlite.check({MODEL!r})",
    "microlite._reports.Info": "microlite.info()",
    "microlite._selftest.SelfTest": "microlite.selftest()",
    "microlite._reports.Profile": f"microlite.Model({MODEL!r}).profile()",
    "microlite._verify.Verification": f"microlite.verify({MODEL!r}, golden())",
    "microlite.audio.FrontEnd": "microlite.audio.FrontEnd()",
    "microlite.stream.Chunks": f"microlite.stream.Chunks(open({MODEL!r}, 'rb'), bytearray(2))",
    "microlite.stream.Stream": "microlite.stream.Stream((), iter)",
    "microlite.stream.Window": f"microlite.stream.Window(microlite.Model({MODEL!r}).inputs[0], 1)",
    "microlite.stream.Scores": "microlite.stream.Scores(1)",
    "microlite.timing.Timing": "microlite.timing.Timing([1.0], 1, 0.0)",
    "microlite.compat.Interpreter": f"microlite.compat.Interpreter({MODEL!r})",
    "microlite._reports._TensorInfo": f"microlite.check({MODEL!r}).inputs[0]",
    "_microlite.Model": f"_microlite.Model(open({MODEL!r}, 'rb').read())",
}
ERRORS = ("ArenaError", "ModelError", "OpError", "InvokeError")
OBJECTS |= {f"microlite.{name}": f"microlite.{name}('words')" for name in ERRORS}

# Names that dir() gives for any object of a class or not for operators, or the package's own.
PLAIN = {"__class__", "__dict__", "__module__", "__qualname__", "__getattr__", "__setattr__"}
PLAIN |= {"__init__", "__repr__", "__name__", "__file__", "__path__", "args", "errno", "value"}
PLAIN |= {module.partition(".")[2] for module in MODULES}
PLAIN |= {"__bool__", "__getitem__", "__iter__", "__len__", "__next__", "__str__", "__version__"}


@dataclass
class Function:
    required: int
    unnamed: int  # positional arguments that cannot be named
    most: int | None  # positional arguments, None for any number
    keywords: list[str]
    takes_any_keyword: bool


@dataclass
class Surface:
    names: set[str] = field(default_factory=set)
    functions: dict[str, Function] = field(default_factory=dict)


def read_function(node: ast.FunctionDef | ast.AsyncFunctionDef, method: bool) -> Function:
    args = node.args
    positional = [arg.arg for arg in args.posonlyargs + args.args][int(method) :]
    plain = [arg.arg for arg in args.args if arg.arg != "self"]
    most = None if args.vararg else len(positional)
    required = len(positional) - len(args.defaults)
    keywords = plain + [arg.arg for arg in args.kwonlyargs]
    return Function(required, len(positional) - len(plain), most, keywords, bool(args.kwarg))


def read_body(body: list[ast.stmt], method: bool) -> Surface:
    surface = Surface()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            surface.names.add(node.name)
            if not node.decorator_list:
                surface.functions[node.name] = read_function(node, method)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            surface.names.add(node.target.id)
        elif isinstance(node, ast.ClassDef) and not is_dict(node):
            surface.names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            surface.names |= {alias.asname for alias in node.names if alias.asname}
    return surface


def is_dict(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "TypedDict" for base in node.bases)


@pytest.fixture(scope="session")
def stubs(root: Path) -> dict[str, Surface]:
    """What the stubs declare, by the names of modules and classes."""
    found = {}
    for module in MODULES:
        path = root / "stubs" / f"{module.replace('.', '/')}.pyi"
        if not path.exists():
            path = root / f"stubs/{module}/__init__.pyi"
        body = ast.parse(path.read_text()).body
        found[module] = read_body(body, method=False)
        bases: dict[str, Surface] = {}
        for node in body:
            if isinstance(node, ast.ClassDef) and not is_dict(node):
                surface = read_body(node.body, method=True)
                for base in node.bases:
                    if isinstance(base, ast.Name) and base.id in bases:
                        surface.names |= bases[base.id].names
                bases[node.name] = found[f"{module}.{node.name}"] = surface
    return found


def run(micropython: Path, folder: Path, script: str) -> list[str]:
    result = subprocess.run(
        [micropython, "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.splitlines()


def test_every_class_is_known(stubs: dict[str, Surface]) -> None:
    assert set(stubs) == set(OBJECTS) | set(MODULES)


def test_same_names(stubs: dict[str, Surface], micropython: Path, crate_models: Path) -> None:
    script = IMPORTS
    for name in stubs:
        script += f"print(json.dumps(dir({OBJECTS.get(name, name)})))\n"
    lines = run(micropython, crate_models, script)
    for (name, surface), line in zip(stubs.items(), lines, strict=True):
        real, declared = (
            {n for n in names if n.endswith("__") or not n.startswith("_")} - PLAIN
            for names in (json.loads(line), surface.names)
        )
        assert real == declared, name


def probes(name: str, functions: dict[str, Function]) -> list[tuple[str, str, bool]]:
    """Calls with None for every argument, and whether the number and names of them are right."""
    make = OBJECTS.get(name, name)
    calls = []
    for function, wanted in functions.items():
        target = name if function == "__init__" else f"({make}).{function}"
        if function.startswith("__") and function != "__init__":
            continue
        right = ["None"] * wanted.required
        calls.append((target, ", ".join(right), True))
        if not wanted.takes_any_keyword:
            calls.append((target, ", ".join([*right, "unknown=None"]), False))
        if wanted.required:
            calls.append((target, ", ".join(right[1:]), False))
        if wanted.most is not None:
            calls.append((target, ", ".join(["None"] * wanted.most), True))
            calls.append((target, ", ".join(["None"] * (wanted.most + 1)), False))
        for i, keyword in enumerate(wanted.keywords):
            named = wanted.keywords[i : wanted.required - wanted.unnamed] or [keyword]
            before = right[: wanted.unnamed + i]
            calls.append((target, ", ".join([*before, *(f"{n}=None" for n in named)]), True))
    return calls


def test_same_parameters(stubs: dict[str, Surface], micropython: Path, crate_models: Path) -> None:
    calls = [call for name, surface in stubs.items() for call in probes(name, surface.functions)]
    script = IMPORTS
    for target, arguments, _ in calls:
        script += f"try:\n    ({target})({arguments})\n    print()\n"
        script += "except Exception as e:\n    print(repr(e))\n"
    complaints = ("positional arg", "keyword arg", "argument required", "function expected")
    for (target, arguments, right), line in zip(
        calls, run(micropython, crate_models, script), strict=True
    ):
        refused = line.startswith("TypeError") and any(words in line for words in complaints)
        assert refused != right, f"{target}({arguments}): {line}"


@pytest.mark.parametrize("source", [RIGHT, WRONG], ids=["right", "wrong"])
def test_mypy(root: Path, tmp_path: Path, source: str) -> None:
    """strict warns of each ignore that ignores nothing."""
    if not (root / "build/typings").exists():
        pytest.skip("build/typings is missing: make typings")
    path = tmp_path / "use.py"
    path.write_text(source)
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "tools/mypy-device.toml", path],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
