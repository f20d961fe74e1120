// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measure/statistics.h"

#include <algorithm>
#include <cmath>

namespace tegu::tune {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double geometric_mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += std::log(value);
    return values.empty() ? 1 : std::exp(sum / static_cast<double>(values.size()));
}

Timing timing_of(const std::vector<double>& samples_us) {
    Timing timing;
    timing.us = median(samples_us);
    timing.samples = static_cast<unsigned>(samples_us.size());
    if (timing.us <= 0) return timing;
    std::vector<double> deviations;
    for (const double sample : samples_us) deviations.push_back(std::fabs(sample - timing.us) / timing.us);
    timing.noise = median(deviations);
    return timing;
}

}  // namespace tegu::tune
