# The documentation hangs together: links lead somewhere, the reference is that of the stubs.

import itertools
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from microlite_tools import reference
from microlite_tools.cli import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
PAGES = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
    cwd=ROOT,
    capture_output=True,
    text=True,
    check=True,
).stdout.split()


def parse(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text())


def anchors(page: Path) -> set[str]:
    """The names that a page's headings have on the forges that show it."""
    tokens = parse(page)
    found = set()
    for before, token in itertools.pairwise(tokens):
        if before.type == "heading_open":
            words = re.sub(r"[^\w\- ]", "", token.content.lower())
            found.add(words.replace(" ", "-"))
    return found


def targets(page: Path) -> Iterator[str]:
    for token in parse(page):
        for child in token.children or []:
            target = child.attrGet("href") or child.attrGet("src")
            if isinstance(target, str):
                yield target


@pytest.mark.parametrize("name", PAGES)
def test_links(name: str) -> None:
    page = ROOT / name
    for target in targets(page):
        assert ":" not in target, f"{target} leads out of the project"
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        assert linked.is_relative_to(ROOT), target
        if anchor:
            assert anchor in anchors(linked), target


def test_every_page_is_linked() -> None:
    """From the README, or from a page that is."""
    reached, new = set[Path](), {ROOT / "README.md"}
    while new:
        page = new.pop()
        reached.add(page)
        for target in targets(page):
            linked = (page.parent / target.partition("#")[0]).resolve()
            if linked.suffix == ".md" and linked not in reached:
                new.add(linked)
    examples = {ROOT / name for name in PAGES if name.startswith("examples/")}
    assert {ROOT / name for name in PAGES} - examples - {ROOT / "CHANGELOG.md"} <= reached


def test_reference_is_that_of_the_stubs() -> None:
    assert reference.PAGE.read_text() == reference.make(), "python -m microlite_tools.reference"


def commands() -> Iterator[list[str]]:
    """The words of each command in the blocks of shell code."""
    for name in PAGES:
        for token in parse(ROOT / name):
            if token.type == "fence" and token.info == "sh":
                for line in token.content.replace("\\\n", "").splitlines():
                    yield shlex.split(line, comments=True)


def test_commands_exist() -> None:
    """Those of make and of microlite."""
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^[\w -]+(?=:)", makefile, re.MULTILINE))
    known = {word for line in targets for word in line.split()}
    tried = 0
    for words in commands():
        match words:
            case ["make", target, *_] if target != "-C" and target != "..." and "=" not in target:
                assert target in known, words
            case ["microlite" | ".venv/bin/microlite", command, *_]:
                assert command in COMMANDS, words
            case _:
                continue
        tried += 1
    assert tried > 10
