#!/bin/sh
# The engine of the bundle: llama.cpp as llama-cpp-python carries it, for any processor of this architecture.
#
#   packaging/engine/build.sh OUT      puts the package llama_cpp with its libraries below OUT
#
# Each kind of processor has a library of its own, chosen when the program runs (GGML_BACKEND_DL, GGML_CPU_ALL_VARIANTS).
# JOBS is the number of compilers at once; ENGINE_SOURCE an unpacked llama-cpp-python, which saves the download.
set -eu

VERSION=0.3.36
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
python=${PYTHON:-python3}

if [ ! -d "$out/source" ]; then
    if [ -n "${ENGINE_SOURCE:-}" ]; then
        cp -R "$ENGINE_SOURCE" "$out/source"
    else
        "$python" -m pip download --quiet --no-deps --no-binary llama-cpp-python --dest "$out" "llama-cpp-python==$VERSION"
        tar -xzf "$out/llama_cpp_python-$VERSION.tar.gz" -C "$out"
        mv "$out/llama_cpp_python-$VERSION" "$out/source"
    fi
    patch --directory "$out/source/vendor/llama.cpp" --strip 1 --forward <"$here/amx-tile-config.patch"
fi

case $(uname -s) in
    Darwin) how="-DGGML_METAL=ON -DGGML_METAL_EMBED_LIBRARY=ON" ;;
    *) how="-DGGML_BACKEND_DL=ON -DGGML_CPU_ALL_VARIANTS=ON" ;;
esac
# shellcheck disable=SC2086  # several options
cmake -S "$out/source/vendor/llama.cpp" -B "$out/objects" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON \
    -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON -DCMAKE_INSTALL_RPATH="$([ "$(uname -s)" = Darwin ] && echo @loader_path || echo "\$ORIGIN")" \
    -DLLAMA_BUILD_COMMON=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF \
    -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_CURL=OFF -DGGML_NATIVE=OFF $how
cmake --build "$out/objects" --parallel "${JOBS:-$(getconf _NPROCESSORS_ONLN)}"

# The binding looks for libraries by their plain names; the loader follows the names with a version.
rm -rf "$out/llama_cpp"
cp -R "$out/source/llama_cpp" "$out/llama_cpp"
mkdir -p "$out/llama_cpp/lib"
find "$out/objects/bin" \( -name '*.so*' -o -name '*.dylib' \) -exec cp -P {} "$out/llama_cpp/lib/" \;
about=$out/llama_cpp_python-$VERSION.dist-info
mkdir -p "$about"
cp "$out/source/PKG-INFO" "$about/METADATA"
cp "$out/source/LICENSE.md" "$about/LICENSE.md"
printf '%s,,\n' "${about##*/}/METADATA" "${about##*/}/LICENSE.md" "${about##*/}/RECORD" >"$about/RECORD"
echo "Engine $VERSION: $(ls "$out/llama_cpp/lib" | tr '\n' ' ')"
