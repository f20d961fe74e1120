// SPDX-License-Identifier: Apache-2.0
// Summary of repeated measurements: the median and the deviation from it.
#pragma once

#include <vector>

namespace tegu::field {

// REQUIRES: !values.empty().
double median(std::vector<double> values);
// The smallest of them that `percent` % do not exceed. REQUIRES: !values.empty(), percent <= 100.
double percentile(std::vector<double> values, unsigned percent);
// Median absolute deviation over the median; 0 for a median of 0.
double noise(const std::vector<double>& values);

}  // namespace tegu::field
