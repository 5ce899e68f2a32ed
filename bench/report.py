# Measurements as tables: on the terminal, and in docs/performance.md.

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table

import rows
from rows import Anchor, Row
from workload import Op

DOCS = Path(__file__).resolve().parent.parent / "docs/performance.md"
IN_DOCS = re.compile(r"(?<=<!-- bench -->\n).*(?=<!-- /bench -->)", re.DOTALL)


def _new_table(title: str, texts: Iterable[str], numbers: Iterable[str]) -> Table:
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    for heading in texts:
        table.add_column(heading, no_wrap=True)
    for heading in numbers:
        table.add_column(heading, justify="right")
    return table


def _per_mac(instructions: int, macs: int) -> str:
    return f"{instructions / macs:.2f}" if macs else "-"


def _short(core: str) -> str:
    return core.removeprefix("cortex-").upper()


def _ratio(instructions: int, other: Row | Anchor | None) -> str:
    return f"{instructions / other.instructions:.0%}" if other else "-"


def _anchors() -> dict[tuple[str, str], Anchor]:
    return {(anchor.model, anchor.core): anchor for anchor in rows.anchors()}


def tables(found: list[Row]) -> Iterator[Table]:
    """One table for each model."""
    anchors = _anchors()
    for model in dict.fromkeys(row.model for row in found):
        of_model = [row for row in found if row.model == model]
        reference = {row.core: row for row in of_model if row.kernels == "reference"}
        numbers = "instructions", "per\nMAC", "of\nreference", "of\nCMSIS-NN", "arena", "text"
        title = f"{model}, {of_model[0].macs:,} MACs, {of_model[0].compiler}"
        shown = _new_table(title, ("core", "kernels"), numbers)
        for row in of_model:
            shown.add_row(
                *(_short(row.core), row.kernels, f"{row.instructions:,}"),
                _per_mac(row.instructions, row.macs),
                _ratio(row.instructions, reference.get(row.core)),
                _ratio(row.instructions, anchors.get((model, row.core))),
                *(f"{row.arena:,}", f"{row.text:,}"),
            )
        yield shown


def ops_table(row: Row, ops: list[tuple[Op, int]]) -> Table:
    title = f"{row.model}, {_short(row.core)}, {row.kernels}"
    numbers = "MACs", "instructions", "per MAC", "share"
    shown = _new_table(title, ("", "operator"), numbers)
    total = sum(instructions for _, instructions in ops)
    for i, (op, instructions) in enumerate(ops):
        shown.add_row(
            *(str(i), op.name, f"{op.macs:,}", f"{instructions:,}"),
            *(_per_mac(instructions, op.macs), f"{instructions / total:.1%}"),
        )
    kinds: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for op, instructions in ops:
        kinds[op.name][0] += op.macs
        kinds[op.name][1] += instructions
    shown.add_section()
    for name, (macs, instructions) in kinds.items():
        shown.add_row(
            *("", name, f"{macs:,}", f"{instructions:,}"),
            *(_per_mac(instructions, macs), f"{instructions / total:.1%}"),
        )
    return shown


def overhead_table(spent: dict[str, float]) -> Table:
    numbers = ["instructions over the engine's own"]
    shown = _new_table("", ["call from Python"], numbers)
    for call, instructions in spent.items():
        shown.add_row(f"Model.{call}()", f"{instructions:,.0f}")
    return shown


# --- docs ---


def _beside(own: int, other: int | None) -> str:
    return f"{own:,} ({other:,})" if other else f"{own:,}"


def _cells(of: dict[str, Row], anchor: Anchor | None) -> str:
    best = [of[level] for level in rows.LEVELS if level in of][-1]
    cells = [f"{of[level].instructions:,}" if level in of else "" for level in rows.LEVELS]
    cells[rows.LEVELS.index(best.kernels)] += f" ({_per_mac(best.instructions, best.macs)})"
    cells.append(f"{anchor.instructions:,}" if anchor else "")
    cells.append(_beside(best.arena, anchor.arena if anchor else None))
    cells.append(_beside(best.text, anchor.text if anchor else None))
    return " | ".join(cells)


def markdown(found: list[Row]) -> str:
    """One line for each model and core: instructions of all levels, arena and text of the last."""
    (compiler,) = {row.compiler for row in found}
    lines = [
        f"Instructions of one invoke, {compiler}; in brackets the fastest per MAC:",
        "",
        "| model | core | reference | portable | dsp | CMSIS-NN | arena | text |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    anchors = _anchors()
    by_model: dict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
    for row in found:
        by_model[row.model, row.core][row.kernels] = row
    for (model, core), of in by_model.items():
        lines.append(f"| {model} | {_short(core)} | {_cells(of, anchors.get((model, core)))} |")
    return "\n".join(lines) + "\n"


def update_docs(found: list[Row]) -> None:
    """Puts the rows of the last row's compiler into the documentation."""
    of_compiler = [row for row in found if row.compiler == found[-1].compiler]
    text = markdown(of_compiler)
    DOCS.write_text(IN_DOCS.sub(lambda _: text, DOCS.read_text()))
