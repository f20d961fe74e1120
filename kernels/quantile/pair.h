// SPDX-License-Identifier: Apache-2.0
// The two keys around a quantile.
#pragma once

#include <cstdint>

namespace tegu::kernels::quantile {

// An order statistic and the next one, as keys; for the last one, itself twice.
struct Pair {
    std::uint64_t value = 0;
    std::uint64_t next = 0;
};

}  // namespace tegu::kernels::quantile
