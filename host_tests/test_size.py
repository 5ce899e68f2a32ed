# The sizes that `make size` prints: those of the objects, less what the linker dropped or merged.

import re
import subprocess
from pathlib import Path

import pytest

from microlite_tools import size

ROOT = Path(__file__).resolve().parent.parent


def text(*objects: Path) -> int:
    done = subprocess.run(["size", "--totals", *objects], capture_output=True, text=True)
    (total,) = re.findall(r"^ *(\d+).*TOTALS", done.stdout, re.MULTILINE)
    return int(total)


@pytest.mark.parametrize("name", ["unix/micropython", "MPS2_AN386/firmware"])
def test_sizes(name: str) -> None:
    map_file = ROOT / "build" / f"{name}.map"
    if not map_file.exists():
        pytest.skip(f"build/{name}.map is missing")
    folder = map_file.parent
    counted = size.sizes(map_file)
    module = text(*folder.glob("src_c/*.o"))
    assert 0.75 * module < counted["module", "text"] <= module
    engine_and_tflm = sum(counted[part, "text"] for part in ("engine", "model check", "TFLM"))
    linked = text(folder / "microlite/microlite.o")
    assert 0.75 * linked < engine_and_tflm <= linked
    assert 0 < counted["engine", "text"] < counted["TFLM", "text"]
