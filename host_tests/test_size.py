# The sizes that `make size` prints: those of the objects, less what the linker dropped or merged.
# What the model check may cost on a Cortex-M4, in all and for a further operator.

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import bench
import sizes
from microlite_tools import size

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "src_c/tflm/ops.def"

# The operators of TFLM's crate, and what checking models of them may take.
MOST_FOR_52_OPS = 14 * 1024
MOST_FOR_A_ROW = 60
MOST_RAM = 256

# Text of engine, check and kernels.
MOST_FOR_HELLO_WORLD = 45 * 1024
MOST_FOR_ALL = 240 * 1024
OPS_52 = """
    ABS ADD ARG_MAX ARG_MIN AVERAGE_POOL_2D CEIL CONCATENATION CONV_2D COS DEPTHWISE_CONV_2D
    DEQUANTIZE EQUAL FLOOR FULLY_CONNECTED GREATER GREATER_EQUAL L2_NORMALIZATION LESS
    LESS_EQUAL LOG LOGICAL_AND LOGICAL_NOT LOGICAL_OR LOGISTIC MAXIMUM MAX_POOL_2D MEAN
    MINIMUM MUL NEG NOT_EQUAL PACK PAD PADV2 PRELU QUANTIZE RELU RELU6 RESHAPE
    RESIZE_NEAREST_NEIGHBOR ROUND RSQRT SIN SOFTMAX SPLIT SQRT SQUARE STRIDED_SLICE SUB SVDF
    TANH UNPACK
"""
ONE_OF_EACH_RULE = "CEIL EQUAL"
ALL_OF_EACH_RULE = """
    CEIL COS EXP FLOOR LOG NEG ROUND SIN SQRT SQUARE
    EQUAL GREATER GREATER_EQUAL LESS LESS_EQUAL NOT_EQUAL
"""


def text(*objects: Path) -> int:
    done = subprocess.run(["size", "--totals", *objects], capture_output=True, text=True)
    (total,) = re.findall(r"^ *(\d+).*TOTALS", done.stdout, re.MULTILINE)
    return int(total)


def built(name: str) -> Path:
    map_file = ROOT / "build" / f"{name}.map"
    if not map_file.exists():
        pytest.skip(f"build/{name}.map is missing")
    return map_file


@pytest.mark.parametrize("name", ["unix/micropython", "MPS2_AN386/firmware"])
def test_sizes(name: str) -> None:
    map_file = built(name)
    folder = map_file.parent
    counted = size.sizes(map_file)
    module = text(*folder.glob("src_c/*.o"))
    assert 0.75 * module < counted["module", "text"] <= module
    linked_as_one = sum(counted[part, "text"] for part in size.PARTS[1:])
    linked = text(folder / "microlite/microlite.o")
    assert 0.75 * linked < linked_as_one <= linked
    assert all(counted[part, "text"] > 0 for part in size.PARTS)


def test_ram() -> None:
    """All that is not TFLM's."""
    counted = size.sizes(built("MPS2_AN386/firmware"))
    own = [
        counted[part, kind] for part in size.PARTS if part != "TFLM" for kind in ("data", "bss")
    ]
    assert sum(own) <= MOST_RAM


Images = dict[str, Path]


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Images:
    """Maps of programs for MPS2_AN386 by the operators that they can run."""
    board = bench.load_board("MPS2_AN386")
    maps: Images = {}
    for ops in (OPS_52, ONE_OF_EACH_RULE, ALL_OF_EACH_RULE):
        folder = tmp_path_factory.mktemp("image")
        with bench.folder(board, bench.fastest(board)) as out:
            bench.engine(board, " ".join(ops.split()), out)
            shutil.copytree(out, folder / "microlite")
        engine = folder / "microlite/microlite.o"
        maps[ops] = folder / "firmware.map"
        parts = ROOT / "bench/measure.c", engine, f"-Wl,-Map={maps[ops]}"
        bench.link(board, folder / "firmware.elf", *parts)
    return maps


def test_model_check(images: Images) -> None:
    assert 0 < size.sizes(images[OPS_52])["model check", "text"] <= MOST_FOR_52_OPS


def test_further_rows(images: Images) -> None:
    few, many = (size.sizes(images[ops]) for ops in (ONE_OF_EACH_RULE, ALL_OF_EACH_RULE))
    n_rows = len(ALL_OF_EACH_RULE.split()) - len(ONE_OF_EACH_RULE.split())
    cost = sum(many[part, "text"] - few[part, "text"] for part in ("engine", "model check"))
    assert 0 < cost <= MOST_FOR_A_ROW * n_rows


@pytest.mark.parametrize("ops", [OPS_52, ONE_OF_EACH_RULE])
def test_linked_rules(images: Images, ops: str) -> None:
    """Those of the selected operators and no others."""
    rows = re.findall(r"^OP\((\w+),[^\"]*\"[^\"]*\", (\w+)\)", TABLE.read_text(), re.M)
    _, placed = images[ops].read_text().split("Linker script and memory map")
    linked = set(re.findall(r"^ \.text\._Z\d+check_(\w+)PK9op_view_t", placed, re.M))
    assert linked == {rule for op, rule in rows if op in ops.split()}


def test_text(crate_models: Path) -> None:
    texts = {name: text for name, _, text in sizes.texts()}
    assert sorted(texts.values()) == list(texts.values())
    assert 0 < texts["hello_world"] <= MOST_FOR_HELLO_WORLD
    assert texts["all"] <= MOST_FOR_ALL


def test_types_left_out(crate_models: Path) -> None:
    model = crate_models / "person_detect.tflite"
    texts = {name: text for name, _, text in sizes.texts()}
    assert 0 < sizes.text_without(model, "auto") < texts["person_detect"] - 2048
