# What keeps models from running with the firmware of an attached board: the board is asked for its
# operators only, since its heap may not take a check; the files are checked on this PC.

"""Check models against a board before they are copied."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .errors import BoardError, ScriptError
from .inspection import Inspection, default_firmware, inspect
from .remote import Remote
from .session import explain

SUFFIX = ".tflite"


def _inspect(path: Path) -> Inspection:
    try:
        return inspect(path, default_firmware())
    except BoardError:  # of a build of this PC that does not fit these tools
        return inspect(path, None)


def find_problems(remote: Remote, files: Mapping[str, Path]) -> list[str]:
    """A sentence for each of the models among `files` that this firmware cannot run.

    They are called by their keys in it.
    """
    models = {name: path for name, path in files.items() if name.lower().endswith(SUFFIX)}
    if not models:
        return []
    try:
        there = set(remote.run("import microlite\nprint(*microlite.ops())").split())
    except ScriptError as er:
        return [explain(str(er), remote.name)]
    problems = []
    for name, path in models.items():
        found = _inspect(path)
        problems += [f"{name}: {problem.text}" for problem in found.problems]
        if missing := sorted(found.op_names - there):
            problems.append(f"{name}: the firmware of {remote.name} lacks {', '.join(missing)}")
    return problems
