#!/bin/sh
# packages.sh [base|cargo|boards|m32]...: installs with apt what these need and the machine lacks.

. "$(dirname "$0")/lib.sh"

missing=

# want PACKAGE COMMAND...: the package is missing when the command fails.
want() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

# compiles COMPILER... LANGUAGE HEADER: the compiler has this header for its target.
compiles() {
    printf '#include <%s>\n' "$3" | $1 -x "$2" -fsyntax-only -
}

links() {
    echo 'int main(void) { return 0; }' | $1 -x c -o /dev/null -
}

for group; do
    case $group in
    base)
        want gcc links gcc
        want g++ compiles g++ c++ cmath
        want patch patch --version
        want xz-utils xz --version
        want ca-certificates test -e /etc/ssl/certs/ca-certificates.crt
        want python3-venv "${PYTHON:-python3}" -c 'import ensurepip, venv'
        ;;
    cargo)
        want cargo cargo --version
        ;;
    boards)
        want gcc-arm-none-eabi arm-none-eabi-gcc --version
        want libnewlib-arm-none-eabi compiles arm-none-eabi-gcc c math.h
        want libstdc++-arm-none-eabi-newlib compiles arm-none-eabi-g++ c++ cmath
        want qemu-system-arm qemu-system-arm --version
        ;;
    m32)
        want gcc-multilib links 'gcc -m32'
        want g++-multilib compiles 'g++ -m32' c++ cmath
        ;;
    esac
done
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null || die "these are missing (names of Debian packages):$missing"
if [ "$(id -u)" = 0 ]; then
    sudo=
elif command -v sudo >/dev/null; then
    sudo=sudo
else
    die "packages are missing; as root: apt-get install --no-install-recommends$missing"
fi
say "installing with apt:$missing"
install() {
    $sudo env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -o Dpkg::Use-Pty=0 install --no-install-recommends $missing >/dev/null </dev/null
}
install 2>/dev/null || { $sudo apt-get -qq update && install; } ||
    die "apt could not install them (network?); by hand: apt-get install$missing"
