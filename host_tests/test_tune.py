# The search for a plan against a made-up board, and its log.

from pathlib import Path
from typing import Any

import pytest

from microlite_tools.errors import UserError
from microlite_tools.tuning import Choice, Log, Search

NAMES = ["portable", "small"]
PLACE = {"crc32": "00000000"}


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
        self.stdevs = 0.0, 0.0  # of the default and of others

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
            found.update(min=sum(us), median=sum(us), stdev=self.stdevs[choice != Choice()])
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


@pytest.mark.parametrize(("stdevs", "copy"), [((0, 0), True), ((12, 0), False), ((0, 12), False)])
def test_noise(made_up: MadeUp, tmp_path: Path, stdevs: tuple[float, float], copy: bool) -> None:
    """The times of both have to differ by more than either is off by."""
    made_up.times = {"": [50.0], "portable": [50.0], "small": [50.0]}
    made_up.copied = 0.6
    made_up.stdevs = stdevs
    best, _ = search(made_up, tmp_path).run()
    assert best.choice.copy is copy


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


@pytest.mark.parametrize(
    "line",
    [
        *("5", "null", "[]", '{"x": 1}', '{"trial": "a", "found": []}', "{"),
        *(
            f'{{"trial": "z", "found": {{"min": 1{"0" * zeros}, "stdev": 0}}}}'
            for zeros in (400, 10000)
        ),
    ],
    ids=range(8),
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
