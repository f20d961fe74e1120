// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/copy_model.h"

#include <algorithm>
#include <cmath>

namespace tegu::daemon {
namespace {

// Speed before the first measured copy: that of memory on a small board.
constexpr double kFixedNs = 10'000;
constexpr double kByteNs = 0.25;
constexpr CorrectionCurve::Parent kNothingKnown{0, 0.02};
constexpr double kLongestCopyNs = 9e18;  // fits 63 bits
constexpr std::uint64_t kLargeBytes = 16 << 20;

double expected_ns(std::uint64_t bytes) {
    return kFixedNs + kByteNs * static_cast<double>(bytes);
}

}  // namespace

std::uint64_t CopyModel::predict_ns(std::uint64_t bytes) const {
    if (bytes == 0) return 0;
    const double expected = expected_ns(bytes);
    const double ns = expected * std::exp2(curve_.at(expected, kNothingKnown));
    return static_cast<std::uint64_t>(std::clamp(ns, 1.0, kLongestCopyNs));
}

void CopyModel::learn(std::uint64_t bytes, std::uint64_t copy_ns) {
    if (bytes == 0 || copy_ns == 0) return;
    const double expected = expected_ns(bytes);
    curve_.observe(expected, std::log2(static_cast<double>(copy_ns) / expected), kNothingKnown);
}

double CopyModel::gb_per_s() const {
    return static_cast<double>(kLargeBytes) / static_cast<double>(predict_ns(kLargeBytes));
}

}  // namespace tegu::daemon
