// SPDX-License-Identifier: Apache-2.0
// CoreSharing: threads that compute offer their cores to others that wait for one. A kernel gives each thread
// a slice of some milliseconds, whatever the priorities are. A small request would wait as long behind a
// thread that computes.
// An offer is a sched_yield(): a fraction of a microsecond if nobody waits. It may also give a whole slice to
// another thread that computes. So after an offer that was taken there is none for kBackOff times as long.
// Offers cost a thread a fifth of its time at most.
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

    // Whether offers are made. Any thread.
    void set(bool shared) {
        if (shared_.load(std::memory_order_relaxed) != shared)
            shared_.store(shared, std::memory_order_relaxed);
    }
    // Work begins that is expected to take so long on one thread. What is short keeps its core: nobody waits
    // long for its end, and whoever got the core might not give it back as soon. By the thread that divides
    // the work.
    void begin(std::chrono::nanoseconds expected) {
        const auto kept = expected < kShort ? kShort : std::chrono::nanoseconds(0);
        kept_until_.store((Clock::now() + kept).time_since_epoch().count(), std::memory_order_relaxed);
    }
    void end() { kept_until_.store(0, std::memory_order_relaxed); }
    // By threads at work, as often as they like: one read, or a look at the clock, unless it is time for an
    // offer. Whether there was one.
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
