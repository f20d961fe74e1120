#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Results are the same bits on aarch64: cross-builds the kernels, runs the program of digests under emulation, and compares with
# tests/data/digests.txt, the file that the test suite compares with on this machine. Installs Debian's cross compiler
# and qemu if they are missing (root or sudo). A minute on 2 cores; the build stays in build/aarch64.
#   usage: scripts/check-aarch64.sh [--clang]
# --clang: with clang, warnings as errors, and the headers of the cross compiler; in build/aarch64-clang.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cmake.sh

build=build/aarch64 compiler=aarch64-linux-gnu-g++ options=(-DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc)
case ${1:-} in
'') ;;
--clang)
    build=build/aarch64-clang compiler=clang++
    options=(-DCMAKE_C_COMPILER=clang -DCMAKE_C_COMPILER_TARGET=aarch64-linux-gnu
        -DCMAKE_CXX_COMPILER_TARGET=aarch64-linux-gnu -DTEGU_WERROR=ON)
    ;;
*) echo "check-aarch64: unknown argument '$1'" >&2; exit 64 ;;
esac

for program in aarch64-linux-gnu-g++ qemu-aarch64-static cmake "$compiler"; do
    command -v "$program" >/dev/null && continue
    scripts/install-deps.sh build aarch64
    break
done
configure_folder "$build" -DTEGU_KERNELS_ONLY=ON -DTEGU_CUDA=off -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER="$compiler" "${options[@]}" \
    -DCMAKE_EXE_LINKER_FLAGS=-static >/dev/null
build_folder "$build" digests
qemu-aarch64-static "$build/tests/digests" tests/data/digests.txt
