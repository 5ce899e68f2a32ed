# What the tables of several commands have in common.

"""Tables for the terminal."""

from __future__ import annotations

from rich.table import Table

from .console import out

WIDTH = 20  # of a bar
EIGHTHS = " ▏▎▍▌▋▊▉"


def table(*columns: str, left: tuple[str, ...] = ()) -> Table:
    """A table without lines; columns are of numbers but for those of `left`."""
    made = Table(box=None, pad_edge=False, header_style="")
    for each in columns:
        made.add_column(each, justify="left" if each in left else "right", overflow="fold")
    return made


def bar(share: float) -> str:
    """A bar that is full at 1.0."""
    eighths = round(max(0.0, min(share, 1.0)) * WIDTH * 8)
    if not out.encoding.lower().startswith("utf"):
        return "#" * round(eighths / 8)
    return ("█" * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()
