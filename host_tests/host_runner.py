# Runs scripts for boards under CPython, with the few names of MicroPython's own modules that they
# use: python host_runner.py FILE, which prints what the script prints, or
# python host_runner.py --test FILE, which prints a line of JSON for each test of a unittest file.

from __future__ import annotations

import asyncio
import contextlib
import gc
import io
import json
import resource
import runpy
import sys
import time
import types
import unittest
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MEMORY = 1 << 30  # tests that use all memory up are to end soon


def _ignore(*_: object) -> None:
    pass


def _sleep(per_second: int) -> Callable[[float], None]:
    return lambda duration: time.sleep(duration / per_second)


def _wait_for_ms(awaitable: Awaitable[Any], ms: float) -> Awaitable[Any]:
    return asyncio.wait_for(awaitable, ms / 1000)


def provide_names() -> None:
    names: dict[Any, dict[str, object]] = {
        time: {
            "ticks_us": lambda: time.perf_counter_ns() // 1000,
            "ticks_diff": lambda end, start: end - start,
            "sleep_ms": _sleep(1000),
            "sleep_us": _sleep(1000000),
        },
        gc: {"threshold": _ignore, "mem_free": lambda: MEMORY},
        asyncio: {"sleep_ms": lambda ms: asyncio.sleep(ms / 1000), "wait_for_ms": _wait_for_ms},
    }
    for module, attributes in names.items():
        for name, value in attributes.items():
            setattr(module, name, value)
    micropython = types.ModuleType("micropython")
    vars(micropython).update(heap_lock=_ignore, heap_unlock=_ignore)
    sys.modules["micropython"] = micropython


class _Result(unittest.TestResult):
    def __init__(self) -> None:
        super().__init__()
        self.faults: dict[str, str] = {}

    def addFailure(self, test: Any, err: Any) -> None:
        self._add(test, err)

    def addError(self, test: Any, err: Any) -> None:
        self._add(test, err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        if err is not None:
            self._add(test, err)

    def _add(self, test: unittest.TestCase, err: Any) -> None:
        self.faults.setdefault(test.id(), f"{err[0].__name__}: {err[1]}")


def run_tests(file: Path) -> None:
    cases = runpy.run_path(str(file))
    loader = unittest.TestLoader()
    gc.freeze()  # collections are many and need not look at modules
    for name, case in cases.items():
        if not (isinstance(case, type) and issubclass(case, unittest.TestCase)):
            continue
        for method in loader.getTestCaseNames(case):
            result = _Result()
            with contextlib.redirect_stdout(io.StringIO()):
                case(method).run(result)
            fault = next(iter(result.faults.values()), None)
            print(json.dumps({"test": f"{name}.{method}", "fault": fault}), flush=True)
    print(json.dumps({"done": True}))


def main() -> None:
    *options, file = sys.argv[1:]
    sys.path[:0] = [str(ROOT), str(ROOT / "tools"), str(Path(file).parent)]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    provide_names()
    if options == ["--test"]:
        run_tests(Path(file))
    else:
        runpy.run_path(file, run_name="__main__")


if __name__ == "__main__":
    main()
