#!/bin/sh
# Installs Two Machines for this user, without root: ./install.sh        Takes it away again: ./install.sh --remove
# PREFIX says where (~/.local). Results and settings of the program are kept in either case.
set -eu

prefix=${PREFIX:-$HOME/.local}
place=$prefix/lib/two-machines
link=$prefix/bin/two-machines

if [ "${1:-}" = --remove ]; then
    [ ! -x "$place/two-machines" ] || "$place/two-machines" desktop remove
    rm -rf "$place"
    [ "$(readlink "$link" || true)" != "$place/two-machines" ] || rm "$link"
    for folder in "$prefix/bin" "$prefix/lib"; do rmdir "$folder" 2>/dev/null || true; done
    echo "Removed. Measured results, if there are any, stay in ${XDG_DATA_HOME:-$HOME/.local/share}/two-machines."
    exit 0
fi

source=$(cd "$(dirname "$0")" && pwd)/two-machines
mkdir -p "$prefix/lib" "$prefix/bin"
rm -rf "$place.new"
cp -R "$source" "$place.new"
rm -rf "$place"
mv "$place.new" "$place"
ln -sf "$place/two-machines" "$link"
"$place/two-machines" desktop install >/dev/null
echo "Installed. It is in the menu as Two Machines, and on the command line as $link"
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "($prefix/bin is not on your PATH.)" ;; esac
