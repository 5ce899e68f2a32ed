# What users see when package and firmware do not fit together, and which copy of the package an
# import takes. The packages are found by MICROPYPATH, which leaves the frozen one out unless it
# names .frozen.

import shutil
import subprocess
from pathlib import Path

import pytest

# A script that replaces _microlite by what a firmware without it, or another one, has.
LACKS = """\
import builtins
real_import = builtins.__import__
def lacking(name, *args):
    if name == "_microlite":
        raise ImportError({message!r})
    return real_import(name, *args)
builtins.__import__ = lacking
"""
OTHER = """\
import sys
class Fake:
    API = {api}
sys.modules["_microlite"] = Fake
"""
IMPORT = """\
try:
    import microlite
    print("imported")
except ImportError as e:
    print(e)
"""

MISSING = (
    "microlite needs a firmware with the C module _microlite, which this one lacks; "
    "docs/firmware.md tells how to build it"
)
MISBUILT = "_microlite: module and engine were built differently (ABI 1, 2)"


@pytest.fixture
def package(root: Path, tmp_path: Path) -> Path:
    """A copy of the package in a folder of its own."""
    shutil.copytree(root / "microlite", tmp_path / "lib/microlite")
    return tmp_path / "lib"


def run(micropython: Path, script: str, path: str) -> str:
    done = subprocess.run(
        [micropython, "-c", script],
        cwd="/",  # without a package: sys.path begins with the current folder
        capture_output=True,
        text=True,
        env={"MICROPYPATH": path},
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("frozen", [True, False], ids=["frozen", "installed"])
@pytest.mark.parametrize(
    ("message", "seen"),
    [
        ("no module named '_microlite'", MISSING),
        ("module not found", MISSING),  # of ports with terse errors
        (MISBUILT, MISBUILT),
    ],
    ids=["missing", "missing, terse", "built wrongly"],
)
def test_firmware_without_the_module(
    micropython: Path, package: Path, message: str, seen: str, frozen: bool
) -> None:
    script = LACKS.format(message=message) + IMPORT
    assert run(micropython, script, ".frozen" if frozen else str(package)) == seen


def test_firmware_of_another_interface(micropython: Path, package: Path) -> None:
    version = run(micropython, "import microlite; print(microlite.__version__)", str(package))
    api = int(run(micropython, "import _microlite; print(_microlite.API)", ""))
    numbers = f"microlite {version} needs interface {api} of _microlite, this firmware has "
    older = run(micropython, OTHER.format(api=api - 1) + IMPORT, str(package))
    assert older == f"{numbers}{api - 1}; build a newer firmware"
    newer = run(micropython, OTHER.format(api=api + 1) + IMPORT, str(package))
    assert newer == (
        f"{numbers}{api + 1}; install the package of the firmware's version, or remove this one "
        "where the firmware has its own"
    )


def test_a_failed_import_can_be_repeated(micropython: Path, package: Path) -> None:
    script = OTHER.format(api=99) + IMPORT + "del sys.modules['_microlite']\n" + IMPORT
    assert run(micropython, script, str(package)).splitlines()[1] == "imported"


def test_sys_path_decides_which_package(micropython: Path, package: Path) -> None:
    with (package / "microlite/__init__.py").open("a") as f:
        f.write("\nWHICH = 'installed'\n")
    script = "import microlite; print(getattr(microlite, 'WHICH', 'frozen'))"
    assert run(micropython, script, f".frozen:{package}") == "frozen"
    assert run(micropython, script, f"{package}:.frozen") == "installed"


def test_modules_in_c_win_over_files(micropython: Path, package: Path) -> None:
    """So a C module called microlite would hide the package."""
    (package / "_microlite.py").write_text("API = 99\n")
    assert run(micropython, IMPORT, str(package)) == "imported"
