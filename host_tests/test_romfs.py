# ROMFS images: made, listed, damaged, deployed; and models in them, in place and copied.

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpremote.romfs import VfsRomWriter, make_romfs

import targets
from builder import Array, activation, constant
from microlite_tools import cli, romfs
from microlite_tools.errors import UserError
from microlite_tools.qemu import Board
from one_op import one_op
from ports import Tap

BOARD = "MPS2_AN386"
WINDOW = 8 << 20  # bytes of the board's ROMFS window


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Some files, a model among them."""
    folder = tmp_path / "files"
    noise = random.Random(1)
    for name, size in {"a.py": 3, "deep/er/b.bin": 100, "c": 0, "model.tflite": 1001}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(noise.randbytes(size))
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    capsys.readouterr()
    status = cli.main([*map(str, arguments)])
    return status, *capsys.readouterr()


def plain(folder: Path) -> bytes:
    """The image that mpremote makes."""
    image: bytes = make_romfs(str(folder), mpy_cross=False)
    return image


# --- making and listing ---


def test_build_and_list(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "README.md").write_text("not on a board")
    image = tmp_path / "out/image.romfs"
    status, _, err = run(capsys, "romfs", "build", folder, "-o", image)
    assert status == 0
    assert "1 documentation (README.md)" in err
    data = image.read_bytes()
    status, out, _ = run(capsys, "romfs", "ls", image, "--json")
    report = json.loads(out)
    assert report["size"] == len(data)
    found = {}
    for file in report["files"]:
        assert file["aligned"]
        found[file["path"]] = data[file["offset"] : file["offset"] + file["size"]]
    (folder / "README.md").unlink()
    assert found == romfs.collect(folder)
    _, out, _ = run(capsys, "romfs", "ls", image)
    assert f"4 files, image {len(data)} bytes" in out
    assert "copied" not in out


def test_images_of_mpremote(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = plain(folder)
    entries = romfs.read(data)
    found = {e.path: data[e.offset : e.offset + e.size] for e in entries}
    assert found == romfs.collect(folder)
    image = tmp_path / "plain.romfs"
    image.write_bytes(data)
    _, out, _ = run(capsys, "romfs", "ls", image)
    model = next(line for line in out.splitlines() if "model.tflite" in line)
    assert model.rstrip().endswith("past 16: will be copied")


NAMES = st.text(st.characters(codec="ascii", exclude_characters="/\0"), min_size=1, max_size=200)
FILES = st.dictionaries(NAMES, st.binary(max_size=300), max_size=8)


@given(FILES)
def test_what_goes_in_comes_out(files: dict[str, bytes]) -> None:
    image = romfs.build(files)
    entries = romfs.read(image)
    assert {e.path: image[e.offset : e.offset + e.size] for e in entries} == files
    assert all(e.aligned for e in entries)
    assert len(image) % 2 == 0


@given(FILES, st.data())
def test_damaged_images(files: dict[str, bytes], data: st.DataObject) -> None:
    image = bytearray(romfs.build(files))
    for _ in range(data.draw(st.integers(1, 4))):
        image[data.draw(st.integers(0, len(image) - 1))] = data.draw(st.integers(0, 255))
    del image[data.draw(st.integers(0, len(image))) :]
    with suppress(UserError):
        entries = romfs.read(bytes(image))
        assert all(e.offset + e.size <= len(image) for e in entries)


def test_what_is_wrong_with_an_image(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = romfs.build(romfs.collect(folder))
    writer = VfsRomWriter()
    writer.mkfile("a", (100, 5))
    deep = VfsRomWriter()
    for _ in range(3000):
        deep.opendir("a")
    for _ in range(3000):
        deep.closedir()
    image = tmp_path / "image"
    for data, message in [
        (b"", "no ROMFS image: it does not start as a ROMFS image does"),
        (b"text", "no ROMFS image: it does not start as a ROMFS image does"),
        (good[:-2], f"a damaged ROMFS image: it ends after {len(good) - 2} of {len(good)} bytes"),
        (good[:4], "a damaged ROMFS image: it has a number without an end at byte 3"),
        (romfs.MAGIC + b"\x02\x00\x00", "a damaged ROMFS image: it has no record at byte 4"),
        (
            writer.finalise(),
            "a damaged ROMFS image: it has a file outside of its 12 bytes: a, at 9 to 109",
        ),
        (deep.finalise(), "a damaged ROMFS image: it has folders without an end"),
    ]:
        image.write_bytes(data)
        status, _, err = run(capsys, "romfs", "ls", image)
        assert (status, err) == (2, f"microlite: {image}: {message}\n")
    assert run(capsys, "romfs", "ls", tmp_path / "none")[0] == 2


def test_damaged_images_are_not_packed(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither as an image nor as plain files; whole ones may be among the files."""
    good = romfs.build(romfs.collect(folder))
    output = tmp_path / "image"
    build = ("romfs", "build", folder, "-o", output)
    for name, data, message in [
        ("a.romfs", good[:-2], f"a damaged ROMFS image: it ends after {len(good) - 2} of"),
        ("a.bin", good[:-2], f"a damaged ROMFS image: it ends after {len(good) - 2} of"),
        ("a.romfs", b"x" + good[1:], "no ROMFS image: it does not start as"),
    ]:
        file = folder / name
        file.write_bytes(data)
        for words in (
            build,
            ("deploy", "--romfs", file, "--connect", "/dev/none"),
            ("deploy", "--romfs", file, folder / "a.py", "--connect", "/dev/none"),
        ):
            status, _, err = run(capsys, *words)
            assert status == 2 and err.startswith(f"microlite: {file}: {message}")
            assert not output.exists()
        file.unlink()
    (folder / "a.romfs").write_bytes(good)
    assert run(capsys, *build)[0] == 0


def test_what_cannot_be_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "folder"

    def message() -> str:
        status, _, err = run(capsys, "romfs", "build", folder, "-o", tmp_path / "image")
        assert status == 2
        assert not (tmp_path / "image").exists()
        return err

    assert "is not a folder" in message()
    folder.mkdir()
    assert "there are no files to take in" in message()
    with (folder / "large").open("wb") as file:
        file.truncate(romfs.LIMIT + 1)
    assert f"{romfs.LIMIT + 1} bytes are too much for a ROMFS image" in message()
    (folder / "large").unlink()
    (folder / "gr\u00fcn.txt").write_text("x")
    assert "gr\u00fcn.txt: names in ROMFS are ASCII only" in message()
    Path(os.fsdecode(bytes(folder) + b"/gr\xfcn.txt")).write_text("x")
    assert "the name is not UTF-8" in message()
    (folder / "loop").symlink_to(folder)
    (folder / "gr\u00fcn.txt").unlink()
    os.unlink(bytes(folder) + b"/gr\xfcn.txt")
    assert "is a link to a folder that it lies in" in message()
    (folder / "loop").unlink()
    (folder / "model.tflite").symlink_to("../build/models/none.tflite")
    assert "model.tflite is a link to build/models/none.tflite, which is not there" in message()


# --- on a board ---


@pytest.fixture(scope="module")
def board() -> Iterator[Board]:
    with targets.board(BOARD) as board:
        yield board


def test_deploy(
    board: Board, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "model.tflite").rename(folder / "model.bin")
    deploy = ["deploy", "--romfs", "--connect", board.device]
    status, out, err = run(capsys, *deploy, folder, "--dry-run")
    assert (status, err) == (0, "")
    size = len(romfs.build(romfs.collect(folder)))
    assert out == f"ROMFS image would be written: {size} of {WINDOW} bytes, mounted at /rom\n"
    assert run(capsys, *deploy, folder)[0] == 0
    read = "import os\nprint(os.listdir('/rom'), open('/rom/model.bin', 'rb').read())"
    data = (folder / "model.bin").read_bytes()
    assert board.run(read) == f"['a.py', 'c', 'deep', 'model.bin'] {data!r}\n"
    assert "up to date" in run(capsys, *deploy, folder)[1]

    image = tmp_path / "image"  # whatever its name is
    image.write_bytes(plain(folder))
    status, out, _ = run(capsys, *deploy, image, "--json")
    assert status == 0
    assert json.loads(out)["bytes"] == len(plain(folder))
    assert board.run(read) == f"['a.py', 'c', 'deep', 'model.bin'] {data!r}\n"
    image.write_bytes(plain(folder)[:-2])
    assert "damaged" in run(capsys, *deploy, image)[2]

    with (folder / "c").open("wb") as file:
        file.truncate(WINDOW)
    status, _, err = run(capsys, *deploy, folder)
    assert status == 2
    assert f"bytes needed, {WINDOW} there" in err
    assert "nothing was written" in err


def test_broken_off_and_deployed_again(
    board: Board, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = random.Random(5).randbytes(16000)
    (tmp_path / "a.bin").write_bytes(data)
    process: list[subprocess.Popen[bytes]] = []
    with Tap(board.device, 12000, lambda: process[0].kill()) as tap:
        command = [sys.executable, "-m", "microlite_tools", "deploy", "--romfs", str(tmp_path)]
        process.append(subprocess.Popen([*command, "--connect", tap.port]))
        assert process[0].wait(30) == -signal.SIGKILL
    assert board.run("print('boots')") == "boots\n"
    assert run(capsys, "deploy", "--romfs", tmp_path, "--connect", board.device)[0] == 0
    digest = (
        "import hashlib\nprint(hashlib.sha256(open('/rom/a.bin', 'rb').read()).digest().hex())"
    )
    assert board.run(digest).strip() == hashlib.sha256(data).hexdigest()


# Boards without a ROMFS partition, to be made in boot.py.
WITHOUT = {
    "no rom_ioctl": "pass",
    "no partition": "rom_ioctl = lambda *_: 0",
    "no such command": "rom_ioctl = lambda *_: -22",
}


@pytest.mark.parametrize("body", WITHOUT.values(), ids=WITHOUT)
def test_no_partition(
    board: Board, folder: Path, capsys: pytest.CaptureFixture[str], body: str
) -> None:
    boot = f"import sys\nclass Vfs: {body}\nsys.modules['vfs'] = Vfs\n"
    board.run(f"open('boot.py', 'w').write({boot!r})")
    try:
        status, _, err = run(
            capsys, "deploy", "--romfs", "--force", folder, "--connect", board.device
        )
    finally:
        board.run("import os\nos.remove('boot.py')")
    assert status == 2
    assert f"board at {board.device} has no ROMFS partition: its firmware has to be built" in err


# --- models in images ---

WIDTH = 2048


def large_model(rows: int) -> bytes:
    """A model of about `rows * WIDTH` bytes that gives its last input as its last output."""
    weights: Array = np.zeros((rows, WIDTH), np.int8)
    weights[-1, -1] = 1
    inputs = [activation([1, WIDTH], "int8", 1.0), constant(weights, 1.0), None]
    outputs = [activation([1, rows], "int8", 1.0)]
    options = "FullyConnectedOptions"
    return one_op("large", "FULLY_CONNECTED", inputs, outputs, options).model.to_bytes()


LOAD = """
import gc, microlite
gc.collect()
before = gc.mem_alloc()
model = microlite.Model("/rom/model.tflite")
gc.collect()
dropped = gc.mem_alloc() - before - model.arena_size
model.inputs[0].data[-1] = 42
model.invoke()
print([model.size, model.in_place, dropped, model.outputs[0].data[-1]])
"""


def load(image: bytes) -> tuple[int, bool, int]:
    """Size of the model in an image, whether it is used in place, and what that takes of heap."""
    with targets.board(BOARD, image) as board:
        size, in_place, dropped, result = json.loads(board.run(LOAD).lower())
    assert result == 42
    return size, in_place, dropped


def test_the_largest_model_is_used_in_place() -> None:
    model = large_model((WINDOW - 2000) // WIDTH)
    image = romfs.build({"model.tflite": model})
    assert WINDOW - WIDTH < len(image) <= WINDOW
    size, in_place, dropped = load(image)
    assert (size, in_place) == (len(model), True)
    assert dropped < 1024


def test_a_misaligned_model_is_copied(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    model = large_model(300)
    (folder / "model.tflite").write_bytes(model)
    (folder / "a").write_bytes(b"x")
    image = plain(folder)
    assert not next(e for e in romfs.read(image) if e.path == "model.tflite").aligned
    size, in_place, dropped = load(image)
    assert (size, in_place) == (len(model), False)
    assert size <= dropped < size + 1024
