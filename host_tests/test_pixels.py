# Frames are scaled exactly as frames.py does it, within their memory, on a PC under sanitizers
# and, through write_image(), on unix and the emulated boards.

import struct
import subprocess
from pathlib import Path
from random import Random

import pytest

from frames import FORMATS, Frame, Scaling, random_frame, random_scaling

ROOT = Path(__file__).resolve().parent.parent
CASES = 800
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def head(frame: Frame, scaling: Scaling) -> bytes:
    return struct.pack(
        "<12i",
        list(FORMATS).index(frame.format),
        frame.stride,
        *scaling.crop,
        scaling.out_width,
        scaling.out_height,
        scaling.channels,
        scaling.resample == "bilinear",
        len(frame.data),
        scaling.fit == "crop",
    )


@pytest.mark.parametrize("width", ["-m64", "-m32"])
def test_random_frames(width: str, tmp_path: Path) -> None:
    program = tmp_path / "pixels"
    sources = [ROOT / "host_tests/pixels/main.c", ROOT / "src_c/pixels.c"]
    flags = ["-std=gnu99", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/src_c", *SANITIZE]
    subprocess.run(["gcc", width, *flags, "-o", program, *sources], check=True)
    random = Random(width)
    frames = [random_frame(random) for _ in range(CASES)]
    cases = [(frame, random_scaling(random, frame)) for frame in frames]
    told = subprocess.run(
        [program],
        input=b"".join(head(*case) + case[0].data for case in cases),
        capture_output=True,
        check=True,
    ).stdout
    start = 0
    for frame, scaling in cases:
        wanted = scaling.apply(frame)
        got = told[start : start + len(wanted)]
        assert got == wanted, (frame.width, frame.height, frame.format, frame.stride, scaling)
        start += len(wanted)
    assert start == len(told)
