#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that results are the same bits without vectors. It builds the kernels for no instruction set, with plain loops and
# without intrinsics, and compares with tests/data/digests.txt. On x86-64 the compiler's own vector types still become SSE2.
# A few minutes on 2 cores; the build stays in build/scalar.
#   usage: scripts/check-scalar.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cmake.sh

build=${TEGU_SCALAR_BUILD:-build/scalar}
configure_folder "$build" -DTEGU_KERNELS_ONLY=ON -DTEGU_CUDA=off -DTEGU_SCALAR=ON -DCMAKE_BUILD_TYPE=Release >/dev/null
build_folder "$build" digests
"$build/tests/digests" tests/data/digests.txt
