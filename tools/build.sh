#!/bin/sh
# build.sh NAME: MicroPython with microlite into build/NAME. NAME is unix, unix32, unix-asan,
# unix-oom (whose allocations can be made to fail) or a board of boards/. Wants MPY_DIR and
# TFLM_DIR; a folder built from others is built anew. MICROLITE_OUT, MICROLITE_MANIFEST and
# MICROLITE_MODULES replace the folder, the manifest and USER_C_MODULES.

. "$(dirname "$0")/lib.sh"

name=$1
out=${MICROLITE_OUT:-$root/build/$name}
: "${MPY_DIR:?}" "${TFLM_DIR:?}" "${JOBS:=$(nproc)}"
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

[ -e "$MPY_DIR/py/mkrules.mk" ] || die "MPY_DIR=$MPY_DIR holds no MicroPython tree"
[ -e "$TFLM_DIR/tensorflow/lite/micro" ] || die "TFLM_DIR=$TFLM_DIR holds no TFLM tree"

# build DIR LOG ARGUMENTS...: runs make, counting compiled files on a terminal. A folder whose
# build was killed or had other arguments starts from nothing.
build() {
    dir=$1 log=$2
    shift 2
    if [ -e "$dir/unfinished" ] || [ "$(cat "$dir/arguments" 2>/dev/null)" != "$*" ]; then
        say "building ${dir#"$root/"}, which may take minutes; log in ${log#"$root/"}"
        rm -rf "$dir"
    else
        say "checking ${dir#"$root/"}"
    fi
    mkdir -p "$dir"
    printf '%s\n' "$*" >"$dir/arguments"
    touch "$dir/unfinished"
    if [ -t 1 ]; then
        while sleep 1; do
            printf '\r   %s files compiled ' "$(grep -c -E '^(CC|CXX|MPY|TFLM)' "$log")"
        done &
        counter=$!
        trap 'kill $counter 2>/dev/null; printf "\r\033[K"' EXIT
    fi
    trap 'rm -f "$dir/unfinished"; exit 130' HUP INT TERM
    status=0
    make -j"$JOBS" "$@" >"$log" 2>&1 || status=$?
    rm -f "$dir/unfinished"
    trap - HUP INT TERM
    if [ -n "${counter:-}" ]; then
        kill "$counter"
        printf '\r\033[K'
        counter=
        trap - EXIT
    fi
    [ $status = 0 ] && return
    grep -v -E '^(CC|CXX|MPY|TFLM|GEN|mkdir) ' "$log" | tail -n 40 >&2
    die "building $dir failed; all that the build said is in $log"
}

lock "$root/build/.lock"
started=$(date +%s)
tree=$(cd "$MPY_DIR" && pwd)

cross=$root/build/mpy-cross
build "$cross" "$root/build/mpy-cross.log" -C "$tree/mpy-cross" BUILD="$cross"

set -- BUILD="$out" USER_C_MODULES="${MICROLITE_MODULES:-$root}" TFLM_DIR="$(cd "$TFLM_DIR" && pwd)" \
    MICROLITE_CACHE="$root/build/tflm-cache" \
    MICROPY_MPYCROSS="$cross/mpy-cross" MICROPY_MPYCROSS_DEPENDENCY="$cross/mpy-cross"
[ "${MICROLITE_VARIANTS:-}" ] && set -- "$@" MICROLITE_VARIANTS="$MICROLITE_VARIANTS"
unix="VARIANT=standard MICROPY_PY_BTREE=0 MICROPY_PY_SSL=0 MICROPY_PY_FFI=0"
# With frame pointers the VM finds other values in its variables after an exception.
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=undefined \
-fno-sanitize=nonnull-attribute --param asan-use-after-return=0"
case $name in
unix)
    set -- -C "$tree/ports/unix" $unix "$@" ;;
unix32)
    set -- -C "$tree/ports/unix" $unix "$@" MICROPY_FORCE_32BIT=1 CFLAGS_EXTRA="-msse2 -mfpmath=sse" ;;
unix-oom)
    set -- -C "$tree/ports/unix" $unix "$@" USER_C_MODULES="$root/host_tests/usermods" MICROLITE_VARIANTS=1 ;;
unix-asan)
    set -- -C "$tree/ports/unix" $unix "$@" DEBUG=1 CFLAGS_EXTRA="$sanitize" LDFLAGS_EXTRA="$sanitize" ;;
*)
    [ -e "$root/boards/$name/mpconfigboard.mk" ] ||
        die "there is no board $name; boards: $(cd "$root/boards" && echo */mpconfigboard.mk | sed 's,/mpconfigboard.mk,,g')"
    set -- -C "$tree/ports/qemu" BOARD="$name" BOARD_DIR="$root/boards/$name" "$@" ;;
esac
case $name in
unix*) manifest=$root/boards/manifest_unix.py ;;
*) manifest=$root/boards/manifest.py ;;
esac
build "$out" "$out.log" "$@" FROZEN_MANIFEST="${MICROLITE_MANIFEST:-$manifest}"
state="up to date"
grep -q -E '^(CC|CXX|MPY|TFLM|LINK) ' "$out.log" && state=built
say "${out#"$root/"} is $state ($(($(date +%s) - started)) s)"
