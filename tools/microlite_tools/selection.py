# Which files of this PC go to a board, and under which names.

"""Choose what to deploy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from .checks import check_name, describe_missing
from .errors import UserError

# What folders hold that no board needs, by the reason for leaving it out.
LEFT_OUT = {
    "hidden": [".*"],
    "for CPython": ["__pycache__", "*.pyc", "*.pyi", "py.typed", "*.egg-info", "venv", "env"],
    "tests": ["test", "tests", "test_*.py", "conftest.py"],
    "documentation": ["doc", "docs", "*.md", "*.rst", "LICENSE", "LICENSE.*"],
    "project files": [
        *("pyproject.toml", "setup.py", "setup.cfg", "requirements*.txt", "manifest.py"),
        *("package.json", "Makefile", "node_modules", "*.tune.jsonl"),
    ],
    "training": ["train.py", "*.ipynb", "*.h5", "*.keras", "*.onnx", "*.pt", "*.pth"],
}

NAMES = 3  # that a line shows of each group


@dataclass
class Selection:
    """Files by the name that they will have on the board, and what was left out."""

    files: dict[str, Path] = field(default_factory=dict)
    left_out: dict[str, list[Path]] = field(default_factory=dict)

    def add(self, name: str, path: Path) -> None:
        check_name(name)
        other = self.files.setdefault(name, path)
        if other.resolve() != path.resolve():
            raise UserError(f"{other} and {path} would both be {name} on the board")

    def leave_out(self, path: Path, reason: str) -> None:
        self.left_out.setdefault(reason, []).append(path)


@dataclass
class _Walk:
    """Goes through folders and adds their files to a selection."""

    selection: Selection
    patterns: dict[str, list[str]]

    def reason_against(self, name: str) -> str | None:
        for reason, patterns in self.patterns.items():
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                return reason
        return None

    def folder(self, folder: Path, prefix: str, above: Sequence[Path] = ()) -> None:
        real = folder.resolve()
        if real in above:
            raise UserError(f"{folder} is a link to a folder that it lies in")
        for path in sorted(folder.iterdir()):
            if reason := self.reason_against(path.name):
                self.selection.leave_out(path, reason)
            elif path.is_dir():
                self.folder(path, f"{prefix}{path.name}/", (*above, real))
            elif path.is_file():
                self.selection.add(prefix + path.name, path)
            elif path.is_symlink():
                raise UserError(describe_missing(path))
            else:
                self.selection.leave_out(path, "no file")


def is_package(folder: Path) -> bool:
    """Whether a folder is imported under its name."""
    return (folder / "__init__.py").is_file() or (folder / "__init__.mpy").is_file()


def select(
    paths: Sequence[Path],
    *,
    everything: bool = False,
    exclude: Sequence[str] = (),
    contents: bool = False,
) -> Selection:
    """Return the files that `paths` stand for.

    A file goes by its name, a package as a folder of its name, any other folder gives its
    contents. What is named is taken; inside of folders what LEFT_OUT lists is not, unless
    `everything` is wanted, and what matches a pattern of `exclude` never is. With `contents`
    packages too give their contents.
    """
    selection = Selection()
    walk = _Walk(selection, {"excluded": list(exclude)} | ({} if everything else LEFT_OUT))
    for path in paths:
        if path.is_dir():
            as_folder = is_package(path) and not contents
            walk.folder(path, f"{path.resolve().name}/" if as_folder else "")
        elif path.is_file():
            selection.add(path.name, path)
        elif path.is_symlink():
            raise UserError(describe_missing(path))
        else:
            raise UserError(f"{path}: no such file or folder")
    if not selection.files:
        raise UserError(f"there are no files to take in {', '.join(map(str, paths))}")
    return selection


def describe(left_out: Mapping[str, Sequence[Path]]) -> str:
    """What was left out, as a line."""
    groups = []
    for reason, paths in left_out.items():
        names = list(dict.fromkeys(path.name for path in paths))
        more = ", ..." if len(names) > NAMES else ""
        groups.append(f"{len(paths)} {reason} ({', '.join(names[:NAMES])}{more})")
    return f"left out: {'; '.join(groups)}"
