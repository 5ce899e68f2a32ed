# Wrong files of boards: each mistake is one clear line that names file and key, what stands there
# and what may.

import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from microlite_tools import boards
from microlite_tools.boards import BoardFileError

GOOD = (boards.FOLDER / "MPS2_AN386.toml").read_text()


class Wrong(NamedTuple):
    old: str
    new: str
    says: str


PSRAM = 'base = 0x2100_0000\nsize = 0x100_0000\nkind = "psram"'
ROMFS = "[romfs]\nbase = 0x2100_0000\nsize = 0x80_0000\n"
WRONG = [
    Wrong("clock_mhz", "clok_mhz", "clok_mhz: unknown key; the nearest is clock_mhz"),
    Wrong("port =", "ports =", "ports: unknown key; the nearest is port"),
    Wrong(
        '"qemu"',
        '"quemu"',
        "port: 'quemu' found; allowed: alif, esp32, esp8266, mimxrt, nrf, qemu, ",
    ),
    Wrong('port = "qemu"\n', "", "port: missing; allowed: alif, esp32"),
    Wrong(
        '"cortex-m4"', '"cortex-m44"', "core: 'cortex-m44' found; allowed: cortex-m3, cortex-m33,"
    ),
    Wrong('"cortex-m4"', "4", "core: 4 found; allowed: cortex-m3, "),
    Wrong('core = "cortex-m4"\n', "", "core: missing; allowed: cortex-m3, cortex-m33, "),
    Wrong("= 25\n", "= 25.5\n", "clock_mhz: 25.5 found; allowed: an integer from 1 to 4294967296"),
    Wrong("= 25\n", "= 0\n", "clock_mhz: 0 found; allowed: an integer from 1 to 4294967296"),
    Wrong("= 25\n", "= true\n", "clock_mhz: true found; allowed: an integer from 1 to 4294967296"),
    Wrong('"cmsdk_timer0"', '"tim2"', "timer: 'tim2' found; allowed: dwt_cyccnt, ticks_cpu, "),
    Wrong(
        'verified = "run"',
        "verified = true",
        "verified: true found; allowed: run, linked, data sheet",
    ),
    Wrong(
        'title = "Arm MPS2 with AN386, emulated"',
        'title = ""',
        "title: '' found; allowed: a line of text",
    ),
    Wrong(
        'kind = "psram"', 'kind = "dram"', "memory 4: kind: 'dram' found; allowed: flash, sram, "
    ),
    Wrong(
        'speed = "slow"',
        'speed = "quick"',
        "memory 4: speed: 'quick' found; allowed: fast, medium, ",
    ),
    Wrong(
        '["stack"]',
        '["stacks"]',
        "memory 2: uses: ['stacks'] found; allowed: a list of firmware, model, heap,",
    ),
    Wrong(
        "size = 0x8000",
        "size = -1",
        "memory 2: size: -1 found; allowed: an integer from 1 to 4294967296",
    ),
    Wrong(
        "size = 0x8000",
        'size = "32K"',
        "memory 2: size: '32K' found; allowed: an integer from 1 to 4294967296",
    ),
    Wrong(
        "0x2000_8000",
        "0x2000_7000",
        "memory 3: base: 0x20007000 found, where STACK lies; allowed: ",
    ),
    Wrong('"DATA"', '"STACK"', "memory 3: name: 'STACK' found, as before; allowed: another"),
    Wrong('["heap", "arena", "model"]', "[]", "memory: no region found whose uses name heap"),
    Wrong(
        ROMFS, ROMFS.replace("0x21", "0x22"), "romfs: 0x22000000, 0x800000 bytes found; allowed: "
    ),
    Wrong(ROMFS, ROMFS + "name = 1\n", "romfs: name: unknown key; the nearest is base"),
    Wrong(ROMFS, ROMFS + "[options]\nfpu = 1\n", "options: fpu: 1 found; allowed: none, single, "),
    Wrong(ROMFS, ROMFS + "[options]\ndsp = 1\n", "options: dsp: 1 found; allowed: true or false"),
    Wrong(
        ROMFS,
        ROMFS + '[linked]\nmicropython = "1.25"\nops = 5\n',
        "linked: text: missing; allowed: ",
    ),
    Wrong("port = ", "port ", "no TOML: "),
    Wrong("= 25\n", f"= {'9' * 10000}\n", "no TOML: a number of too many digits"),
    Wrong("= 25\n", f"= 0x{'9' * 10000}\n", "clock_mhz: a number of too many digits found; "),
    Wrong('title = "', f'x = {"[" * 3000}\ntitle = "', "no TOML: nested too deep"),
    Wrong('title = "', f'{"a." * 3000}b = 1\ntitle = "', "a: unknown key; the nearest is "),
    Wrong('title = "', '"a\\nb" = 1\ntitle = "', r"a\nb: unknown key; the nearest is "),
    Wrong(
        "emulated", "\\u0007", "title: 'Arm MPS2 with AN386, \\x07' found; allowed: a line of text"
    ),
    Wrong(
        "Arm MPS2", "e" * 1000, "title: 'eeeeeeeeeeee...386, emulated' found; allowed: a line of"
    ),
    Wrong('"DATA"', '" "', "memory 3: name: ' ' found; allowed: letters, digits, _ and -"),
    Wrong('= "MPS2_AN386"', '= "../MPS2"', "board: '../MPS2' found; allowed: letters, digits"),
    Wrong("2_049_088", "5_000_000", "heap: 5000000 found; allowed: up to 4161536, the size of"),
    Wrong(
        "0x2000_8000",
        "0xFFFF_8000",
        "memory 3: base: 0xffff8000, 0x3f8000 bytes found; allowed: up to 0xffffffff",
    ),
    Wrong(
        "0x2000_8000",
        "0x1_2000_8000",
        "memory 3: base: 4831870976 found; allowed: an integer from 0 to 4294967296",
    ),
    Wrong('verified = "run"', 'verified = "linked"', "linked: missing; allowed: a table, as "),
    Wrong(
        'verified = "run"',
        'verified = "data sheet"\nlinked = {micropython = "1.25", ops = 5, text = 6}',
        "verified: 'data sheet' found; allowed: run, linked, as [linked] is there",
    ),
    Wrong('title = "', 'memory = 5\ntitle = "', "no TOML: "),
]


TABLES = {"options", "memory", "romfs", "linked"}


def replaced(text: str, old: str, new: str) -> str:
    assert old in text, old
    return text.replace(old, new)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.says)
def test_mistakes_are_one_line(tmp_path: Path, wrong: Wrong) -> None:
    path = tmp_path / "WRONG.toml"
    path.write_text(replaced(GOOD, wrong.old, wrong.new))
    with pytest.raises(BoardFileError) as caught:
        boards.load_file(path)
    assert str(caught.value).startswith(f"{path}: {wrong.says}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("memory", ["memory = []", "memory = [1]", "memory = 5", "romfs = 5"])
def test_mistakes_of_tables(tmp_path: Path, memory: str) -> None:
    head, _, _ = GOOD.partition("[[memory]]")
    path = tmp_path / "WRONG.toml"
    path.write_text(head + memory + "\n")
    with pytest.raises(BoardFileError, match=r"^\S+WRONG.toml: \w+: .*; allowed: .+$"):
        boards.load_file(path)


ALL_KEYS = (
    GOOD
    + """
[options]
fpu = "none"
dsp = true
mve = false
thumb = true
word_bits = 32
endian = "little"
[linked]
micropython = "1.25"
ops = 5
text = 6
"""
)
VALUES = [
    *('""', '" "', '"\\n"', f'"{"x" * 5000}"', "0", "-1", "0x1_0000_0000", f"1{'0' * 4000}"),
    *(f"0x{'f' * 10000}", f"[0b{'1' * 40000}]", f"{{a = 0o{'7' * 10000}}}"),
    *("1.5", "inf", "nan", "true", "1979-05-27", "07:32:00", "[]", "[[]]", "[{}]", "{}"),
    *('["heap", 5]', '{a = {b = ["c"]}}', f"{'[' * 300}{']' * 300}", f"[{'0,' * 5000}]"),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value[:20])
def test_any_value_of_any_key(tmp_path: Path, value: str) -> None:
    """It is taken, or the line says what may stand there."""
    lines = ALL_KEYS.splitlines()
    path = tmp_path / "WRONG.toml"
    tried = set()
    for i, line in enumerate(lines):
        if found := re.match(r"(\w+) = ", line):
            path.write_text("\n".join([*lines[:i], f"{found[1]} = {value}", *lines[i + 1 :]]))
            tried.add(found[1])
            try:
                boards.load_file(path)
            except BoardFileError as er:
                says = str(er).removeprefix(f"{path}: ")
                assert re.fullmatch(r"(\w+( \d+)?: )+[^\n]+; allowed: [^\n]+", says)
                assert len(says) < 300
    assert tried == {key for keys in boards.SCHEMA.values() for key in keys} - TABLES


@pytest.mark.parametrize("name", ["a b", "\n", ".#X", "-x"])
def test_mistakes_of_names(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.toml"
    path.write_text(GOOD)
    with pytest.raises(BoardFileError, match=r"name of the file: '.*' found; allowed: .*$"):
        boards.load_file(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "FOLDER.toml").mkdir()
    os.mkfifo(tmp_path / "PIPE.toml")
    (tmp_path / "LINK.toml").symlink_to("nowhere")
    for path in boards.files(tmp_path).values():
        with pytest.raises(BoardFileError, match="no TOML: is no file"):
            boards.load_file(path)


def test_wrong_files_hide_no_others(tmp_path: Path) -> None:
    shutil.copytree(boards.FOLDER / "cores", tmp_path / "cores")
    for name, text in ("GOOD", GOOD), ("BAD", "title"), ("WORSE", "x = 1"):
        (tmp_path / f"{name}.toml").write_text(text)
    wrong: list[BoardFileError] = []
    assert [board.name for board in boards.load_all(tmp_path, wrong.append)] == ["GOOD"]
    assert [re.findall(r"\w+\.toml", str(error)) for error in wrong] == [
        ["BAD.toml"],
        ["WORSE.toml"],
    ]
    with pytest.raises(BoardFileError):
        list(boards.load_all(tmp_path))


def test_a_file_of_the_project_is_named_from_its_root(tmp_path: Path) -> None:
    file = boards._File(boards.FOLDER / "X.toml")
    assert str(file.fail("port", "missing")) == "boards/X.toml: port: missing"
