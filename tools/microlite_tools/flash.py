# What operators cost in flash: figures that bench/flash.py has measured on a Cortex-M4.

"""The text of operators, measured."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("flash.json")


@dataclass(frozen=True)
class Build:
    """The text of operators in builds that leave the same types out."""

    without: frozenset[str]
    all: int  # of a build with all operators
    fixed: int  # engine, model check and module-independent parts
    each: int  # what tables take for an operator
    shared: list[tuple[int, frozenset[str]]]  # bytes, and the operators that use them

    def cost(self, ops: Collection[str]) -> int:
        """Bytes of text of a build with these operators."""
        kernels = sum(size for size, users in self.shared if not users.isdisjoint(ops))
        return self.fixed + self.each * len(ops) + kernels

    def saving(self, op: str, ops: Collection[str]) -> int:
        """What a build with these operators loses when one of them is left out."""
        return self.cost(ops) - self.cost(set(ops) - {op})


@dataclass(frozen=True)
class Flash:
    core: str
    compiler: str
    builds: list[Build]

    def build(self, without: Collection[str]) -> Build:
        """The build that leaves most of these types out, and no others."""
        fitting = [each for each in self.builds if each.without <= set(without)]
        return max(fitting, key=lambda each: len(each.without))

    @property
    def everything(self) -> int:
        """Bytes of text of a build with all operators and types."""
        return self.build([]).all


@cache
def load() -> Flash:
    """The figures of this version."""
    found = json.loads(FILE.read_text())
    builds = [
        Build(
            *(frozenset(each["without"]), each["all"], each["fixed"], each["each"]),
            [(part["bytes"], frozenset(part["ops"].split())) for part in each["shared"]],
        )
        for each in found["builds"]
    ]
    return Flash(found["core"], found["compiler"], builds)
