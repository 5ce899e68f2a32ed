# microlite on CPython: the tests and runners for boards over the desktop stand-in of the C module.
# What is left out says why, and must fail, so that the table of differences stays true.

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

import targets
import test_goldens
import test_io_models
import test_values
from goldens import HELLO_WORLD, Golden
from microlite_tools import romfs
from programs import Record, records
from targets import DEVICE, ROOT, Files
from test_values import Case

SECONDS = 300

if sys.platform != "linux":
    pytest.skip("the runtime is for Linux", allow_module_level=True)

# Of each difference the tests that show it.
LEFT_OUT = {
    "the arena holds inputs and outputs alone, and less than these tests take from it": [
        "test_errors.TestSources.test_errors",
        "test_model.TestArena.test_least",
    ],
    "the heap has no size: no figures, and blocks of any size": [
        "test_check.TestArena.test_no_room",
        "test_errors.TestArena.test_fragmented",
        "test_errors.TestArena.test_no_block",
        "test_errors.TestArena.test_short",
        "test_errors.TestFiles.test_too_large",
    ],
    "the heap cannot be locked or measured": [
        "test_check.TestGood.test_keeps_nothing",
        "test_errors.TestFullHeap.test_locked",
        "test_info.TestSelfTest.test_leaves_nothing",
        "test_labels.TestMse.test_allocates_only_its_result",
        "test_model.TestLife.test_failed_loads_leave_nothing",
        "test_model.TestLife.test_heap_returns",
        "test_profile.TestProfile.test_keeps_nothing",
        "test_timing.TestCycles.test_allocates_its_result_only",
    ],
    "a buffer in use cannot be resized: BufferError": [
        "test_async.TestConcurrent.test_buffer_that_moves",
        "test_model.TestArena.test_buffer_that_moves",
        "test_model.TestSources.test_buffer_that_moves",
        "test_run.TestOnOp.test_buffers_that_move",
    ],
    "a model runs as a whole, so operators have no times of their own": [
        "test_profile.TestProfile.test_times_add_up",
    ],
    "micropython.schedule() has no counterpart": [
        "test_model.TestLife.test_used_while_running",
    ],
    "asyncio.run() cancels the tasks that are left": [
        "test_async.TestEnds.test_loop_that_ends_before_the_run",
    ],
    "OSError has subclasses": [
        "test_errors.TestFiles.test_folder",
        "test_errors.TestFiles.test_wrong_path",
    ],
    "there is no array('O'), and memoryview has no subclasses": [
        "test_errors.TestArena.test_arena_types",
        "test_errors.TestArena.test_other_objects",
        "test_values.TestSources.test_bad",
    ],
    "another library computes": [
        "test_info.TestInfo.test_values",
    ],
}
ALL_LEFT_OUT = {test: reason for reason, tests in LEFT_OUT.items() for test in tests}

# About boards, about the collector and the end of the stack, about sound.
NOT_FOR_HOST = ["test_board", "test_lifetime", "test_audio", "test_stream"]
NOT_THERE = {"FrontEnd", "cmvn", "spectrum"}  # sound, which firmware may lack too
FILES = [
    *(file for file in sorted(DEVICE.glob("test_*.py")) if file.stem not in NOT_FOR_HOST),
    DEVICE / "io_tests.py",
    DEVICE / "verify_tests.py",
]


def run(files: Files, *arguments: str | Path) -> str:
    words = [sys.executable, ROOT / "host_tests/host_runner.py", *arguments]
    with targets.folder(files) as folder:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    return done.stdout + done.stderr * bool(done.returncode)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_on_host(file: Path, crate_models: Path) -> None:
    of_crates = file.name.startswith("test_")
    files = romfs.collect(crate_models) if of_crates else test_io_models.files()
    output = run(files, "--test", file)
    *lines, last = records(output) or [{}]
    assert last == {"done": True}, output
    faults = {f"{file.stem}.{line['test']}": line["fault"] for line in lines}
    failed = {test: fault for test, fault in faults.items() if fault is not None}
    left_out = {test for test in ALL_LEFT_OUT if test.startswith(f"{file.stem}.")}
    assert not {test: fault for test, fault in failed.items() if test not in left_out}
    assert not left_out - set(failed), "left out, but there or right"


def test_few_are_left_out() -> None:
    assert len(ALL_LEFT_OUT) == sum(map(len, LEFT_OUT.values()))
    assert {test.partition(".")[0] for test in ALL_LEFT_OUT} <= {file.stem for file in FILES}


@cache
def golden_outputs() -> dict[str, list[list[str]]]:
    lines = records(run(test_goldens.files(), DEVICE / "golden_runner.py"))
    assert lines and lines[-1] == {"done": len(test_goldens.ALL)}, lines[-3:]
    return {
        golden.name: [
            line["outputs"]
            for line in lines
            if line.get("model") == f"{golden.name}.tflite" and "case" in line
        ]
        for golden in test_goldens.ALL
    }


@test_goldens.each_golden
def test_golden_outputs(golden: Golden) -> None:
    rows = golden_outputs()[golden.name]
    assert len(rows) == len(golden.cases)
    for case, row in enumerate(rows):
        if row[0].startswith("sha256:"):
            arrays = golden.cases[case][1]
            assert row == [f"sha256:{sha256(array.tobytes()).hexdigest()}" for array in arrays]
        else:
            golden.check(case, [bytes.fromhex(output) for output in row])


@cache
def conversions() -> dict[str, Record]:
    lines = records(run(test_values.files(), test_values.RUNNER))
    assert lines and lines[-1] == {"done": len(test_values.CASES)}, lines[-3:]
    return {line["name"]: line for line in lines[:-1]}


@pytest.mark.parametrize("case", test_values.CASES, ids=lambda case: case.name)
def test_same_bits(case: Case) -> None:
    assert conversions()[case.name] == case.expected


def test_state_and_names() -> None:
    lines = records(run(test_io_models.files(), DEVICE / "io_runner.py"))
    assert lines and lines[-1] == {"done": True}, lines[-3:]
    told = {line["model"]: line for line in lines if "model" in line}
    assert set(told) == set(test_io_models.MODELS)
    assert all(line["equal"] for line in told.values())
    (three,) = [line["rows"] for line in lines if "case" in line]
    assert three == [test_io_models.three()[1]] * 3
    steps = {line["steps"]: line["outputs"] for line in lines if "steps" in line}
    assert steps == {name: test_io_models.steps(name)[1] for name in test_io_models.RECURRENT}


def test_page(tmp_path: Path) -> None:
    """The application of docs/testing.md and its test, as they stand there."""
    page = (ROOT / "docs/testing.md").read_text()
    blocks = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", page, re.DOTALL)
    for name, text in blocks:
        (tmp_path / name).write_text(text)
    assert [name for name, _ in blocks] == ["siren.py", "test_siren.py", "conftest.py"]
    model = "hello_world_int8.tflite"
    (tmp_path / model).write_bytes((HELLO_WORLD / model).read_bytes())
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tools'}"}
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


SURFACE = """\
import json
import _microlite
import microlite

with microlite.Model("hello_world.tflite") as model:
    for thing in (_microlite, microlite, model._model, model.inputs[0]):
        print(json.dumps([name for name in dir(thing) if not name.startswith("__")]))
"""


def everywhere(script: str, files: Files) -> tuple[list[str], list[str]]:
    """The lines that a script prints on unix and here."""
    files = files | {"script.py": script.encode()}
    there, here = targets.run("unix", script, files), run(files, "script.py")
    return there.splitlines(), here.splitlines()


def test_nothing_is_missing(crate_models: Path) -> None:
    missing = set[str]()
    for there, here in zip(*everywhere(SURFACE, romfs.collect(crate_models)), strict=True):
        missing |= set(json.loads(there)) - set(json.loads(here))
    assert missing == NOT_THERE


def test_same_operators() -> None:
    there, here = everywhere("import microlite\nprint(microlite.ops())\n", {})
    assert there == here


def test_wheel(tmp_path: Path) -> None:
    """What pip installs is all of the package and of what stands in for the C module."""
    for name in ("pyproject.toml", "LICENSE", "README.md"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    packages = {"microlite": ROOT / "microlite", "_microlite": ROOT / "tools/_microlite"}
    for name in ("boards", "microlite", "tools", "src_c/tflm"):
        ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
    words = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*words, "--no-index", "-w", tmp_path, tmp_path], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    for package, folder in packages.items():
        files = {f"{package}/{path.name}" for path in folder.glob("*.py")}
        assert len(files) > 5
        assert files <= packed


def test_without_runtimes() -> None:
    script = (
        "import sys\nsys.modules['numpy'] = None\n"
        "try:\n    import microlite\nexcept ImportError as er:\n    print(er)\n"
    )
    told = run({"script.py": script.encode()}, "script.py")
    assert "pip install 'microlite-tools[host]'" in told
