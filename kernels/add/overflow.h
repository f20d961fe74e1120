// SPDX-License-Identifier: Apache-2.0
// The error of a sum of integers that does not fit its type.
#pragma once

#include "base/element_type.h"
#include "base/result.h"
#include "kernels/numerics/int128.h"

namespace tegu::kernels {

// Overflow, field "values"; the message has the index (row-major) and the sum.
Error add_overflow(ElementType type, std::uint64_t index, Int128 sum);

}  // namespace tegu::kernels
