#!/bin/sh
# Tries what build_linux.sh made in a fresh Debian that has no Python, no compiler and no Qt.
#
#   packaging/try_in_fresh_root.sh PACKAGE MODEL.gguf      PACKAGE: dist/….deb, ….tar.gz or ….AppImage
#
# Twice, first with the package's dependencies alone, then with the recommended packages as well: install, look at menu
# and file type, `two-machines selftest`, a whole run on the model with its PDF, the window from the desktop entry's own
# command under Xvfb, remove, and list what is left. A user without rights does all that needs none.
#
# Needs root, debootstrap, Xvfb and xwininfo, and reaches a Debian mirror. Nothing else of this machine changes: mounts
# and processes end with the namespaces that the script makes for itself.
# SUITE (bookworm) and MIRROR as for debootstrap; ROOTS (build/roots) keeps the fresh tree for the next time, and RESULT
# (build/fresh-root) gets the PDF and, where ImageMagick is, a picture of the window.
set -eu

cd "$(dirname "$0")/.."
say() { printf '\n== %s\n' "$*"; }
stop() { echo "try_in_fresh_root.sh: $*" >&2; exit 1; }

[ $# = 2 ] && [ -f "$1" ] && [ -f "$2" ] || stop "name a package and a model: try_in_fresh_root.sh PACKAGE MODEL.gguf"
[ "$(id -u)" = 0 ] || stop "only root can make a root."
for tool in debootstrap Xvfb xwininfo unshare; do
    command -v $tool >/dev/null || stop "$tool is missing (apt install debootstrap xvfb x11-utils)."
done
if [ -z "${IN_OWN_NAMESPACE:-}" ]; then
    IN_OWN_NAMESPACE=yes exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@"
fi

package=$1 model=$2
case $package in *.deb) kind=deb ;; *.tar.gz) kind=archive ;; *.AppImage) kind=image ;;
    *) stop "$package is neither a .deb nor a .tar.gz nor an .AppImage." ;; esac
suite=${SUITE:-bookworm}
roots=${ROOTS:-build/roots}
result=${RESULT:-build/fresh-root}
mkdir -p "$roots" "$result"
root=$(cd "$roots" && pwd)/trying
display=
depends=$(paste -sd " " packaging/linux/depends)
recommends=$(paste -sd " " packaging/linux/recommends)

inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
person() {
    chroot --userspec=person:person "$root" env -i PATH="$home/.local/bin:/usr/bin:/bin" HOME="$home" \
        USER=person LANG=C.UTF-8 DISPLAY="$display" APPIMAGE_EXTRACT_AND_RUN=1 sh -c 'cd && exec "$@"' sh "$@"
}
apt() { inside apt-get -qq -o Dpkg::Use-Pty=0 "$@" >"$root/../apt.log" 2>&1 || { cat "$root/../apt.log" >&2; stop "apt-get $*"; }; }

fresh_root() {
    say "a fresh $suite"
    if [ ! -d "$roots/$suite" ]; then
        rm -rf "$roots/$suite.new"
        debootstrap --variant=minbase "$suite" "$roots/$suite.new" ${MIRROR:+"$MIRROR"} >"$roots/debootstrap.log" 2>&1 ||
            { tail -5 "$roots/debootstrap.log" >&2; stop "debootstrap failed."; }
        mv "$roots/$suite.new" "$roots/$suite"
    fi
    # What an interrupted try mounted went with its namespace; still, never walk into a mount.
    rm -rf --one-file-system "$root"
    cp -a "$roots/$suite" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind --make-rslave /sys "$root/sys"
    mount --rbind --make-rslave /dev "$root/dev"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    inside useradd --create-home --shell /bin/sh person
    home=$(inside getent passwd person | cut -d : -f 6)
    person mkdir -p .cache .config .local/share .local/state # which every session has
    apt update
}

nothing_of_ours() {
    for tool in python3 python cc gcc c++ cmake; do
        ! inside sh -c "command -v $tool" || stop "the root has $tool, so it is not fresh."
    done
    found=$(find "$root/usr" "$root/opt" \( -name 'libQt[56]*' -o -name 'libpython*' \) -print -quit)
    [ -z "$found" ] || stop "the root has $found, so it is not fresh."
    echo "no Python, no compiler, no Qt; $(inside dpkg-query --show | wc -l) packages"
}

install_it() {
    case $kind in
        deb)
            cp "$package" "$root/package.deb"
            apt install --no-install-recommends /package.deb
            rm "$root/package.deb"
            share=/usr/share ;;
        archive)
            mkdir "$root$home/unpacked"
            tar -C "$root$home/unpacked" --strip-components 1 --no-same-owner -xzf "$package"
            inside chown -R person:person "$home/unpacked"
            person ./unpacked/install.sh
            share=$home/.local/share ;;
        image) # without FUSE, which a root like this lacks, it unpacks itself at each start
            person mkdir .local/bin
            cp "$package" "$root$home/.local/bin/two-machines"
            inside chown person "$home/.local/bin/two-machines"
            person two-machines desktop install >/dev/null
            share=$home/.local/share ;;
    esac
}

remove_it() {
    case $kind in
        deb) apt purge two-machines ;;
        archive)
            person ./unpacked/install.sh --remove
            rm -r "$root$home/unpacked" ;;
        image)
            person two-machines desktop remove >/dev/null
            rm -r "$root$home/.local/bin" ;;
    esac
}

# Every file with its contents, but what apt itself writes and what is the user's own: results, settings, caches, the PDF,
# and the list of fonts that fontconfig makes for whatever program asks first.
snapshot() {
    (cd "$root" && find . -xdev \( -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log \
        -o -path ".$home/.*/two-machines" -o -path ".$home/.local/share/two-machines" \
        -o -path ".$home/.cache/fontconfig" -o -path ".$home/report.pdf" -o -path ".$home/model.gguf" \) -prune -o \
        \( -type f -exec md5sum {} + -o -type l -printf 'link  %p\n' -o -type d -printf 'folder  %p\n' \) | sort -k 2)
}

desktop_knows() {
    grep -q 'application/x-gguf:.*\.gguf' "$root$share/mime/globs2" || stop "the file type .gguf is not known."
    grep -q '^application/x-gguf=two-machines.desktop' "$root$share/applications/mimeinfo.cache" ||
        stop "no program opens .gguf files."
    for size in 16 48 256; do
        [ -f "$root$share/icons/hicolor/${size}x$size/apps/two-machines.png" ] || stop "the icon of $size pixels is missing."
    done
    echo ".gguf files open with the program, and its icons are there"
}

work_with_it() {
    say "two-machines selftest"
    person two-machines selftest
    say "a run on $(basename "$model") with its report"
    cp "$model" "$root$home/model.gguf"
    inside chown person "$home/model.gguf"
    code=0
    person two-machines diagnose model.gguf --budget 10 --pdf report.pdf >"$result/diagnose.txt" 2>"$result/progress.txt" || code=$?
    # 5: measured, but on a disturbed machine; the report says so.
    [ $code = 0 ] || [ $code = 5 ] || { tail -5 "$result/progress.txt" >&2; stop "diagnose ended with $code."; }
    head -c 5 "$root$home/report.pdf" | grep -q '%PDF-' || stop "there is no PDF."
    cp "$root$home/report.pdf" "$result/report.pdf"
    head -12 "$result/diagnose.txt"
    echo "exit code $code, PDF of $(stat -c %s "$result/report.pdf") bytes"
    window
}

window() {
    entry=$share/applications/two-machines.desktop
    line=$(sed -n 's/^Exec=//p' "$root$entry" | sed "s|%f|$home/model.gguf|")
    say "the window: $line"
    person sh -c "echo \$\$ >pid && exec $line" >"$result/window.txt" 2>&1 &
    starter=$!
    waited=0
    until xwininfo -display "$display" -root -tree 2>/dev/null | grep -q '"[^"]*Two Machines"'; do
        kill -0 $starter 2>/dev/null || { cat "$result/window.txt" >&2; stop "the program ended without a window."; }
        waited=$((waited + 1))
        [ $waited -lt 120 ] || { cat "$result/window.txt" >&2; stop "no window within a minute."; }
        sleep 0.5
    done
    sleep 5 # the model's facts and ceilings appear; for the picture only
    ! command -v import >/dev/null || import -display "$display" -window root "$result/window-$kind.png" || true
    xwininfo -display "$display" -root -tree | grep 'Two Machines'
    program=$(cat "$root$home/pid")
    [ $kind != image ] || program=$(pgrep -o -P "$program") # an AppImage's own process waits for the program
    kill -TERM "$program"
    rm "$root$home/pid"
    code=0
    wait $starter || code=$?
    [ $code = 0 ] || { cat "$result/window.txt" >&2; stop "the window ended with $code."; }
    [ ! -s "$result/window.txt" ] || { cat "$result/window.txt" >&2; stop "the window said something."; }
    echo "opened, closed on request"
}

compare() {
    snapshot >"$result/after.txt"
    if diff "$result/before.txt" "$result/after.txt" >"$result/left.txt"; then
        echo "nothing is left of it but the user's data:"
        (cd "$root$home" && du -sh .*/two-machines .local/*/two-machines report.pdf 2>/dev/null || true)
    else
        cat "$result/left.txt" >&2
        stop "the removed program left (>) or took (<) something."
    fi
}

fresh_root
say "what the package asks for: $depends"
# shellcheck disable=SC2086  # several packages
apt install --no-install-recommends $depends
nothing_of_ours
rm -f "$result/display" # of an earlier try
Xvfb -displayfd 3 -screen 0 1400x900x24 -ac -nolisten tcp 3>"$result/display" 2>/dev/null &
until [ -s "$result/display" ]; do sleep 0.2; done
display=:$(cat "$result/display")
snapshot >"$result/before.txt"
say "installing $(basename "$package")"
install_it
work_with_it
say "removing"
remove_it
compare
say "the same with $recommends"
# shellcheck disable=SC2086  # several packages
apt install --no-install-recommends $recommends
nothing_of_ours
snapshot >"$result/before.txt"
install_it
desktop_knows
window
say "removing"
remove_it
compare
for place in proc sys dev; do umount --recursive "$root/$place"; done
rm -rf --one-file-system "$root"
say "done: $(basename "$package") on $suite"
