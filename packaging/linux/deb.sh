#!/bin/sh
# A Debian package of the bundle: deb.sh BUNDLE VERSION OUT
set -eu

bundle=$1 version=$2 out=$(cd "$3" && pwd)
here=$(cd "$(dirname "$0")/../.." && pwd)
machine=$(dpkg --print-architecture)
maintainer=${MAINTAINER:-The Two Machines developers <two-machines@localhost>}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
share=$root/usr/share

mkdir -p "$root/DEBIAN" "$root/usr/lib" "$root/usr/bin" "$share/applications" "$share/mime/packages" "$share/metainfo" \
    "$share/icons/hicolor/scalable/apps" "$share/doc/two-machines" "$share/lintian/overrides"
cp -a "$bundle" "$root/usr/lib/two-machines"
find "$root/usr/lib/two-machines" -type f ! -name two-machines -exec chmod 644 {} +
ln -s ../lib/two-machines/two-machines "$root/usr/bin/two-machines"
cp "$here/resources/desktop/two-machines.desktop" "$share/applications/"
cp "$here/resources/desktop/two-machines.mime.xml" "$share/mime/packages/two-machines.xml"
cp "$here/resources/desktop/two-machines.metainfo.xml" "$share/metainfo/"
cp -R "$here/resources/icons/hicolor/." "$share/icons/hicolor/"
cp "$here/resources/icons/two-machines.svg" "$share/icons/hicolor/scalable/apps/"
{
    cat "$here/LICENSE"
    echo
    echo "The parts of others that the package holds, with their licences in full:"
    echo "/usr/lib/two-machines/_internal/resources/texts/third-party-notices.txt"
} >"$share/doc/two-machines/copyright"
gzip -9 -n -c "$here/CHANGELOG.md" >"$share/doc/two-machines/NEWS.gz"
printf 'two-machines (%s) unstable; urgency=low\n\n  * See NEWS.gz.\n\n -- %s  %s\n' "$version" "$maintainer" "$(date -R)" |
    gzip -9 -n >"$share/doc/two-machines/changelog.gz"
cp "$here/packaging/linux/lintian-overrides" "$share/lintian/overrides/two-machines"
chmod -R u=rwX,go=rX "$root/usr/share"

listed() { paste -sd , "$here/packaging/linux/$1" | sed 's/,/, /g'; }
# The newest version of glibc's symbols that anything in the bundle asks for.
glibc=$(find "$bundle" -type f \( -name '*.so*' -o -name two-machines \) -exec objdump -T {} + 2>/dev/null |
    grep -o 'GLIBC_2\.[0-9.]*' | sed 's/GLIBC_//' | sort -V | tail -1)
cat >"$root/DEBIAN/control" <<END
Package: two-machines
Version: $version
Section: utils
Priority: optional
Architecture: $machine
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: libc6 (>= $glibc), $(listed depends)
Recommends: $(listed recommends)
Description: says which half of your local language model is slow
 Running a language model on your own computer is two workloads: reading the
 prompt, which arithmetic bounds, and writing the answer, which memory
 bandwidth bounds. Two Machines opens a GGUF model file, works out how fast each
 could run on this computer, measures how fast it does run, and says which of
 the two is the problem, what to do about it, and what not to buy.
END
(cd "$root" && find usr -type f -exec md5sum {} + >DEBIAN/md5sums)
dpkg-deb --root-owner-group -Zxz "-z${XZ_LEVEL:-6}" --build "$root" "$out/two-machines_${version}_$machine.deb"
