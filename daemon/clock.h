// SPDX-License-Identifier: Apache-2.0
// The daemon's clock: monotonic, the same that a StopToken reads.
#pragma once

#include <chrono>
#include <cstdint>

#include "kernels/operation.h"

namespace tegu::daemon {

using Clock = kernels::StopToken::Clock;
using TimePoint = Clock::time_point;
inline constexpr TimePoint kNever = TimePoint::max();

inline std::uint64_t nanoseconds(Clock::duration duration) {
    const auto count = std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
    return count > 0 ? static_cast<std::uint64_t>(count) : 0;
}

inline std::chrono::milliseconds milliseconds(std::uint64_t count) {
    return std::chrono::milliseconds(count);
}

// `start` plus a client's time limit; kNever for 0 and for times beyond about 95 years.
inline TimePoint deadline_after(TimePoint start, std::uint64_t relative_ns) {
    constexpr std::uint64_t kLongest = 3'000'000'000'000'000'000;
    return relative_ns == 0 || relative_ns > kLongest ? kNever
                                                      : start + std::chrono::nanoseconds(relative_ns);
}

}  // namespace tegu::daemon
