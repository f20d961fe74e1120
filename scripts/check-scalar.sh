#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that results are the same bits without vectors. It builds the kernels for no instruction set, with plain loops and
# without intrinsics, and compares with tests/data/digests.txt. On x86-64 the compiler's own vector types still become SSE2.
# A few minutes on 2 cores; the build stays in build/scalar.
#   usage: scripts/check-scalar.sh
set -euo pipefail
cd "$(dirname "$0")/.."

build=${TEGU_SCALAR_BUILD:-build/scalar}
generator=()
if command -v ninja >/dev/null; then generator=(-G Ninja); fi
cmake -S . -B "$build" "${generator[@]}" -DTEGU_KERNELS_ONLY=ON -DTEGU_CUDA=off -DTEGU_SCALAR=ON -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target digests
"$build/tests/digests" tests/data/digests.txt
