// SPDX-License-Identifier: Apache-2.0
// From a range to the rule that device code finds bins by.
#pragma once

#include "kernels/histogram/bin_range.h"
#include "kernels/histogram/cuda/histogram.h"

namespace tegu::cuda {

// REQUIRES: a range that kernels::usable_bin_range() gave for so many bins.
BinRule bin_rule(ElementType type, const kernels::BinRange& range, std::uint32_t bins);

}  // namespace tegu::cuda
