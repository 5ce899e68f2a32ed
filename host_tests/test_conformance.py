# What each operator computes, over the models of conformance/: with other implementations on the
# host engine in 64 and 32 bits, under sanitizers, on MicroPython for unix and on boards.

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table

import conformance
import conforming
import op_types
import targets
from conforming import Trial
from one_op import Case
from op_types import Pair
from programs import records
from targets import DEVICE, UNIX

MODULES = {
    info.name: importlib.import_module(f"conformance.{info.name}")
    for info in pkgutil.iter_modules(conformance.__path__)
}
RUNNER = (DEVICE / "conformance_runner.py").read_text()
ONE_OF = 7  # models that make test runs under sanitizers
N_EXAMPLES = 60
N_MANY = 3000


def having(function: str) -> list[str]:
    return [name for name, module in MODULES.items() if hasattr(module, function)]


each_family = pytest.mark.parametrize("family", having("cases"))
each_drawn = pytest.mark.parametrize("family", having("strategies"))


@cache
def trials(family: str) -> list[Trial]:
    return [Trial(case) for case in MODULES[family].cases()]


def everything() -> Iterator[Trial]:
    for family in having("cases"):
        yield from trials(family)


def holds(variant: str, some: list[Trial], folder: Path) -> None:
    lines = conforming.differences(some, conforming.run(variant, some, folder))
    assert not lines, conforming.report(lines)


@pytest.mark.parametrize("variant", ["x64", "x86"])
@each_family
def test_numbers(variant: str, family: str, tmp_path: Path) -> None:
    holds(variant, trials(family), tmp_path)


@each_family
def test_some_under_sanitizers(family: str, tmp_path: Path) -> None:
    holds("asan", trials(family)[::ONE_OF], tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("variant", ["asan", "asan32"])
@each_family
def test_all_under_sanitizers(variant: str, family: str, tmp_path: Path) -> None:
    holds(variant, trials(family), tmp_path)


def test_names_are_unique() -> None:
    counts = Counter(trial.case.name for trial in everything())
    assert [name for name, n in counts.items() if n > 1] == []


# --- drawn models ---


def drawn(variant: str, family: str, folder: Path, **options: object) -> None:
    @settings(deadline=None, suppress_health_check=list(HealthCheck), **options)  # type: ignore[arg-type]
    @given(st.one_of(MODULES[family].strategies()))
    def right(case: Case) -> None:
        holds(variant, [Trial(case)], folder)

    right()


@each_drawn
def test_drawn_models(family: str, tmp_path: Path) -> None:
    drawn("x64", family, tmp_path, max_examples=N_EXAMPLES, derandomize=True, database=None)


@pytest.mark.soak
@each_drawn
def test_many_drawn_models(family: str, tmp_path: Path) -> None:
    drawn("asan", family, tmp_path, max_examples=N_MANY)


# --- a model of each operator and type on MicroPython ---


@cache
def smallest() -> list[Trial]:
    """For each operator and types the case that is quickest to run."""
    best: dict[Pair, Trial] = {}
    for trial in everything():
        for pair in op_types.shown(trial.case.model):
            if pair not in best or trial.size < best[pair].size:
                best[pair] = trial
    return list({id(trial): trial for trial in best.values()}.values())


@pytest.mark.parametrize("target", [*UNIX, "MPS2_AN385", "MPS2_AN386"])
def test_on_micropython(target: str, tmp_path: Path) -> None:
    files = {"records": conforming.encode(smallest())}
    output = targets.run(target, RUNNER, files)
    *told, last = records(output)
    assert last == {"done": len(smallest())}, output[-2000:]
    on_host = conforming.run("x64", smallest(), tmp_path)
    lines = conforming.differences(smallest(), list(map(conforming.unfold, told, on_host)))
    assert not lines, conforming.report(lines)


# --- coverage ---


def test_every_type_of_every_operator_has_a_case(capsys: pytest.CaptureFixture[str]) -> None:
    counts = Counter(pair for trial in everything() for pair in op_types.shown(trial.case.model))
    table = Table("operator", "models of each type", box=None)
    for name, (_, rows) in op_types.table().items():
        cells = (f"{types} {counts[name, types] or '[red]none[/red]'}" for types in rows)
        table.add_row(name, "  ".join(cells))
    with capsys.disabled():
        print()
        Console().print(table)
        print(f"{sum(counts.values())} models")
    assert [pair for pair in op_types.promised() if not counts[pair]] == []
