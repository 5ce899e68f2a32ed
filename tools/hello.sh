#!/bin/sh
# hello.sh [BOARD]: runs some examples on build/unix/micropython or on an emulated board, each in
# its folder.

. "$(dirname "$0")/lib.sh"

board=${1:-}
cd "$root"
for name in hello_world person_detection micro_speech; do
    say "examples/$name"
    if [ -z "$board" ]; then
        (cd examples/$name && ../../build/unix/micropython main.py)
        continue
    fi
    image=build/$board/$name.romfs
    said=$(.venv/bin/python -m microlite_tools romfs build examples/$name -o "$image" 2>&1) || die "$said"
    .venv/bin/python -m microlite_tools.qemu "$board" --firmware "build/$board/firmware.elf" \
        --romfs "$image" --chdir /rom run examples/$name/main.py
done

say "next, in this shell"
echo ". .venv/bin/activate"
echo "microlite inspect examples/hello_world/hello_world_int8.tflite"
echo "microlite predict examples/hello_world/hello_world_int8.tflite 1.57 --unix"
