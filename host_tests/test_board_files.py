# The files of boards/: each passes the schema and says what the sources say that it can be checked
# against; mistakes are one clear line each; a board is added as docs/boards.md says.

import csv
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from microlite_tools import boards, qemu
from microlite_tools.boards import Board, BoardFileError
from microlite_tools.errors import UserError

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/boards.md"
BOARDS = {board.name: board for board in boards.load_all()}
ON_ARM = [board for board in BOARDS.values() if board.core.startswith("cortex-")]
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20}

# Where a port says which memory a board has.
LINKER_SCRIPTS = {
    **dict.fromkeys(qemu.board_names(), ROOT / "boards/common/mps2.ld"),
    "STM32F7DISC": Path("ports/stm32/boards/stm32f746.ld"),
    "NUCLEO_H743ZI2": Path("ports/stm32/boards/stm32h743.ld"),
    "RPI_PICO2": Path("ports/rp2/memmap_mp_rp2350.ld"),
    "WEACT_F411_BLACKPILL": Path("ports/stm32/boards/stm32f411.ld"),
}


@pytest.fixture(scope="module")
def micropython_tree(build: Path) -> Path:
    trees = sorted(build.glob("src/micropython-*"))
    if not trees:
        pytest.skip("build/src/micropython-* is missing: make sources")
    return trees[0]


def test_all_are_there() -> None:
    wanted = "unix MPS2_AN385 MPS2_AN386 MPS2_AN500 STM32F7DISC NUCLEO_H743ZI2 RPI_PICO2"
    assert {*wanted.split(), "ESP32_GENERIC_S3"} <= set(BOARDS)
    assert boards.load("unix") == BOARDS["unix"]
    with pytest.raises(UserError, match=r"no board MPS2; boards: .*MPS2_AN386"):
        boards.load("MPS2")


def test_one_list_of_emulated_boards() -> None:
    folders = sorted(path.parent.name for path in ROOT.glob("boards/*/mpconfigboard.mk"))
    assert boards.names("qemu") == qemu.board_names() == folders


@pytest.mark.parametrize("board", BOARDS.values(), ids=lambda board: board.name)
def test_names_of_micropython(board: Board, micropython_tree: Path) -> None:
    port = micropython_tree / "ports" / board.port
    assert port.is_dir()
    if board.port == "unix":
        assert (port / "variants" / board.board).is_dir()
    elif board.port == "qemu":
        assert (ROOT / "boards" / board.board).is_dir()
    else:
        assert (port / "boards" / board.board / "mpconfigboard.h").is_file()
    assert board.name in (board.port, board.board)


def linked_memory(script: Path) -> dict[str, tuple[int, int]]:
    """Address and size of each region of a linker script."""
    (block,) = re.findall(r"^MEMORY\s*\{(.*?)\}", script.read_text(), re.M | re.S)
    rows = re.findall(r"(\w+)[^:\n]*:\s*ORIGIN\s*=\s*(\w+),\s*LENGTH\s*=\s*([^/\n]*)", block)
    sizes = {
        name: sum(
            int(sign + number) * UNITS[unit.lower()]
            for sign, number, unit in re.findall(r"(-?) ?(\d+)([kKmM]?)", size)
        )
        for name, _, size in rows
    }
    return {name: (int(base, 0), sizes[name]) for name, base, _ in rows}


def check_memory(board: Board, script: Path) -> None:
    wanted = linked_memory(script)
    for region in board.memory:
        if region.name in wanted:
            assert (region.base, region.size) == wanted[region.name], region
    regions = [region.name for region in board.memory]
    # Not in the script: what the firmware uses without the linker, or a part of all flash.
    assert len(set(regions) & set(wanted)) >= len(wanted) - 2
    ends = [region.base + region.size for region in board.memory if region.base is not None]
    for base, size in wanted.values():
        assert base + size in ends


@pytest.mark.parametrize("name", sorted(set(LINKER_SCRIPTS) & set(BOARDS)))
def test_memory(name: str, micropython_tree: Path) -> None:
    if name == "RPI_PICO2":  # whose flash is shared out by the header
        flash, files = BOARDS[name].memory[:2]
        header = micropython_tree / "ports/rp2/boards/RPI_PICO2/mpconfigboard.h"
        assert "(PICO_FLASH_SIZE_BYTES - 1024 * 1024)" in header.read_text()
        whole = linked_memory(micropython_tree / LINKER_SCRIPTS[name])["FLASH"]
        assert (flash.base, flash.size + files.size) == whole
        assert flash.size == 1024 * 1024
        assert {r.name: (r.base, r.size) for r in BOARDS[name].memory[2:]}.items() <= (
            linked_memory(micropython_tree / LINKER_SCRIPTS[name]).items()
        )
        return
    check_memory(BOARDS[name], micropython_tree / LINKER_SCRIPTS[name])


def test_partitions(micropython_tree: Path) -> None:
    port = micropython_tree / "ports/esp32"
    board = BOARDS["ESP32_GENERIC_S3"]
    config = (port / "boards" / board.board / "sdkconfig.board").read_text()
    (table,) = re.findall(r'PARTITION_TABLE_CUSTOM_FILENAME="(.*)"', config)
    rows = csv.reader((port / table).read_text().splitlines(), skipinitialspace=True)
    sizes = {row[0]: int(row[4], 0) for row in rows if len(row) > 4 and not row[0].startswith("#")}
    flash = {region.name: region.size for region in board.memory if region.kind == "flash"}
    assert flash and flash.items() <= sizes.items()


def test_heap_in_sdram(micropython_tree: Path) -> None:
    folder = micropython_tree / "ports/stm32/boards/STM32F7DISC"
    header = (folder / "mpconfigboard.h").read_text()
    assert re.search(r"MICROPY_HEAP_START +sdram_start\(\)", header)
    (heap,) = BOARDS["STM32F7DISC"].regions("heap")
    assert heap.kind == "sdram"
    (bits,) = re.findall(r"SDRAM_SIZE +\((\d+) / 8 \* 1024 \* 1024\)", header)
    assert heap.size == int(bits) * 1024 * 1024 // 8


@pytest.mark.parametrize("name", qemu.board_names())
def test_emulated(name: str) -> None:
    board, variables = BOARDS[name], qemu.board_variables(name)
    psram = next(region for region in board.memory if region.kind == "psram")
    assert board.romfs
    assert psram.base == board.romfs.base == int(variables["MPS2_PSRAM"], 0)
    header = (ROOT / "boards/common/mpconfigport_mps2.h").read_text()
    (size,) = re.findall(r"define MPS2_ROMFS_SIZE +\((\d+) \* 1024 \* 1024\)", header)
    assert board.romfs.size == int(size) * 1024 * 1024
    assert f"MP_QSTR_{board.timer}\n" in header
    (mhz,) = re.findall(r"CLOCK_MHZ +\((\d+)\)", (ROOT / "boards/common/hal.c").read_text())
    assert board.clock_mhz == int(mhz)


def machine(board: Board, *flags: str) -> dict[str, str]:
    """What the compiler knows of a machine."""
    if not shutil.which("arm-none-eabi-gcc"):
        pytest.skip("arm-none-eabi-gcc is not installed")
    command = ["arm-none-eabi-gcc", "-mthumb", *flags, "-dM", "-E", "-xc", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(re.findall(r"^#define (\w+) (.*)$", done.stdout, re.M))


@pytest.mark.parametrize("board", ON_ARM, ids=lambda board: board.name)
def test_options(board: Board) -> None:
    if board.port == "qemu":
        makefile = (ROOT / "boards" / board.board / "mpconfigboard.mk").read_text()
        flags = re.findall(r"-m(?:cpu|fpu|float-abi)=\S+", makefile)
        assert f"-mcpu={board.core}" in flags
    else:
        fpu = {"none": [], "single": ["-mfpu=fpv5-sp-d16"], "double": ["-mfpu=fpv5-d16"]}
        flags = [f"-mcpu={board.core}", "-mfloat-abi=softfp", *fpu[board.options.fpu]]
    known = machine(board, *flags)
    options = board.options
    widest = int(known.get("__ARM_FP", "0"), 0)
    assert options.fpu == ("double" if widest & 8 else "single" if widest & 4 else "none")
    assert options.dsp == ("__ARM_FEATURE_DSP" in known)
    assert options.mve == ("__ARM_FEATURE_MVE" in known)
    assert options.thumb == ("__thumb__" in known)
    assert options.word_bits == 8 * int(known["__SIZEOF_POINTER__"])
    assert options.endian == ("little" if "__ARMEL__" in known else "big")


def test_cores_that_no_board_has() -> None:
    cores = {path.stem for path in ROOT.glob("boards/cores/*.toml")}
    assert cores == {board.core for board in BOARDS.values()}


# --- mistakes ---

GOOD = (ROOT / "boards/MPS2_AN386.toml").read_text()


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
    Wrong("= 25\n", f"= {'9' * 5000}\n", "no TOML: "),
    Wrong('title = "', f'x = {"[" * 3000}\ntitle = "', "no TOML: nested too deep"),
    Wrong('title = "', f'{"a." * 3000}b = 1\ntitle = "', "a: unknown key; the nearest is "),
    Wrong('title = "', '"a\\nb" = 1\ntitle = "', "a?b: unknown key; the nearest is "),
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


# --- a board more ---


@pytest.fixture
def page() -> str:
    return PAGE.read_text()


Copy = Callable[[str], Board]


@pytest.fixture
def add(tmp_path: Path) -> Copy:
    """Adds a file to a copy of the registry and loads the board."""
    folder = tmp_path / "boards"
    shutil.copytree(boards.FOLDER, folder, ignore=shutil.ignore_patterns("[A-Z]*.toml", "*.c"))

    def add(text: str) -> Board:
        (board,) = re.findall(r'^board = "(.*)"$', text, re.M)
        (folder / f"{board}.toml").write_text(text)
        assert board in [each.name for each in boards.load_all(folder)]
        return boards.load(board, folder)

    return add


def test_the_page_adds_a_board(page: str, add: Copy, micropython_tree: Path) -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
    board = add(text)
    assert f"`boards/{board.name}.toml`" in page
    assert board.options.fpu == "single"
    assert board.regions("heap") == board.regions("arena") != ()
    check_memory(board, micropython_tree / LINKER_SCRIPTS[board.name])


def test_the_page_shows_the_mistakes(page: str, add: Copy) -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
    memory = text.rindex('speed = "fast"', 0, text.index("FS_CACHE"))
    quick = text[:memory] + text[memory:].replace('"fast"', '"quick"', 1)
    for wrong in (quick, replaced(text, "clock_mhz", "clok_mhz")):
        with pytest.raises(BoardFileError) as caught:
            add(wrong)
        assert str(caught.value).partition("boards/W")[2] in page


def test_the_page_lists_all_keys_and_boards(page: str) -> None:
    for name in BOARDS:
        assert f"`{name}`" in page
    for section in ("board", "memory", "core"):
        for key in boards.SCHEMA[section]:
            assert f"`{key}`" in page or f"`[{key}]`" in page or f"`[[{key}]]`" in page
    for values in (boards.KINDS, boards.SPEEDS, boards.USES, boards.FPUS, boards.VERIFIED):
        assert all(f"`{value}`" in page for value in values)


def test_the_page_says_how_far(page: str) -> None:
    rows = re.findall(r"^\| (`.*`) \|.*\| ([a-z ]+)", page, re.M)
    told = {name: far for names, far in rows for name in re.findall(r"`(\w+)`", names)}
    for board in BOARDS.values():
        assert told[board.name].startswith(board.verified)
