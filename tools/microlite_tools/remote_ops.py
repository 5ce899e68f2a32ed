# What keeps models from running with the firmware of an attached board.

"""Check models against a board before they are copied."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .errors import ScriptError
from .operators import selection
from .remote import Remote
from .session import explain

SUFFIX = ".tflite"


def find_problems(remote: Remote, files: Iterable[Path]) -> list[str]:
    """A sentence for each of the models among `files` that this firmware cannot run."""
    models = [path for path in files if path.suffix == SUFFIX]
    if not models:
        return []
    try:
        there = set(remote.run("import microlite\nprint(*microlite.ops())").split())
    except ScriptError as er:
        return [explain(str(er), remote.name)]
    reader = selection()
    problems = []
    for path in models:
        try:
            builtin, custom = reader.model_ops(path)
        except reader.Problems as er:
            problems.append(str(er))
            continue
        if missing := sorted((builtin | custom) - there):
            problems.append(f"{path}: the firmware of {remote.name} lacks {', '.join(missing)}")
    return problems
