// SPDX-License-Identifier: Apache-2.0
#include "tools/field/statistics.h"

#include <algorithm>
#include <cmath>

namespace tegu::field {

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double percentile(std::vector<double> values, unsigned percent) {
    std::sort(values.begin(), values.end());
    const std::size_t rank = (values.size() * percent + 99) / 100;
    return values[rank == 0 ? 0 : rank - 1];
}

double noise(const std::vector<double>& values) {
    const double middle = median(values);
    if (middle <= 0) return 0;
    std::vector<double> deviations;
    for (const double value : values) deviations.push_back(std::fabs(value - middle));
    return median(std::move(deviations)) / middle;
}

}  // namespace tegu::field
