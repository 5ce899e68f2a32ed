# What microlite adds to a firmware image, from the link map of each build.
#
# The C module has objects of its own. Engine, kernels and TFLM are linked as one; of each of its
# sections as much counts as ours as our objects brought, the rest is TFLM's.

"""Print text, data and bss of the module, the engine, kernels, sound and TFLM in all builds."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("module", "engine", "model check", "kernels", "sound", "TFLM")
CHECK = ("check_", "model_check", "verify")
KINDS = {"text": (".text", ".rodata", ".ARM.ex"), "data": (".data",), "bss": (".bss", "COMMON")}
SECTION = re.compile(r"\] (\S+) +\w+ +\w+ \w+ (\w+) ")
ROW = re.compile(r"^ (\.[\w.$]+|COMMON)\s+0x\w+\s+0x(\w+) (\S+)$", re.MULTILINE)

Sizes = Counter[tuple[str, str]]  # bytes by part and kind


def object_sections(*objects: Path) -> Counter[str]:
    """Bytes in sections of each name in object files."""
    if not objects:
        return Counter()
    done = subprocess.run(
        ["readelf", "-S", "-W", *objects], capture_output=True, text=True, check=True
    )
    sections: Counter[str] = Counter()
    for name, size in SECTION.findall(done.stdout):
        sections[name] += int(size, 16)
    return sections


def sizes(map_file: Path) -> Sizes:
    """Bytes of each part in an image, by the linker's map of it."""
    build = map_file.parent
    linked = build / "microlite/microlite.o"
    brought = {path.name: object_sections(path) for path in [linked, *build.glob("src_c/*.o")]}
    ours = {path for path in build.glob("microlite/*.o") if path != linked}
    checking = {path for path in ours if path.name.startswith(CHECK)}
    computing = {path for path in ours if path.name.startswith("kernel")}
    of_ours = {
        "model check": object_sections(*checking),
        "engine": object_sections(*(ours - checking - computing)),
        "kernels": object_sections(*computing, *build.glob("microlite/kernels/*.o")),
        "sound": object_sections(*build.glob("microlite/audio/*.o")),
    }

    counted: Sizes = Counter()
    _, placed = map_file.read_text().split("Linker script and memory map")
    for section, size, file in ROW.findall(placed):
        kind = next((kind for kind, names in KINDS.items() if section.startswith(names)), None)
        if kind is None or not file.startswith((f"{build}/src_c/", f"{build}/microlite/")):
            continue
        # The first section of strings has those of the whole image, where the linker merged them.
        left = min(int(size, 16), brought[Path(file).name][section])
        if "/src_c/" in file:
            counted["module", kind] += left
            continue
        for part, sections in of_ours.items():
            share = min(left, sections[section])
            counted[part, kind] += share
            left -= share
        counted["TFLM", kind] += left
    return counted


def main() -> int:
    found = [*ROOT.glob("build/*/micropython.map"), *ROOT.glob("build/*/firmware.map")]
    maps = sorted(path for path in found if path.parent.name not in ("unix-asan", "unix-oom"))
    if not maps:
        sys.exit("microlite: nothing is built yet; make unix, make firmware BOARD=NAME")
    table = Table("build", "part", title="bytes that microlite adds")
    for kind in KINDS:
        table.add_column(kind, justify="right")
    for path in maps:
        counted = sizes(path)
        for part in PARTS:
            figures = [f"{counted[part, kind]:,}" for kind in KINDS]
            table.add_row(path.parent.name if part == PARTS[0] else "", part, *figures)
        figures = [f"{sum(counted[part, kind] for part in PARTS):,}" for kind in KINDS]
        table.add_row("", "together", *figures, end_section=True)
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
