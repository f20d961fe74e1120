// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/copy_model.h"

namespace tegu::daemon {
namespace {

constexpr double kLongestNs = 9e18;  // fits 63 bits
constexpr double kLeastNs = 100;

}  // namespace

std::uint64_t CopyModel::predict_ns(std::uint64_t bytes) const {
    if (bytes == 0) return 0;
    return static_cast<std::uint64_t>(
        std::min(fixed_ns_.value() + byte_ns_.value() * static_cast<double>(bytes), kLongestNs));
}

// At least half of the time of a large copy is that of its bytes, whatever the fixed time is believed to be.
void CopyModel::learn(std::uint64_t bytes, std::uint64_t copy_ns) {
    if (bytes == 0 || copy_ns == 0) return;
    const double ns = std::max(static_cast<double>(copy_ns), kLeastNs);
    if (bytes <= kSmallBytes) fixed_ns_.add(ns);
    if (bytes >= kLargeBytes)
        byte_ns_.add(std::max(ns - fixed_ns_.value(), ns / 2) / static_cast<double>(bytes));
}

}  // namespace tegu::daemon
