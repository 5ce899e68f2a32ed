# Finding the plan of a model on a board: what can be chosen is tried one after the other, each
# trial by a script there, and kept in a log, so that an interrupted search goes on where it was.

"""Search for the fastest plan of a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from .errors import UserError
from .profiles import MOST

VERSION = 1  # of plans, as microlite/_plan.py has it
NOISE = 0.005  # part of a time that no two measurements need to agree on

# What a plan holds for, the names of kernels that operators may have, and MicroPython's name of
# the board.
PLACE = """\
import json
import sys
import _microlite
import microlite
from binascii import crc32
from microlite import _plan
data = microlite._open(MODEL)
print(json.dumps(_plan.here()))
print(json.dumps({"bytes": len(data), "crc32": "%08x" % crc32(data)}))
print(json.dumps(_microlite.variants() if hasattr(_microlite, "variants") else []))
print(json.dumps(getattr(sys.implementation, "_build", None)))
"""

# One trial. Boards keep the bytes from script to script. Whoever has taken views of inputs may
# invoke without writing them again.
TRIAL = """\
import gc
import json
import _microlite
import microlite
from array import array
from binascii import crc32
from microlite import _plan, timing
from microlite._reports import Profile

def fill(tensor):
    view = tensor.data
    code = tensor.typecode
    if code == "f":
        row = [(i * 37 % 251) / 251 for i in range(251)]
    elif code == "B":
        row = [i * 37 % 251 for i in range(251)]
    elif code == "b" or tensor.scale is not None:
        row = [i * 37 % 251 - 125 for i in range(251)]
    else:
        row = [0] * 251
    row = array(code, row)
    for at in range(0, len(view), 251):
        view[at : at + 251] = row[: len(view) - at]

def outputs(model):
    sums = []
    model.reset()
    for _ in range(2):
        for tensor in model.inputs:
            fill(tensor)
        model.invoke()
        sums.extend(["%08x" % crc32(tensor.data) for tensor in model.outputs])
    return sums

def trial():
    global data
    try:
        data
    except NameError:
        data = microlite._open(MODEL)
    gc.collect()
    model = _microlite.Model(data, **_plan.arguments(CHOICE))
    found = {
        "arena": model.arena_needed,
        "in_place": isinstance(data, memoryview),
        "has": getattr(model, "_variants", ()),
    }
    if MEASURE:
        found["outputs"] = outputs(model)
        time = timing.evaluate(model.invoke, min_repeat_ms=MS, repeat=REPEAT)
        found.update(min=time.min, median=time.median, stdev=time.stdev)
        runs = max(1, int(MS * 1000 / max(time.min, 1)))
        found["ops"] = [list(row[1:3]) for row in Profile(model, runs)]
        for _ in range(REPEAT - 1):
            for op, row in zip(found["ops"], Profile(model, runs)):
                op[1] = min(op[1], row[2])
    model.close()
    return found

try:
    print(json.dumps(trial()))
except MemoryError as e:
    print(json.dumps({"failed": str(e) or "not enough memory"}))
gc.collect()
"""


class NothingFits(UserError):
    """The memory that a plan may take is too little."""


@dataclass(frozen=True)
class Choice:
    """What a plan chooses. Operators that are in no list of `variants` use the default."""

    copy: bool = False
    arena: tuple[int, int] | None = None  # address and bytes; None: in the heap
    variants: dict[str, list[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """What a trial found. Times are those of an invoke(), in microseconds."""

    what: str
    choice: Choice
    found: dict[str, Any]

    @property
    def us(self) -> float:
        return float(self.found["min"])

    @property
    def noise(self) -> float:
        """What a time may be off by."""
        return max(NOISE * self.us, 2 * float(self.found["stdev"]))


def _is_trial(line: dict[str, Any]) -> bool:
    """Whether a line of a log is one that put() has written."""
    found = line.get("found")
    if not isinstance(line.get("trial"), str) or not isinstance(found, dict):
        return False
    if "failed" in found or "min" not in found:
        return True
    times = found["min"], found.get("stdev")
    return all(isinstance(t, int | float) and 0 <= t <= MOST for t in times) and times[0] > 0


class Log:
    """Trials in a file, one JSON object a line, the first of which says what they hold for."""

    def __init__(self, path: Path, place: dict[str, Any]) -> None:
        self.path = path
        self._known: dict[str, dict[str, Any]] = {}
        lines = self._lines()
        self.resumed = bool(lines) and lines[0] == place and "plan" not in lines[-1]
        path.write_text("")
        self._write(place)
        for each in filter(_is_trial, lines[1:] if self.resumed else []):
            self.put(each["trial"], each["found"])

    def _lines(self) -> list[Any]:
        """The lines that are whole."""
        found = []
        try:
            for line in self.path.read_text().splitlines():
                found.append(json.loads(line))
        except (OSError, ValueError, RecursionError):
            pass
        return [each for each in found if isinstance(each, dict)]

    def _write(self, line: object) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def get(self, trial: str) -> dict[str, Any] | None:
        return self._known.get(trial)

    def put(self, trial: str, found: dict[str, Any]) -> None:
        self._known[trial] = found
        self._write({"trial": trial, "found": found})

    def finish(self, plan: dict[str, Any]) -> None:
        self._write({"plan": plan})

    def __len__(self) -> int:
        return len(self._known)


Run = Callable[[Choice, bool], dict[str, Any]]


class Search:
    """The search for a plan: `run` makes a trial, measured or only loaded."""

    def __init__(
        self,
        run: Run,
        log: Log,
        names: list[str],
        *,
        arena_max: int | None = None,
        regions: list[tuple[int, int]] | None = None,
        size: int = 0,
        progress: Callable[[str], object] = lambda text: None,
    ) -> None:
        self._run = run
        self._log = log
        self._names = names
        self._max = arena_max
        self._regions = regions or []
        self._size = size
        self._progress = progress
        self.results: list[Result] = []  # measured, in their order
        self.left_out: dict[str, str] = {}  # what was not taken, and why

    @property
    def steps(self) -> int:
        """Measured trials, at most."""
        return 2 + len(self._names) + 2 + len(self._regions) + 2

    def _trial(self, choice: Choice, measure: bool, what: str = "", again: int = 0) -> Result:
        key = json.dumps([asdict(choice), measure, again])
        found = self._log.get(key)
        if found is None:
            found = self._run(choice, measure)
            self._log.put(key, found)
        return Result(what, choice, found)

    def _measure(self, what: str, choice: Choice, again: int = 0) -> Result | None:
        """A measured trial; None when it fails or computes something else."""
        self._progress(what)
        result = self._trial(choice, True, what, again)
        reason = result.found.get("failed")
        if not reason and self.results and not _equal(result, self.results[0]):
            reason = "its outputs differ"
        if reason:
            self.left_out[what] = reason
            return None
        if over := self._over(result):
            self.left_out[what] = over
        self.results.append(result)
        return result

    def _over(self, result: Result) -> str | None:
        """Why a loaded trial takes too much memory, if it does."""
        taken = result.found["arena"]
        copied = self._size if result.choice.copy and result.found["in_place"] else 0
        if self._max is None or taken + copied <= self._max:
            return None
        return f"it takes {taken + copied:,} bytes, --arena-max is {self._max:,}"

    def _fits(self, choice: Choice) -> bool:
        result = self._trial(choice, False)
        return "failed" not in result.found and not self._over(result)

    def _fastest(self, *results: Result | None) -> Result | None:
        """The fastest that fits; of those that are as fast, within noise, the first."""
        best: Result | None = None
        for result in results:
            if (
                result
                and not self._over(result)
                and (best is None or result.us < best.us - max(best.noise, result.noise))
            ):
                best = result
        return best

    # --- what is tried ---

    def _uniform(self, first: Result, name: str) -> Choice | None:
        """All operators that have it with one kernel."""
        bit = 1 << self._names.index(name)
        ops = [i for i, has in enumerate(first.found["has"]) if has & bit]
        return Choice(variants={name: ops}) if ops else None

    def _gains(self, uniform: dict[str, Result]) -> list[tuple[float, int, str | None]]:
        """For each operator the gain of its best kernel, in microseconds, and its name."""
        base = uniform[""].found["ops"]
        gains: list[tuple[float, int, str | None]] = []
        for i, (_, us) in enumerate(base):
            best: tuple[float, str | None] = (us * (1 - NOISE), None)
            for name, result in uniform.items():
                if name and i in result.choice.variants[name]:
                    best = min(best, (result.found["ops"][i][1], name), key=lambda each: each[0])
            if best[1]:
                gains.append((us - best[0], i, best[1]))
        return sorted(gains, reverse=True)

    def _mixes(self, uniform: dict[str, Result]) -> Iterator[Choice]:
        """Each operator's best kernel; with fewer and fewer of them, the best last."""
        gains = self._gains(uniform)
        while gains:
            variants: dict[str, list[int]] = {}
            for _, i, name in gains:
                variants.setdefault(name or "", []).append(i)
            yield Choice(variants={name: sorted(ops) for name, ops in variants.items()})
            gains.pop()

    def _kernels(self, first: Result) -> Result | None:
        """The best kernels."""
        uniform = {"": first}
        for name in self._names:
            choice = self._uniform(first, name)
            result = choice and self._measure(f"{name} kernels", choice)
            if result:
                uniform[name] = result
        mixed = None
        mix = next((each for each in self._mixes(uniform) if self._fits(each)), None)
        if mix and mix not in [each.choice for each in uniform.values()]:
            mixed = self._measure("the best of each operator", mix)
        return self._fastest(*uniform.values(), mixed)

    def run(self) -> tuple[Result, Result]:
        """The best trial, and that of the default."""
        first = self._measure("default", Choice())
        if first is None:
            raise UserError(f"the model does not run there: {self.left_out['default']}")
        best = self._kernels(first)
        if best is None:
            least = min(each.found["arena"] for each in self.results)
            raise NothingFits(f"no choice fits into {self._max:,} bytes: the least is {least:,}")
        if first.found["in_place"]:
            copied = self._measure("model copied", replace(best.choice, copy=True))
            best = self._fastest(best, copied) or best
        for at, size in self._regions:
            region = replace(best.choice, arena=(at, size))
            best = self._fastest(best, self._measure(f"arena at {at:#x}", region)) or best
        if best is first:
            return first, first
        # Once more, side by side.
        again = self._measure("default again", Choice(), 1) or first
        better = self._measure("the plan again", best.choice, 1)
        return self._fastest(again, better) or best, again


def _equal(a: Result, b: Result) -> bool:
    return bool(a.found["outputs"] == b.found["outputs"])


def plan_of(choice: Choice, place: dict[str, Any]) -> dict[str, Any]:
    """The plan, as microlite/_plan.py reads it."""
    return {"plan": VERSION, **place, **asdict(choice)}
