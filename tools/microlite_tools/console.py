# Where the command prints: results on standard output, all else on standard error.

"""The terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rich.console import Console

# Piped output keeps long lines whole.
_WIDE = 200

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)
for console in (out, err):
    if not console.is_terminal:
        console.width = _WIDE


def say(text: str) -> None:
    """Print a sentence about what is going on, on one line, markup and all left as it is."""
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    err.print(line, markup=False, soft_wrap=True)


def print_json(report: Mapping[str, Any]) -> None:
    """Print a report as one JSON object."""
    print(json.dumps(report, indent=2, allow_nan=False))


def files(count: int) -> str:
    """A number of files, in words."""
    return f"{count} file" if count == 1 else f"{count} files"
