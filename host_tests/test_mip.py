# mpremote mip install: from the checkout and from an index of packages on this computer, onto an
# emulated board and into a folder that the unix binary imports from.

import functools
import hashlib
import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from mpremote.mip import do_mip

import targets
from microlite_tools.qemu import Board

ROOT = Path(__file__).parent.parent
FILES = json.loads((ROOT / "package.json").read_text())["urls"]

# Imports all files of the package and computes something.
TRY = f"""\
import microlite
for name in {[Path(target).stem for target, _ in FILES]}:
    if name != "__init__":
        __import__("microlite." + name)
assert microlite.selftest() and microlite.info().version == microlite.__version__
print(microlite.__version__)
"""
# Of a firmware in which the package is not frozen.
NOT_FROZEN = "import sys\nsys.path.remove('.frozen')\n"
MEMORY = """\
import gc
gc.collect()
used = gc.mem_alloc()
import microlite
gc.collect()
print(gc.mem_alloc() - used)
"""
WHICH = "import microlite; print(getattr(microlite, 'WHICH', 'frozen'))"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def version(root: Path) -> str:
    return str(json.loads((root / "package.json").read_text())["version"])


@pytest.fixture(scope="module")
def index(root: Path, version: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an index as micropython-lib's, with the package, marked to tell it apart."""
    folder = tmp_path_factory.mktemp("index")
    hashes = []
    for target, source in FILES:
        data = (root / source).read_bytes() + b"\nWHICH = 'index'\n"
        short = hashlib.sha256(data).hexdigest()[:8]
        path = folder / "file" / short[:2] / short
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        hashes.append([target, short])
    for mpy_version in ("6", "py"):
        path = folder / "package" / mpy_version / "microlite/latest.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"v": 1, "version": version, "hashes": hashes}))
    handler = functools.partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def board() -> Iterator[Board]:
    with targets.board("MPS2_AN386") as board:
        yield board


def test_board_from_the_checkout(board: Board, root: Path, version: str) -> None:
    done = board.mpremote("mip", "install", str(root / "package.json"))
    assert done.returncode == 0, done
    assert board.run(NOT_FROZEN + TRY) == f"{version}\n"
    found = board.run(NOT_FROZEN + "import microlite; print(microlite.__file__)")
    assert found == "/lib/microlite/__init__.py\n"
    told = re.search(r"It costs ([\d.]+) KB more RAM", (root / "docs/firmware.md").read_text())
    cost = int(board.run(NOT_FROZEN + MEMORY)) - int(board.run(MEMORY))
    assert told and abs(cost / 1024 - float(told[1])) < 0.2


def test_board_from_an_index(board: Board, index: str) -> None:
    board.stop()  # blank when it starts again
    install = ("mip", "install", "--index", index, "--target", "/", "microlite")
    done = board.mpremote(*install)
    assert done.returncode == 0, done
    assert board.run(WHICH) == "index\n"  # "/" comes before the frozen one, /lib after it
    again = board.mpremote(*install)
    assert "Exists:" in again.stdout
    assert "Installing:" not in again.stdout
    board.run("import os; os.mkdir('/lib'); os.rename('/microlite', '/lib/microlite')")
    assert board.run(WHICH) == "frozen\n"
    assert board.run(NOT_FROZEN + WHICH) == "index\n"


class Folder:
    """What mpremote installs onto, as a folder of this computer."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def exec(self, command: str) -> None:
        assert command == "import sys"

    def eval(self, expression: str) -> object:
        return ["", ".frozen", f"{self.path}/lib"] if expression == "sys.path" else 6

    def fs_exists(self, path: str) -> bool:
        return os.path.exists(path)

    def fs_mkdir(self, path: str) -> None:
        os.mkdir(path)

    def fs_hashfile(self, path: str, algorithm: str) -> bytes:
        return hashlib.new(algorithm, Path(path).read_bytes()).digest()

    def fs_writefile(self, path: str, data: bytes, **_: object) -> None:
        Path(path).write_bytes(data)


def install(folder: Path, package: str, index: str | None = None) -> None:
    state = SimpleNamespace(
        did_action=lambda: None, ensure_raw_repl=lambda: None, transport=Folder(folder)
    )
    args = SimpleNamespace(
        command=["install"], packages=[package], index=index, target=None, mpy=None
    )
    do_mip(state, args)


@pytest.mark.parametrize("source", ["checkout", "index", "frozen"])
def test_unix(
    source: str, root: Path, index: str, version: str, micropython: Path, tmp_path: Path
) -> None:
    """Installed, and frozen by manifest.py."""
    path, where = f"{tmp_path}/lib", f"{tmp_path}/lib/microlite/__init__.py"
    if source == "checkout":
        install(tmp_path, str(root / "package.json"))
    elif source == "index":
        install(tmp_path, "microlite", index)
    else:
        path, where = ".frozen", "microlite/__init__.py"
    done = subprocess.run(
        [micropython, "-c", TRY + "print(microlite.__file__)"],
        cwd="/",
        capture_output=True,
        text=True,
        env={"MICROPYPATH": path},
        timeout=60,
    )
    assert done.stdout.splitlines() == [version, where], done.stderr
