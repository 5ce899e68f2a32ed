# docs/reference.md from the stubs: their signatures and docstrings, in the order in which they
# stand there. Names that begin with an underscore are not for users.

"""Write docs/reference.md."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STUBS = ROOT / "stubs/microlite"
PAGE = ROOT / "docs/reference.md"
MODULES = (
    *("__init__", "_reports", "_selftest", "_verify", "audio", "compat", "stream", "timing"),
    "_types",
)

HEAD = """\
# API reference

What the stubs say, in one page, made by `python -m microlite_tools.reference`.
[api.md](api.md) is the overview.
"""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _sections(text: str) -> str:
    """A docstring with its sections Args, Returns and Raises as paragraphs and lists."""
    lines = []
    section = ""
    for line in text.splitlines():
        entry = re.match(r" {4}(\w[\w, ]*): (.*)", line)
        if line in ("Args:", "Returns:", "Raises:"):
            section = line
            lines += [line, ""]
        elif section in ("Args:", "Raises:") and entry:
            lines.append(f"* `{entry[1].replace(', ', '`, `')}`: {entry[2]}")
        elif section and line.startswith("    "):
            lines.append(line[4:] if section == "Returns:" else f"  {line.lstrip()}")
        else:
            lines.append(line)
    return "\n".join(lines)


def _text(node: ast.AST) -> str:
    """The docstring that a node holds, or is."""
    if isinstance(node, ast.Expr):
        assert isinstance(node.value, ast.Constant)
        return inspect.cleandoc(str(node.value.value))
    assert isinstance(node, Function | ast.ClassDef | ast.Module)
    return _sections(ast.get_docstring(node) or "")


def _is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _signature(node: Function, owner: str) -> str:
    """As it is called: an `__init__` by the name of its class, properties without brackets."""
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    if any(isinstance(each, ast.Name) and each.id == "property" for each in node.decorator_list):
        return f"{node.name}: {result.removeprefix(' -> ')}"
    arguments = node.args
    if owner:
        (arguments.posonlyargs or arguments.args).pop(0)
    if node.name == "__init__":
        return f"{owner}({ast.unparse(arguments)})"
    prefix = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
    return f"{prefix}{node.name}({ast.unparse(arguments)}){result}"


def _paragraphs(signatures: Iterable[str], text: str) -> Iterator[str]:
    yield "```python\n" + "\n".join(signatures) + "\n```\n"
    if text:
        yield text + "\n"


def _body(body: list[ast.stmt], owner: str) -> Iterator[str]:
    """Functions and attributes, overloads of one function together."""
    signatures: list[str] = []
    text = ""
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, Function):
            special = node.name.startswith("_") and node.name != "__init__"
            if special:
                continue
            signatures.append(_signature(node, owner))
            text = text or _text(node)
            if isinstance(after, Function) and after.name == node.name:
                continue
            yield from _paragraphs(signatures, text)
            signatures, text = [], ""
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if not node.target.id.startswith("_"):
                described = _text(after) if after and _is_text(after) else ""
                yield from _paragraphs([ast.unparse(node)], described)
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            bases = ", ".join(map(ast.unparse, node.bases))
            yield f"### {node.name}{f'({bases})' if bases else ''}\n"
            yield _text(node) + "\n"
            yield from _body(node.body, node.name)


def make() -> str:
    """The text of the page."""
    parts = [HEAD]
    for name in MODULES:
        path = STUBS / f"{name}.pyi"
        tree = ast.parse(path.read_text())
        if not name.startswith("_"):
            parts.append(f"## microlite.{name}\n")
        elif name == "__init__":
            parts.append("## microlite\n")
        elif name == "_types":
            parts.append("## Types in signatures\n")
        if not name.startswith("_") or name == "__init__":
            parts.append(_text(tree) + "\n")
        parts += _body(tree.body, "")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(make())
