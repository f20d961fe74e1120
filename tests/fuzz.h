// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets check with: a promise that an input breaks ends the program as a crash does, so that
// the fuzzer keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tegu::fuzz {

// `what`: what is wrong if it does not hold.
inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: %s\n", what);
    std::abort();
}

}  // namespace tegu::fuzz
