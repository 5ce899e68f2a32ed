# The build fragments in real ports: compilers and flags of our objects, by dry runs of ports whose
# SDKs are not at hand, by the QEMU boards' objects, and by CMake against a stand-in for a port.

import ctypes
import json
import math
import os
import re
import struct
import subprocess
import sys
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import targets
from targets import BOARDS, ROOT

PORT = ROOT / "host_tests/cmake_port"
SOURCES = ROOT / "build/src"
MICROPYTHON = Path(os.environ.get("MPY_DIR", SOURCES / "micropython-1.25.0"))
TFLM = Path(os.environ.get("TFLM_DIR", SOURCES / "tfmicro/submodules/tensorflow"))

pytestmark = [
    pytest.mark.skipif(not MICROPYTHON.exists(), reason="MicroPython's source is missing"),
    pytest.mark.skipif(not TFLM.exists(), reason="TFLM's sources are missing"),
]

M0 = {"-mthumb", "-mcpu=cortex-m0plus", "-msoft-float"}
M4F = {"-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"}
M7 = {"-mthumb", "-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"}
M33 = {"-mthumb", "-mcpu=cortex-m33", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"}


def run(*command: object, **environment: str) -> str:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env={**clean, **environment})
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def dry_run(port: str, board: str, folder: Path, *options: str) -> dict[str, list[str]]:
    """The commands that compile our and TFLM's sources in a build of a port, by file name."""
    output = run(
        *["make", "-n", "-C", MICROPYTHON / "ports" / port, f"BOARD={board}", *options],
        *[f"BUILD={folder}", f"USER_C_MODULES={ROOT}", f"TFLM_DIR={TFLM}"],
        *[f"FROZEN_MANIFEST={ROOT}/manifest.py"],
        *["MICROPY_MPYCROSS=/bin/true", "MICROPY_MPYCROSS_DEPENDENCY=/bin/true"],
        *["--assume-new", ROOT / "src_c/model.c", folder / "src_c/model.o"],
        *[folder / "microlite/microlite.o"],
        *([folder / "src_c/libm_shim.o"] if port != "unix" else []),
    )
    lines = output.replace("\\\n", " ").split("\n")
    commands = (line.partition("||")[0].split() for line in lines)
    return {
        Path(words[-1]).name: words
        for words in commands
        if "-c" in words and words[-1].endswith((".c", ".cc"))
    }


@pytest.mark.parametrize(
    ("port", "board", "flags"),
    [
        ("samd", "ADAFRUIT_TRINKET_M0", M0),
        ("samd", "ADAFRUIT_ITSYBITSY_M4_EXPRESS", M4F),
        ("mimxrt", "TEENSY41", M7),
        ("renesas-ra", "EK_RA6M2", M4F),
        ("renesas-ra", "VK_RA6M5", M33),
    ],
)
def test_make_ports(port: str, board: str, flags: set[str], tmp_path: Path) -> None:
    commands = dry_run(port, board, tmp_path)
    for name in ("model.c", "libm_shim.c", "plan.c", "engine.cc", "conv.cc", "common.c"):
        words = commands[name]
        assert words[0] in ("arm-none-eabi-gcc", "arm-none-eabi-g++")
        assert flags <= set(words), name
        assert "-ffp-contract=off" in words
        assert "-flto" not in words or name in ("model.c", "libm_shim.c")
        single, exact = "-fsingle-precision-constant", "-fno-single-precision-constant"
        assert single not in words or single not in words[words.index(exact) :]
    assert "-fno-builtin" in commands["libm_shim.c"]


def attributes(path: Path) -> set[str]:
    """What an object says about the processor and the calling convention it is for."""
    tags = run("arm-none-eabi-readelf", "-A", path).splitlines()
    about = r"Tag_(CPU|FP_arch|THUMB|ABI_(PCS|VFP|HardFP|enum|align))"
    return {tag.strip() for tag in tags if re.match(about, tag.strip())}


@pytest.mark.parametrize("board", BOARDS)
def test_board_objects(board: str) -> None:
    folder = targets.binary(board).parent
    expected = attributes(folder / "py/obj.o")
    assert any("Tag_CPU_name" in tag for tag in expected)
    assert attributes(folder / "microlite/microlite.o") == expected
    assert attributes(folder / "src_c/model.o") == expected


# --- CMake ports ---


def port_flags(port: str, board: str, folder: Path, *options: str) -> str:
    """The definitions and include folders with which a port's make compiles the C module."""
    words = dry_run(port, board, folder, *options)["model.c"]
    here = MICROPYTHON / "ports" / port
    flags = [word for word in words if word.startswith("-D") or word == "-Wno-unused-parameter"]
    flags += [f"-I{(here / word[2:]).resolve()}" for word in words if word.startswith("-I")]
    return " ".join(flags)


def configure_and_build(folder: Path, flags: str, *options: str) -> list[dict[str, str]]:
    """Builds the stand-in port in a folder, what changed only; how its files are compiled."""
    cmake, cache = Path(sys.prefix) / "bin/cmake", folder / "CMakeCache.txt"
    if cache.exists() and f"={PORT}\n" not in cache.read_text():
        rmtree(folder)  # of a checkout that was moved
    run(
        *[cmake, "-S", PORT, "-B", folder],
        *[f"-DMICROPY_DIR={MICROPYTHON}", f"-DPORT_FLAGS={flags}", *options],
        f"-DUSER_C_MODULES={ROOT}/src_c/micropython.cmake",
        TFLM_DIR=str(TFLM),
        MICROLITE_OPS="all",
    )
    run(cmake, "--build", folder, "--parallel", "2")
    commands: list[dict[str, str]] = json.loads((folder / "compile_commands.json").read_text())
    return commands


def symbols(path: Path, *options: str) -> set[str]:
    return {
        line.split()[0] for line in run("nm", "-P", *options, path).splitlines() if " " in line
    }


def check_cmake_build(folder: Path, commands: list[dict[str, str]]) -> None:
    by_name = {Path(entry["file"]).name: entry["command"].split() for entry in commands}

    # Names are looked for in the module alone, and its files are all there.
    scanned = {Path(path).name for path in (folder / "scanned").read_text().split(";")}
    assert scanned == {path.name for path in ROOT.glob("src_c/*.c")} - {"plan.c"}
    assert (folder / "manifest_dir").read_text() == str(ROOT)

    # The engine's options stay with the engine.
    assert not {"-Os", "-w", "-fno-exceptions", "-fdata-sections"} & set(by_name["obj.c"])
    assert not any("tensorflow" in word for word in by_name["obj.c"] + by_name["model.c"])
    for name in scanned | {"engine.cc", "plan.c", "conv.cc"}:
        assert "-ffp-contract=off" in by_name[name], name
    assert by_name["conv.cc"].index("-O2") > by_name["conv.cc"].index("-Os")

    # The module finds all of the engine.
    outputs = {Path(entry["file"]).name: folder / entry["output"] for entry in commands}
    wanted = set().union(*(symbols(outputs[name], "-u") for name in scanned))
    wanted = {name for name in wanted if name.startswith("engine_")}
    assert "engine_load" in wanted
    assert wanted <= symbols(folder / "libmicrolite_engine.a", "--defined-only")


def test_cmake_host(micropython: Path, build: Path, tmp_path: Path) -> None:
    folder = build / "cmake/host"
    options = ["VARIANT=standard", *[f"MICROPY_PY_{name}=0" for name in ("BTREE", "SSL", "FFI")]]
    flags = port_flags("unix", "", micropython.parent, *options)
    commands = configure_and_build(folder, flags)
    check_cmake_build(folder, commands)

    # The same sources as in the make ports.
    make = dry_run("unix", "", tmp_path / "make", *options)
    compiled = {Path(entry["file"]).name for entry in commands}
    module = {path.name for path in ROOT.glob("src_c/*.c")} - {"plan.c"}
    assert compiled - module - {"obj.c"} == set(make) - module


def test_cmake_arm(build: Path) -> None:
    board, folder = targets.binary("MPS2_AN386").parent, build / "cmake/arm"
    machine = " ".join(sorted(M4F))
    commands = configure_and_build(
        folder,
        port_flags("qemu", board.name, board, f"BOARD_DIR={ROOT}/boards/{board.name}"),
        *["-DCMAKE_SYSTEM_NAME=Generic", "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY"],
        *["-DCMAKE_C_COMPILER=arm-none-eabi-gcc", "-DCMAKE_CXX_COMPILER=arm-none-eabi-g++"],
        *[f"-DCMAKE_C_FLAGS={machine}", f"-DCMAKE_CXX_FLAGS={machine}"],
    )
    check_cmake_build(folder, commands)
    for name in ("engine.cc", "conv.cc", "plan.c", "model.c"):
        (path,) = folder.rglob(f"{name}.obj")
        assert attributes(path) == attributes(board / "py/obj.o")


# --- the maths shim ---


def shim(float_type: str, folder: Path) -> Path:
    """The shim of float or double ports as a library of the host."""
    (folder / "py").mkdir()
    (folder / "py/mpconfig.h").write_text("")
    run(
        *["gcc", "-shared", "-fPIC", "-O2", "-fno-builtin", "-ffp-contract=off", f"-I{folder}"],
        *["-Wall", "-Wextra", "-Wdouble-promotion", "-Wfloat-conversion", "-Werror"],
        *["-DMICROPY_FLOAT_IMPL_FLOAT=1", "-DMICROPY_FLOAT_IMPL_DOUBLE=2"],
        f"-DMICROPY_FLOAT_IMPL=MICROPY_FLOAT_IMPL_{float_type}",
        *["-Wl,-Bsymbolic", "-o", folder / "shim.so", ROOT / "src_c/libm_shim.c", "-lm"],
    )
    return folder / "shim.so"


@pytest.mark.parametrize("float_type", ["FLOAT", "DOUBLE"])
def test_shim_is_complete(float_type: str, tmp_path: Path) -> None:
    board = targets.binary("MPS2_AN386").parent
    wanted = symbols(board / "microlite/microlite.o", "-u")
    maths = {name for name in wanted if not name.startswith(("__", "mem", "str"))}
    assert {"round", "expf"} <= maths
    if float_type == "FLOAT":
        port = set().union(*(symbols(path) for path in board.glob("lib/libm/*.o")))
    else:
        port = {path.stem for path in MICROPYTHON.glob("lib/libm_dbl/*.c")}
    assert maths <= port | symbols(shim(float_type, tmp_path), "-D", "--defined-only")


def same(a: float, b: float) -> bool:
    return struct.pack("d", a) == struct.pack("d", b) or (math.isnan(a) and math.isnan(b))


def test_shim_on_float_ports(tmp_path: Path) -> None:
    ours, libm = ctypes.CDLL(str(shim("FLOAT", tmp_path))), ctypes.CDLL("libm.so.6")
    for library in (ours, libm):
        for function in (library.floor, library.round, library.frexp):
            function.restype = ctypes.c_double
            function.argtypes = [ctypes.c_double]
        library.frexp.argtypes = [ctypes.c_double, ctypes.POINTER(ctypes.c_int)]
        for function in (library.fmaxf, library.fminf):
            function.restype = ctypes.c_float
            function.argtypes = [ctypes.c_float, ctypes.c_float]
    power, expected = ctypes.c_int(), ctypes.c_int()

    @given(st.floats() | st.integers(-(2**53), 2**53).map(lambda n: n / 2))
    def check(x: float) -> None:
        assert same(ours.floor(x), libm.floor(x))
        assert ours.round(x) == libm.round(x) or math.isnan(x)
        assert same(ours.frexp(x, power), libm.frexp(x, expected))
        assert power.value == expected.value or not math.isfinite(x)

    @given(st.floats(width=32), st.floats(width=32))
    def check_two(x: float, y: float) -> None:
        both_nan = math.isnan(x) and math.isnan(y)
        assert ours.fmaxf(x, y) == libm.fmaxf(x, y) or both_nan
        assert ours.fminf(x, y) == libm.fminf(x, y) or both_nan

    check()
    check_two()


def test_shim_on_double_ports(tmp_path: Path) -> None:
    ours, libm = ctypes.CDLL(str(shim("DOUBLE", tmp_path))), ctypes.CDLL("libm.so.6")
    pairs = []
    for name in ("ceil", "cos", "exp", "floor", "log", "round", "sin", "sqrt", "tanh"):
        single, double = getattr(ours, name + "f"), getattr(libm, name)
        single.restype, single.argtypes = ctypes.c_float, [ctypes.c_float]
        double.restype, double.argtypes = ctypes.c_double, [ctypes.c_double]
        pairs.append((single, double))

    @given(st.sampled_from(pairs), st.floats(width=32))
    def check(pair: tuple[Any, Any], x: float) -> None:
        single, double = pair
        assert same(single(x), ctypes.c_float(double(x)).value)

    check()
