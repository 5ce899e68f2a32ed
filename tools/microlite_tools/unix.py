# MicroPython with microlite on this PC, as `make unix` builds it.

"""The unix build."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Self

from .checks import check_name
from .errors import BoardError, ScriptError
from .remote import Echo

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "MICROLITE_UNIX"  # path of the binary, when it is not that of this checkout
FROZEN = "__import__('sys').path.pop(0);"  # a folder microlite/ would be taken for the package
HEAP = "64M"  # a 32-bit build has too little otherwise for large models


def find() -> Path | None:
    """The binary, if there is one; raises BoardError when VARIABLE names none."""
    given = os.environ.get(VARIABLE)
    path = Path(given) if given else ROOT / "build/unix/micropython"
    if given and not path.is_file():
        raise BoardError(f"{VARIABLE}={given}: there is no such file")
    return path if path.is_file() else None


class Unix:
    """Runs each script in a process of its own."""

    name = "this PC"

    def __init__(self, binary: Path | None = None) -> None:
        found = binary or find()
        if found is None:
            raise BoardError(
                f"MicroPython with microlite is not built for this PC: make unix, or give its "
                f"path in the environment variable {VARIABLE}"
            )
        self.binary = found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, source: str, *, echo: Echo | None = None) -> str:
        """Run a script and return what it printed; raises ScriptError if it fails."""
        process = subprocess.Popen(
            [self.binary, "-X", f"heapsize={HEAP}", "-c", FROZEN + source],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        with process:
            assert process.stdout
            assert process.stderr
            output = ""
            try:
                for line in process.stdout:
                    output += line
                    if echo:
                        echo(line)
                traceback = process.stderr.read()
            except BaseException:
                process.kill()
                raise
        if process.returncode < 0:
            raise BoardError(f"{self.binary} was ended by signal {-process.returncode}")
        if process.returncode:
            raise ScriptError(output, traceback)
        return output

    def share(self, *files: Path) -> list[str]:
        """The paths under which scripts find files of this PC."""
        for file in files:
            check_name(str(file.resolve()))
        return [str(file.resolve()) for file in files]
