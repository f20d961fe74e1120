// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/cost_accuracy.h"

#include <algorithm>
#include <cmath>

namespace tegu::daemon {

void CostAccuracy::add(double ratio) {
    const double octaves = std::log2(ratio);
    const double steps = std::min(std::abs(octaves) * kSteps, double{kSteps * kTop});
    ++counts_[static_cast<std::size_t>(steps)];
    sum_log2_ += octaves;
    if (++jobs_ < kMax) return;
    const auto before = static_cast<double>(jobs_);
    jobs_ = 0;
    for (std::uint32_t& count : counts_) jobs_ += count /= 2;
    sum_log2_ *= static_cast<double>(jobs_) / before;
}

CostAccuracy& CostAccuracy::operator+=(const CostAccuracy& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    jobs_ += other.jobs_;
    sum_log2_ += other.sum_log2_;
    return *this;
}

double CostAccuracy::bias() const {
    return jobs_ == 0 ? 1 : std::exp2(sum_log2_ / static_cast<double>(jobs_));
}

double CostAccuracy::error(double share) const {
    const double wanted = share * static_cast<double>(jobs_);
    double seen = 0;
    for (std::size_t i = 0; i < counts_.size() && jobs_ > 0; ++i) {
        seen += counts_[i];
        if (seen >= wanted) return std::exp2((static_cast<double>(i) + 0.5) / kSteps) - 1;
    }
    return 0;
}

void CostRecord::add(std::uint64_t predicted_ns, std::uint64_t measured_ns) {
    const double predicted = static_cast<double>(predicted_ns) * 1e-9;
    const double measured = static_cast<double>(measured_ns) * 1e-9;
    ++jobs;
    predicted_seconds += predicted;
    measured_seconds += measured;
    wrong_seconds += std::abs(measured - predicted);
    accuracy.add(static_cast<double>(std::max<std::uint64_t>(measured_ns, 1)) /
                 static_cast<double>(std::max<std::uint64_t>(predicted_ns, 1)));
}

}  // namespace tegu::daemon
