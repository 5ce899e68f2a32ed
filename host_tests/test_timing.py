# Time on the device: cycles.c alone, with a mocked counter and clock; on the emulated boards,
# where QEMU counts instructions, loops of a known length.

import ctypes
import math
import random
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import targets
from microlite_tools import boards
from programs import make
from targets import BOARDS

ROOT = Path(__file__).resolve().parent.parent
INSTRUCTIONS_PER_US = 1000  # under icount
TOLERANCE = 0.001


class Cycles(ctypes.Structure):
    _fields_ = [
        ("total", ctypes.c_uint64),
        ("anchor_total", ctypes.c_uint64),
        ("anchor_ms", ctypes.c_uint32),
        ("counter", ctypes.c_uint32),
        ("ms", ctypes.c_uint32),
        ("per_ms_q8", ctypes.c_uint32),
    ]


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    make("engine", "cycles")
    library = ctypes.CDLL(str(ROOT / "build/engine/x64/cycles.so"))
    library.cycles_extend.argtypes = [ctypes.POINTER(Cycles), ctypes.c_uint32, ctypes.c_uint32]
    library.cycles_extend.restype = ctypes.c_uint64
    library.cycles_start.argtypes = [*library.cycles_extend.argtypes, ctypes.c_float]
    library.cycles_start.restype = None
    return library


@dataclass
class Core:
    """A counter of 32 bits and a clock of milliseconds that start anywhere, and their extension.

    `error` is that of the rate as it was measured, relative to `per_us`.
    """

    library: ctypes.CDLL
    per_us: float = 216.0
    counter: int = 0
    ms: int = 0
    phase: float = 0.0  # of the clock's first millisecond
    error: float = 0.0
    passed: int = 0  # cycles

    def __post_init__(self) -> None:
        self.state = Cycles()
        rate = self.per_us * (1 + self.error)
        self.library.cycles_start(ctypes.byref(self.state), *self.registers(), rate)

    def registers(self) -> tuple[int, int]:
        ms = self.ms + math.floor(self.passed / (1000 * self.per_us) + self.phase)
        return (self.counter + self.passed) % 2**32, ms % 2**32

    def poll(self) -> int:
        return int(self.library.cycles_extend(ctypes.byref(self.state), *self.registers()))


RATES = [1.0, 25.0, 64.123, 216.0, 480.0, 1000.0]


@pytest.mark.parametrize("per_us", RATES)
@pytest.mark.parametrize("counter", [0, 1, 2**31, 2**32 - 1, 2**32 - 1000])
def test_near_the_end(library: ctypes.CDLL, per_us: float, counter: int) -> None:
    core = Core(library, per_us, counter, ms=2**32 - 1)
    assert core.poll() == 0
    for step in (0, 1, 500, 499, 1, 10**6, 0, 2**31, 2**32 - 1, 2**32, 2**32 + 1):
        core.passed += step
        assert core.poll() == core.passed


@pytest.mark.parametrize("per_us", RATES)
@pytest.mark.parametrize("error", [-1e-4, 0, 1e-4])
def test_long_intervals(library: ctypes.CDLL, per_us: float, error: float) -> None:
    """Up to the length that the header promises, and the clock's own range."""
    longest = min(2**44, math.floor(1000 * per_us * (2**32 - 2)))
    for overflows in (1, 2, 3, 100, 4095):
        for offset in (-1, 0, 1, 2**31 - 1, 2**31):
            core = Core(library, per_us, counter=2**32 - 3, ms=5, phase=0.9, error=error)
            core.passed = min(overflows * 2**32 + offset, longest)
            assert core.poll() == core.passed


@pytest.mark.parametrize("seed", range(8))
def test_simulation(library: ctypes.CDLL, seed: int) -> None:
    """2^40 cycles, read at random intervals from one cycle to several overflows."""
    draw = random.Random(seed)
    core = Core(
        library,
        draw.choice(RATES),
        counter=draw.randrange(2**32),
        ms=draw.choice([0, 2**32 - 2, draw.randrange(2**32)]),
        phase=draw.random(),
        error=draw.uniform(-1e-4, 1e-4),
    )
    polls = 0
    while core.passed < 2**40:
        core.passed += int(2 ** draw.uniform(0, 36))
        polls += 1
        assert core.poll() == core.passed
    assert polls > 200


STEPS = st.tuples(
    st.integers(0, 400_000) | st.integers(0, 2**32 - 1),
    st.integers(0, 4) | st.integers(0, 2**32 - 1),
)


@given(st.lists(STEPS, max_size=30))
@example([(190_000, 0), (20_000, 0)])
def test_never_goes_back(library: ctypes.CDLL, steps: list[tuple[int, int]]) -> None:
    """Whatever counter and clock do."""
    state = Cycles()
    library.cycles_start(ctypes.byref(state), 0, 0, 100.0)
    counter = ms = 0
    totals = []
    for counts, passed in steps:
        counter += counts
        ms += passed
        totals.append(library.cycles_extend(ctypes.byref(state), counter % 2**32, ms % 2**32))
    assert totals == sorted(totals)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("step_us", [100, 3_000, 100_000])
def test_a_counter_that_stands_still(library: ctypes.CDLL, share: float, step_us: int) -> None:
    """As in sleep, for all but a share of each step: the clock tells how long that was."""
    core = Core(library)
    us = 0
    for _ in range(20_000_000 // step_us):
        us += step_us
        core.passed += int(share * step_us * 216)
        core.ms = us // 1000 - math.floor(core.passed / 216_000)  # which registers() adds
        assert abs(core.poll() / 216 - us) < 4_000 + us / 1000


def test_a_counter_that_is_late(library: ctypes.CDLL) -> None:
    """As QEMU's under load: it stands still for some tenths of milliseconds, then catches up."""
    core = Core(library)
    for late in (1, 5, 10, 15, 25, 30, 60, 500) * 20:
        for _ in range(late):
            core.passed += 21_600
            core.counter -= 21_600
            core.poll()
        core.counter += late * 21_600
        core.passed += 21_600
        assert abs(core.poll() - core.passed) < 4 * 216_000


@pytest.mark.parametrize("jump", [1, 2**20, 2**28, 2**31, 2**32 - 1])
def test_a_counter_set_by_others(library: ctypes.CDLL, jump: int) -> None:
    """It moves on by what the clock can tell: about a millisecond more or less."""
    core = Core(library, phase=0.5)
    for _ in range(3600):
        core.passed += 216_000_000
        assert core.poll() == core.passed
    core.counter += jump
    core.passed += 10_000_000
    assert abs(core.poll() - core.passed) <= 3 * 216_000
    before = core.poll()
    core.passed += 12345
    assert core.poll() - before == 12345


def test_another_counter_goes_on_from_the_total(library: ctypes.CDLL) -> None:
    core = Core(library)
    core.passed = 5_000_000
    core.poll()
    library.cycles_start(ctypes.byref(core.state), 77, 12, 1.0)
    assert library.cycles_extend(ctypes.byref(core.state), 177, 12) == 5_000_100


# Two instructions a round, and a handful around them.
LOOPS = """\
from machine import mem32
from microlite import timing


@micropython.asm_thumb
def loop(r0):
    label(again)
    sub(r0, r0, 1)
    bne(again)


print(timing.source)
for rounds in (20_000, 500_000, 5_000_000):
    print(rounds, repr(timing.evaluate(lambda: loop(rounds), min_repeat_ms=20).min))

# Over an overflow, which is five milliseconds away.
mem32[0x40000004] = 5 * 25_000
start = timing.cycles()
loop(5_000_000)
print(repr((timing.cycles() - start) / timing.cycles_per_us))
"""


# What calls take that do nothing: those of a kind whose own cost is subtracted, and others, which
# come out a little too large.
KINDS = """\
from microlite import timing


class Empty:
    def method(self):
        pass

    @classmethod
    def of_class(cls):
        pass

    @staticmethod
    def alone():
        pass

    def __call__(self):
        pass


def generator():
    yield


def instructions(fn):
    return round(1000 * timing.evaluate(fn, number=2000).min)


empty = Empty()
known = globals, lambda: None, empty.alone, empty.method, empty.of_class
print([instructions(fn) for fn in known])
print([instructions(fn) > 0 for fn in (empty, Empty, generator, [].clear)])
"""


@pytest.mark.parametrize("name", BOARDS)
def test_agrees_with_the_instruction_clock(name: str) -> None:
    with targets.board(name, icount=True) as board:
        assert board.run(KINDS).splitlines() == ["[0, 0, 0, 0, 0]", "[True, True, True, True]"]
        source, *rows = board.run(LOOPS).splitlines()
    assert source == boards.load(name).timer
    assert b"read_dwt" in targets.binary(name).read_bytes()  # was tried: QEMU's stands still
    assert float(rows.pop()) == pytest.approx(10_000, rel=TOLERANCE)
    for row in rows:
        rounds, us = row.split()
        wanted = 2 * int(rounds) / INSTRUCTIONS_PER_US
        around = 0 if int(rounds) > 100_000 else 2  # of a short loop what calls it shows
        assert float(us) == pytest.approx(wanted, rel=TOLERANCE, abs=around), row
