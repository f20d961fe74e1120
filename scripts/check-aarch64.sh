#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Results are the same bits on aarch64: cross-builds the kernels, runs the program of digests under emulation, and compares with
# tests/data/digests.txt, the file that the test suite compares with on this machine. Installs Debian's cross compiler
# and qemu if they are missing (root or sudo). A minute on 2 cores; the build stays in build/aarch64.
#   usage: scripts/check-aarch64.sh
set -euo pipefail
cd "$(dirname "$0")/.."

missing() { ! command -v aarch64-linux-gnu-g++ >/dev/null || ! command -v qemu-aarch64-static >/dev/null || ! command -v cmake >/dev/null; }
if missing; then scripts/install-deps.sh build aarch64; fi

generator=()
if command -v ninja >/dev/null; then generator=(-G Ninja); fi
cmake -S . -B build/aarch64 "${generator[@]}" -DTEGU_KERNELS_ONLY=ON -DTEGU_CUDA=off -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
    -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_EXE_LINKER_FLAGS=-static >/dev/null
cmake --build build/aarch64 --parallel "${JOBS:-$(nproc)}" --target digests
qemu-aarch64-static build/aarch64/tests/digests tests/data/digests.txt
