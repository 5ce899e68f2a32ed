# A target with the files that a command line names, and scripts there that print JSON.

"""Run scripts about a model on a board or on this PC."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Self

from .checks import check_file, printable
from .console import err
from .errors import BoardError, ScriptError, UserError
from .target import choose

# Exceptions of microlite, whose texts are whole sentences.
OWN = ("ArenaError", "ModelError", "OpError", "InvokeError")
OWN_WORDS = re.compile(r"(input|output) \d+\b|cases: |microlite ")


def explain(traceback: str, where: str) -> str:
    """A sentence instead of a traceback of MicroPython."""
    lines = [line for line in traceback.splitlines() if line and not line.startswith("  ")]
    if lines and lines[0].startswith("Traceback"):
        del lines[0]
    kind, _, text = str(printable(" ".join(lines))).partition(":")
    text = text.strip()
    if kind in OWN or OWN_WORDS.match(text):
        return text
    if kind == "MemoryError":
        return f"{where} has not enough memory: {text or 'not even for the exception'}"
    if kind == "OSError":
        error = re.match(r"(?:\[Errno \d+\] )?(\w+)(?:: (.*))?", text)
        code, file = error.groups() if error else (text, None)
        if code == "ENOENT" and file:
            return f"{where} has no file {file}"
        return f"{where}: {code}" + (f" with {file}" if file else "")
    if kind == "ImportError" and text == "no module named 'microlite'":
        return f"{where} has no microlite: it needs a firmware that contains it, docs/firmware.md"
    if kind == "AttributeError" and text.startswith("'module' object"):
        return f"the microlite of {where} does not fit these tools: {text}"
    if kind == "KeyboardInterrupt":
        return f"{where} was interrupted"
    return f"{where}: {kind}: {text}: this is a fault of microlite, please report it"


class Session:
    """A target and files for its scripts, while the `with` block lasts.

    Files are of this PC or, with a colon before the path, of the board.
    """

    def __init__(self, args: Namespace, *files: str) -> None:
        for file in files:
            if not file.startswith(":"):
                check_file(file)
            elif args.unix:
                raise UserError(
                    f"{file}: only boards have such files; without the colon for --unix"
                )
        self._target = choose(args)
        self._files = files
        self._names: dict[str, str] = {}  # of shared files, as the user knows them
        self.where = self._target.name
        self.paths: list[str] = []  # of the files, for scripts

    def __enter__(self) -> Self:
        self._target.__enter__()
        try:
            shared = iter(self.share(*[each for each in self._files if each[:1] != ":"]))
        except BaseException as er:
            self._target.__exit__(type(er), er, er.__traceback__)
            raise
        self.paths = [each[1:] if each[:1] == ":" else next(shared) for each in self._files]
        return self

    def __exit__(self, *exception: object) -> None:
        self._target.__exit__(*exception)

    def share(self, *files: str) -> list[str]:
        """Make files of this PC readable by scripts, and return their paths there."""
        if not files:
            return []
        paths = self._target.share(*map(Path, files))
        self._names.update(zip(paths, files, strict=True))
        return paths

    def run(self, script: str, *, spinner: bool = True, **constants: object) -> list[Any]:
        """Run a script, with constants defined, and return what each line that it prints means.

        Raises UserError when it fails.
        """
        head = "".join(f"{name} = {value!r}\n" for name, value in constants.items())
        shows = spinner and err.is_terminal
        busy = err.status(f"{', '.join(self._files)} on {self.where}") if shows else None
        try:
            with busy or nullcontext():
                output = self._target.run(head + script)
        except ScriptError as er:
            raise ScriptError(er.output, self._translate(explain(str(er), self.where))) from er
        try:
            return [printable(json.loads(line)) for line in output.splitlines()]
        except ValueError as er:
            raise BoardError(f"{self.where} printed something else than it was asked for") from er

    def _translate(self, text: str) -> str:
        for path, name in self._names.items():
            text = text.replace(path, name)
        return text
