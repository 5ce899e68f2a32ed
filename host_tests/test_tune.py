# microlite tune: the search against a made-up board, its log, the command on an emulated board and
# on unix, and plans that Model follows or ignores.

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
from typing import Any

import pytest
import tflite

from builder import Model, Op
from microlite_tools import boards, cli, romfs
from microlite_tools.errors import UserError
from microlite_tools.qemu import Board
from microlite_tools.tuning import Choice, Log, Search
from one_op import NONE, act, bias, weights

ROOT = Path(__file__).resolve().parent.parent
BOARD = "MPS2_AN386"
NAMES = ["portable", "small"]
PLACE = {"crc32": "00000000"}


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


# --- the search ---


class MadeUp:
    """A board whose operators take as long as `times` says, by kernel; "" is the default."""

    def __init__(self, times: dict[str, list[float]], scratch: dict[str, int]) -> None:
        self.times = times
        self.scratch = scratch  # bytes of arena that one operator with that kernel adds
        self.in_place = True
        self.copied = 1.0  # factor on all times
        self.wrong: str | None = None  # the kernel whose outputs differ
        self.measured: list[Choice] = []
        self.drift = 1.0  # factor on the times of all trials after the first

    def run(self, choice: Choice, measure: bool) -> dict[str, Any]:
        n = len(self.times[""])
        kernels = [""] * n
        for name, ops in choice.variants.items():
            for i in ops:
                kernels[i] = name
        arena = 1000 + sum(self.scratch.get(name, 0) for name in kernels)
        found: dict[str, Any] = {"arena": arena, "in_place": self.in_place, "has": [3] * n}
        if measure:
            factor = (self.copied if choice.copy else 1.0) * (self.drift if self.measured else 1)
            self.measured.append(choice)
            us = [self.times[name][i] * factor for i, name in enumerate(kernels)]
            found.update(min=sum(us), median=sum(us), stdev=0.0)
            found["ops"] = [["CONV_2D", each] for each in us]
            found["outputs"] = ["1" if self.wrong in kernels else "0"]
        return found


@pytest.fixture
def made_up() -> MadeUp:
    times = {"": [10.0, 20, 30, 5], "portable": [12.0, 15, 40, 5], "small": [11.0, 18, 25, 4.999]}
    return MadeUp(times, {"portable": 100, "small": 10})


def search(board: MadeUp, folder: Path, arena_max: int | None = None, **more: Any) -> Search:
    log = Log(folder / "log.jsonl", PLACE)
    return Search(board.run, log, NAMES, arena_max=arena_max, **more)


def test_finds_the_best_of_each_operator(made_up: MadeUp, tmp_path: Path) -> None:
    best, first = search(made_up, tmp_path).run()
    assert best.choice.variants == {"portable": [1], "small": [2]}  # 4.999 is as good as 5
    assert not best.choice.copy
    assert (best.us, first.us) == (55, 65)


def test_copies_the_model_where_that_is_faster(made_up: MadeUp, tmp_path: Path) -> None:
    made_up.copied = 0.5
    best, _ = search(made_up, tmp_path, size=5000).run()
    assert best.choice == Choice(True, None, {"portable": [1], "small": [2]})
    best, _ = search(made_up, tmp_path / "..", arena_max=3000, size=5000).run()
    assert not best.choice.copy  # the copy takes memory too


def test_regions(made_up: MadeUp, tmp_path: Path) -> None:
    def run(choice: Choice, measure: bool) -> dict[str, Any]:
        found = plain(choice, measure)
        if choice.arena == (0x1000, 1):
            return {"failed": "arena: 1000 bytes needed, 1 given"}
        if measure and choice.arena:
            found["min"] /= 2
        return found

    plain, made_up.run = made_up.run, run  # type: ignore[method-assign]
    found = search(made_up, tmp_path, regions=[(0x1000, 1), (0x2000, 2000)])
    best, _ = found.run()
    assert best.choice.arena == (0x2000, 2000)
    assert found.left_out == {"arena at 0x1000": "arena: 1000 bytes needed, 1 given"}


@pytest.mark.parametrize(
    ("most", "variants"),
    [
        (1110, {"portable": [1], "small": [2]}),
        (1100, {"small": [0, 1, 2, 3]}),
        (1040, {"small": [0, 1, 2, 3]}),
        (1000, {}),
    ],
)
def test_memory_budget(
    made_up: MadeUp, tmp_path: Path, most: int, variants: dict[str, list[int]]
) -> None:
    best, first = search(made_up, tmp_path, most).run()
    assert best.found["arena"] <= most
    assert best.us <= first.us
    assert best.choice.variants == variants


def test_a_budget_that_nothing_fits(made_up: MadeUp, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no choice fits into 900 bytes: the least is 1,000"):
        search(made_up, tmp_path, 900).run()


def test_a_budget_that_the_default_exceeds(made_up: MadeUp, tmp_path: Path) -> None:
    made_up.scratch = {"": 100}
    best, _ = search(made_up, tmp_path, 1100).run()
    assert best.found["arena"] <= 1100


def test_other_outputs_do_not_count(made_up: MadeUp, tmp_path: Path) -> None:
    made_up.wrong = "portable"
    found = search(made_up, tmp_path)
    best, _ = found.run()
    assert best.choice.variants == {"small": [1, 2]}
    assert found.left_out == {"portable kernels": "its outputs differ"}


def test_a_plan_that_does_not_win_again_is_none(made_up: MadeUp, tmp_path: Path) -> None:
    """The first trial was slowed down by something else."""
    made_up.times = {"": [10.0, 10, 10, 10], "portable": [11.0] * 4, "small": [11.0] * 4}
    made_up.drift = 0.8
    best, first = search(made_up, tmp_path).run()
    assert best.choice == Choice() and best is first
    assert len(made_up.measured) > 3  # it had looked like one


def test_goes_on_where_it_was(made_up: MadeUp, tmp_path: Path) -> None:
    whole = MadeUp(made_up.times, made_up.scratch)
    expected, _ = search(whole, tmp_path).run()
    n = len(whole.measured)
    for stop in range(1, n):
        board = MadeUp(made_up.times, made_up.scratch)
        plain = board.run

        def run(
            choice: Choice,
            measure: bool,
            board: MadeUp = board,
            plain: Any = plain,
            stop: int = stop,
        ) -> dict[str, Any]:
            if measure and len(board.measured) == stop:
                raise KeyboardInterrupt
            return dict(plain(choice, measure))

        folder = tmp_path / str(stop)
        folder.mkdir()
        board.run = run  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            search(board, folder).run()
        with (folder / "log.jsonl").open("a") as file:
            file.write('{"trial": "cut off')
        board.run = plain  # type: ignore[method-assign]
        best, _ = search(board, folder).run()
        assert best.choice == expected.choice
        assert len(board.measured) == n  # none twice


def test_a_log_of_something_else_is_begun_anew(tmp_path: Path) -> None:
    log = Log(tmp_path / "log", PLACE)
    log.put("a", {"min": 1, "stdev": 0})
    assert Log(tmp_path / "log", PLACE).get("a") == {"min": 1, "stdev": 0}
    assert Log(tmp_path / "log", {"crc32": "00000001"}).get("a") is None
    log = Log(tmp_path / "log", PLACE)
    assert not log.resumed
    log.put("a", {"min": 1, "stdev": 0})
    log.finish({"plan": 1})
    assert Log(tmp_path / "log", PLACE).get("a") is None


# --- on boards ---


def in_rom(folder: Path, **models: bytes) -> Path:
    """A ROMFS image with models."""
    rom = folder / "rom"
    rom.mkdir(exist_ok=True)
    for name, data in models.items():
        (rom / f"{name}.tflite").write_bytes(data)
    image = folder / "models.romfs"
    image.write_bytes(romfs.build(romfs.collect(rom)))
    return image


@pytest.fixture
def board(build: Path, crate_models: Path, tmp_path: Path) -> Iterator[Board]:
    if not (build / BOARD / "firmware.elf").exists():
        pytest.skip(f"build/{BOARD}/firmware.elf is not built: make boards")
    speech = (crate_models / "speech.tflite").read_bytes()
    with Board(BOARD, romfs=in_rom(tmp_path, speech=speech), icount=True) as running:
        yield running


def free(name: str) -> str:
    """The upper half of the memory that holds an emulated board's firmware, which nothing uses."""
    (region,) = boards.load(name).regions("firmware")
    assert region.base is not None
    return f"{region.base + region.size // 2:#x}:{region.size // 2:#x}"


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
    image = in_rom(tmp_path, layers=layers(256, 3, 256, 3))
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
    image = in_rom(tmp_path, layers=layers(256, 3, 256, 3))
    (tmp_path / "rom/layers.plan").write_text((tmp_path / "layers.plan").read_text())
    image.write_bytes(romfs.build(romfs.collect(tmp_path / "rom")))
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


@pytest.mark.parametrize(
    "line", ["5", "null", "[]", '{"x": 1}', '{"trial": "a", "found": []}', "{"]
)
def test_damaged_lines_of_a_log_are_left_out(tmp_path: Path, line: str) -> None:
    path = tmp_path / "x.tune.jsonl"
    place = {"board": "x"}
    Log(path, place).put("a", {"min": 1.0, "stdev": 0.0})
    with path.open("a") as file:
        file.write(line)
    for name in ("b", "c"):
        log = Log(path, place)
        assert log.resumed and log.get("a")
        log.put(name, {"min": 1.0, "stdev": 0.0})
    assert len(Log(path, place)) == 3


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "1", "[" * 4000, '{"a":' * 800])
def test_damaged_plans_are_ignored(tuned: Path, micropython: Path, text: str) -> None:
    tuned.with_suffix(".plan").write_text(text)
    assert shown(micropython, tuned).endswith(", sine.plan ignored: damaged)")


def test_variants_compute_the_same(build: Path, crate_models: Path, tmp_path: Path) -> None:
    """In the one build of `make test` that has them."""
    binary = build / "unix-oom/micropython"
    if not binary.exists():
        pytest.skip(f"{binary} is not built: make unix-oom")
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


def test_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    for words, says in (
        (["no.tflite", "--unix"], "no.tflite: no such file"),
        (["m.tflite", "--unix", "--region", "5"], "5 is no ADDRESS:BYTES"),
        (["m.tflite", "--unix", "--arena-max", "0"], "0 is not above 0"),
    ):
        try:
            status = cli.main(["tune", *words])
        except SystemExit as er:  # by argparse
            status = int(str(er.code))
        assert status == 2
        assert says in capsys.readouterr().err
