# microlite boards and microlite build: what they print; and a firmware with other parts, built.

import functools
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from microlite_tools import boards, cli
from microlite_tools.commands import build

ROOT = Path(__file__).resolve().parent.parent
MODULE = """\
#include "py/runtime.h"

static const mp_rom_map_elem_t extra_globals_table[] = {
    { MP_ROM_QSTR(MP_QSTR_answer), MP_ROM_INT(42) },
};
static MP_DEFINE_CONST_DICT(extra_globals, extra_globals_table);

const mp_obj_module_t extra_module = {
    .base = { &mp_type_module },
    .globals = (mp_obj_dict_t *)&extra_globals,
};
MP_REGISTER_MODULE(MP_QSTR_extra, extra_module);
"""


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what a firmware can be made of, and another for the results."""
    monkeypatch.setattr(build, "CUSTOM", tmp_path / "custom")
    monkeypatch.delenv("MPY_DIR", raising=False)
    monkeypatch.delenv("TFLM_DIR", raising=False)
    (tmp_path / "frozen_extra.py").write_text("VALUE = 7\n")
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra/extra.c").write_text(MODULE)
    (tmp_path / "extra/micropython.mk").write_text("SRC_USERMOD_C += $(USERMOD_DIR)/extra.c\n")
    (tmp_path / "extra/micropython.cmake").write_text("")
    (tmp_path / "model.tflite").write_bytes(b"")
    return tmp_path


def lines(capsys: pytest.CaptureFixture[str], *words: object) -> list[list[str]]:
    """The commands that `microlite build` prints, as words."""
    assert cli.main(["build", *map(str, words)]) == 0
    return [shlex.split(line) for line in capsys.readouterr().out.splitlines()]


def variables(words: list[str]) -> dict[str, str]:
    return dict(word.split("=", 1) for word in words if re.match(r"\w+=", word))


def test_boards(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["boards"]) == 0
    table = capsys.readouterr().out
    for board in boards.load_all():
        (row,) = re.findall(rf"^{board.name} .*$", table, re.M)
        assert board.core in row and board.verified in row and board.title in row
    assert cli.main(["boards", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["boards"]}
    assert list(rows) == boards.names()
    assert rows["MPS2_AN500"]["romfs"] == {"base": 0x60000000, "size": 8 << 20}
    assert rows["STM32F7DISC"]["options"]["fpu"] == "single"
    assert rows["unix"]["memory"][0]["uses"] == ["heap", "arena", "model"]


def test_a_wrong_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(boards.FOLDER, tmp_path, dirs_exist_ok=True)
    (tmp_path / "A_WRONG_ONE.toml").write_text("title = 5")
    load = functools.partial(boards.load_all, tmp_path)
    monkeypatch.setattr("microlite_tools.commands.boards.load_all", load)
    for words in (["boards"], ["boards", "--json"]):
        assert cli.main(words) == cli.FAILED
        told = capsys.readouterr()
        assert all(name in told.out for name in ("ESP32_GENERIC_S3", "unix", "x86-64"))
        assert re.fullmatch(r"microlite: .*A_WRONG_ONE\.toml: core: missing; .*\n", told.err)


def test_own_boards(parts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lines(capsys, "--board", "unix", "--print") == [["make", "-C", str(ROOT), "unix"]]
    plain = lines(capsys, "--board", "MPS2_AN500", "--print")
    assert plain == [["make", "-C", str(ROOT), "firmware", "BOARD=MPS2_AN500"]]
    options = ["--ops-for", parts / "model.tflite", "--freeze", parts / "frozen_extra.py"]
    (words,) = lines(capsys, "--board", "unix", *options, "--print")
    told = variables(words)
    assert words[:4] == ["make", "-C", str(ROOT), "unix"]
    assert told["MICROLITE_OPS"] == f"@{parts}/model.tflite"
    assert told["MICROLITE_MODULES"] == str(ROOT)
    manifest = Path(told["MICROLITE_MANIFEST"]).read_text()
    assert f'include("{ROOT}/boards/manifest_unix.py")\n' in manifest
    assert f'module("frozen_extra.py", base_path="{parts}")\n' in manifest


@pytest.mark.parametrize(
    ("name", "manifest"),
    [
        ("STM32F7DISC", "boards/STM32F7DISC/manifest.py"),
        ("NUCLEO_H743ZI2", "boards/NUCLEO_H743ZI/manifest.py"),
        ("RPI_PICO2", "boards/manifest.py"),
        ("ESP32_GENERIC_S3", "boards/manifest.py"),
    ],
)
def test_boards_of_vendors(
    parts: Path, build: Path, capsys: pytest.CaptureFixture[str], name: str, manifest: str
) -> None:
    trees = list(build.glob("src/micropython-*"))
    if not trees:
        pytest.skip("build/src/micropython-* is missing: make sources")
    board = boards.load(name)
    model = parts / "model.tflite"
    *before, last = lines(capsys, "--board", name, "--ops-for", model, "--with", parts / "extra")
    port = f"$MPY_DIR/ports/{board.port}"
    assert before == [
        ["make", "-C", "$MPY_DIR/mpy-cross"],
        ["make", "-C", port, f"BOARD={board.board}", "submodules"],
    ]
    told = variables(last)
    assert told["MICROLITE_OPS"] == f"@{model}"
    assert told["BOARD"] == board.board
    assert Path(told["FROZEN_MANIFEST"]).read_text().splitlines()[1:] == [
        f'include("$(PORT_DIR)/{manifest}")',
        f'include("{ROOT}/manifest.py")',
    ]
    assert (trees[0] / "ports" / board.port / manifest).is_file()
    modules = Path(told["USER_C_MODULES"])
    if board.port == "stm32":
        assert last[:3] == ["make", "-C", port]
        found = {path.parent.resolve() for path in modules.glob("*/micropython.mk")}
        assert found == {ROOT / "src_c", parts / "extra"}
    else:  # whose makefiles pass on no variables of ours
        make = last.index("make")
        assert last[0] == "env"
        assert {"TFLM_DIR", "MICROLITE_OPS"} == set(variables(last[:make]))
        assert modules.read_text().splitlines() == [
            f"include({ROOT}/src_c/micropython.cmake)",
            f"include({parts}/extra/micropython.cmake)",
        ]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--board", "X"], "there is no board X; boards: ESP32_GENERIC_S3 "),
        (["--board", "unix", "--ops-for", "x.tflite"], "there is no file x.tflite"),
        (["--board", "unix", "--freeze", "model.tflite"], "model.tflite: a file *.py is needed"),
        (
            ["--board", "unix", "--with", "custom"],
            "custom: no user C module, as it holds no micro",
        ),
        (["--board", "unix", "--freeze", "a b.py"], "a b.py: make takes no path with ' ' in it"),
        (["--board", "unix", "--freeze", 'a"b.py'], "b.py: make takes no path with '\"' in it"),
        (["--board", "unix", "--freeze", "a\udcff.py"], "make takes no path with '\\udcff' in it"),
    ],
)
def test_mistakes(
    parts: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(parts)
    for name in ("a b.py", 'a"b.py', "a\udcff.py"):
        (parts / name).write_text("")
    assert cli.main(["build", *words, "--print"]) == 2
    assert says in capsys.readouterr().err


def test_nothing_is_fetched_yet(
    parts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The commands are told all the same, and what they want."""
    for name in ("Makefile", "manifest.py"):
        (parts / name).write_text("")
    monkeypatch.setattr(build, "ROOT", parts)
    monkeypatch.setattr(build, "TFLM", parts / "tensorflow")
    assert cli.main(["build", "--board", "RPI_PICO2", "--print"]) == 0
    said = capsys.readouterr()
    assert f"TFLM_DIR={parts}/tensorflow" in said.out
    assert "run `make sources`" in said.err and "is a guess" in said.err


def test_outside_of_a_checkout(
    parts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "ROOT", parts)
    assert cli.main(["build", "--board", "unix"]) == 2
    assert "firmware is built in a checkout of microlite" in capsys.readouterr().err


@pytest.mark.soak
def test_a_firmware_with_other_parts(parts: Path, crate_models: Path) -> None:
    model = crate_models / "hello_world.tflite"
    words = ["--ops-for", model, "--freeze", parts / "frozen_extra.py", "--with", parts / "extra"]
    assert cli.main(["build", "--board", "unix", *map(str, words)]) == 0
    script = (
        "import extra, frozen_extra, microlite\n"
        "print(extra.answer, frozen_extra.VALUE, len(microlite.ops()))\n"
        "print(round(microlite.Model('hello_world.tflite').predict([1])[0], 4))"
    )
    done = subprocess.run(
        [parts / "custom/unix/micropython", "-c", script],
        cwd=crate_models,
        capture_output=True,
        text=True,
        env={**os.environ, "MICROPYPATH": ".frozen"},
        check=True,
    )
    assert done.stdout == "42 7 3\n0.8815\n"
