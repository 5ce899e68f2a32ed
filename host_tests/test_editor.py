# docs/editor.md is true: its settings, given to basedpyright and mypy, find the stubs built as the
# package microlite-stubs, accept the examples and find mistakes; editors complete and show
# documentation. MicroPython's stubs are those of build/typings.

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from language_server import LanguageServer
from stub_uses import RIGHT, WRONG

TOOLS = Path(sys.executable).parent
ROOT = Path(__file__).parent.parent
MISTAKES = """\
import microlite
import microlight
import time

microlite.Network("m")
microlite.Model("m").inputs[0].wrote([1])
time.sleep_ms("5")
print(time.ticks_us(), microlite.info().kernels)
"""
OPEN = """\
import microlite
model = microlite.Model("m")
one = microlite.
two = model.
three = model.inputs[0].
four = model.predict
five = model.arena_needed
"""


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    assert done.returncode in (0, 1) and not done.stderr, done.stdout + done.stderr
    return done.stdout


def pip(*arguments: str | Path) -> None:
    run(sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", *arguments)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """microlite-stubs, built of a copy since setuptools leaves files behind."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT / "stubs", folder / "stubs")
    pip("wheel", "--no-index", "--no-build-isolation", "-w", folder, folder / "stubs")
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has nothing but microlite-stubs."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(site)
    return folder / "bin/python"


@pytest.fixture(scope="module")
def application(wheel: Path, build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an application, as the page says."""
    if not (build / "typings").exists():
        pytest.skip("build/typings is missing: make typings")
    folder = tmp_path_factory.mktemp("application")
    (folder / "typings").mkdir()
    for path in (build / "typings").iterdir():
        (folder / "typings" / path.name).symlink_to(path)
    pip("install", "--no-index", "--target", folder / "typings", wheel)
    for_computers = shutil.ignore_patterns("train.py", "training.py", "*.data", "*.tflite")
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=for_computers)
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text(WRONG)
    (folder / "mistakes.py").write_text(MISTAKES)
    return folder


def block(title: str, language: str) -> str:
    text = (ROOT / "docs/editor.md").read_text()
    section = re.search(rf"^## {title}$.*?^```{language}\n(.*?)^```", text, re.M | re.S)
    assert section
    return section[1]


def vscode() -> dict[str, Any]:
    """VS Code's settings of python.analysis."""
    settings = json.loads(block("VS Code", "json"))
    return {name.removeprefix("python.analysis."): value for name, value in settings.items()}


def basedpyright(folder: Path, python: Path, config: dict[str, Any]) -> list[tuple[str, int, str]]:
    """Where it finds which fault in the files of a folder."""
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    output = run(
        TOOLS / "basedpyright",
        "--outputjson",
        "--level",
        "error",
        "--pythonpath",
        python,
        cwd=folder,
    )
    return [
        (Path(d["file"]).name, d["range"]["start"]["line"] + 1, d["rule"])
        for d in json.loads(output)["generalDiagnostics"]
    ]


def test_settings(application: Path, python: Path) -> None:
    """The application has no faults but the mistakes, and all of those."""
    config = json.loads(block("Pyright and other editors", "json"))
    same = vscode()
    (same["typeshedPath"],) = same.pop("typeshedPaths")
    same.update(same.pop("diagnosticSeverityOverrides"))
    assert config == same | {"ignore": ["typings"]}  # VS Code looks at open files only
    config["reportUnnecessaryTypeIgnoreComment"] = "error"
    nowhere = python.parent / "none"  # the stubs come from typings, not from an environment
    assert basedpyright(application, nowhere, config) == [
        ("mistakes.py", 2, "reportMissingImports"),
        ("mistakes.py", 5, "reportAttributeAccessIssue"),
        ("mistakes.py", 6, "reportAttributeAccessIssue"),
        ("mistakes.py", 7, "reportArgumentType"),
    ]


def test_installed_basedpyright(python: Path, tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    config = {"typeCheckingMode": "strict", "reportUnnecessaryTypeIgnoreComment": "error"}
    config |= dict.fromkeys(
        ("reportMissingModuleSource", "reportUnusedExpression", "reportUnknownLambdaType"), "none"
    )
    assert basedpyright(tmp_path, python, config) == []


def test_mypy(application: Path, python: Path) -> None:
    """By the settings for the application, and as installed into an environment."""
    ini = block("mypy", "ini").replace("/path/to/microlite", str(ROOT))
    (application / "mypy.ini").write_text(ini)
    mypy = (sys.executable, "-m", "mypy", "--no-error-summary", "--strict")
    found = run(*mypy, "wrong.py", "right.py", "mistakes.py", cwd=application)
    assert re.findall(r"^(\S+:\d+): error:.*\[(.*)\]$", found, re.MULTILINE) == [
        ("mistakes.py:2", "import-not-found"),
        ("mistakes.py:5", "attr-defined"),
        ("mistakes.py:6", "attr-defined"),
        ("mistakes.py:7", "arg-type"),
    ]
    options = ("--config-file", "", "--python-executable", python)
    assert run(*mypy, *options, "wrong.py", "right.py", cwd=application) == ""


def test_completion_and_hover(application: Path) -> None:
    (application / "open.py").write_text(OPEN)
    (application / "pyrightconfig.json").unlink(missing_ok=True)
    command = [str(TOOLS / "basedpyright-langserver"), "--stdio"]
    settings = {"basedpyright": {"analysis": vscode()}}
    with LanguageServer(command, application / "open.py", settings) as server:
        module, model, tensor = (
            {name for name in server.completions(marker) if not name.startswith("__")}
            for marker in ("one = microlite.", "two = model.", "inputs[0].")
        )
        assert {"Model", "check", "ArenaError"} <= module
        assert {"invoke", "predict", "inputs", "on_op"} <= model
        assert {"write", "read", "shape", "data"} <= tensor
        assert not [name for name in module | model | tensor if name.startswith("_")]
        told = server.hover("model.predict")
        assert "def predict(" in told and "-> (array[float] | array[int])" in told, told
        assert "Write each input, invoke, and read the only output." in told
        assert "KeyError" in told
        assert "Bytes of the least arena" in server.hover("model.arena_needed")


def test_types_are_complete(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "stubs/microlite", tmp_path / "microlite")
    (tmp_path / "microlite/py.typed").touch()
    output = run(
        TOOLS / "basedpyright", "--outputjson", "--verifytypes", "microlite",
        cwd=tmp_path, PYTHONPATH=str(tmp_path),
    )  # fmt: skip
    report = json.loads(output)["typeCompleteness"]
    assert report["completenessScore"] == 1
    assert report["missingFunctionDocStringCount"] == report["missingClassDocStringCount"] == 0
    assert report["exportedSymbolCounts"]["withKnownType"] > 80
