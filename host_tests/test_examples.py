# The examples: each runs unchanged on unix and on an emulated board, with recordings and pictures,
# and prints what example_answers.py expects. Its heap stays as it is over a thousand frames.
# hello_world has a file of its own.

import json
import re
import runpy
import shutil
import subprocess
import wave
from pathlib import Path

import pytest

import targets
from example_answers import EXAMPLES, EXPECTED, FLASH
from microlite_tools import romfs
from microlite_tools.selection import select

FOLDERS = sorted(path.parent for path in EXAMPLES.glob("*/main.py"))
FRAMES = 1008  # the sources repeat after some frames: at half of these they are where they begin
FRAMES_ON_BOARD = 108
SLOW = {"person_detection", "two_models"}  # a ninth of that on a board


# --- Running ---


def test_all_are_tested() -> None:
    assert {path.name for path in FOLDERS} == {*EXPECTED, "hello_world"}


def stage(folder: Path, name: str) -> Path:
    """What deploying the example gives a board, in a folder."""
    if missing := [path for path in (EXAMPLES / name).iterdir() if not path.exists()]:
        pytest.skip(f"{missing[0]} leads nowhere: make models")
    folder.mkdir(parents=True, exist_ok=True)
    for file, path in select([EXAMPLES / name]).files.items():
        shutil.copy(path, folder / file)
    return folder


def finish(micropython: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [micropython, "main.py"], cwd=folder, capture_output=True, text=True, timeout=120
    )


def run(micropython: Path, folder: Path) -> str:
    done = finish(micropython, folder)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", EXPECTED)
def test_unix(name: str, micropython: Path, crate_models: Path, tmp_path: Path) -> None:
    folder = stage(tmp_path / "examples" / name, name)
    if name == "flash_model":
        (tmp_path / "build").mkdir()
        image = romfs.build({FLASH: (crate_models / FLASH).read_bytes()})
        (tmp_path / "build/models.romfs").write_bytes(image)
    text = run(micropython, folder)
    EXPECTED[name](text)
    check_page(name, text)


def check_page(name: str, text: str) -> None:
    """The first block of the example's page is what it prints, but for what was measured."""
    match = re.search(r"^```\n(.*?)^```", (EXAMPLES / name / "README.md").read_text(), re.M | re.S)
    assert match
    lines = {line.rstrip() for line in text.splitlines()}
    shown = [line for line in match[1].splitlines() if line != "..."]
    assert shown and all(line in lines or re.search(r" [um]s$|bytes$", line) for line in shown)


def run_on_board(folder: Path) -> str:
    script = (folder / "main.py").read_text()
    return targets.run("MPS2_AN386", script, romfs.collect(folder))


@pytest.mark.parametrize("name", EXPECTED)
def test_board(name: str, crate_models: Path, tmp_path: Path) -> None:
    folder = stage(tmp_path / name, name)
    if name == "flash_model":
        shutil.copy(crate_models / FLASH, folder)
    EXPECTED[name](run_on_board(folder))


# --- A thousand frames ---

# In place of a source: plays it again and again, and looks at the heap on the way.
METER = """\
import gc
import original
from original import *

FRAMES = {frames}
seen = 0


def more():
    global seen
    seen += 1
    if seen in (FRAMES // 2, FRAMES):
        gc.collect()
        print("HEAP", gc.mem_alloc())
    return seen <= FRAMES


"""
GENERATOR = """
def {function}():
    while True:
        for each in original.{function}():
            if not more():
                return
            yield each
"""
STREAM = """
class Stream:
    def __init__(self):
        self.stream = original.{function}()

    {async_}def readinto(self, buffer):
        if not more():
            return 0
        n = {await_}self.stream.readinto(buffer)
        if n == 0:
            self.stream = original.{function}()
            n = {await_}self.stream.readinto(buffer)
        return n


{function} = Stream
"""
LOOK = """
def look():
    if not more():
        return None
    if seen % 3 == 1:
        original.pictures = iter(("person", "no_person", "person"))
        original.words = iter(("yes", "no"))
    return original.look()
"""
SOURCES = {
    "micro_speech": ("microphone", STREAM.format(function="open", async_="", await_="")),
    "async_keywords": (
        "hardware",
        STREAM.format(function="microphone", async_="async ", await_="await "),
    ),
    "person_detection": ("frames", GENERATOR.format(function="frames")),
    "magic_wand": ("accelerometer", GENERATOR.format(function="figures")),
    "vibration": ("accelerometer", GENERATOR.format(function="windows")),
    "recurrent_sensor": ("sensor", GENERATOR.format(function="readings")),
    "few_shot": ("sensor", GENERATOR.format(function="samples")),
    "two_models": ("sources", LOOK),
}


def metered(folder: Path, name: str, frames: int) -> None:
    """Its source is played for so many frames."""
    if name in SOURCES:
        module, text = SOURCES[name]
        source = (folder / f"{module}.py").read_text()
        # Recordings come without waiting for the time that they last.
        source = source.replace("sleep_ms(len(buffer) // 32)", "sleep_ms(0)")
        (folder / "original.py").write_text(source)
        (folder / f"{module}.py").write_text(METER.format(frames=frames) + text)


def check_heap(text: str) -> None:
    half, whole = map(int, re.findall(r"^HEAP (\d+)$", text, re.MULTILINE))
    assert abs(half - whole) < 256  # recordings are at another place; a block a frame is more


@pytest.mark.parametrize("name", SOURCES)
def test_heap_on_unix(name: str, micropython: Path, crate_models: Path, tmp_path: Path) -> None:
    folder = stage(tmp_path, name)
    metered(folder, name, FRAMES)
    check_heap(run(micropython, folder))


@pytest.mark.parametrize("name", SOURCES)
def test_heap_on_a_board(name: str, crate_models: Path, tmp_path: Path) -> None:
    folder = stage(tmp_path / name, name)
    metered(folder, name, FRAMES_ON_BOARD // 9 if name in SLOW else FRAMES_ON_BOARD)
    check_heap(run_on_board(folder))


# --- Words ---

PLAYED = """
def open():
    return Recordings({streams})
"""


def stage_sound(folder: Path, streams: str) -> Path:
    """The example micro_speech, which hears these streams."""
    with (stage(folder, "micro_speech") / "microphone.py").open("a") as script:
        script.write(PLAYED.format(streams=streams))
    return folder


@pytest.mark.parametrize(
    "streams",
    [
        "*(Noise(0) for _ in range(20))",
        *(f"*(Noise({level}) for _ in range(20))" for level in (10, 300, 3000, 30000)),
        "Noise(0), Noise(1000), Noise(0), Noise(1000), Noise(0)",
    ],
)
def test_nothing_is_heard(streams: str, micropython: Path, tmp_path: Path) -> None:
    assert run(micropython, stage_sound(tmp_path, streams)) == ""


def play_wav(
    micropython: Path, folder: Path, samples: bytes, rate: int, more: bytes = b""
) -> subprocess.CompletedProcess[str]:
    with wave.open(str(folder / "a.wav"), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(samples)
    with (folder / "a.wav").open("ab") as wav:
        wav.write(more)
    return finish(micropython, stage_sound(folder, 'Noise(0), Recording("a.wav"), Noise(0)'))


@pytest.mark.parametrize("more", [b"", b"LIST\x03\0\0\0abc"])
def test_wav(micropython: Path, crate_models: Path, tmp_path: Path, more: bytes) -> None:
    samples = (crate_models / "yes_1000ms_sample.data").read_bytes()
    done = play_wav(micropython, tmp_path, samples, 16000, more)
    assert re.fullmatch(r'\d\.\d s: heard "yes" \(.*\)\n', done.stdout), done.stderr


def test_wav_of_another_rate(micropython: Path, crate_models: Path, tmp_path: Path) -> None:
    done = play_wav(micropython, tmp_path, bytes(2000), 48000)
    assert done.stderr.splitlines()[-1] == (
        "ValueError: a.wav: 1 channels of 16 bits, 48000 a second; 1 of 16 and 16000 needed"
    )


@pytest.mark.parametrize("size", [31999, 32001])
def test_odd_samples(micropython: Path, crate_models: Path, tmp_path: Path, size: int) -> None:
    samples = (crate_models / "yes_1000ms_sample.data").read_bytes().ljust(size, b"\0")[:size]
    (tmp_path / "yes.data").write_bytes(samples)
    folder = stage_sound(tmp_path, 'Noise(0), Recording("yes.data"), Noise(0)')
    assert re.fullmatch(r'\d\.\d s: heard "yes" \(.*\)\n', run(micropython, folder))


# --- Files ---


@pytest.mark.parametrize("name", ["vibration", "few_shot", "recurrent_sensor"])
def test_files_are_what_the_script_makes(name: str) -> None:
    made = runpy.run_path(str(EXAMPLES / name / "train.py"))["files"]()
    for file, data in made.items():
        assert len(data) < 20_000
        assert (EXAMPLES / name / file).read_bytes() == data, "run train.py"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_package(folder: Path) -> None:
    """It installs what deploying copies, but for what other hardware needs."""
    package = json.loads((folder / "package.json").read_text())
    files = [target for target, _ in package["urls"]]
    assert all(target == source for target, source in package["urls"])
    needed = {
        name
        for name in select([folder]).files
        if not re.search(r"_(i2s|i2c|camera)\.py$|_float\.tflite$", name)
    }
    assert sorted(files) == sorted(needed)
    assert (folder / "README.md").exists()
