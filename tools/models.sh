#!/bin/sh
# models.sh: the models and inputs that the examples use, from the crates to build/models.

. "$(dirname "$0")/lib.sh"

src=$root/build/src dest=$root/build/models
[ ! -e "$dest" ] || exit 0
lock "$src/.lock"
"$root/tools/get_crates.sh" "$src" tfmicro microflow
rm -rf "$dest.new"
mkdir "$dest.new"
cp "$src"/tfmicro/examples/models/*.tflite "$src"/tfmicro/examples/models/*.data \
    "$src"/microflow/models/*.tflite "$dest.new"
mv "$dest.new" "$dest"
