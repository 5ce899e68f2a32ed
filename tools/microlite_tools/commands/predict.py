# microlite predict: inputs are made here, in the tensors' own representation, which the board
# reads straight into its tensors; outputs come back the same way, a few values at a time.

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from .. import target
from ..checks import check_file, check_output, count, save
from ..console import out, print_json
from ..errors import UserError
from ..inputs import HELP, Read, read_all
from ..session import Session
from ..tables import bar, table
from ..tensors import Array, Tensor

SHOWN = 10  # values of an output
BEST = 5  # classes
NEGATIVE = re.compile(r"-(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$|-inf$|-nan$", re.IGNORECASE)
FAR = 0.01  # from 1, what probabilities may add up to besides the rounding of each

# On a board both scripts find the same model.
LOAD = """\
import microlite
if "model" not in globals():
    model = microlite.Model(MODEL)
"""

DESCRIBE = (
    LOAD
    + """\
import json
from binascii import hexlify
from struct import pack
for tensors in (model.inputs, model.outputs):
    rows = []
    for t in tensors:
        scales, zeros = t.scales, t.zero_points
        if not scales and t.scale is not None:
            scales, zeros = (t.scale,), (t.zero_point,)
        scales = [hexlify(pack("<f", s)).decode() for s in scales]
        rows.append((t.name, t.dtype, t.shape, scales, zeros, t.quantized_dimension))
    print(json.dumps(rows))
print(json.dumps(model.labels))
"""
)

RUN = (
    LOAD
    + """\
from binascii import hexlify
for t, path in zip(model.inputs, INPUTS):
    with open(path, "rb") as f:
        n = f.readinto(t.data)
    if n != t.nbytes:
        raise OSError(5, path)
model.invoke()
print(model.last_us)
for t in model.outputs:
    data = t.data
    for i in range(0, len(data), 64):
        print('"%s"' % hexlify(data[i : i + 64]).decode())
"""
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = HELP
    parser._negative_number_matcher = NEGATIVE  # argparse's own knows no exponents
    parser.add_argument("model", metavar="MODEL", help="a file, or :FILE of the board")
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help="see below")
    parser.add_argument(
        "--range",
        type=float,
        nargs=2,
        metavar=("LOW", "HIGH"),
        help="real values of black and white in images",
    )
    parser.add_argument(
        "--fit",
        choices=("crop", "stretch"),
        default="crop",
        help="images of other proportions: their middle, or all of them distorted "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--labels",
        metavar="FILE",
        help="names of the classes, one a line (default: MODEL's name with .txt, if there is one, "
        "or those in the model)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="real values as .npy; several outputs as .npz, arr_0, arr_1 and so on",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    target.add_arguments(parser)


@dataclass
class Result:
    """A run of the model: what went in and came out, in real values."""

    where: str
    us: int
    inputs: list[Tensor]
    reads: list[Read]
    outputs: list[Tensor]
    values: list[Array]
    labels: list[str] | None


def run(args: argparse.Namespace) -> int:
    if args.output:
        sources = [each for each in (args.model, *args.inputs) if each[:1] not in (":", "[")]
        check_output(args.output, [*sources, *([args.labels] if args.labels else [])])
    result = _predict(args)
    if args.output:
        _save(args.output, result.values)
    if args.json:
        print_json(_report(args.model, result))
    else:
        _print(result)
    return 0


def _predict(args: argparse.Namespace) -> Result:
    labels = _labels(args.labels) if args.labels else None
    with Session(args, args.model) as session, TemporaryDirectory(prefix="microlite-") as folder:
        (model,) = session.paths
        *ends, own_labels = session.run(DESCRIBE, MODEL=model)
        inputs, outputs = (
            [Tensor.told(kind, i, words) for i, words in enumerate(tensors)]
            for kind, tensors in zip(("input", "output"), ends, strict=True)
        )
        reads = read_all(inputs, args.inputs, args.range, args.fit)
        _check_output(args.output, outputs)
        if labels:
            _check_labels(args.labels, labels, outputs)
        else:
            labels = _fitting(_beside(args.model) or own_labels, outputs)
        files = [Path(folder, f"{i}.raw") for i in range(len(reads))]
        for file, each in zip(files, reads, strict=True):
            file.write_bytes(each.data)
        us, *parts = session.run(RUN, MODEL=model, INPUTS=session.share(*map(str, files)))
        values = _split(outputs, bytes.fromhex("".join(parts)))
        return Result(session.where, us, inputs, reads, outputs, values, labels)


def _beside(model: str) -> list[str] | None:
    """The labels in a text file beside a model of this PC."""
    path = Path(model).with_suffix(".txt")
    return _labels(str(path)) if model[:1] != ":" and path.is_file() else None


def _fitting(labels: list[str], outputs: list[Tensor]) -> list[str] | None:
    """The labels that were found, if there are as many as an output has values."""
    return labels if len(labels) in [tensor.size for tensor in outputs] else None


def _labels(file: str) -> list[str]:
    check_file(file)
    try:
        return [line.strip() for line in Path(file).read_text().splitlines() if line.strip()]
    except UnicodeDecodeError as er:
        raise UserError(f"{file}: no text of labels, one a line") from er


def _check_labels(file: str, labels: list[str], outputs: list[Tensor]) -> None:
    if len(labels) not in [tensor.size for tensor in outputs]:
        sizes = ", ".join(str(tensor.size) for tensor in outputs)
        raise UserError(
            f"{file}: {count(len(labels), 'label')}, but the outputs have {sizes} values"
        )


def _check_output(file: str | None, outputs: list[Tensor]) -> None:
    suffix = ".npy" if len(outputs) == 1 else ".npz"
    if file and Path(file).suffix != suffix:
        raise UserError(f"{file}: must end in {suffix}, for {count(len(outputs), 'output')}")


def _save(file: str, values: list[Array]) -> None:
    written = BytesIO()
    if len(values) == 1:
        np.save(written, values[0])
    else:
        np.savez(written, *values)
    save(file, written.getvalue())


def _split(outputs: list[Tensor], data: bytes) -> list[Array]:
    values = []
    for tensor in outputs:
        values.append(tensor.dequantize(data[: tensor.nbytes]))
        data = data[tensor.nbytes :]
    return values


def _is_classification(tensor: Tensor, values: Array) -> bool:
    if max(tensor.shape, default=1) != tensor.size or tensor.size < 2 or values.dtype.kind != "f":
        return False
    step = 0.0 if tensor.scales is None else float(tensor.scales.max())
    near = FAR + tensor.size * step / 2
    return bool(values.min() >= 0 and values.max() <= 1 and abs(values.sum() - 1) <= near)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, np.floating) else str(value)


def _print(result: Result) -> None:
    for tensor, each in zip(result.inputs, result.reads, strict=True):
        out.print(f"{tensor.place}   {each.how}", markup=False)
    for tensor, array in zip(result.outputs, result.values, strict=True):
        _print_output(tensor, array, result.labels)
    spent = f"{result.us / 1000:g} ms" if result.us else "less than 1 us"
    out.print(f"{spent} on {result.where}", markup=False)


def _print_output(tensor: Tensor, values: Array, labels: list[str] | None) -> None:
    out.print(f"{tensor.place}  {tensor.name}: {tensor.type}", markup=False)
    flat = values.ravel()
    named = labels if labels and len(labels) == tensor.size else None
    is_classification = _is_classification(tensor, values)
    order = [*range(min(SHOWN, len(flat)))]
    if (is_classification or named) and not np.isnan(flat.astype(float)).any():
        order = np.argsort(-flat.astype(float), kind="stable")[:BEST].tolist()
    columns = ["index", *(["label"] if named else []), "value"]
    columns += [""] if is_classification else []
    rows = table(*columns, left=("label", ""))
    for i in order:
        cells = [str(i), *([named[i]] if named else []), _short(flat[i])]
        rows.add_row(*cells, *([bar(float(flat[i]))] if is_classification else []))
    out.print(rows, markup=False)
    if len(flat) > len(order):
        out.print(f"{len(flat) - len(order)} more; all with --json or -o", markup=False)


def _plain(values: Array) -> list[Any]:
    """Numbers as JSON has them, the shortest that mean the same; None for NaN and infinity."""
    if values.dtype.kind != "f":
        return list(values.ravel().tolist())
    return [float(str(value)) if np.isfinite(value) else None for value in values.ravel()]


def _report(model: str, result: Result) -> dict[str, Any]:
    def told(tensor: Tensor) -> dict[str, Any]:
        return {"name": tensor.name, "dtype": tensor.dtype, "shape": list(tensor.shape)}

    outputs = []
    for tensor, array in zip(result.outputs, result.values, strict=True):
        row = {**told(tensor), "values": _plain(array)}
        if _is_classification(tensor, array):
            row["argmax"] = int(array.argmax())
            if result.labels and len(result.labels) == tensor.size:
                row["label"] = result.labels[row["argmax"]]
        outputs.append(row)
    reads = zip(result.inputs, result.reads, strict=True)
    return {
        "model": model,
        "target": result.where,
        "us": result.us,
        "inputs": [{**told(tensor), "read": each.how} for tensor, each in reads],
        "outputs": outputs,
    }
