# What calls of Model may cost on top of the engine.

import pytest

import bench
import overhead
import targets

# The most instructions over the engine's own.
LIMITS = {"invoke": 1500, "predict": 6000}


@pytest.fixture(scope="module")
def overheads() -> dict[str, float]:
    firmware = targets.binary(overhead.BOARD)
    board = bench.load_board(overhead.BOARD)
    own = bench.measure(board, overhead.NAME, overhead.MODEL).row.instructions
    return overhead.overheads(firmware, own)


@pytest.mark.parametrize("call", LIMITS)
def test_overhead(overheads: dict[str, float], call: str) -> None:
    assert 0 < overheads[call] <= LIMITS[call], overheads
