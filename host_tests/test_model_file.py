# The reader of model files: whatever is in one, it is read as MicroPython does, or refused.

import json
import os
from pathlib import Path

import bad_models
import mutations
import targets
from microlite_tools import inspection, macs, model_file, operators, unix
from microlite_tools.model_file import ModelError

SECONDS = 1.0
MUTANTS = 400


def seconds() -> float:
    """Of work, in this process and those that have ended."""
    return sum(os.times()[:4])


def test_reader_survives() -> None:
    """Whatever is in a file: it is read, or ModelError."""
    read = 0
    for data in [*bad_models.flipped(MUTANTS, 7), *mutations.of_each_op(MUTANTS, 7)]:
        start = seconds()
        try:
            model = model_file.parse(data)
        except ModelError:
            continue
        finally:
            assert seconds() - start < SECONDS
        read += 1
        path = Path("x.tflite")
        firmware = inspection.Firmware("", operators.names())
        json.dumps(
            inspection.as_json(inspection.Inspection(path, 1, model, firmware, [], [])),
            allow_nan=False,
        )
    assert read > MUTANTS // 4


def test_agrees_with_micropython(tmp_path: Path) -> None:
    """What MicroPython accepts, the reader reads and finds nothing wrong with."""
    paths = []
    for i, data in enumerate(
        [*bad_models.flipped(MUTANTS // 2, 3), *mutations.of_each_op(MUTANTS, 3)]
    ):
        paths.append(tmp_path / f"{i}.tflite")
        paths[-1].write_bytes(data)
    told = unix.Unix(targets.binary("unix")).run(
        "import microlite\n"
        f"for i in range({len(paths)}):\n"
        f"    print(bool(microlite.check({str(tmp_path)!r} + '/%d.tflite' % i)))"
    )
    good = [path for path, line in zip(paths, told.split(), strict=True) if line == "True"]
    assert len(good) > 50
    for path in good:
        assert inspection.inspect(path, None).runs, path


def test_macs() -> None:
    def tensor(*shape: int) -> model_file.Tensor:
        return model_file.Tensor(0, "", "int8", shape, False, (), (), 0, 1, 1)

    def count(name: str, output: tuple[int, ...], *inputs: tuple[int, ...]) -> int:
        ends = tuple(tensor(*shape) for shape in inputs), (tensor(*output),)
        return macs.of_op(model_file.Op(name, 1, *ends))

    assert count("CONV_2D", (1, 5, 4, 8), (1, 5, 4, 2), (8, 3, 3, 2), (8,)) == 160 * 18
    assert count("DEPTHWISE_CONV_2D", (1, 5, 4, 8), (1, 5, 4, 8), (1, 3, 2, 8)) == 160 * 6
    assert count("FULLY_CONNECTED", (2, 7), (2, 3), (7, 3)) == 42
    assert count("TRANSPOSE_CONV", (1, 4, 4, 3), (4,), (3, 2, 2, 5), (1, 2, 2, 5)) == 20 * 12
    assert count("BATCH_MATMUL", (3, 2, 4), (3, 2, 5), (3, 5, 4)) == 3 * 2 * 4 * 5
    assert count("BATCH_MATMUL", (3, 2, 4), (3, 5, 2), (3, 5, 4)) == 3 * 2 * 4 * 5
    assert count("SVDF", (2, 4), (2, 5), (8, 5), (8, 3), (4,), (2, 24)) == 2 * (40 + 24)
    assert count("UNIDIRECTIONAL_SEQUENCE_LSTM", (1, 6, 4), (1, 6, 3), (4, 3), (4, 4)) == 6 * 28
    assert count("CONV_2D", (1, 2)) == count("SOFTMAX", (1, 2), (1, 2)) == 0
    assert count("CONV_2D", (1, 5, 4, 8), (1, 5, 4, 2), (8, -3, 3, 2)) == 0
