# Instructions, arena and text of models against the committed baseline and against fixed limits.
# After a change that is meant to cost or to gain: make bench ARGS=--update-baseline

import warnings
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

import bench
import report
import rows
import workload
from microlite_tools.qemu import board_names
from rows import Row

M3, M4, M7 = "MPS2_AN385", "MPS2_AN386", "MPS2_AN500"

# What a program may need at most.
LIMITS = [
    (M4, "person_detect", "instructions", 17_000_000),
    (M4, "kws_ref_model", "instructions", 6_200_000),
    (M4, "micro_speech_quantized", "instructions", 1_200_000),
    (M3, "person_detect", "instructions", 25_000_000),
    (M3, "kws_ref_model", "instructions", 9_000_000),
    (M4, "person_detect", "arena", 78_000),
    (M4, "kws_ref_model", "arena", 22_500),
    (M4, "micro_speech_quantized", "arena", 7_000),
    (M4, "person_detect", "text", 57_000),
]
ALL_MODELS = [*workload.CRATE_NAMES, *workload.HAND_OUT_NAMES]
ON_M7 = ["person_detect", "micro_speech_quantized", "kws_ref_model"]
WATCHED = [(board, model) for board in (M3, M4) for model in ALL_MODELS]
WATCHED += [(M7, model) for model in ON_M7]


@cache
def measured(board: str, model: str) -> Row:
    """With the fastest kernels of that board."""
    path = workload.models().get(model)
    if not path or not path.exists():
        pytest.skip(f"the model {model} is not there")
    return bench.measure(bench.load_board(board), model, path).row


@cache
def baseline() -> dict[rows.Key, Row]:
    return {row.key: row for row in rows.load(rows.BASELINE)}


def no_worse(row: Row, other: Row) -> bool:
    return row.instructions <= other.instructions * (1 + rows.TOLERANCE)


@pytest.mark.parametrize(("board", "model"), WATCHED)
def test_baseline(board: str, model: str) -> None:
    row = measured(board, model)
    if row.compiler not in {known.compiler for known in baseline().values()}:
        warnings.warn(f"no baseline for {row.compiler}: {row}", stacklevel=1)
        return
    assert row.key in baseline(), "make bench ARGS=--update-baseline"
    assert rows.worse(row, baseline()[row.key]) == []


def test_worse() -> None:
    row = next(iter(baseline().values()))
    assert rows.worse(row, row) == []
    assert rows.worse(replace(row, arena=row.arena * 101 // 100), row) == []
    (found,) = rows.worse(replace(row, text=row.text * 102 // 100), row)
    assert row.model in found and row.board in found and "text" in found


@pytest.mark.parametrize(("board", "model", "figure", "limit"), LIMITS)
def test_limits(board: str, model: str, figure: str, limit: int) -> None:
    assert getattr(measured(board, model), figure) <= limit


@pytest.mark.parametrize("model", ON_M7)
def test_m7_needs_no_more_than_m4(model: str) -> None:
    assert measured(M7, model).instructions <= measured(M4, model).instructions


def test_docs() -> None:
    """The table in docs/performance.md shows the baseline."""
    by_compiler: dict[str, list[Row]] = {}
    for row in baseline().values():
        by_compiler.setdefault(row.compiler, []).append(row)
    text = report.DOCS.read_text()
    assert any(report.markdown(found) in text for found in by_compiler.values())


@pytest.mark.soak
def test_levels_agree() -> None:
    """Outputs are the same on all boards with all kernels; faster ones do not need more."""
    boards = [bench.load_board(name) for name in board_names()]
    measured = bench.measure_all(boards, [*workload.models()], rows.LEVELS)
    found = [each.row for each in measured]
    for slow, fast in pairwise(found):
        if (slow.board, slow.model) == (fast.board, fast.model):
            assert no_worse(fast, slow), (slow, fast)
