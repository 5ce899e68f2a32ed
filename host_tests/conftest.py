# Where things lie, for all tests; the times of the test files at the end.

import signal
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def pytest_configure() -> None:
    # Shells start programs in the background with Ctrl-C ignored, which tests send.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def build() -> Path:
    return ROOT / "build"


@pytest.fixture(scope="session")
def micropython(build: Path) -> Path:
    """The unix binary with microlite in it."""
    path = build / "unix/micropython"
    if not path.exists():
        pytest.skip("build/unix/micropython is not built: make unix")
    return path


@pytest.fixture(scope="session")
def crate_models(build: Path) -> Path:
    """The folder with the models and inputs of the crates."""
    path = build / "models"
    if not path.exists():
        pytest.skip("build/models is missing: make models")
    return path


@pytest.fixture(scope="session")
def shared_models() -> Path:
    """The folder of models with expected outputs, which is no part of the repository."""
    path = ROOT.parent / "shared/models"
    if not path.exists():
        pytest.skip("../shared/models is not there")
    return path


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    seconds: dict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    terminalreporter.section("seconds per file")
    for name, time in sorted(seconds.items(), key=lambda row: -row[1]):
        terminalreporter.write_line(f"{time:7.1f}  {name}")
    if left_out := len(terminalreporter.stats.get("deselected", [])):
        terminalreporter.write_line(
            f"{left_out} tests were not asked for; make soak runs the long ones"
        )
