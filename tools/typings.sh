#!/bin/sh
# typings.sh: MicroPython's stubs into build/typings, for mypy.

. "$(dirname "$0")/lib.sh"

cd "$root"
dest=build/typings
cmp -s requirements-typings.txt $dest/requirements-typings.txt && exit 0
say "installing MicroPython's stubs into $dest"
rm -rf $dest $dest.new
.venv/bin/python -m pip install -qq --retries 1 --disable-pip-version-check --no-compile \
    --target $dest.new -r requirements-typings.txt ||
    die "MicroPython's stubs could not be installed (network?)"
cp requirements-typings.txt $dest.new
mv $dest.new $dest
