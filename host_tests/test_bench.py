# The benchmark's figures: multiply-accumulates as documented, and one model measured on one board.

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import goldens
import rows
import workload

ROOT = Path(__file__).resolve().parent.parent
KEYS = ["board", "core", "compiler", "model", "macs", "kernels", "instructions", "arena", "text"]


def test_macs() -> None:
    paths = [*goldens.HAND_OUT.glob("*/io.json")]
    if not paths:
        pytest.skip("../shared/models is not there: it says how many there are")
    for path in paths:
        io = json.loads(path.read_text())
        assert workload.macs((path.parent / io["file"]).read_bytes()) == io["macs"]


def test_row(tmp_path: Path) -> None:
    output = tmp_path / "bench.json"
    words = "--board MPS2_AN386 --kernels dsp --model micro_speech_quantized --ops --output"
    command = [sys.executable, str(ROOT / "bench/bench.py"), *words.split(), str(output)]
    done = subprocess.run(command, check=True, timeout=300, stdout=subprocess.PIPE, text=True)
    (row,) = json.loads(output.read_text())["rows"]
    assert [*row] == KEYS
    assert (row["core"], row["kernels"], row["macs"]) == ("cortex-m4", "dsp", 336000)
    assert row["instructions"] % rows.INSTRUCTIONS_PER_TICK == 0
    assert 1 < row["instructions"] / row["macs"] < 40
    assert 20000 < row["text"] < 60000
    assert 4000 < row["arena"] <= 7000
    ops = re.findall(r"^ +\d+ +\w+ +[\d,]+ +([\d,]+)", done.stdout, re.M)
    total = sum(int(instructions.replace(",", "")) for instructions in ops)
    assert len(ops) == 4
    assert 0.98 * row["instructions"] < total <= 1.01 * row["instructions"]
