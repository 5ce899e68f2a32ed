#!/bin/sh
# get_crates.sh DEST NAME...: unpacks the crates tfmicro or microflow to DEST/NAME, checked against
# tools/sources/Cargo.lock. TFLM_CRATE and MODELS_CRATE are local archives of the two; without
# them cargo's cache is used, and what that lacks is downloaded by cargo.

. "$(dirname "$0")/lib.sh"

dest=$1
shift
lock_file=$root/tools/sources/Cargo.lock

# field NAME KEY: of the crate NAME in the lock file.
field() {
    sed -n "/^name = \"$1\"$/,/^$/s/^$2 = \"\(.*\)\"$/\1/p" "$lock_file"
}

# archive NAME: prints the path of its archive on this machine, if there is one.
archive() {
    case $1 in
    tfmicro) given=${TFLM_CRATE:-} ;;
    microflow) given=${MODELS_CRATE:-} ;;
    esac
    if [ -n "$given" ]; then
        printf '%s\n' "$given"
    else
        find "${CARGO_HOME:-$HOME/.cargo}/registry/cache" \
            -name "$1-$(field "$1" version).crate" 2>/dev/null | head -n 1
    fi
}

# Before 1.70 cargo reads whole index repositories unless told otherwise.
download() {
    say "fetching the crates tfmicro and microflow with cargo"
    minor=$(cargo --version | cut -d. -f2)
    cd "$root/tools/sources"
    set -- fetch --locked --quiet --target x86_64-unknown-linux-gnu
    if [ "$minor" -lt 70 ]; then
        RUSTC_BOOTSTRAP=1 cargo -Z sparse-registry "$@"
    else
        cargo "$@"
    fi >&2
}

for name; do
    version=$(field "$name" version)
    [ ! -e "$dest/$name" ] || continue
    if [ -z "$(archive "$name")" ]; then
        "$root/tools/packages.sh" cargo
        download || die "the crates tfmicro and microflow could not be fetched (network?);" \
            "give their archives by TFLM_CRATE=FILE and MODELS_CRATE=FILE"
    fi
    file=$(archive "$name")
    [ -e "$file" ] || die "there is no file $file"
    echo "$(field "$name" checksum)  $file" | sha256sum --status -c - ||
        die "$file is not the crate $name $version (its SHA-256 differs)"
    rm -rf "$dest/$name.new"
    mkdir -p "$dest/$name.new"
    tar -xzf "$file" -C "$dest/$name.new" --strip-components=1
    mv "$dest/$name.new" "$dest/$name"
done
