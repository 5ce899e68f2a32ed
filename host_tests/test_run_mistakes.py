# Mistakes that users of predict, verify and profile make, on unix and on an emulated board: each
# gives one sentence and the exit status 2.

import json
import os
import re
import signal
import time
from pathlib import Path
from threading import Timer
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import run_targets
from microlite_tools.errors import BoardError
from microlite_tools.profiles import Profile
from microlite_tools.remote import Remote
from microlite_tools.session import explain
from run_targets import BOARD, MODELS, Run, Target

run, staged, target = run_targets.run, run_targets.staged, run_targets.target

# The words, and a part of the sentence. FOLDER holds the models.


def prepare(folder: Path) -> None:
    (folder / "text.tflite").write_text("hello, this is a text")
    (folder / "cut.tflite").write_bytes(MODELS["image"][:-300])
    (folder / "other.golden").write_bytes((folder / "three.golden").read_bytes())
    (folder / "cut.golden").write_bytes((folder / "image.golden").read_bytes()[:-3])
    (folder / "folder").mkdir(exist_ok=True)
    np.save(folder / "flat.npy", np.zeros(3))
    np.save(folder / "whole.npy", np.zeros((1, 10, 6, 1), "i4"))
    (folder / "short.raw").write_bytes(b"123")
    (folder / "labels.txt").write_text("a\nb\n")
    (folder / "binary.txt").write_bytes(b"\xff\xfe\x80")
    (folder / "list.json").write_text("[]")
    (folder / "damaged.json").write_text('{"crc32": ')
    profile: dict[str, Any] = {"crc32": "00000000", "us": 1, "operators": []}
    (folder / "foreign.json").write_text(json.dumps({**profile, "model": "m.tflite"}))
    (folder / "odd.json").write_text(json.dumps({**profile, "operators": [{"op": "ADD"}]}))
    profile["crc32"] = f"{crc32(MODELS['image']):08x}"
    (folder / "ops.json").write_text(json.dumps(profile))


MISTAKES = {
    "predict FOLDER/nothing.tflite 1": "nothing.tflite: no such file",
    "predict FOLDER/folder 1": "folder: is a folder",
    "predict FOLDER/text.tflite 1": "text.tflite: not a TensorFlow Lite model",
    "predict FOLDER/cut.tflite 1": "cut.tflite: ",
    "predict FOLDER/unknown.tflite 1": "unknown.tflite: operators missing in this firmware: MyOp",
    "predict FOLDER/large.tflite 1": "large.tflite: no block of at least 240000",
    "predict FOLDER/scalar.tflite 1 2": "input 0 (x) takes 1 values, 2 given",
    "predict FOLDER/three.tflite 1": "the model has 3 inputs (serving_default_a:0 float32 (1, 4)",
    "predict FOLDER/scalar.tflite nan": "nan: NaN or infinity for input 0 (x)",
    "predict FOLDER/scalar.tflite nothing.npy": "nothing.npy: no such file",
    "predict FOLDER/scalar.tflite [1,[2]]": "no list of numbers",
    "predict FOLDER/scalar.tflite [1,'a']": "no list of numbers",
    "predict FOLDER/scalar.tflite [1": "no list of numbers",
    "predict FOLDER/scalar.tflite []": "takes 1 values, 0 given",
    "predict FOLDER/image.tflite FOLDER/flat.npy": "shape (3,), but input 0 (frame) is (1, 10, 6",
    "predict FOLDER/image.tflite FOLDER/whole.npy": "int32, but input 0 (frame) takes floats",
    "predict FOLDER/image.tflite FOLDER/short.raw": "takes 60 bytes, the file has 3",
    "predict FOLDER/image.tflite FOLDER/folder": "folder: is a folder",
    "predict FOLDER/scalar.tflite 1 --labels FOLDER/labels.txt": "2 labels, but the outputs have",
    "predict FOLDER/scalar.tflite 1 --labels FOLDER/no.txt": "no.txt: no such file",
    "predict FOLDER/scalar.tflite 1 --labels FOLDER/binary.txt": "no text of labels",
    "predict FOLDER/scalar.tflite 1 -o FOLDER/y.txt": "y.txt: must end in .npy, for 1 output",
    "predict FOLDER/scalar.tflite 1 -o FOLDER/no/y.npy": "No such file",
    "predict FOLDER/scalar.tflite": "required: INPUT",
    "predict FOLDER/scalar.tflite 1 --range 0 x": "invalid float value: 'x'",
    "verify FOLDER/image.tflite FOLDER/nothing.golden": "nothing.golden: no such file",
    "verify FOLDER/image.tflite FOLDER/image.tflite": "not a file of golden outputs",
    "verify FOLDER/image.tflite FOLDER/other.golden": "other.golden: made for another model",
    "verify FOLDER/image.tflite FOLDER/cut.golden": "cut.golden: truncated",
    "verify FOLDER/unknown.tflite FOLDER/image.golden": "operators missing in this firmware: MyOp",
    "verify FOLDER/image.tflite FOLDER/image.golden --rtol -1": "invalid tolerance value",
    "profile FOLDER/nothing.tflite": "no such file",
    "profile FOLDER/unknown.tflite": "operators missing in this firmware: MyOp",
    "profile FOLDER/image.tflite --runs 0": "0 is not from 1 to 1000000",
    "profile FOLDER/image.tflite --runs x": "invalid number value: 'x'",
    "profile FOLDER/image.tflite --compare FOLDER/no.json": "no.json: no such file",
    "profile FOLDER/image.tflite --compare FOLDER/damaged.json": "damaged, or no profile made by",
    "profile FOLDER/image.tflite --compare FOLDER/image.tflite": "damaged, or no profile made by",
    "profile FOLDER/image.tflite --compare FOLDER/list.json": "no profile made by",
    "profile FOLDER/image.tflite --compare FOLDER/odd.json": "no profile made by",
    "profile FOLDER/image.tflite --compare FOLDER/foreign.json": "another model (m.tflite, CRC-32",
    "profile FOLDER/image.tflite --compare FOLDER/ops.json": "ops.json has other operators than",
}


def check_mistake(told: tuple[int, str, str], part: str) -> None:
    status, out, err = told
    assert (status, out) == (2, "")
    *usage, sentence = err.splitlines()
    assert part in sentence, err
    assert sentence.startswith("microlite") and "/remote/" not in sentence
    assert not usage or usage[0].startswith("usage: ")
    assert "Traceback" not in err and len(sentence) < 400


# Found out by the target, not here.
FOUND_THERE = re.compile(r"unknown|large|text|cut|foreign|(image|other)\.golden$|image.tflite$")
WHERE = [("unix", line) for line in MISTAKES]
WHERE += [(BOARD, line) for line in MISTAKES if FOUND_THERE.search(line)]


@pytest.mark.parametrize(("target", "line"), WHERE, indirect=["target"])
def test_mistakes(run: Run, target: Target, staged: Path, line: str) -> None:
    prepare(staged)
    words = [word.replace("FOLDER", str(staged)) for word in line.split()]
    check_mistake(run(*words, *target.words), MISTAKES[line])


def test_mistakes_with_targets(
    run: Run, staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = staged / "scalar.tflite"
    for words, part in (
        (["predict", ":scalar.tflite", 1, "--unix"], "only boards have such files"),
        (["verify", model, ":x.golden", "--unix"], "only boards have such files"),
        (["profile", model, "--connect", "/dev/nothing"], "/dev/nothing"),
        (["profile", model, "--unix", "--connect", "/dev/nothing"], "not allowed with"),
    ):
        check_mistake(run(*words), part)
    for script, part in (
        ("echo hello", "printed something else"),
        ("kill -9 $$", "was ended by signal 9"),
        ("echo \"ImportError: no module named 'microlite'\" >&2; exit 1", "needs a firmware"),
        ("echo 'KeyError: 3' >&2; exit 1", "this is a fault of microlite, please report it"),
    ):
        binary = tmp_path / "micropython"
        binary.write_text(f"#!/bin/sh\n{script}\n")
        binary.chmod(0o755)
        monkeypatch.setenv("MICROLITE_UNIX", str(binary))
        check_mistake(run("predict", model, 1, "--unix"), part)
    monkeypatch.setenv("MICROLITE_UNIX", str(tmp_path / "nothing"))
    check_mistake(run("profile", model, "--unix"), "nothing: there is no such file")


def test_files_of_the_board(run: Run, target: Target) -> None:
    if not target.is_board:
        pytest.skip("only boards have files of their own")
    for words in (["predict", ":no.tflite", 1], ["profile", ":/rom/no.tflite"]):
        check_mistake(run(*words, *target.words), "has no file ")
    words = ["verify", ":/rom/image.tflite", ":no.golden"]
    check_mistake(run(*words, *target.words), "has no file no.golden")


TRACEBACK = 'Traceback (most recent call last):\n  File "<stdin>", line 3, in <module>\n'


@pytest.mark.parametrize(
    ("last", "sentence"),
    [
        ("ArenaError: m: arena: 2 bytes needed, 1 given", "m: arena: 2 bytes needed, 1 given"),
        ("ModelError: m: damaged", "m: damaged"),
        ("InvokeError: operator 2 (ADD) failed: x", "operator 2 (ADD) failed: x"),
        ("ValueError: input 0 (x): wrong", "input 0 (x): wrong"),
        ("MemoryError: ", "B has not enough memory: not even for the exception"),
        (
            "MemoryError: memory allocation failed, allocating 9 bytes",
            "B has not enough memory: memory allocation failed, allocating 9 bytes",
        ),
        ("OSError: [Errno 2] ENOENT: a.tflite", "B has no file a.tflite"),
        ("OSError: [Errno 5] EIO", "B: EIO"),
        ("OSError: [Errno 5] EIO: a.tflite", "B: EIO with a.tflite"),
        (
            "ImportError: no module named 'microlite'",
            "B has no microlite: it needs a firmware that contains it, docs/firmware.md",
        ),
        (
            "ImportError: microlite needs a firmware that contains its C module: x",
            "microlite needs a firmware that contains its C module: x",
        ),
        (
            "AttributeError: 'module' object has no attribute 'info'",
            "the microlite of B does not fit these tools: 'module' object has no attribute 'info'",
        ),
        ("KeyboardInterrupt: ", "B was interrupted"),
        ("TypeError: x", "B: TypeError: x: this is a fault of microlite, please report it"),
    ],
)
def test_explain(last: str, sentence: str) -> None:
    assert explain(f"{TRACEBACK}{last}\n", "B") == sentence


def test_interrupted(run: Run, target: Target, staged: Path) -> None:
    """While a model is sent, or while it runs; the target is as good as new afterwards."""
    timer = Timer(2, os.kill, (os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    timer.start()
    told = run(
        "profile", staged / "microflow-person_detect.tflite", "--runs", 1000000, *target.words
    )
    assert told == (128 + signal.SIGINT, "", "")
    assert 2 <= time.monotonic() - begin < 120
    paths = [f"{target.folder}image.{suffix}" for suffix in ("tflite", "golden")]
    assert run("verify", *paths, *target.words)[0] == 0


# What a board prints that starts anew.
BANNER = """\
print("MPY: soft reboot")
print("MicroPython v1.25.0 on 2025-05-04; a board")
print('Type "help()" for more information.')
print(">>> ", end="")
while True:
    pass
"""


def test_reset_meanwhile(target: Target) -> None:
    if not target.is_board:
        pytest.skip("only boards are reset")
    words = re.escape(target.words[1]) + " does not answer: it was reset"
    with pytest.raises(BoardError, match=words), Remote(target.words[1]) as remote:
        remote.run(BANNER)


def profile(step: float, runs: int, *times: float, old: dict[str, Any] | None = None) -> Profile:
    operators = [{"index": i, "op": "ADD", "us": us} for i, us in enumerate(times)]
    report = {"clock_us": step, "runs": runs, "us": sum(times), "operators": operators}
    return Profile(report, old)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (profile(1, 10, 500, 300, 0), []),
        (profile(1000, 10, 500, 300), ["steps of 1000 us, too large for 10 runs of 800 us"]),
        (profile(1000, 250, 500, 300), []),
        (profile(1000, 250, 500, 30), ["times below 40 us are a guess"]),
        (profile(1000, 1, 0, 0), ["too large for 1 run of 0 us: try --runs 2"]),
        (profile(0, 10, 0, 0), ["the clock of this board stands still"]),
        (
            profile(1, 10, 500, old={"hz": 64, "us": 1, "operators": [{"us": 1}]}),
            ["the old profile has another hz: 64, now None"],
        ),
    ],
)
def test_notes(made: Profile, words: list[str]) -> None:
    notes = [*made.notes()]
    assert len(notes) == len(words)
    assert all(part in note for part, note in zip(words, notes, strict=True))


def test_ratios() -> None:
    old = profile(1, 1, 10, 0, 30).report
    made = profile(1, 1, 5, 1, 60, old=old)
    assert [row.ratio for row in made.rows()] == [0.5, None, 2]
    (row,) = made.types()
    assert (row.us, row.before, row.count) == (66, 40, 3)
    assert made.total.ratio == 66 / 40
