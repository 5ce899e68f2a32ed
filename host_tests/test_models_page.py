# The conversions of docs/models.md, with the packages it names, give models that run here and
# compute what the oracle computes. The packages take gigabytes, so each lives in its own
# environment under build/converters, and only the soak makes them.

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = {"tensorflow": "tensorflow-cpu==2.21.0", "pytorch": "litert-torch==0.10.0"}
SECTIONS = {"tensorflow": ["From TensorFlow"], "pytorch": ["From PyTorch", "Quantising"]}
MODELS = {
    "tensorflow": ["bright_float", "bright_int8"],
    "pytorch": ["net_float", "net_int8"],
}


def code(title: str) -> str:
    text = (ROOT / "docs/models.md").read_text()
    found = re.search(rf"^## {title}.*?```python\n(.*?)```", text, re.DOTALL | re.MULTILINE)
    assert found, title
    return found[1]


def environment(name: str) -> Path:
    """The Python that has the converter."""
    folder = ROOT / "build/converters" / name
    python = folder / "bin/python"
    if not (folder / PACKAGES[name]).exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-qq", PACKAGES[name]], check=True)
        (folder / PACKAGES[name]).touch()
    return python


@pytest.mark.soak
@pytest.mark.parametrize("name", PACKAGES)
def test_conversion(name: str, micropython: Path, tmp_path: Path) -> None:
    python = environment(name)
    for title in SECTIONS[name]:
        subprocess.run([python, "-c", code(title)], cwd=tmp_path, check=True)
    for model in MODELS[name]:
        golden = [sys.executable, "-m", "microlite_tools", "golden"]
        subprocess.run([*golden, f"{model}.tflite", "-o", model], cwd=tmp_path, check=True)
        script = f"import microlite; print(bool(microlite.verify('{model}.tflite', '{model}')))"
        done = subprocess.run([micropython, "-c", script], cwd=tmp_path, capture_output=True)
        assert done.stdout == b"True\n", done.stderr
