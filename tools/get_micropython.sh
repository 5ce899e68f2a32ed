#!/bin/sh
# get_micropython.sh VERSION DEST: unpacks Debian's MicroPython source. Reads the address of the
# archive from the machine's apt configuration and changes nothing there.

. "$(dirname "$0")/lib.sh"

version=$1 dest=$2
case $version in
1.25.0) suites=trixie
    orig=7b25be99a502f070b2de81dafc08da7051d992325d6e67daa9045a918fffdbea
    debian=87cd89f7900c86b963885dabe25acf3e5348815993f1500278ad8f6464465af4 ;;
1.26.1) suites='forky sid'
    orig=f5ad2ec89d3e921f753d448955af98b6005655f84ba26087dde6ba0e8d062f34
    debian=1f6af20cc729518aeeb039455d43d5cd6fe7cb94f6ecff9980836003bdf795c2 ;;
*) die "MICROPYTHON=$version is not known here (1.25.0 or 1.26.1); give a tree by MPY_DIR=" ;;
esac
[ ! -e "$dest" ] || exit 0

advice="give an unpacked MicroPython tree by MPY_DIR=DIR"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e $keyring ] || die "MicroPython's source comes from Debian's archive, which this machine's apt does not know; $advice"
list=$(ls /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -n 1)
uri=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb  *\(\[[^]]*\] *\)\{0,1\}\([^ ]*\) .*/\2/p' "$list" | head -n 1)

say "fetching MicroPython $version (Debian source package)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$work/lists/partial" "$work/cache"
cat >"$work/micropython.sources" <<EOF
Types: deb-src
URIs: $uri
Suites: $suites
Components: main
Signed-By: $keyring
EOF
apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$work/micropython.sources" -o Dir::Etc::sourceparts=- \
        -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root \
        -o APT::Update::Error-Mode=any "$@"
}
upstream=micropython_$version+ds.orig.tar.xz
patches=micropython_$version+ds-1.debian.tar.xz
{ cd "$work" && apt update && apt source --download-only "micropython=$version+ds-1"; } >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    die "MicroPython $version could not be fetched from Debian's archive; $advice"
}
printf '%s  %s\n' "$orig" "$upstream" "$debian" "$patches" | sha256sum --quiet -c - ||
    die "the source of MicroPython $version is not the one expected; $advice"

cd "$work"
rm -rf "$dest.new"
mkdir -p "$dest.new"
tar -xJf "$upstream" -C "$dest.new" --strip-components=1
tar -xJf "$patches" -C "$dest.new"
cd "$dest.new"
grep -v -e '^#' -e '^ *$' debian/patches/series | while read -r name _; do
    patch -sp1 <"debian/patches/$name"
done
mv "$dest.new" "$dest"
