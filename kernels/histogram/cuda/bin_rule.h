// SPDX-License-Identifier: Apache-2.0
// Makes the rule by which device code finds bins from a range.
#pragma once

#include "kernels/histogram/bin_range.h"
#include "kernels/histogram/cuda/histogram.h"

namespace tegu::cuda {

// REQUIRES: a range that kernels::usable_bin_range() gave for this number of bins.
BinRule bin_rule(ElementType type, const kernels::BinRange& range, std::uint32_t bins);

}  // namespace tegu::cuda
