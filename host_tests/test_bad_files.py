# Files that no tool should be given, and outputs that would destroy inputs: one sentence each, and
# nothing is lost.

import io
import json
import os
import signal
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bad_models
from microlite_tools import checks, cli, console, golden, inputs, profiles, romfs
from microlite_tools.errors import UserError
from microlite_tools.model_file import Graph, ModelError, ModelFile, parse, read
from microlite_tools.tensors import Tensor, load_npy

COMMAND = [sys.executable, "-m", "microlite_tools"]
MODEL = bad_models.dense("float32", "float32").to_bytes()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.tflite"
    path.write_bytes(MODEL)
    return path


def refuse(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """What a command says that ends with status 2, in one line."""
    assert cli.main(list(map(str, words))) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1
    return told.err


# --- outputs ---


def test_outputs_spare_what_is_read(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    array = tmp_path / "x.npy"
    array.write_bytes(b"an input")
    link, hard = tmp_path / "link.npy", tmp_path / "hard.npy"
    link.symlink_to(array)
    hard.hardlink_to(array)
    for words in (
        ("golden", model, "-o", model),
        ("golden", model, array, "-o", array),
        ("golden", model, array, "-o", link),
        ("predict", "--unix", model, hard, "-o", array),
        ("predict", "--unix", model, array, "-o", tmp_path / "a/../x.npy"),
        ("tune", "--unix", model, "-o", model),
    ):
        assert "is read too, choose another name" in refuse(capsys, *words)
    assert model.read_bytes() == MODEL and array.read_bytes() == b"an input"
    inside = tmp_path / "deep/image"
    assert "lies in" in refuse(capsys, "romfs", "build", tmp_path, "-o", inside)
    assert not inside.parent.exists()


def test_save_leaves_the_old_file_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    checks.save(path, b"old")
    path.chmod(0o640)
    checks.save(path, b"older")
    assert path.read_bytes() == b"older" and path.stat().st_mode & 0o777 == 0o640

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:1])
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match=r"No space left.*file") as raised:
        checks.save(path, b"new")
    assert raised.value.filename == str(path)
    assert path.read_bytes() == b"older" and list(tmp_path.iterdir()) == [path]


# --- inputs ---


def _npy(header: str) -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04 and no archive",
        _npy(f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({10**12},)}}"),
        _npy(f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({10**23},)}}"),
        _npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"),
        _npy("(" * 900),
        _npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"),
    ],
)
def test_npy(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(data)
    with pytest.raises(UserError, match=r"x\.npy: not a .npy file of numbers"):
        load_npy(path)


def test_npy_of_the_other_byte_order(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.array([1, 2], ">i2"))
    assert load_npy(path).dtype == np.dtype("=i2") and load_npy(path).tolist() == [1, 2]


def test_nested_list() -> None:
    with pytest.raises(UserError, match="no list of numbers"):
        inputs._numbers("[" * 100_000)
    with pytest.raises(UserError, match="no list of numbers"):
        inputs._numbers(f"[{10**400}]")


def test_wav_with_a_chunk_beyond_its_end(tmp_path: Path) -> None:
    path = tmp_path / "x.wav"
    head = b"RIFF" + struct.pack("<I", 30) + b"WAVEfmt " + struct.pack("<I", 1 << 31)
    path.write_bytes(head + struct.pack("<HHIIHH", 1, 1, 16000, 32000, 2, 16) + bytes(8))
    tensor = Tensor("input", 0, "x", "float32", (4,), None, np.zeros(1))
    with pytest.raises(UserError, match=r"x\.wav: no wav file of plain samples"):
        inputs.read(tensor, str(path))


@pytest.mark.parametrize("us", [10**400, 5e-324, float("inf"), float("nan"), -1, "1", 1e300])
def test_absurd_profile(tmp_path: Path, us: object) -> None:
    path = tmp_path / "old.json"
    old = {"crc32": "0", "us": 1.0, "operators": [{"op": "ADD", "us": 1.0}]}
    path.write_text(json.dumps(old))
    assert profiles.load_old(str(path)) == old
    for wrong in (old | {"us": us}, old | {"operators": [{"op": "ADD", "us": us}]}):
        path.write_text(json.dumps(wrong))
        with pytest.raises(UserError, match="no profile made by"):
            profiles.load_old(str(path))
    for text in ("[" * 100_000, f'{{"us": {"9" * 10_000}}}'):
        path.write_text(text)
        with pytest.raises(UserError, match="no profile made by"):
            profiles.load_old(str(path))


def test_json_has_no_infinity() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        console.print_json({"x": float("inf")})


# --- models ---


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((2**31 - 1,), "2147483647 values, "),
        ((65536, 65536), "4294967296 values, "),
        ((1,) * 63, "63 dimensions, 6 at most"),
        ((0, 4), r"has shape \(0, 4\)"),
    ],
)
def test_golden_of_absurd_shapes(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], words: str
) -> None:
    """The runtime, which such shapes crash, is not asked."""
    tensor = parse(MODEL).graphs[0].inputs[0]
    odd = replace(tensor, shape=shape)

    absurd = ModelFile(len(MODEL), [Graph([odd], [], [odd], [odd])])
    monkeypatch.setattr(golden, "parse", lambda data: absurd)
    with pytest.raises(UserError, match=f"m: .*{words}"):
        golden.Oracle(MODEL, "m")


def test_golden_survives_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> bytes:
        os.kill(os.getpid(), signal.SIGKILL)
        return b""

    monkeypatch.setattr(golden, "make", crash)
    with pytest.raises(UserError, match="m: tflite-micro crashed on it"):
        golden.make_apart(MODEL, golden.random_inputs(1, 1), name="m")


def test_zeros(tmp_path: Path) -> None:
    path = tmp_path / "zeros"
    with path.open("wb") as file:
        file.truncate(3 << 30)
    with pytest.raises(ModelError, match="begins with 65,536 bytes of nothing but zeros"):
        read(path)


# --- images ---


def test_romfs_ls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image, pipe = tmp_path / "image", tmp_path / "pipe"
    image.write_bytes(romfs.MAGIC + b"\xff" * 5_000_000)
    assert "a number without an end at byte 3" in refuse(capsys, "romfs", "ls", image)
    os.mkfifo(pipe)
    for path in (pipe, Path(os.devnull)):
        assert f"{path}: is no regular file" in refuse(capsys, "romfs", "ls", path)
    image.write_bytes(romfs.build({"a\x1b[2J\nb": b"x"}))
    assert cli.main(["romfs", "ls", str(image)]) == 0
    assert r"a\x1b[2J\nb" in capsys.readouterr().out


# --- names and streams ---


def test_printable() -> None:
    assert checks.printable({"a\n": ["\x1b[1m", 1, None]}) == {r"a\n": [r"\x1b[1m", 1, None]}


def test_names_that_are_not_utf8(model: Path, tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.tflite"
    Path(os.fsdecode(name)).write_bytes(MODEL)
    done = subprocess.run([*COMMAND, "ops", name, "--json"], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    done = subprocess.run([*COMMAND, "ops", name + b"x"], capture_output=True)
    assert done.returncode == 2 and done.stderr.endswith(b"udcff.tflitex: no such file\n")
    with pytest.raises(UserError, match="the name is not UTF-8"):
        checks.check_name(os.fsdecode(name))


def test_closed_streams(model: Path) -> None:
    command = " ".join(COMMAND)
    for words, status in ((f"ops {model} >&-", 0), ("ops none >&- 2>&-", 2)):
        done = subprocess.run(f"{command} {words}", shell=True, capture_output=True)
        assert (done.returncode, done.stdout, done.stderr) == (status, b"", b"")


def test_too_large(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(cli, "_parse", fail)
    assert refuse(capsys, "boards") == "microlite: too large for the memory of this PC\n"


def test_interrupted_while_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    from microlite_tools import __main__

    class Interrupts(io.StringIO):
        def __getattr__(self, name: str) -> None:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "microlite_tools.cli", Interrupts())
    assert __main__.main() == 128 + signal.SIGINT
