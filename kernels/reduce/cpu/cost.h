// SPDX-License-Identifier: Apache-2.0
// The time of reduce on one thread, for admission and placement.
#pragma once

#include <cstdint>

#include "base/element_type.h"

namespace tegu::kernels {

// Nanoseconds for segments with a total of `elements` elements. `needs`: ReduceNeed bits.
std::uint64_t reduce_ns(unsigned needs, ElementType type, std::uint64_t elements, std::uint64_t segments);

}  // namespace tegu::kernels
