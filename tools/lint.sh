#!/bin/sh
# lint.sh [--fix]: style and types. C is held to MicroPython's own formatter, which knows no C++.

. "$(dirname "$0")/lib.sh"

cd "$root"
PATH=$root/.venv/bin:$PATH
fix=${1:-}
failed=

# check NAME COMMAND...
check() {
    say "$1"
    shift
    "$@" || failed=1
}

# c_style FILE...: MicroPython's formatter works in place, so it gets a copy.
c_style() {
    copy=$(mktemp -d)
    cp --parents "$@" "$copy"
    python "$MPY_DIR/tools/codeformat.py" -c $(printf "$copy/%s " "$@")
    different=0
    for file; do
        cmp -s "$file" "$copy/$file" && continue
        if [ -n "$fix" ]; then
            cp "$copy/$file" "$file"
        else
            different=1
            diff -u --label "$file" --label "$file, formatted" "$file" "$copy/$file" || true
        fi
    done
    rm -rf "$copy"
    return $different
}

# device_types PATH...: one at a time, since each example has a main.py.
device_types() {
    faults=0
    for path; do
        [ "$path" = examples/training.py ] ||
            mypy --config-file tools/mypy-device.toml --no-error-summary "$path" || faults=1
    done
    return $faults
}

check "ruff check" ruff check --quiet ${fix:+--fix} .
check "ruff format" ruff format --quiet $([ -n "$fix" ] || echo --diff) .
check "codespell" codespell
check "C style" c_style src_c/*.[ch] $(find boards host_tests bench -name '*.[ch]')
check "mypy (desktop)" mypy
check "mypy (device)" device_types stubs examples/*.py examples/*/
[ -z "$failed" ] || die "lint found faults; make lint FIX=1 mends those of style"
say "lint: nothing to complain about"
