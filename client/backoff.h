// SPDX-License-Identifier: Apache-2.0
// Backoff: the wait before the next attempt. Exponential with jitter, so that many clients do not reconnect
// to a restarted daemon at the same time. Jitter needs no quality, so a small private generator suffices.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tegu::clientlib {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

inline constexpr nanoseconds kBackoffMin = milliseconds(5);
inline constexpr nanoseconds kBackoffMax = milliseconds(1000);

class Jitter {
  public:
    explicit Jitter(std::uint64_t seed) : state_(seed | 1) {}
    // Uniform in [0, limit).
    nanoseconds below(nanoseconds limit) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return nanoseconds(limit.count() <= 0 ? 0 : static_cast<std::int64_t>(state_ >> 1) % limit.count());
    }

  private:
    std::uint64_t state_;
};

class Backoff {
  public:
    // Half of the current step plus up to another half of it; then doubles the step, from 5 ms to 1 s.
    nanoseconds next(Jitter& jitter) {
        const nanoseconds delay = step_ / 2 + jitter.below(step_ / 2 + nanoseconds(1));
        step_ = std::min(step_ * 2, kBackoffMax);
        return std::max(delay, kBackoffMin);
    }
    void reset() { step_ = kBackoffMin; }

  private:
    nanoseconds step_ = kBackoffMin;
};

}  // namespace tegu::clientlib
