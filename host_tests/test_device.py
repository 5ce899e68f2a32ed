# The unittest files of device/ on MicroPython for unix and on the emulated boards, unchanged,
# among the models of the crates.

from collections.abc import Iterator
from pathlib import Path

import pytest

import targets
from microlite_tools import romfs
from microlite_tools.qemu import Totals
from targets import BOARDS, DEVICE, UNIX, Run

FILES = sorted(DEVICE.glob("test_*.py"))


@pytest.fixture(
    scope="module",
    params=[*UNIX, pytest.param("unix-asan", marks=pytest.mark.soak), *BOARDS],
)
def run(request: pytest.FixtureRequest, crate_models: Path) -> Iterator[Run]:
    with targets.runner(request.param, romfs.collect(crate_models)) as run:
        yield run


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_on_device(run: Run, file: Path) -> None:
    output = run(file.read_text())
    totals = Totals()
    assert totals.add(output), output
    assert totals.failures == totals.errors == 0, output
