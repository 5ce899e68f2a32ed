# The files of boards/: each passes the schema and says what the sources say that it can be checked
# against; a board is added as docs/boards.md says.

import csv
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

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
    for wrong in (quick, text.replace("clock_mhz", "clok_mhz")):
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
