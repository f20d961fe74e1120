#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures, builds and tests with the oldest CMakes: 3.10.3 and 3.16.8 (JetPack 4 and 5), fetched with pip by their
# hashes. Warnings of CMake and of compilers are errors. Run by hand; a whole build takes most of an hour on 2 cores.
#   usage: scripts/check-cmake.sh [--configure] [--targets "A B ..."] [VERSION...]      default: 3.10.3 3.16.8
# --configure: builds nothing. --targets: builds these alone, and runs no tests. Builds stay in build/cmake-VERSION.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cmake.sh

configure=no targets=() versions=()
while [ $# -gt 0 ]; do
    case $1 in
    --configure) configure=yes; shift ;;
    --targets) read -r -a targets <<<"$2"; shift 2 ;;
    -*) echo "check-cmake: unknown argument '$1'" >&2; exit 64 ;;
    *) versions+=("$1"); shift ;;
    esac
done
[ ${#versions[@]} -gt 0 ] || versions=(3.10.3 3.16.8)

# The wheel of 3.10.3 is for Python 3.6, but the program in it needs no Python.
fetch_cmake() {
    local version=$1 folder=build/cmake-programs/$1 hash python=(--python-version 36 --implementation cp --abi cp36m)
    case $version in
    3.10.3) hash=f8c55988a0721b50ec8f9498298bde93b2ca983023ca898eab772be325c3d114 ;;
    3.16.8) hash=8c306e79ae04d7596ef39b6148849a45f23bbf18b126f049a4fc51040252e108 ;;
    4.4.5) hash=85625a9b6d5e88ff99c7eb79123d85570844e77ac076366cf75c609cc0b1b579 python=() ;;
    *) echo "check-cmake: no hash of CMake $version here (3.10.3, 3.16.8, 4.4.5)" >&2; exit 64 ;;
    esac
    if [ ! -x "$folder/cmake/data/bin/cmake" ]; then
        rm -rf "$folder"
        mkdir -p "$folder"
        echo "cmake==$version --hash=sha256:$hash" >"$folder/wheel.txt"
        python3 -m pip download --quiet --no-deps --require-hashes --requirement "$folder/wheel.txt" --dest "$folder" \
            --only-binary=:all: "${python[@]}" --platform manylinux1_x86_64 --platform manylinux2014_x86_64
        python3 -m zipfile -e "$folder"/cmake-*.whl "$folder"
        chmod +x "$folder"/cmake/data/bin/*
    fi
    program=$PWD/$folder/cmake/data/bin
}

search=$PATH
for version in "${versions[@]}"; do
    fetch_cmake "$version"
    PATH=$program:$search
    build=build/cmake-$version
    options=(-DTEGU_TESTS=ON -DTEGU_BENCH=ON -DTEGU_WERROR=ON -DTEGU_CUDA_ARCHITECTURES=one -DTEGU_SIMT=OFF -DCMAKE_BUILD_TYPE=Release)
    if ! configure_folder "$build" "${options[@]}" >"$build.log" 2>&1 || grep -q '^CMake .*\(Warning\|Error\)' "$build.log"; then
        grep -A 12 '^CMake .*\(Warning\|Error\)' "$build.log" >&2 || tail -30 "$build.log" >&2
        echo "check-cmake: CMake $version does not configure; the whole output is in $build.log" >&2
        exit 1
    fi
    echo "check-cmake: CMake $version configures ($(grep -o 'tegu: .*machine code.*\|tegu: no CUDA compiler' "$build.log"))"
    [ "$configure" = no ] || continue
    began=$SECONDS
    if ! build_folder "$build" "${targets[@]}" >>"$build.log" 2>&1; then
        grep -E -A 12 'error|Error|FAILED' "$build.log" | head -60 >&2
        echo "check-cmake: the build with CMake $version failed; the whole output is in $build.log" >&2
        exit 1
    fi
    echo "check-cmake: CMake $version built ${targets[*]:-all} in $((SECONDS - began)) s"
    [ ${#targets[@]} -eq 0 ] || continue
    (cd "$build" && ctest --output-on-failure -j "$(nproc)" -LE '^gpu$')
done
