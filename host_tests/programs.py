# The C programs of host_tests/engine: built when first asked for, their answers parsed.

import fcntl
import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from goldens import Golden

ROOT = Path(__file__).resolve().parent.parent
Record = dict[str, Any]


def make(folder: str, *words: str) -> None:
    """Builds what a folder of host_tests says, while no other worker of pytest builds."""
    command = ["make", "-s", f"-j{os.cpu_count()}", "-C", folder, *words]
    (ROOT / "build/engine").mkdir(parents=True, exist_ok=True)
    with (ROOT / "build/engine/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(command, cwd=ROOT / "host_tests", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@cache
def programs(variant: str) -> Path:
    """The folder with all programs of one variant: x64, x86, asan or asan32."""
    make("engine", f"VARIANT={variant}")
    return ROOT / "build/engine" / variant


def records(text: str) -> list[Record]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def call(variant: str, name: str, *arguments: str | Path) -> list[Record]:
    """What a program tells; it must end with 0 or 1 and stay silent on stderr."""
    words = [programs(variant) / name, *arguments]
    done = subprocess.run(words, capture_output=True, text=True, timeout=1200)
    assert done.returncode in (0, 1) and not done.stderr, (done.returncode, done.stderr)
    return records(done.stdout)


def run(variant: str, model: Path, *options: str) -> list[Record]:
    return call(variant, "run", *options, model)


def run_golden(variant: str, golden: Golden, folder: Path) -> list[Record]:
    """Runs all cases of a model whose files were staged in a folder."""
    files = [folder / f"{golden.name}.{i}" for i in range(len(golden.inputs))]
    return call(variant, "run", folder / f"{golden.name}.tflite", *files)
