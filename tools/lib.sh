# What the scripts of this folder share; sourced by them.

set -eu

root=$(cd "$(dirname "$0")/.." && pwd)

# say TEXT...: one line on what comes next.
say() {
    printf '== %s\n' "$*"
}

# die TEXT...: the one sentence on what is missing.
die() {
    printf 'microlite: %s\n' "$*" >&2
    exit 1
}

# lock FILE: one at a time; waits, saying so, until this shell is the owner.
lock() {
    mkdir -p "$(dirname "$1")"
    exec 9>"$1"
    if ! flock -n 9; then
        say "waiting for another run of make in this folder"
        flock 9
    fi
}
