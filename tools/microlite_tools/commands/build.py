# microlite build: firmware for a board of boards/. Runs the project's make for unix and the
# emulated boards, and prints the commands for ports whose SDK is the vendor's.

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import boards
from ..boards import ROOT, Board
from ..console import out, say
from ..errors import UserError

CUSTOM = ROOT / "build/custom"  # firmware with other parts than ordinary, and what it is made of
TFLM = ROOT / "build/src/tfmicro/submodules/tensorflow"
CMAKE_PORTS = ("esp32", "rp2")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--board", required=True, metavar="NAME", help="as `microlite boards` says"
    )
    several: dict[str, Any] = {"type": Path, "action": "append", "default": []}
    parser.add_argument(
        "--ops-for",
        **several,
        metavar="MODEL",
        help="link only what this model needs; may be repeated (default: all operators)",
    )
    parser.add_argument(
        "--freeze",
        **several,
        metavar="FILE",
        help="a Python file to freeze into the firmware; may be repeated",
    )
    parser.add_argument(
        "--with",
        dest="modules",
        **several,
        metavar="DIR",
        help="another user C module, such as ulab's folder code; may be repeated",
    )
    parser.add_argument("--print", action="store_true", help="print the commands, run nothing")


@dataclass
class Parts:
    """What a firmware is made of besides microlite; paths are absolute."""

    models: list[Path] = field(default_factory=list)
    frozen: list[Path] = field(default_factory=list)
    modules: list[Path] = field(default_factory=list)

    @property
    def ops(self) -> str:
        """As MICROLITE_OPS."""
        return " ".join(f"@{model}" for model in self.models)


def run(args: argparse.Namespace) -> int:
    board = boards.load(args.board)
    if not (ROOT / "Makefile").is_file():
        raise UserError(
            "firmware is built in a checkout of microlite, and this command is installed "
            "elsewhere: `make venv` in a checkout gives one, .venv/bin/microlite"
        )
    description = "micropython.cmake" if board.port in CMAKE_PORTS else "micropython.mk"
    parts = Parts(
        [_file(path, ".tflite") for path in args.ops_for],
        [_file(path, ".py") for path in args.freeze],
        [_module(path, description) for path in args.modules],
    )
    if board.port in ("unix", "qemu"):
        command = _own(board, parts)
        if args.print:
            words = [command[0], "-C", str(ROOT), *command[1:]]
            out.print(_line(words), markup=False, soft_wrap=True)
            return 0
        status = subprocess.call(command, cwd=ROOT)
        if status == 0:
            folder = (ROOT / "build" if parts == Parts() else CUSTOM) / board.name
            say(f"built: {folder / ('micropython' if board.port == 'unix' else 'firmware.elf')}")
        return status
    for command in _vendors(board, parts):
        out.print(_line(command), markup=False, soft_wrap=True)
    say(
        f"{board.title} needs the SDK of its vendor, and in MPY_DIR a clone of MicroPython, "
        "1.25 or newer"
    )
    return 0


def _file(path: Path, suffix: str) -> Path:
    if not path.is_file():
        raise UserError(f"there is no file {path}")
    if path.suffix != suffix:
        raise UserError(f"{path}: a file *{suffix} is needed")
    return _makeable(path)


def _module(path: Path, description: str) -> Path:
    if not (path / description).is_file():
        raise UserError(f"{path}: no user C module, as it holds no {description}")
    return _makeable(path)


def _makeable(path: Path) -> Path:
    """The absolute path, whose characters mean themselves to make, CMake, shells and Python."""
    absolute = path.resolve()
    if odd := re.findall(r"[^\w/.,+@=~-]", str(absolute)):
        raise UserError(f"{absolute}: make takes no path with {odd[0]!r} in it")
    return absolute


def _line(words: Sequence[str]) -> str:
    """A command for a shell, in which MPY_DIR is left to the shell."""
    return " ".join(
        f'"{word}"' if word.startswith("$MPY_DIR") else shlex.quote(word) for word in words
    )


# --- unix and the emulated boards ---


def _own(board: Board, parts: Parts) -> list[str]:
    target = ["unix"] if board.port == "unix" else ["firmware", f"BOARD={board.name}"]
    command = ["make", *target]
    if parts == Parts():
        return command
    manifest = "manifest_unix.py" if board.port == "unix" else "manifest.py"
    variables = {
        "MICROLITE_OUT": str(CUSTOM / board.name),
        "MICROLITE_OPS": parts.ops,
        "MICROLITE_MANIFEST": _manifest(board, [ROOT / "boards" / manifest], parts),
        "MICROLITE_MODULES": _modules(board, parts),
    }
    return command + [f"{name}={value}" for name, value in variables.items() if value]


def _manifest(board: Board, include: Sequence[str | Path], parts: Parts) -> str:
    """Write a manifest that includes others and freezes the files."""
    lines = ["# What a firmware freezes, written by `microlite build`."]
    lines += [f'include("{path}")' for path in include]
    lines += [f'module("{file.name}", base_path="{file.parent}")' for file in parts.frozen]
    CUSTOM.mkdir(parents=True, exist_ok=True)
    path = CUSTOM / f"{board.name}.manifest.py"
    path.write_text("\n".join([*lines, ""]))
    return str(path)


def _modules(board: Board, parts: Parts) -> str:
    """Make a folder with links to this module and others, for the ports that use make."""
    if not parts.modules:
        return str(ROOT)
    folder = CUSTOM / f"{board.name}.modules"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "src_c").symlink_to(ROOT / "src_c")
    for i, module in enumerate(parts.modules):
        (folder / f"{i}_{module.name}").symlink_to(module)
    return str(folder)


# --- ports of vendors ---


def _vendors(board: Board, parts: Parts) -> list[list[str]]:
    """The commands that build a board's firmware."""
    port = f"$MPY_DIR/ports/{board.port}"
    tflm = os.environ.get("TFLM_DIR", str(TFLM))
    if not Path(tflm).is_dir():
        say(f"there are no sources of TFLM in {tflm} yet: run `make sources` before these")
    manifest = _manifest(board, [_own_manifest(board), ROOT / "manifest.py"], parts)
    # CMake's ports take variables of ours from the environment only.
    ours = [f"TFLM_DIR={tflm}"] + ([f"MICROLITE_OPS={parts.ops}"] if parts.ops else [])
    make = ["make", "-C", port, f"BOARD={board.board}"]
    is_cmake = board.port in CMAKE_PORTS
    last = [
        f"USER_C_MODULES={_cmake_modules(board, parts) if is_cmake else _modules(board, parts)}",
        f"FROZEN_MANIFEST={manifest}",
        f"BUILD={CUSTOM / board.name}",
    ]
    return [
        ["make", "-C", "$MPY_DIR/mpy-cross"],
        [*make, "submodules"],
        ["env", *ours, *make, *last] if is_cmake else [*make, *ours, *last],
    ]


def _own_manifest(board: Board) -> str:
    """The manifest that a board has in MicroPython, as a manifest names it."""
    usual = "$(PORT_DIR)/boards/manifest.py"
    trees = [Path(os.environ.get("MPY_DIR", "")), *ROOT.glob("build/src/micropython-*")]
    for tree in trees:
        folder = tree / "ports" / board.port / "boards" / board.board
        if folder.is_dir():
            texts = [path.read_text() for path in folder.glob("mpconfigboard.*[ek]")]
            found = re.findall(
                r"FROZEN_MANIFEST *(?:\?=|=|\s)\s*(\S+?)\)?$", "\n".join(texts), re.M
            )
            if not found:
                return usual
            path = re.sub(r"^(?:\$\(BOARD_DIR\)|\$\{\w+\})", f"boards/{board.board}", found[-1])
            return f"$(PORT_DIR)/{path}"
    say("no tree of MicroPython: where MPY_DIR is not set, the board's manifest is a guess")
    return usual


def _cmake_modules(board: Board, parts: Parts) -> str:
    """The file for USER_C_MODULES, for the ports that use CMake."""
    own = ROOT / "src_c/micropython.cmake"
    if not parts.modules:
        return str(own)
    CUSTOM.mkdir(parents=True, exist_ok=True)
    path = CUSTOM / f"{board.name}.cmake"
    files = [own, *(module / "micropython.cmake" for module in parts.modules)]
    path.write_text("".join(f"include({file})\n" for file in files))
    return str(path)
