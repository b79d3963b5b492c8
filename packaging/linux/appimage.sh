#!/bin/sh
# An AppImage of the bundle: appimage.sh BUNDLE VERSION OUT; needs appimagetool (github.com/AppImage/appimagetool).
# APPIMAGE_RUNTIME names the runtime that goes in front (github.com/AppImage/type2-runtime); without it the tool fetches one.
set -eu

bundle=$1 version=$2 out=$(cd "$3" && pwd)
here=$(cd "$(dirname "$0")/../.." && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

mkdir -p "$root/usr/lib" "$root/usr/share/metainfo" "$root/usr/share/applications"
cp -a "$bundle" "$root/usr/lib/two-machines"
ln -s usr/lib/two-machines/two-machines "$root/AppRun"
cp "$here/resources/desktop/two-machines.desktop" "$root/"
cp "$here/resources/desktop/two-machines.desktop" "$root/usr/share/applications/"
cp "$here/resources/desktop/two-machines.metainfo.xml" "$root/usr/share/metainfo/io.github.two_machines.TwoMachines.metainfo.xml"
cp "$here/resources/icons/two-machines.svg" "$root/"
ln -s two-machines.svg "$root/.DirIcon"
ARCH=$(uname -m) VERSION=$version appimagetool --no-appstream \
    ${APPIMAGE_RUNTIME:+--runtime-file "$APPIMAGE_RUNTIME"} "$root" "$out/two-machines-$version-$(uname -m).AppImage"
