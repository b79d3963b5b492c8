#!/bin/sh
# A release of the version in advisor/__init__.py: checks, builds, smoke tests of what was built, checksums, notes. Publishes nothing.
#
#   packaging/release.sh               everything, from a clean checkout, into dist/
#   packaging/release.sh --no-bundle   wheel, source distribution and documentation only
#   packaging/release.sh --no-tests    when the tests have just passed
#
# ENGINE, BUILD_PYTHON, JOBS and MAINTAINER as in build_linux.sh.
set -eu

cd "$(dirname "$0")/.."
bundle=yes tests=yes
for word in "$@"; do
    case $word in
        --no-bundle) bundle=no ;;
        --no-tests) tests=no ;;
        *) echo "release.sh: $word is no option of it (--no-bundle, --no-tests)." >&2; exit 2 ;;
    esac
done
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' advisor/__init__.py)
say() { printf '\n== %s\n' "$*"; }
skipped=
has() { command -v "$1" >/dev/null; }
validate() { if has "$1"; then "$@"; else skipped="$skipped $1"; fi; }
stop() { echo "release.sh: $*" >&2; exit 1; }

say "Two Machines $version"
[ -z "$(git status --porcelain)" ] || stop "the work tree has changes that are not committed."
grep -q "^## \($version\|Unreleased\)" CHANGELOG.md || stop "CHANGELOG.md has no section $version and none that is unreleased."
grep -q "<release version=\"$version\"" resources/desktop/two-machines.metainfo.xml || stop "the AppStream metadata do not name $version."
make --silent .venv/.installed
python=$PWD/.venv/bin/python

if [ "$tests" = yes ]; then
    say "checks and tests"
    make --silent check test
fi

say "documentation"
make --silent docs

say "wheel and source distribution"
rm -rf dist build/wheel
mkdir -p dist
"$python" -c 'import build, twine' 2>/dev/null || "$python" -m pip install --quiet --disable-pip-version-check build twine
"$python" -m build --outdir dist .
"$python" -m twine check --strict dist/*.whl dist/*.tar.gz
"$python" packaging/wheel_contents.py dist/*.whl

say "the wheel in a clean environment"
python3 -m venv build/wheel
# The engine's wheel comes from pip's cache where `make` has compiled it on this machine.
build/wheel/bin/python -m pip install --quiet --disable-pip-version-check "$(ls dist/*.whl)[sample]"
smoke() { (cd build && env -u PYTHONPATH TWO_MACHINES_HOME="$PWD/smoke-home" QT_QPA_PLATFORM=offscreen "$@"); }
smoke wheel/bin/two-machines --version
smoke wheel/bin/two-machines selftest

if [ "$bundle" = yes ]; then
    say "bundle, tar.gz, Debian package"
    packaging/build_linux.sh
    say "smoke tests of the bundle"
    "$python" -m pytest -q tests/packaging/test_bundle.py
    desktop=resources/desktop/two-machines
    validate desktop-file-validate "$desktop.desktop"
    validate appstreamcli validate --no-net "$desktop.metainfo.xml"
    validate lintian --fail-on error "dist/two-machines_$version"_*.deb
    if [ "$(id -u)" = 0 ] && has debootstrap && has Xvfb && has xwininfo; then
        model=$("$python" -m advisor sample)
        for made in "dist/two-machines_$version"_*.deb "dist/two-machines-$version"-linux-*.tar.gz \
            "dist/two-machines-$version"-*.AppImage; do
            [ ! -f "$made" ] || packaging/try_in_fresh_root.sh "$made" "$model"
        done
    else
        skipped="$skipped try_in_fresh_root.sh"
    fi
fi

say "notes and checksums"
awk -v want="$version" '/^## /{on = ($2 == want || ($2 == "Unreleased" && !seen)); if (on) seen = 1} on' CHANGELOG.md >"dist/NOTES-$version.md"
[ -s "dist/NOTES-$version.md" ] || stop "there is nothing about $version in CHANGELOG.md."
tar -C build --owner=0 --group=0 -czf "dist/two-machines-$version-docs.tar.gz" site
(cd dist && rm -f SHA256SUMS && sha256sum -- * >SHA256SUMS && sha256sum --check --quiet SHA256SUMS)
ls -l dist
rm -rf build/smoke-home
[ -z "$skipped" ] || say "not checked here, because the tool or the right is missing:$skipped"
say "done; nothing was published. Sign dist/SHA256SUMS, tag v$version, and upload."
