// SPDX-License-Identifier: Apache-2.0
// What reduce costs on one thread: feeds admission and the choice of where a job runs.
#pragma once

#include <cstdint>

#include "base/element_type.h"

namespace tegu::kernels {

// Nanoseconds for segments of `elements` elements in all. `needs`: ReduceNeed bits.
std::uint64_t reduce_ns(unsigned needs, ElementType type, std::uint64_t elements, std::uint64_t segments);

}  // namespace tegu::kernels
