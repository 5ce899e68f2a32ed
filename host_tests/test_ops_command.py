# The command ops: the variables of a build that it prints select what the models need, and what
# it says of flash is true of programs that are linked.

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import bad_models
import bench
import rows
import sizes
import workload
from microlite_tools import cli, flash, operators

ROOT = Path(__file__).resolve().parent.parent
TFLM = ROOT / "src_c/tflm"
TOLERANCE = 0.02
CORE = "cortex-m4"


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = cli.main(["ops", *map(str, words)])
    told = capsys.readouterr()
    return status, told.out, told.err


def selected(*words: str) -> str:
    """The rows that a build would link."""
    command = [sys.executable, str(TFLM / "select_ops.py"), str(TFLM / "ops.def"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "names", [["person_detect"], ["hello_world", "speech", "magic_wand"], ["micro_speech"]]
)
def test_lines(names: list[str], crate_models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [crate_models / f"{name}.tflite" for name in names]
    status, out, _ = run(capsys, *paths, "--json")
    assert status == 0
    found = json.loads(out)
    make = found["make"]
    assert selected(*make["MICROLITE_OPS"].split()) == selected(*make["models"].split())
    auto = selected("-auto", *make["models"].split()).split()
    assert make.get("MICROLITE_WITHOUT", "").split() == found["without"] == auto
    parts = found["flash"]
    own = sum(parts["own"].values())
    assert parts["fixed"] + parts["shared"] + own == parts["bytes"] < parts["all"]
    assert list(parts["own"]) == found["ops"] == sorted(make["MICROLITE_OPS"].split())
    status, out, _ = run(capsys, *paths)
    assert f'MICROLITE_OPS="{make["MICROLITE_OPS"]}"' in out.splitlines()
    assert f'MICROLITE_OPS="{make["models"]}"' in out.splitlines()
    assert f"{parts['bytes']:,} bytes of flash" in out


def test_path_with_space(
    crate_models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which MICROLITE_OPS cannot take."""
    path = tmp_path / "my model.tflite"
    path.symlink_to(crate_models / "sine.tflite")
    shared = tmp_path / "copy of it.tflite"
    shared.write_bytes(path.read_bytes())
    status, out, _ = run(capsys, shared)
    assert status == 0
    assert "@" not in out


def test_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = bad_models.dense(code=bad_models.B.CUSTOM)
    model.ops[0].custom = "FlexErf"
    path = tmp_path / "flex.tflite"
    path.write_bytes(model.to_bytes())
    status, out, err = run(capsys, path)
    assert (status, out) == (1, "")
    assert err.startswith(f"microlite: {path}: microlite has no kernel for FlexErf\nFlexErf: ")
    assert json.loads(run(capsys, path, "--json")[1])["missing_ops"] == {str(path): ["FlexErf"]}


@pytest.mark.parametrize("name", bad_models.FOREIGN)
def test_no_model(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, words = bad_models.FOREIGN[name]
    path = tmp_path / name
    path.write_bytes(data)
    status, out, err = run(capsys, path)
    assert (status, out) == (2, "")
    assert err.startswith(f"microlite: {path}: ")
    assert words in err


def test_damaged(tmp_path: Path, crate_models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "damaged.tflite"
    for data in bad_models.damaged((crate_models / "person_detect.tflite").read_bytes()):
        path.write_bytes(data)
        status, out, err = run(capsys, path)
        assert (status == 0) is bool(out)
        assert (status == 2) is err.startswith(f"microlite: {path}: ")


def test_installed(tmp_path: Path, crate_models: Path) -> None:
    """A wheel, made of a copy since setuptools leaves files behind, has all that it needs."""
    source = tmp_path / "source"
    for name in ("boards", "microlite", "tools", "src_c/tflm"):
        ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / name, source / name, ignore=ignore)
    for name in ("pyproject.toml", "LICENSE", "README.md"):
        shutil.copy(ROOT / name, source)
    words = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*words, "--no-index", "-w", tmp_path, source], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    model = crate_models / "sine.tflite"
    for words, says in (
        (["ops", str(model)], "FULLY_CONNECTED"),
        (["inspect", str(model)], "FULLY_CONNECTED"),
        (["inspect", str(model), "--board", "RPI_PICO2"], "fit RPI_PICO2"),
        (["boards"], "NUCLEO_H743ZI2"),
    ):
        code = (
            "from microlite_tools import cli, operators\n"
            f"print(operators.TFLM)\ncli.main({words!r})"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={"PYTHONPATH": str(installed)},
            capture_output=True,
            text=True,
        )
        assert done.stdout.startswith(f"{installed}/microlite_tools/tflm\n"), done.stderr
        assert says in done.stdout


# --- flash.json ---


def test_all_operators_are_measured() -> None:
    everything = flash.load().build([])
    measured = frozenset().union(*(users for _, users in everything.shared))
    assert measured <= operators.names()
    # The others share all that they take with every operator.
    assert len(measured) > 0.9 * len(operators.names())
    everywhere = operators.names()
    assert everything.cost(everywhere) == pytest.approx(everything.all, abs=len(everywhere))


def test_builds() -> None:
    """Each type that is left out saves something; none is left out that must stay."""
    measured = flash.load()
    costs = [measured.build(w).cost(["CONV_2D"]) for w in ([], ["uint8"], ["float32", "uint8"])]
    assert costs == sorted(costs, reverse=True)
    assert len({*costs}) == 3
    assert measured.build(["float32"]).without == frozenset()


def test_against_baseline(crate_models: Path) -> None:
    """The text of models' operators as the benchmark measures it."""
    measured = flash.load()
    compared = 0
    for row in rows.load(rows.BASELINE):
        path = workload.models().get(row.model)
        if (row.core, row.kernels, row.compiler) == (CORE, "dsp", measured.compiler) and path:
            ops, _ = operators.selection().model_ops(path)
            assert measured.build([]).cost(ops) == pytest.approx(row.text, rel=TOLERANCE)
            compared += 1
    assert compared >= 4


def test_against_links(crate_models: Path) -> None:
    """Programs that are linked now; `bench/flash.py` brings flash.json up to date."""
    measured = flash.load()
    if bench.compiler() != measured.compiler:
        pytest.skip(f"flash.json is of {measured.compiler}, this is {bench.compiler()}")
    for name, n_ops, text in sizes.texts():
        word = sizes.OPS[name]
        ops = operators.names() if word == "all" else [word]
        if word.startswith("@"):
            ops, _ = operators.selection().model_ops(Path(word[1:]))
        assert len(ops) == n_ops
        assert measured.build([]).cost(ops) == pytest.approx(text, rel=TOLERANCE), name
