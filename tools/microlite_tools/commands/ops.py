# What a firmware needs for some models, and what that takes of its flash.

"""Tell which operators models need of a firmware, and what they cost."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from .. import advice, flash, operators
from ..checks import check_file, count
from ..cli import FAILED
from ..console import out, print_json, say
from ..errors import UserError
from ..model_file import ModelError, read
from ..tables import table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("models", type=Path, nargs="+", metavar="MODEL", help=".tflite files")
    parser.add_argument("--json", action="store_true", help="print all as JSON")
    parser.epilog = "Exit status: 0 when microlite has all operators, 1 when it lacks some."


@dataclass(frozen=True)
class Needs:
    models: list[Path]
    ops: list[str]
    types: list[str]
    without: list[str]  # types that a build may leave out
    missing: dict[Path, list[str]]  # operators that microlite lacks, by model

    @property
    def build(self) -> flash.Build:
        return flash.load().build(self.without)

    @property
    def own(self) -> dict[str, int]:
        """Bytes that no other operator of these needs."""
        return {op: self.build.saving(op, self.ops) for op in self.ops}

    @property
    def shared(self) -> int:
        return self.build.cost(self.ops) - self.build.cost([]) - sum(self.own.values())


def needs(models: list[Path]) -> Needs:
    """What these models need together; raises UserError for a file that is no model."""
    selection = operators.selection()
    without: list[str] = [*selection.OPTIONAL_TYPES]
    names: set[str] = set()
    types: set[str] = set()
    missing: dict[Path, list[str]] = {}
    for path in models:
        check_file(path)
        try:
            model = read(path)
            builtin, custom = selection.model_ops(path)
            unused = selection.unused_types([f"@{path}"])
        except ModelError as er:
            raise UserError(f"{path}: {er}. {er.advice}") from er
        except selection.Problems as er:
            raise UserError(str(er)) from er
        without = [each for each in without if each in unused]
        names |= builtin
        types |= {tensor.dtype for graph in model.graphs for tensor in graph.tensors}
        if lacking := sorted((builtin | custom) - operators.names()):
            missing[path] = lacking
    return Needs(models, sorted(names & operators.names()), sorted(types), without, missing)


def _lines(found: Needs) -> dict[str, str]:
    """The variables of the build, by name."""
    lines = {"MICROLITE_OPS": " ".join(found.ops)}
    if found.without:
        lines["MICROLITE_WITHOUT"] = " ".join(found.without)
    return lines


def _models_word(found: Needs) -> str | None:
    """The models for MICROLITE_OPS, which takes no paths with spaces."""
    words = [f"@{path.resolve()}" for path in found.models]
    return None if any(" " in word for word in words) else " ".join(words)


def _as_json(found: Needs) -> dict[str, Any]:
    measured = flash.load()
    return {
        "models": [str(path) for path in found.models],
        "ops": found.ops,
        "types": found.types,
        "without": found.without,
        "missing_ops": {str(path): ops for path, ops in found.missing.items()},
        "make": _lines(found) | {"models": _models_word(found)},
        "flash": {
            "core": measured.core,
            "compiler": measured.compiler,
            "bytes": found.build.cost(found.ops),
            "all": measured.everything,
            "fixed": found.build.cost([]),
            "shared": found.shared,
            "own": found.own,
        },
    }


def _costs(found: Needs) -> Table:
    name = f"flash on a {flash.load().core.title()}"
    shown = table(name, "bytes", left=(name,))
    for op, size in found.own.items():
        shown.add_row(op, f"{size:,}")
    if found.shared:
        shown.add_row("shared by several", f"{found.shared:,}")
    shown.add_row("engine and model check", f"{found.build.cost([]):,}")
    shown.add_row("together", f"{found.build.cost(found.ops):,}")
    shown.add_row(f"with all {len(operators.names())} operators", f"{flash.load().everything:,}")
    return shown


def _show(found: Needs) -> None:
    total, everything = found.build.cost(found.ops), flash.load().everything
    less = f"{everything - total:,} less than all {len(operators.names())}"
    out.print(
        Text(f"{count(len(found.ops), 'operator')}: {total:,} bytes of flash, {less}.", "bold")
    )
    out.print()
    for name, value in _lines(found).items():
        out.print(f'{name}="{value}"', markup=False, soft_wrap=True)
    if models := _models_word(found):
        out.print()
        out.print("or, which follows the models when they change:")
        out.print(f'MICROLITE_OPS="{models}"', markup=False, soft_wrap=True)
        if found.without:
            out.print("MICROLITE_WITHOUT=auto")
    out.print()
    out.print(f"types of tensors: {', '.join(found.types)}", markup=False)
    out.print()
    out.print(_costs(found))


def _complain(found: Needs) -> None:
    for path, ops in found.missing.items():
        say(f"microlite: {path}: microlite has no kernel for {', '.join(ops)}")
    for text in advice.for_operators({op for ops in found.missing.values() for op in ops}):
        say(text)


def run(args: argparse.Namespace) -> int:
    found = needs(args.models)
    if args.json:
        print_json(_as_json(found))
    elif found.ops:
        _show(found)
    if found.missing:
        _complain(found)
    return FAILED if found.missing else 0
