# Where the command prints: results on standard output, all else on standard error.

"""The terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rich.console import Console

from .checks import printable

# Piped output keeps long lines whole.
_WIDE = 200

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)
for console in (out, err):
    if not console.is_terminal:
        console.width = _WIDE


def say(text: str) -> None:
    """Print a sentence about what is going on, on one line, markup and all left as it is."""
    err.print(printable(text), markup=False, soft_wrap=True)


def print_json(report: Mapping[str, Any]) -> None:
    """Print a report as one JSON object."""
    print(json.dumps(report, indent=2, allow_nan=False))
