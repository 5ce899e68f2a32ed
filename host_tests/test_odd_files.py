# What is no regular file is no file for a Model: pipes that nobody writes to, devices without an
# end and folders are neither waited for nor read.

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 20
KINDS: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
}
SCRIPT = """\
import microlite
def tried(call):
    try:
        return call()
    except OSError as e:
        return "OSError", e.errno
print(tried(lambda: microlite.Model("model.tflite").labels))
print(tried(lambda: repr(microlite.Model("model.tflite")).split(", ")[-1]))
print(tried(lambda: microlite.Model("odd.tflite")))
print(tried(lambda: microlite.check("odd.tflite")))
print(tried(lambda: microlite.Model("model.tflite", labels="odd.tflite")))
print(tried(lambda: microlite.verify("model.tflite", "odd.tflite")))
"""


@pytest.fixture(params=["unix", "host"])
def command(request: pytest.FixtureRequest) -> list[str | Path]:
    if request.param == "host":
        return [sys.executable, ROOT / "host_tests/host_runner.py"]
    return [request.getfixturevalue("micropython")]


@pytest.mark.parametrize("kind", KINDS)
def test_ignored(command: list[str], crate_models: Path, tmp_path: Path, kind: str) -> None:
    (tmp_path / "model.tflite").write_bytes((crate_models / "hello_world.tflite").read_bytes())
    for name in ("model.txt", "model.plan", "odd.tflite"):
        KINDS[kind](tmp_path / name)
    (tmp_path / "script.py").write_text(SCRIPT)
    words = [*command, "script.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS)
    assert done.stderr == ""
    labels, plan, *rest = done.stdout.splitlines()
    assert (labels, plan) == ("()", "model.plan ignored: no plan)")
    assert rest == [str(("OSError", 21 if kind == "folder" else 22))] * 4
