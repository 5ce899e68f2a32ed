# microlite tune, the command, on an emulated board and on unix, and plans that Model follows or
# ignores.

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import tflite

import targets
from builder import Model, Op
from microlite_tools import boards, cli, romfs
from microlite_tools.commands import tune
from microlite_tools.errors import UserError
from microlite_tools.qemu import Board
from one_op import NONE, act, bias, weights

ROOT = Path(__file__).resolve().parent.parent
BOARD = "MPS2_AN386"


def layers(*sizes: int) -> bytes:
    """Fully connected layers, one after the other."""
    model = Model()
    last = model.add(act([1, sizes[0]], "int8"))
    model.inputs = [last]
    for i, (depth, channels) in enumerate(itertools.pairwise(sizes)):
        parts = weights(i, [channels, depth], "int8"), bias(i, channels, "int8")
        inputs = [last, *(model.add(tensor) for tensor in parts)]
        last = model.add(act([1, channels], "int8", 0.3))
        options = {"FusedActivationFunction": NONE}
        code = tflite.BuiltinOperator.FULLY_CONNECTED
        model.ops.append(Op(code, inputs, [last], "FullyConnectedOptions", options))
    model.outputs = [last]
    for i, tensor in enumerate(model.tensors):
        tensor.name = f"tensor_{i}"
    return model.to_bytes()


# --- on boards ---


@pytest.fixture
def board(crate_models: Path) -> Iterator[Board]:
    speech = (crate_models / "speech.tflite").read_bytes()
    with targets.board(BOARD, romfs.build({"speech.tflite": speech}), icount=True) as running:
        yield running


def free(name: str) -> str:
    """Memory of an emulated board that nothing uses."""
    (region,) = tune._spare(boards.load(name))
    return f"{region.base:#x}:{region.size:#x}"


def test_an_interrupted_command_goes_on(board: Board, tmp_path: Path) -> None:
    words = ["tune", ":/rom/speech.tflite", "--connect", board.device, "--ms", "20"]
    words += ["--region", free(BOARD)]
    command = [sys.executable, "-m", "microlite_tools", *words]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "tools")}
    log = tmp_path / "speech.tune.jsonl"
    with subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.PIPE) as process:
        while not log.exists() or len(log.read_text().splitlines()) < 2:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 128 + signal.SIGINT
    assert b"interrupted; the same command goes on, by speech.tune.jsonl" in said
    assert not (tmp_path / "speech.plan").exists()
    before = log.read_text()
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=True)
    assert b"going on from there" in done.stderr
    assert log.read_text().startswith(before)
    plan = json.loads((tmp_path / "speech.plan").read_text())
    assert plan["plan"] == 1 and plan["machine"].startswith("mps2-an386")
    # Emulated memory is all alike: nothing to choose.
    assert (plan["copy"], plan["arena"], plan["variants"]) == (False, None, {})
    trials = [json.loads(line)["trial"] for line in log.read_text().splitlines()[1:-1]]
    assert len(before.splitlines()) - 1 < len(set(trials)) == len(trials) == 3


HAS = f"; {BOARD} has PSRAM 0x21800000:0x800000"


def test_regions_that_the_board_has_not(
    board: Board,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """They are refused before any is used, which would stop the board."""
    monkeypatch.chdir(tmp_path)
    board.run("kept = 1")
    shape, lies = "needed is ADDRESS:BYTES, a multiple of 16", "no such memory is free"
    for text, says in (
        ("DTCM", shape),
        ("0x1000", shape),
        ("0x1000:0x1000:1", shape),
        ("0x1008:0x1000", shape),
        ("0:0x1000", shape),
        ("-16:0x1000", shape),
        ("0x1000:15", shape),
        ("0xFFFFFFF0:0x1000", shape),
        (f"0x1000:{'9' * 5000}", shape),
        ("0x40000000:0x1000", lies),
        ("0x1000:0x4000", lies),  # the firmware
        ("0x20008000:0x100", lies),  # its data
        ("0x21000000:0x1000", lies),  # files in ROMFS
        ("0x20007000:0x2000", lies),
        ("0x20000000:0x1000", lies),  # the stack
    ):
        words = ["--region", free(BOARD), f"--region={text}", "--connect", board.device]
        assert cli.main(["tune", ":/rom/speech.tflite", *words]) == 2
        told = capsys.readouterr().err
        assert told.startswith(f"microlite: --region {text}: {says}") and HAS in told
        assert told.count("\n") == 1
    assert not list(tmp_path.glob("*.jsonl"))


def test_memory_that_may_be_free() -> None:
    spare = {
        name: [each.name for each in tune._spare(boards.load(name))] for name in boards.names()
    }
    assert spare["MPS2_AN500"] == ["PSRAM"]
    assert spare["NUCLEO_H743ZI2"] == ["DTCM", "RAM_D2"]
    assert spare["STM32F7DISC"] == ["DTCM"]  # all SDRAM is heap
    assert spare["RPI_PICO2"] == spare["ESP32_GENERIC_S3"] == spare["unix"] == []
    with pytest.raises(UserError, match="no such memory is free; RPI_PICO2 has none"):
        tune._region("0x20000000:0x1000", boards.load("RPI_PICO2"))
    assert tune._region("0x20000000:0x1000", None) == (0x20000000, 0x1000)


@pytest.mark.parametrize(
    ("build", "name"),
    [
        ("RPI_PICO2", "RPI_PICO2"),
        ("RPI_PICO2-RISCV", "RPI_PICO2"),
        ("nrf52840-mdk-usb-dongle", None),
        ("", None),
        ("../boards/unix", None),
    ],
)
def test_builds(build: str, name: str | None) -> None:
    board = tune._board(build)
    assert (board and board.name) == name


@pytest.mark.soak
def test_finds_the_best_kernel_of_each_operator(
    build: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Layers of which each is known: deep ones with the DSP extension, one of depth 3 without."""
    out = build / "custom" / f"{BOARD}.variants"
    env = {**os.environ, "MICROLITE_VARIANTS": "1", "MICROLITE_OUT": str(out)}
    subprocess.run(["make", "firmware", f"BOARD={BOARD}"], cwd=ROOT, env=env, check=True)
    monkeypatch.chdir(tmp_path)
    files = {"layers.tflite": layers(256, 3, 256, 3)}
    image = tmp_path / "models.romfs"
    image.write_bytes(romfs.build(files))
    with Board(BOARD, out / "firmware.elf", romfs=image, icount=True) as running:
        words = ["tune", ":/rom/layers.tflite", "--connect", running.device, "--ms", "5", "--json"]
        assert cli.main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["plan"]["variants"] == {"portable": [1]}
    assert told["us"] < told["default_us"]
    trials = {json.dumps(each["choice"]["variants"]): each for each in told["trials"]}
    default, portable = trials["{}"]["ops"], trials['{"portable": [0, 1, 2]}']["ops"]
    assert all(1.2 * default[i][1] < portable[i][1] for i in (0, 2))
    assert portable[1][1] < 0.99 * default[1][1]
    # A Model follows it.
    files["layers.plan"] = (tmp_path / "layers.plan").read_bytes()
    image.write_bytes(romfs.build(files))
    with Board(BOARD, out / "firmware.elf", romfs=image, icount=True) as running:
        script = """
import microlite
from microlite import timing
for plan in False, True:
    model = microlite.Model("/rom/layers.tflite", plan=plan)
    view = model.inputs[0].data  # who has one may invoke without writing
    print(timing.evaluate(model.invoke, min_repeat_ms=5, repeat=5).min, model)
"""
        plain, planned = running.run(script).splitlines()
    assert planned.endswith(", layers.plan)") and ".plan" not in plain
    for line, us in (plain, told["default_us"]), (planned, told["us"]):
        assert float(line.split()[0]) == pytest.approx(us, rel=0.002)


def test_the_least_memory_is_told(
    micropython: Path, crate_models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "sine.tflite"
    model.write_bytes((crate_models / "sine.tflite").read_bytes())
    words = ["tune", str(model), "--unix", "--ms", "5", "--json"]
    assert cli.main([*words, "--arena-max", "100"]) == cli.FAILED
    found = re.search(
        r"no choice fits into 100 bytes: the least is ([\d,]+)", capsys.readouterr().err
    )
    assert found and not model.with_suffix(".plan").exists()
    least = int(found[1].replace(",", ""))
    assert cli.main([*words, "--arena-max", str(least)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["arena"] == least and told["us"] <= told["default_us"]


# --- plans ---


@pytest.fixture
def tuned(micropython: Path, crate_models: Path, tmp_path: Path) -> Path:
    """A model with a plan that was made for it by the unix build."""
    model = tmp_path / "sine.tflite"
    model.write_bytes((crate_models / "sine.tflite").read_bytes())
    assert cli.main(["tune", str(model), "--unix", "--ms", "5"]) == 0
    return model


def shown(binary: Path, model: Path, more: str = "") -> str:
    """The repr() of a model, and that it computes."""
    script = f"m = microlite.Model({str(model)!r}{more}); m.predict([1]); print(m)"
    command = [str(binary), "-c", f"import sys; sys.path.pop(0); import microlite; {script}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_model_follows_its_plan(tuned: Path, micropython: Path) -> None:
    plan = tuned.with_suffix(".plan")
    assert shown(micropython, tuned).endswith(", sine.plan)")
    assert ".plan" not in shown(micropython, tuned, ", plan=False")
    changed = json.loads(plan.read_text()) | {"copy": True}
    plan.write_text(json.dumps(changed))
    assert shown(micropython, tuned).endswith(", sine.plan)")
    plan.unlink()
    assert ".plan" not in shown(micropython, tuned)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"plan": 2}, "another version"),
        ({"plan": "9" * 3000}, "another version"),
        ({"machine": "a\n\x1b[31m" + "b" * 2000}, "for machine a??[31mbbb"),
        *(({"arena": arena}, "arena at") for arena in ([4096, 100], [-16, 4096], [1 << 70, 16])),
        ({"arena": "ab"}, ""),
        ({"crc32": "00000000"}, "of another model"),
        ({"bytes": 1}, "of another model"),
        ({"machine": "Pico"}, "for machine Pico"),
        ({"microlite": "0.0.1"}, "for microlite 0.0.1"),
        ({"kernels": "dsp"}, "for kernels dsp"),
        ({"variants": {"fast": [0]}}, ""),
        ({"copy": None, "arena": ["x"]}, ""),
    ],
)
def test_stale_plans_are_ignored(
    tuned: Path, micropython: Path, change: dict[str, object], says: str
) -> None:
    plan = tuned.with_suffix(".plan")
    plan.write_text(json.dumps(json.loads(plan.read_text()) | change))
    assert f", sine.plan ignored: {says}" in shown(micropython, tuned)


def test_what_is_no_plan(tuned: Path, micropython: Path) -> None:
    plan = tuned.with_suffix(".plan")
    plan.write_text("[" * 100000)
    assert shown(micropython, tuned).endswith(", sine.plan ignored: no plan)")
    plan.unlink()
    plan.mkdir()
    assert shown(micropython, tuned).endswith(", sine.plan ignored: no plan)")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "1", "[" * 4000, '{"a":' * 800])
def test_damaged_plans_are_ignored(tuned: Path, micropython: Path, text: str) -> None:
    tuned.with_suffix(".plan").write_text(text)
    assert shown(micropython, tuned).endswith(", sine.plan ignored: damaged)")


def test_variants_compute_the_same(crate_models: Path, tmp_path: Path) -> None:
    """In the one build of `make test` that has them."""
    binary = targets.binary("unix-oom")
    model = tmp_path / "speech.tflite"
    model.write_bytes((crate_models / "speech.tflite").read_bytes())
    script = f"""
import sys; sys.path.pop(0)
import _microlite, microlite, json
from microlite import _plan
from binascii import crc32
data = microlite._open({str(model)!r})
names = _microlite.variants()
assert names, names
plain = _microlite.Model(data)
has = plain._variants
assert has == (0, 1, 1, 0), has
plan = {{"plan": 1, "bytes": len(data), "crc32": "%08x" % crc32(data)}}
plan.update(_plan.here())
plan.update({{"copy": False, "arena": None, "variants": {{names[0]: [1, 2]}}}})
json.dump(plan, open({str(tmp_path / "speech.plan")!r}, "w"))
planned = microlite.Model({str(model)!r})
assert repr(planned).endswith(", speech.plan)"), planned
for m in plain, planned:
    m.inputs[0].write_raw(bytes(i * 37 % 251 for i in range(m.inputs[0].nbytes)))
    m.invoke()
assert bytes(plain.outputs[0].data) == bytes(planned.outputs[0].data)
for wrong in b"\\1", b"\\0\\2", bytes(5):
    try:
        _microlite.Model(data, variants=wrong)
        print("taken", wrong)
    except ValueError as e:
        print(e)
"""
    done = subprocess.run([binary, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["variants: an operator lacks that kernel"] * 3


def test_mistakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    model = "m.tflite"
    Path(model).write_bytes(layers(1, 1))
    for words, says in (
        (["no.tflite", "--unix"], "no.tflite: no such file"),
        ([model, "--unix", "--region", "5"], "--region: a PC has no addresses to place an arena"),
        ([model, "--unix", "--arena-max", "0"], "0 is not from 1 to 4294967296"),
        ([model, "--unix", "--ms", "60001"], "--ms 60001: 60000 are the most"),
        ([model, "--unix", "-o", "."], ".: is a folder"),
        ([":", "--connect", "/dev/none"], ":: is no file of a board"),
        ([":lib/", "--connect", "/dev/none"], "there is no port /dev/none"),
    ):
        try:
            status = cli.main(["tune", *words])
        except SystemExit as er:  # by argparse
            status = int(str(er.code))
        assert status == 2
        assert says in capsys.readouterr().err
