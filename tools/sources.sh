#!/bin/sh
# sources.sh: MicroPython and TFLM into build/src, unless MPY_DIR and TFLM_DIR are there.

. "$(dirname "$0")/lib.sh"

src=$root/build/src
lock "$src/.lock"
case $MPY_DIR in
"$src"/*) "$root/tools/get_micropython.sh" "$MICROPYTHON" "$MPY_DIR" ;;
esac
case $TFLM_DIR in
"$src"/*) "$root/tools/get_crates.sh" "$src" tfmicro ;;
esac
