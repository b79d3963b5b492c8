#!/bin/sh
# Bundle, tar.gz and Debian package, and the AppImage where appimagetool is there; all of it lands in dist/.
#
#   packaging/build_linux.sh           from a clean checkout; asks pip for what it needs, below build/
#
# BUILD_PYTHON: a Python with the program's packages and PyInstaller, instead of a fresh environment.
# ENGINE: a folder that packaging/engine/build.sh made, instead of compiling (15 minutes on one core).
set -eu

cd "$(dirname "$0")/.."
mkdir -p build dist
python=${BUILD_PYTHON:-}
if [ -z "$python" ]; then
    python3 -m venv build/environment
    python=$PWD/build/environment/bin/python
    # llama-cpp-python's own build is not needed: its Python files come with the engine's source.
    "$python" -m pip install --quiet pyinstaller packaging typing_extensions \
        $("$python" packaging/requirements.py --without llama-cpp-python)
fi
engine=${ENGINE:-$PWD/build/engine}
[ -d "$engine/llama_cpp/lib" ] || PYTHON="$python" packaging/engine/build.sh "$engine"

TWO_MACHINES_ENGINE="$engine" "$python" -m PyInstaller --noconfirm --log-level WARN \
    --distpath build/bundle --workpath build/pyinstaller packaging/pyinstaller/two-machines.spec
bundle=build/bundle/two-machines
"$python" packaging/notices.py "$bundle" "$engine/source"
# Python and the engine are compiled here with their symbols; the libraries of wheels are not touched but ICU's.
find "$bundle/_internal" -type f \( -name 'libpython*' -o -path '*/lib-dynload/*.so' -o -path '*/llama_cpp/lib/*' \
    -o -name 'libicu*' -o -path '*/numpy/_core/*.so' -o -name 'libcrypto*' \) -exec strip --strip-unneeded {} +

version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' advisor/__init__.py)
machine=$(uname -m)
name=two-machines-$version-linux-$machine

rm -rf "build/$name"
mkdir "build/$name"
cp -a "$bundle" "build/$name/two-machines"
cp packaging/linux/install.sh README.md LICENSE CHANGELOG.md "build/$name/"
tar -C build --owner=0 --group=0 -czf "dist/$name.tar.gz" "$name"

packaging/linux/deb.sh "$bundle" "$version" dist
if command -v appimagetool >/dev/null; then
    packaging/linux/appimage.sh "$bundle" "$version" dist
else
    echo "No AppImage: appimagetool is not on the PATH (packaging/README.md)."
fi
(cd dist && sha256sum two-machines[-_]"$version"* >SHA256SUMS)
du -sh --apparent-size "$bundle"
ls -l dist
