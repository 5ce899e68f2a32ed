# microlite golden: the file that verify() and `microlite verify` compare with.

from __future__ import annotations

import argparse
from pathlib import Path

from ..checks import check_file, check_output, save
from ..console import out
from ..errors import UserError
from ..golden import inputs_from, make_apart, random_inputs

CASES = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Needs TensorFlow Lite Micro: pip install tflite-micro."
    parser.add_argument("model", metavar="MODEL", type=Path)
    parser.add_argument(
        "inputs",
        metavar="INPUT",
        type=Path,
        nargs="*",
        help=".npy in the input's own type, one for each input, with one case or one per row; "
        "without: random inputs",
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument("--cases", type=int, metavar="N", help=f"random cases (default: {CASES})")
    parser.add_argument("--seed", type=int, metavar="N", help="of random cases (default: 1)")
    parser.add_argument(
        "--sequence", action="store_true", help="the cases are steps: variables are not reset"
    )


def run(args: argparse.Namespace) -> int:
    cases = CASES if args.cases is None else args.cases
    seed = 1 if args.seed is None else args.seed
    if cases < 1:
        raise UserError(f"--cases {cases}: must be at least 1")
    if seed < 0:
        raise UserError(f"--seed {seed}: must not be negative")
    if args.inputs and (args.cases, args.seed) != (None, None):
        raise UserError("--cases and --seed are for random inputs, not with files of inputs")
    for file in (args.model, *args.inputs):
        check_file(file)
    check_output(args.output, (args.model, *args.inputs))
    choose = inputs_from(args.inputs) if args.inputs else random_inputs(cases, seed)
    made = make_apart(args.model.read_bytes(), choose, args.sequence, str(args.model))
    save(args.output, made)
    out.print(f"{args.output}: {len(made)} bytes", markup=False, soft_wrap=True)
    return 0
