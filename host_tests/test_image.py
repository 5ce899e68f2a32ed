# What a board's image is made of, from its link map and symbols: no C++ library, no constructors
# to run, no allocation behind the back, next to no static memory.

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

import targets
from targets import BOARDS

ROOT = Path(__file__).resolve().parent.parent
STATIC_LIMIT = 256  # bytes besides those of the operators' registrations
REGISTRATION_SIZE = 32
ALLOCATORS = re.compile(r"malloc|calloc|realloc|free|_Zn[wa].*|__cxa_(atexit|guard_\w+|throw)")


@dataclass(frozen=True)
class Section:
    name: str
    size: int
    file: str

    @property
    def is_ours(self) -> bool:
        return "/microlite/" in self.file or "/src_c/" in self.file


@pytest.fixture(params=BOARDS)
def image(request: pytest.FixtureRequest) -> Path:
    return targets.binary(request.param)


def linked_sections(image: Path) -> list[Section]:
    _, placed = image.with_suffix(".map").read_text().split("Linker script and memory map")
    row = re.compile(r"^ (\.[\w.]+)\s+0x\w+\s+0x(\w+) (\S+\.o\)?)$", re.M)
    return [Section(name, int(size, 16), file) for name, size, file in row.findall(placed)]


def symbols(file: Path, *options: str) -> set[str]:
    done = subprocess.run(
        ["arm-none-eabi-nm", "-P", *options, file], capture_output=True, text=True, check=True
    )
    return {line.split()[0] for line in done.stdout.splitlines()}


def test_libraries(image: Path) -> None:
    sections = linked_sections(image)
    assert any(section.is_ours for section in sections)
    libraries = {Path(s.file.split("(")[0]).name for s in sections if s.file.endswith(")")}
    assert libraries <= {"libgcc.a"}


def test_no_constructors(image: Path) -> None:
    walked = re.compile(r"\.(init_array|preinit_array|ctors|fini_array)")
    assert not [s for s in linked_sections(image) if walked.match(s.name) and s.size]
    listed = subprocess.run(
        ["arm-none-eabi-objdump", "-h", image], capture_output=True, text=True, check=True
    ).stdout
    assert ".text" in listed and not walked.search(listed)


def test_no_allocator(image: Path) -> None:
    assert not {name for name in symbols(image) if ALLOCATORS.fullmatch(name)}
    (engine,) = image.parent.rglob("microlite.o")
    wanted = symbols(engine, "-u")
    assert wanted and not {name for name in wanted if ALLOCATORS.fullmatch(name)}


def test_static_memory(image: Path) -> None:
    static = re.compile(r"\.(data|bss)\b|COMMON")
    ours = [s for s in linked_sections(image) if s.is_ours and static.match(s.name) and s.size]
    registrations = [s for s in ours if re.search(r"Register_\w+Ev?E1r$", s.name)]
    assert registrations and all(s.size == REGISTRATION_SIZE for s in registrations)
    rest = [s for s in ours if s not in registrations]
    assert sum(s.size for s in rest) <= STATIC_LIMIT, rest
