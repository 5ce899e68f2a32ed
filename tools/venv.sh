#!/bin/sh
# venv.sh FILE: a virtual environment in .venv that holds what the requirements FILE pins and
# the command microlite, as it is in tools/. Begun anew when an earlier run was interrupted.

. "$(dirname "$0")/lib.sh"

cd "$root"
venv=.venv
wanted=$(echo "$root" && cat requirements.txt requirements-dev.txt pyproject.toml)
for installed in "$1" requirements-dev.txt; do      # the latter includes the former
    [ "$(cat "$venv/$installed.installed" 2>/dev/null)" != "$wanted" ] || exit 0
done
lock build/.lock-venv

say "installing the Python packages of $1 into $venv"
clear=
[ -e $venv/complete ] || clear=--clear
"${PYTHON:-python3}" -m venv $clear $venv
rm -f $venv/complete
$venv/bin/python -m pip install -qq --retries 1 --disable-pip-version-check -r "$1" ||
    die "the Python packages of $1 could not be installed (network?);" \
        "give a folder with their wheels by PIP_FIND_LINKS=DIR"
$venv/bin/python -m pip install -qq --disable-pip-version-check --no-build-isolation --no-deps \
    --editable . || die "the command microlite could not be installed into $venv"
printf '%s\n' "$wanted" >"$venv/$1.installed"
touch $venv/complete
