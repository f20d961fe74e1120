// SPDX-License-Identifier: Apache-2.0
// Statistics of repeated times: the median and the deviation from it. Medians, because times have outliers on
// one side.
#pragma once

#include <vector>

namespace tegu::tune {

// 0 for no values. Of an even number: the mean of the two in the middle.
double median(std::vector<double> values);
// 1 for no values. REQUIRES: all > 0.
double geometric_mean(const std::vector<double>& values);

struct Timing {
    double us = 0;     // median of the samples
    double noise = 0;  // median of their relative deviations from it
    unsigned samples = 0;
};
Timing timing_of(const std::vector<double>& samples_us);

}  // namespace tegu::tune
