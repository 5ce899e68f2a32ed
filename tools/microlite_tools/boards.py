# The registry of boards: loads boards/NAME.toml and boards/cores/CORE.toml and checks them against
# one table. Every fault is one line that names file and key, what stands there and what may. An
# installed package has the files in a folder of its own.

"""What is known of boards: core, clock and memory."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from reprlib import repr as short
from typing import Any

from .checks import printable
from .errors import UserError

ROOT = Path(__file__).resolve().parents[2]
_INSTALLED = Path(__file__).parent / "board_files"
FOLDER = _INSTALLED if _INSTALLED.is_dir() else ROOT / "boards"

FPUS = ("none", "single", "double")
ENDIANS = ("little", "big")
KINDS = ("flash", "sram", "tcm", "psram", "sdram", "host")
SPEEDS = ("fast", "medium", "slow")
USES = ("firmware", "model", "heap", "arena", "stack", "files")
TIMERS = ("dwt_cyccnt", "ticks_cpu", "ticks_us", "clock_gettime", "cmsdk_timer0")
ADDRESSES = 1 << 32  # that boards have, and the most that a number may be
VERIFIED = ("run", "linked", "data sheet")
PORTS = (
    *("alif", "esp32", "esp8266", "mimxrt", "nrf", "qemu", "renesas-ra", "rp2", "samd"),
    *("stm32", "unix", "webassembly", "windows", "zephyr"),
)


class BoardFileError(UserError):
    """A board's file is wrong: file, key, what was found and what is allowed, in one line."""


@dataclass(frozen=True)
class Region:
    """A memory region. Without `base` its address is not fixed."""

    name: str
    size: int
    kind: str
    speed: str
    uses: tuple[str, ...]
    base: int | None = None

    def overlaps(self, other: Region) -> bool:
        if self.base is None or other.base is None:
            return False
        return self.base < other.base + other.size and other.base < self.base + self.size

    def holds(self, base: int, size: int) -> bool:
        if self.base is None:
            return False
        return self.base <= base and base + size <= self.base + self.size


@dataclass(frozen=True)
class Options:
    """What a core is and can do."""

    fpu: str
    dsp: bool
    mve: bool
    thumb: bool
    word_bits: int
    endian: str


@dataclass(frozen=True)
class Romfs:
    """The ROMFS partition."""

    base: int
    size: int


@dataclass(frozen=True)
class Linked:
    """A firmware with microlite that was linked: its operators and bytes of text."""

    micropython: str
    ops: int
    text: int


@dataclass(frozen=True)
class Board:
    """A board as its file describes it. `board` is its name in MicroPython's port."""

    name: str
    title: str
    port: str
    board: str
    core: str
    core_title: str
    options: Options
    timer: str
    verified: str
    memory: tuple[Region, ...]
    clock_mhz: int | None = None
    heap: int | None = None
    romfs: Romfs | None = None
    linked: Linked | None = None

    def regions(self, use: str) -> tuple[Region, ...]:
        """Return the regions that are used for that, one of USES."""
        return tuple(region for region in self.memory if use in region.uses)


@dataclass(frozen=True)
class Key:
    """What may stand under a key: values of `type`, and of these the allowed ones."""

    type: str
    allowed: Sequence[Any] = ()
    least: int = 0
    required: bool = True

    def words(self) -> str:
        """Say what is allowed."""
        if self.allowed:
            what = ", ".join(str(each) for each in self.allowed)
            return f"a list of {what}" if self.type == "list" else what
        if self.type == "int":
            return f"an integer from {self.least} to {ADDRESSES}"
        return WORDS.get(self.type, f"a {self.type}")

    def accepts(self, value: object) -> bool:
        if self.type == "list":
            return isinstance(value, list) and all(each in self.allowed for each in value)
        if not isinstance(value, TYPES[self.type]) or isinstance(value, bool) != (
            self.type == "bool"
        ):
            return False
        if self.allowed:
            return value in self.allowed
        if isinstance(value, str):
            return NAME.fullmatch(value) is not None if self.type == "name" else _is_line(value)
        return not isinstance(value, int) or self.least <= value <= ADDRESSES


NAME = re.compile(r"\w[\w-]*", re.ASCII)
LONGEST = 80  # characters of a text


def _is_line(text: str) -> bool:
    return text.strip() == text != "" and text.isprintable() and len(text) <= LONGEST


WORDS = {
    "bool": "true or false",
    "str": f"a line of text, {LONGEST} characters at most",
    "name": "letters, digits, _ and -",
}
TYPES: Mapping[str, type] = {
    "str": str,
    "name": str,
    "int": int,
    "bool": bool,
    "list": list,
    "table": dict,
    "tables": list,
}

_OPTIONS = {
    "fpu": Key("str", FPUS),
    "dsp": Key("bool"),
    "mve": Key("bool"),
    "thumb": Key("bool"),
    "word_bits": Key("int", (32, 64)),
    "endian": Key("str", ENDIANS),
}

# All that may stand in the files, by section. A core's options may be put right by a board.
SCHEMA: Mapping[str, Mapping[str, Key]] = {
    "core": {"title": Key("str"), **_OPTIONS},
    "board": {
        "title": Key("str"),
        "port": Key("str", PORTS),
        "board": Key("name"),
        "core": Key("str"),
        "clock_mhz": Key("int", least=1, required=False),
        "heap": Key("int", least=1, required=False),
        "timer": Key("str", TIMERS),
        "verified": Key("str", VERIFIED),
        "options": Key("table", required=False),
        "memory": Key("tables"),
        "romfs": Key("table", required=False),
        "linked": Key("table", required=False),
    },
    "options": {
        name: Key(key.type, key.allowed, required=False) for name, key in _OPTIONS.items()
    },
    "memory": {
        "name": Key("name"),
        "base": Key("int", required=False),
        "size": Key("int", least=1),
        "kind": Key("str", KINDS),
        "speed": Key("str", SPEEDS),
        "uses": Key("list", USES),
    },
    "romfs": {"base": Key("int"), "size": Key("int", least=1)},
    "linked": {
        "micropython": Key("str"),
        "ops": Key("int", least=1),
        "text": Key("int", least=1),
    },
}


@dataclass(frozen=True)
class _File:
    """A file of the registry, for errors to name."""

    path: Path
    data: dict[str, Any] = field(default_factory=dict)

    def fail(self, where: str, text: str) -> BoardFileError:
        path = self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path
        return BoardFileError(printable(f"{path}: {where}: {text}"))

    def check(self, section: str, data: Mapping[str, Any], where: str = "") -> None:
        """Check a table of the file against that section of the schema."""
        keys = SCHEMA[section]
        for name, value in data.items():
            if name not in keys:
                near = get_close_matches(name, keys, 1, 0)
                raise self.fail(where + name, f"unknown key; the nearest is {near[0]}")
            if not keys[name].accepts(value):
                allowed = keys[name].words()
                raise self.fail(where + name, f"{_shown(value)} found; allowed: {allowed}")
        for name, key in keys.items():
            if key.required and name not in data:
                raise self.fail(where + name, f"missing; allowed: {key.words()}")


def _shown(value: object) -> str:
    try:
        return short(value).lower() if isinstance(value, bool) else short(value)
    except ValueError:  # that Python writes no such integer in decimal
        return "a number of too many digits"


def _read(path: Path) -> _File:
    if not path.is_file():
        raise _File(path).fail("no TOML", "is no file")
    try:
        return _File(path, tomllib.loads(path.read_text("utf-8-sig")))
    except (OSError, ValueError, RecursionError) as er:
        reason = "nested too deep" if isinstance(er, RecursionError) else str(er)
        if type(er) is ValueError:  # by int(), what tomllib raises is a kind of it
            reason = "a number of too many digits"
        raise _File(path).fail("no TOML", reason) from None


def _cores(folder: Path) -> list[str]:
    return sorted(path.stem for path in (folder / "cores").glob("*.toml"))


def _load_core(folder: Path, name: str) -> dict[str, Any]:
    file = _read(folder / "cores" / f"{name}.toml")
    file.check("core", file.data)
    return file.data


def _check_place(file: _File, region: Region, others: Sequence[Region], where: str) -> None:
    """Check a region against those before it, and the addresses that there are."""
    end = None if region.base is None else region.base + region.size
    if end is not None and end > ADDRESSES:
        found = f"{region.base:#x}, {region.size:#x} bytes found"
        raise file.fail(where + "base", f"{found}; allowed: up to {ADDRESSES - 1:#x}")
    for other in others:
        if region.name == other.name:
            raise file.fail(where + "name", f"{region.name!r} found, as before; allowed: another")
        if region.overlaps(other):
            found = f"{region.base:#x} found, where {other.name} lies"
            raise file.fail(where + "base", f"{found}; allowed: free")


def _load_memory(file: _File) -> tuple[Region, ...]:
    regions: list[Region] = []
    for i, data in enumerate(file.data["memory"], 1):
        where = f"memory {i}: "
        if not isinstance(data, dict):
            raise file.fail("memory", f"{_shown(data)} found; allowed: tables, [[memory]]")
        file.check("memory", data, where)
        region = Region(**{**data, "uses": tuple(data["uses"])})
        _check_place(file, region, regions, where)
        regions.append(region)
    room = sum(region.size for region in regions if "heap" in region.uses)
    if not room:
        raise file.fail("memory", "no region found whose uses name heap; allowed: one or more")
    if file.data.get("heap", 0) > room:
        found = f"{file.data['heap']} found"
        raise file.fail("heap", f"{found}; allowed: up to {room}, the size of its region")
    return tuple(regions)


def _load_romfs(file: _File, memory: Sequence[Region]) -> Romfs | None:
    if "romfs" not in file.data:
        return None
    file.check("romfs", file.data["romfs"], "romfs: ")
    romfs = Romfs(**file.data["romfs"])
    if any(region.holds(romfs.base, romfs.size) and "model" in region.uses for region in memory):
        return romfs
    found = f"{romfs.base:#x}, {romfs.size:#x} bytes found"
    raise file.fail("romfs", f"{found}; allowed: inside a region whose uses name model")


def _load_linked(file: _File) -> Linked | None:
    verified = file.data["verified"]
    if "linked" not in file.data:
        if verified == "linked":
            raise file.fail("linked", "missing; allowed: a table, as verified says so")
        return None
    if verified == "data sheet":
        raise file.fail(
            "verified", "'data sheet' found; allowed: run, linked, as [linked] is there"
        )
    file.check("linked", file.data["linked"], "linked: ")
    return Linked(**file.data["linked"])


def load_file(path: Path, cores: Path = FOLDER) -> Board:
    """Load a board's file; `cores` is the folder that holds cores/."""
    file = _read(path)
    data = file.data
    if not NAME.fullmatch(path.stem):
        raise file.fail("name of the file", f"{path.stem!r} found; allowed: {WORDS['name']}")
    if data.get("core") not in _cores(cores):
        found = f"{_shown(data['core'])} found" if "core" in data else "missing"
        raise file.fail("core", f"{found}; allowed: {', '.join(_cores(cores))}")
    file.check("board", data)
    file.check("options", data.get("options", {}), "options: ")
    memory = _load_memory(file)
    options = _load_core(cores, data["core"])
    core_title = options.pop("title")
    return Board(
        **{
            **data,
            "name": path.stem,
            "core_title": core_title,
            "options": Options(**options | data.get("options", {})),
            "memory": memory,
            "romfs": _load_romfs(file, memory),
            "linked": _load_linked(file),
        }
    )


def names(port: str | None = None) -> list[str]:
    """Return the names of all boards, or of those of one port."""
    return [board.name for board in load_all() if port in (None, board.port)]


def files(folder: Path = FOLDER) -> dict[str, Path]:
    """Return the files of all boards by name."""
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load_all(
    folder: Path = FOLDER, wrong: Callable[[BoardFileError], object] | None = None
) -> Iterator[Board]:
    """Load the files of all boards, in the order of their names.

    Those that are wrong are left out where `wrong` takes the error.
    """
    for path in files(folder).values():
        try:
            board = load_file(path, folder)
        except BoardFileError as er:
            if wrong is None:
                raise
            wrong(er)
        else:
            yield board


def load(name: str, folder: Path = FOLDER) -> Board:
    """Load a board by its name."""
    known = files(folder)
    if name not in known:
        raise UserError(f"there is no board {name}; boards: {' '.join(known)}")
    return load_file(known[name], folder)
