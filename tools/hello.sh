#!/bin/sh
# hello.sh [BOARD]: runs the examples on build/unix/micropython or on an emulated board.

. "$(dirname "$0")/lib.sh"

board=${1:-}
examples="sine person_detection keywords"
cd "$root/build/models"
if [ -z "$board" ]; then
    for example in $examples; do
        say "examples/$example.py"
        ../unix/micropython "$root/examples/$example.py"
    done
    exit
fi
cd "$root"
python=.venv/bin/python
image=build/$board/models.romfs
$python -m microlite_tools.romfs build/models "$image"
say "the examples on $board, emulated"
$python -m microlite_tools.qemu "$board" --firmware "build/$board/firmware.elf" --romfs "$image" \
    --chdir /rom run $(printf 'examples/%s.py ' $examples)
