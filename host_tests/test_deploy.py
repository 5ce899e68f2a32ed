# microlite deploy, on an emulated board: what arrives, what does not, and what is left when it is
# broken off.

import json
import random
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from mpremote.transport_serial import SerialTransport

import bad_models
import targets
from builder import Model, Op, activation
from deploying import (
    BOARD,
    COMMAND,
    RESET,
    Deploy,
    contents,
    expected,
    fill,
    make_app,
    wait_for,
)
from microlite_tools import cli, romfs
from microlite_tools.errors import UserError
from microlite_tools.qemu import Board
from microlite_tools.remote import Remote
from microlite_tools.remote_files import TEMPORARY, BoardFiles
from ports import Tap, silent_port


@pytest.fixture(scope="module")
def running() -> Iterator[Board]:
    with targets.board(BOARD) as board:
        yield board


@pytest.fixture
def board(running: Board) -> Board:
    """A board without files."""
    running.run(RESET)
    return running


@pytest.fixture
def app(tmp_path: Path) -> Path:
    return make_app(tmp_path / "app")


@pytest.fixture
def deploy(board: Board, capsys: pytest.CaptureFixture[str]) -> Deploy:
    return Deploy(board, capsys)


def test_everything_arrives_and_main_runs(board: Board, deploy: Deploy, app: Path) -> None:
    assert deploy(app) == 0
    assert "6 files copied (4529 bytes), 0 up to date" in deploy.out
    wait_for(board, "ran")
    assert contents(board) == expected(app) | {"/ran": contents(board)["/ran"]}


def test_the_second_time_nothing_is_copied(deploy: Deploy, app: Path) -> None:
    deploy(app)
    assert deploy(app) == 0
    assert deploy.out.startswith("0 files copied (0 bytes), 6 up to date")


def test_small_files_take_one_request_each(
    deploy: Deploy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And one for several that may be up to date."""
    for i in range(40):
        (tmp_path / f"{i}.py").write_text(f"x = {i}\n" * (i + 1))
    begin = SerialTransport.exec_raw_no_follow
    requests: list[str] = []

    def count(transport: SerialTransport, request: str) -> None:
        requests.append(request)
        begin(transport, request)

    monkeypatch.setattr(SerialTransport, "exec_raw_no_follow", count)
    for most in (40 + 10, 10):
        requests.clear()
        assert deploy(tmp_path, "--no-reset") == 0
        assert len(requests) <= most


def test_what_has_changed_is_copied(board: Board, deploy: Deploy, app: Path) -> None:
    deploy(app, "--no-reset")
    data = (app / "a.bin").read_bytes()
    (app / "a.bin").write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    (app / "new.py").write_text("x = 1")
    assert deploy(app, "--no-reset", "--json") == 0
    report = json.loads(deploy.out)
    assert {f["path"]: f["state"] for f in report["files"] if f["state"] != "same"} == {
        "/a.bin": "changed",
        "/new.py": "new",
    }
    assert report["bytes"] == 3005
    assert contents(board) == expected(app)


@pytest.mark.parametrize("lacking", ["deflate", "hashlib", "deflate binascii hashlib"])
def test_boards_without_modules(
    board: Board, deploy: Deploy, tmp_path: Path, lacking: str
) -> None:
    data = random.Random(lacking).randbytes(2500)
    (tmp_path / "a.bin").write_bytes(data)
    boot = f"import sys\nfor name in {lacking.split()!r}: sys.modules[name] = object()"
    board.run(f"open('boot.py', 'w').write({boot!r})")
    for copied in (1, 0):
        assert deploy(tmp_path, "--no-reset", "--json") == 0
        assert json.loads(deploy.out)["copied"] == copied
    for words in ("image written", "image up to date"):
        assert deploy(tmp_path, "--no-reset", "--romfs") == 0
        assert words in deploy.out
    assert board.run("print(open('/rom/a.bin', 'rb').read())") == f"{data!r}\n"
    assert board.run("print(open('a.bin', 'rb').read())") == f"{data!r}\n"


def test_where_things_go(board: Board, deploy: Deploy, tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (tmp_path / "single.py").write_text("")
    assert deploy(package, tmp_path / "single.py", "--to", "lib", "--no-reset") == 0
    assert set(contents(board)) == {"/lib/package/__init__.py", "/lib/single.py"}
    assert deploy(package, "--dry-run") == 0
    assert "/package/__init__.py" in deploy.out
    assert "1 file would be copied" in deploy.out
    assert len(contents(board)) == 2


def test_what_does_not_belong_on_a_board(board: Board, deploy: Deploy, tmp_path: Path) -> None:
    names = [".git/config", "__pycache__/a.pyc", "a.pyi", "tests/test_a.py", "README.md", "a.py"]
    for name in [*names, "lib/.DS_Store", "pyproject.toml", "a.wav"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert deploy(tmp_path, "--no-reset", "--exclude", "*.wav") == 0
    assert set(contents(board)) == {"/a.py"}
    assert "2 hidden (.git, .DS_Store)" in deploy.err
    assert "1 tests (tests)" in deploy.err
    assert deploy(tmp_path / "README.md", "--no-reset") == 0, "what is named is taken"
    assert deploy(tmp_path, "--no-reset", "--all") == 0
    assert set(contents(board)) == set(expected(tmp_path))


def test_mistakes(board: Board, deploy: Deploy, app: Path, tmp_path: Path) -> None:
    board.run("open('/lib', 'w').close(); import os; os.mkdir('/a.bin')")
    cases: list[tuple[list[str | Path], str]] = [
        ([app / "a.bin"], "/a.bin is a folder on the board, but has to be a file"),
        ([app / "lib", "--to", "lib"], "/lib is a file on the board, but has to be a folder"),
        ([tmp_path / "none"], "no such file or folder"),
        ([app / "a.bin", "--romfs", "--to", "lib"], "--to is a folder of the file system"),
        ([app / "a.bin", "--to", "//"], "/a.bin is a folder on the board"),
        ([app / "a.bin", "--to", "x/" + TEMPORARY], f"deploy needs the name {TEMPORARY}"),
        ([app / "a.bin", "--to", "\udcff"], "'\\udcff': no name for a folder"),
        ([app / "a.bin", "--to", "n" * 300], "cannot be made: File name too long"),
    ]
    for arguments, message in cases:
        assert deploy(*arguments) == 2
        assert message in deploy.err
    other = tmp_path / "a.bin"
    other.write_bytes(b"")
    assert deploy(app, other) == 2
    assert "would both be a.bin on the board" in deploy.err
    (app / "loop").symlink_to(app)
    assert deploy(app) == 2
    assert "is a link to a folder that it lies in" in deploy.err
    assert deploy.out == ""
    assert set(contents(board)) == {"/lib"}


def test_folder_of_the_name_that_deploy_needs(
    board: Board, deploy: Deploy, app: Path, tmp_path: Path
) -> None:
    board.run(f"import os; os.mkdir('/{TEMPORARY}')")
    assert deploy(app) == 2
    assert f"/{TEMPORARY} is a folder on the board: deploy needs the name" in deploy.err
    file = tmp_path / TEMPORARY
    file.touch()
    assert deploy(file, "--to", "lib") == 2
    assert f"{TEMPORARY}: deploy needs the name" in deploy.err


# --- broken off ---


@pytest.fixture(scope="module")
def traffic(running: Board, tmp_path_factory: pytest.TempPathFactory) -> int:
    """The bytes that go to the board when `app` is deployed."""
    running.run(RESET)
    folder = make_app(tmp_path_factory.mktemp("traffic"))
    with Tap(running.device) as tap:
        subprocess.run([*COMMAND, str(folder), "--connect", tap.port], check=True)
    return tap.count


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("end", ["SIGINT", "SIGKILL", "hang up"])
def test_broken_off_and_deployed_again(
    board: Board, deploy: Deploy, app: Path, traffic: int, end: str, seed: int
) -> None:
    board.run("open('/a.bin', 'w').write('old'); open('/main.py', 'w').write('old')")
    old = contents(board)
    point = random.Random(end + str(seed)).randrange(traffic // 3, traffic)
    process: list[subprocess.Popen[str]] = []

    def stop() -> None:
        if end == "hang up":
            tap.hang_up()
        else:
            process[0].send_signal(getattr(signal, end))

    with Tap(board.device, point, stop) as tap:
        process.append(
            subprocess.Popen(
                [*COMMAND, str(app), "--connect", tap.port],
                stderr=subprocess.PIPE,
                text=True,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
        )
        _, said = process[0].communicate(timeout=30)
    assert process[0].returncode != 0, f"nothing was broken off after {point} bytes"
    assert "Traceback" not in said
    whole = expected(app)
    for path, digest in contents(board).items():
        if path != f"/{TEMPORARY}":
            assert digest in (whole[path], old.get(path)), path
    assert deploy(app, "--no-reset") == 0, deploy.err
    assert contents(board) == whole


@pytest.mark.parametrize("end", ["dies", "falls silent"])
def test_board_is_lost(
    board: Board, app: Path, traffic: int, end: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def lose() -> None:
        tap.hang_up() if end == "dies" else tap.fall_silent()

    with Tap(board.device, traffic // 2, lose) as tap:
        begun = time.monotonic()
        assert cli.main(["deploy", str(app), "--connect", tap.port]) == 2
    assert time.monotonic() - begun < 120
    err = capsys.readouterr().err
    assert f"board at {tap.port} " in err
    assert "Traceback" not in err


# --- room ---


def test_full_disk(board: Board, deploy: Deploy, tmp_path: Path) -> None:
    noise = random.Random(2)
    for name in ("a.bin", "b.bin"):
        (tmp_path / name).write_bytes(noise.randbytes(6000))
    assert deploy(tmp_path, "--no-reset") == 0
    before = contents(board)
    fill(board, 4)
    (tmp_path / "a.bin").write_bytes(noise.randbytes(30000))
    assert deploy(tmp_path, "--no-reset") == 2
    assert "has too little room: 32768 bytes needed, " in deploy.err
    assert "nothing was copied" in deploy.err
    with Remote(board.device) as remote:
        files = BoardFiles(remote)
        with pytest.raises(UserError, match=r"a.bin cannot be written: No space left"):
            files.carry_out(files.plan({"a.bin": tmp_path / "a.bin"}))
    left = contents(board)
    del left["/fill"]
    assert left == before, "the old file is whole and there is no temporary one"

    # Old and new contents are there together, but of one file at a time.
    for name in ("a.bin", "b.bin"):
        (tmp_path / name).write_bytes(noise.randbytes(6000))
    assert deploy(tmp_path, "--no-reset") == 0, deploy.err
    assert expected(tmp_path).items() <= contents(board).items()


def test_what_is_refused_leaves_the_program_running(
    board: Board, deploy: Deploy, app: Path, tmp_path: Path
) -> None:
    board.run("import os\nos.mkdir('a.bin')\nopen('main.py', 'w').write(\"open('ran', 'w')\")")
    assert deploy(app / "a.bin") == 2
    wait_for(board, "ran")


# --- ports ---


def test_silent_port(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with silent_port() as port:
        begun = time.monotonic()
        assert cli.main(["deploy", str(app), "--connect", port]) == 2
    assert time.monotonic() - begun < 60
    assert f"board at {port} does not answer: is it the right port" in capsys.readouterr().err


def test_port_in_use(board: Board, deploy: Deploy, app: Path) -> None:
    with Remote(board.device):
        assert deploy(app) == 2
    assert "another program has it" in deploy.err


# --- models ---


def test_missing_operators(board: Board, deploy: Deploy, app: Path) -> None:
    model = Model()
    x = model.add(activation([1, 4], "float32"))
    y = model.add(activation([1, 4], "float32"))
    model.inputs, model.outputs = [x], [y]
    model.ops = [Op(53, [x], [y], "CastOptions"), Op(158, [x], [y]), Op(92, [x], [y])]
    (app / "model.tflite").write_bytes(model.to_bytes())
    (app / "text.tflite").write_text("no model")
    hybrid = bad_models.dense("float32", "int8").to_bytes()
    (app / "hybrid.tflite").write_bytes(hybrid)
    (app / "cut.tflite").write_bytes(hybrid[:200])
    assert deploy(app, "--no-reset") == 1
    assert "model.tflite: the firmware of board at" in deploy.err
    assert "lacks SIGN" in deploy.err
    assert "text.tflite: not a TensorFlow Lite model" in deploy.err
    assert "hybrid.tflite: operator 0 (FULLY_CONNECTED): float activations" in deploy.err
    assert "cut.tflite: damaged or truncated model" in deploy.err
    assert "nothing was copied" in deploy.err
    assert contents(board) == {}
    assert deploy(app, "--no-reset", "--force") == 0
    assert contents(board) == expected(app)


def test_models_in_a_given_image(board: Board, deploy: Deploy, tmp_path: Path) -> None:
    """They are checked like files."""
    good = bad_models.dense("float32", "float32").to_bytes()
    hybrid = bad_models.dense("float32", "int8").to_bytes()
    image = tmp_path / "models.romfs"
    files = {
        "a/hybrid.tflite": hybrid,
        "cut.tflite": hybrid[:200],
        "main.py": b"",
        "m.tflite": good,
    }
    image.write_bytes(romfs.build(files))
    assert deploy(image, "--romfs", "--no-reset") == 1
    assert f"{image}: a/hybrid.tflite: operator 0 (FULLY_CONNECTED): float act" in deploy.err
    assert f"{image}: cut.tflite: damaged or truncated model of 200 bytes" in deploy.err
    assert deploy.err.count("models.romfs") == 2 and "nothing was copied" in deploy.err
    assert deploy(image, "--romfs", "--no-reset", "--force") == 0
    assert "image written" in deploy.out
    image.write_bytes(romfs.build({"m.tflite": good}))
    assert deploy(image, "--romfs", "--no-reset") == 0
    assert deploy.err == ""


# --- the documentation ---


def test_commands_of_the_documentation(
    root: Path,
    board: Board,
    deploy: Deploy,
    app: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of docs/deploying.md, in a folder with what they name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(root / "examples")
    app.rename("my_app")
    Path("my_app/it's \u00e4.txt").unlink()  # no name for ROMFS
    for name in ("my_package/__init__.py", "helpers.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("")
    for name in ("model.tflite", "my_app/model.tflite"):
        shutil.copy(root / "examples/hello_world/hello_world_int8.tflite", name)
    tried = 0
    for line in (root / "docs/deploying.md").read_text().splitlines():
        match shlex.split(line, comments=True) if line.startswith("microlite ") else []:
            case ["microlite", "deploy", *arguments]:
                assert deploy(*arguments) == 0, deploy.err
                tried += 1
            case ["microlite", *arguments]:
                assert cli.main(arguments) == 0
                tried += 1
    assert tried >= 5
    assert "/lib/my_package/__init__.py" in contents(board)
    assert "model.tflite" in board.run("import os\nprint(os.listdir('/rom'))")
