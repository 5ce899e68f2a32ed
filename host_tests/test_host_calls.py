# The same calls on CPython and on MicroPython for unix: the same results to the bit, the same
# exceptions in the same words.

import json
import struct
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import targets
from targets import DEVICE
from test_host import run

RUNNER = DEVICE / "calls_runner.py"
N_EXAMPLES = 10
N_CALLS = 40
SHAPE = (2, 3)
FLOAT32, INT32, UINT8, INT64, BOOL, INT16, INT8 = 0, 2, 3, 4, 6, 7, 9
RANGES = {INT8: (-128, 127), UINT8: (0, 255), INT16: (-32768, 32767), INT32: (-(2**31), 2**31 - 1)}
ARRAYS = {"b": 7, "h": 15, "i": 31, "q": 63}  # bits of the values


def bits(value: float) -> dict[str, str]:
    return {"float": struct.pack("<d", value).hex()}


reals = st.one_of(
    st.floats(width=32),
    st.floats(),
    st.floats(-200, 200),
    st.integers(-600, 600).map(lambda n: n / 2),
).map(bits)
finite = st.floats(-200, 200, width=32).map(bits)
integers = st.one_of(st.integers(-300, 300), st.integers(-(2**70), 2**70))
numbers = st.one_of(finite, reals, integers, st.booleans())
odd: st.SearchStrategy[Any] = st.one_of(st.none(), st.just("1"), st.just([1]), st.just([]))


@st.composite
def kinds(draw: st.DrawFn) -> Any:
    dtype = draw(st.sampled_from([FLOAT32, INT32, UINT8, INT64, BOOL, INT16, INT8]))
    if dtype not in RANGES or not draw(st.booleans()):
        return dtype, SHAPE, []
    scale = draw(st.sampled_from([1.0, 0.1, 0.5, 1 / 255, 3.0, 1e-9, 1e30]))
    low, high = RANGES[dtype]
    zero_point = draw(st.one_of(st.sampled_from([0, low, high]), st.integers(low, high)))
    return dtype, SHAPE, [bits(struct.unpack("f", struct.pack("f", scale))[0]), zero_point]


def rows(n: int) -> st.SearchStrategy[Any]:
    """What may hold n numbers, most of the time."""
    sizes = st.sampled_from([n] * 9 + [n - 1, n + 1])
    items = st.one_of(numbers, numbers, numbers, odd)
    arrays = [
        st.tuples(
            st.just(f"array {code}"),
            st.lists(st.integers(-(2**size), 2**size - 1), min_size=n, max_size=n),
        )
        for code, size in ARRAYS.items()
    ]
    floats = st.lists(reals, min_size=n, max_size=n)
    arrays += [st.tuples(st.just(f"array {code}"), floats) for code in "fd"]
    return st.one_of(
        st.tuples(
            st.sampled_from(["plain", "tuple", "iter"]),
            sizes.flatmap(
                lambda size: st.lists(st.one_of(finite, integers), min_size=size, max_size=size)
            ),
        ),
        st.tuples(st.just("plain"), st.lists(items, min_size=n, max_size=n)),
        st.tuples(st.just("bytes"), st.lists(st.integers(0, 255), min_size=n, max_size=n)),
        *arrays,
    )


@st.composite
def calls(draw: st.DrawFn) -> Any:
    kind = draw(kinds())
    one = st.tuples(st.just("plain"), st.one_of(numbers, odd))
    name = draw(st.sampled_from(["write"] * 6 + ["write_raw", "quantize", "dequantize"]))
    if name != "write":
        values = rows(6) if name == "write_raw" else one
        return kind, name, [draw(values)], {}
    options = {
        key: draw(st.one_of(one, rows(SHAPE[-1])))
        for key in ("mul", "add")
        if draw(st.integers(0, 2)) == 0
    }
    return kind, name, [draw(st.one_of(rows(6), rows(6), one))], options


@settings(
    max_examples=N_EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.lists(calls(), min_size=N_CALLS, max_size=N_CALLS))
def test_same_everywhere(some: list[Any]) -> None:
    files = {"calls.json": json.dumps(some).encode()}
    here = run(files, RUNNER).splitlines()
    there = targets.run("unix", RUNNER.read_text(), files).splitlines()
    for one, mine, theirs in zip([*some, "end"], here, there, strict=False):
        assert mine == theirs, one
    assert here[-1] == there[-1] == "done"
