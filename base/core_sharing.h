// SPDX-License-Identifier: Apache-2.0
// CoreSharing: computing threads offer their cores to waiting threads. Without offers a small request waits
// for a whole time slice of some milliseconds behind a computing thread.
//
// An offer is a sched_yield(): a fraction of a microsecond if no thread waits, else possibly a whole time
// slice. After an offer that was taken, no offer follows for kBackOff times its duration. Offers therefore
// cost a thread at most a fifth of its time.
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>

namespace tegu {

class alignas(64) CoreSharing {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::microseconds kInterval{50};
    static constexpr int kBackOff = 4;
    static constexpr std::chrono::milliseconds kShort{1};

    // Enables or disables offers. Any thread.
    void set(bool shared) {
        if (shared_.load(std::memory_order_relaxed) != shared)
            shared_.store(shared, std::memory_order_relaxed);
    }
    // Starts work of the expected duration on one thread. Work shorter than kShort makes no offers for that
    // time: it ends soon, and another thread may keep the core for longer. Call from the thread that divides
    // the work.
    void begin(std::chrono::nanoseconds expected) {
        const auto kept = expected < kShort ? kShort : std::chrono::nanoseconds(0);
        kept_until_.store((Clock::now() + kept).time_since_epoch().count(), std::memory_order_relaxed);
    }
    void end() { kept_until_.store(0, std::memory_order_relaxed); }
    // Makes an offer if one is due; returns true if it did. Working threads may call it at any rate: without
    // an offer it costs one load, or one read of the clock.
    bool offer() const {
        if (!shared_.load(std::memory_order_relaxed)) return false;
        thread_local Clock::time_point next;
        const auto now = Clock::now();
        if (now < next || now.time_since_epoch().count() < kept_until_.load(std::memory_order_relaxed))
            return false;
        (void)::sched_yield();
        const auto back = Clock::now();
        next = back + std::max<Clock::duration>(kInterval, kBackOff * (back - now));
        return true;
    }

  private:
    std::atomic<bool> shared_{false};
    std::atomic<Clock::rep> kept_until_{0};
};

}  // namespace tegu
