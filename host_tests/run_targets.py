# The command microlite on unix and on an emulated board, with models for it: fixtures of the tests
# of predict, verify and profile.

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import tflite

import goldens
import io_models
import targets
from builder import Model, Op, activation
from microlite_tools import cli, golden, romfs

BOARD = "MPS2_AN386"
MODELS = io_models.collect()
GOLDENS = {each.name: each for each in goldens.collect()}


@dataclass(frozen=True)
class Target:
    """Where the commands run, and what says so on the command line."""

    words: list[str]
    folder: str  # of all models there

    @property
    def is_board(self) -> bool:
        return "--unix" not in self.words


def unknown_op() -> bytes:
    tensors = [activation([1], "float32") for _ in range(2)]
    model = Model(tensors, inputs=[0], outputs=[1])
    model.ops.append(Op(tflite.BuiltinOperator.CUSTOM, [0], [1], custom="MyOp"))
    return model.to_bytes()


def too_large() -> bytes:
    """A model whose tensors no heap here has room for."""
    tensors = [activation([1, 30_000_000], "float32") for _ in range(2)]
    model = Model(tensors, inputs=[0], outputs=[1])
    model.ops.append(Op(tflite.BuiltinOperator.NEG, [0], [1], "NegOptions"))
    return model.to_bytes()


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All models, each with golden outputs."""
    folder = tmp_path_factory.mktemp("staged")
    for name, each in GOLDENS.items():
        if each.model.exists():
            data = each.model.read_bytes()
            (folder / f"{name}.tflite").write_bytes(data)
            (folder / f"{name}.golden").write_bytes(golden.encode(data, each.cases[:2]))
    for name, data in MODELS.items():
        (folder / f"{name}.tflite").write_bytes(data)
        cases = golden.make(data, golden.random_inputs(2, seed=1))
        (folder / f"{name}.golden").write_bytes(cases)
    (folder / "unknown.tflite").write_bytes(unknown_op())
    (folder / "large.tflite").write_bytes(too_large())
    return folder


@pytest.fixture(scope="module", params=["unix", BOARD])
def target(request: pytest.FixtureRequest, staged: Path) -> Iterator[Target]:
    if request.param == "unix":
        targets.binary("unix")
        yield Target(["--unix"], f"{staged}/")
        return
    with targets.board(BOARD, romfs.build(romfs.collect(staged))) as board:
        yield Target(["--connect", board.device], ":/rom/")


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def microlite(*words: object) -> tuple[int, str, str]:
        try:
            status = cli.main([*map(str, words)])
        except SystemExit as er:  # by argparse
            status = int(str(er.code))
        return status, *capsys.readouterr()

    return microlite


def answer(run: Run, *words: object) -> Any:
    status, out, err = run(*words, "--json")
    assert status in (0, 1), err
    return json.loads(out)
