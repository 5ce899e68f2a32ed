# The command `microlite`: finds the module of a command, and shows what users did wrong in a
# sentence.

"""TensorFlow Lite models on MicroPython boards: look at them, deploy, run and check them."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper
from typing import Protocol

from .console import say
from .errors import UserError

# Each is a module of commands/, imported only when it is called.
COMMANDS = {
    "inspect": "tell what a model is, and whether and how it will run",
    "predict": "run a model on an input",
    "golden": "make golden outputs of a model, to verify a board with",
    "verify": "check that a board computes what a PC computes",
    "profile": "time each operator of a model",
    "tune": "find the fastest way to run a model on a board",
    "ops": "tell which operators models need of a firmware, and what they cost",
    "deploy": "copy scripts, packages and models to a board",
    "boards": "tell what is known of boards: core, clock, memory",
    "build": "build firmware for a board, or tell how",
    "romfs": "make and list ROMFS images, whose models are used in place",
}

NO_TEXT = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")  # others stand for bytes of file names

FAILED = 1  # exit status when the answer is no, 2 when there is none


class Command(Protocol):
    """What a module of commands/ has."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it, and return the exit status: 0, or FAILED when the answer is no."""


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="microlite", description=__doc__)
    parser.add_argument("--version", action="version", version=version("microlite-tools"))
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    chosen = next((each for each in arguments if not each.startswith("-")), None)
    for name, text in COMMANDS.items():
        command = commands.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + "."
        )
        if name == chosen:
            module: Command = import_module(f"{__package__}.commands.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser.parse_args(arguments)


def _check(arguments: Sequence[str]) -> None:
    """Refuse what no argument can be; an empty one most often comes from a variable."""
    for before, word in zip(("microlite", *arguments), arguments, strict=False):
        if not word:
            raise UserError(f"nothing stands after {before}: an empty variable of the shell?")
        if NO_TEXT.search(word):
            raise UserError(f"{word} after {before}: not a text that an argument can be")


def _explain(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


def _prepare_output() -> None:
    """Names that the terminal cannot show are escaped, warnings of libraries left out."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the shell
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if not sys.warnoptions:
        warnings.simplefilter("ignore")


def main(arguments: Sequence[str] | None = None) -> int:
    _prepare_output()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        given = sys.argv[1:] if arguments is None else arguments
        _check(given)
        args = _parse(given)
        status: int = args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:  # by `head`, for one
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except UserError as er:
        say(f"microlite: {er}")
        return 2
    except OSError as er:
        say(f"microlite: {_explain(er)}")
        return 2
    except MemoryError:
        say("microlite: too large for the memory of this PC")
        return 2
    except RecursionError:
        say("microlite: folders or data are nested too deep")
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return status
