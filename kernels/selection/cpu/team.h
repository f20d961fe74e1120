// SPDX-License-Identifier: Apache-2.0
// Team: how the parts of one top-k job are spread over the pool. A job has at most kMaxSlots working threads,
// so that the memory that they need is bounded whatever the pool; a slot is the number of one of them. A body
// that sees a stop request leaves its work undone, and the caller of run() then gives up.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "kernels/execution/cpu/thread_pool.h"
#include "kernels/operation.h"

namespace tegu::kernels::selection {

constexpr unsigned kMaxSlots = 16;

class Team {
  public:
    // `pool` may be null: the calling thread alone. Both outlive the team.
    Team(ThreadPool* pool, const StopToken& stop)
        : pool_(pool),
          stop_(stop),
          slots_(pool == nullptr               ? 1
                 : pool->threads() < kMaxSlots ? pool->threads()
                                               : kMaxSlots) {}

    unsigned slots() const { return slots_; }
    const StopToken& stop() const { return stop_; }
    Team alone() const { return Team(nullptr, stop_); }
    Team limited(unsigned slots) const {
        Team team = *this;
        if (slots < team.slots_) team.slots_ = slots;
        return team;
    }

    // Calls body(task, slot) once for each task in [0, tasks); a slot gets its tasks in increasing order, one
    // after another. A body may leave early when it sees a stop request. False if a stop was requested: the
    // work is not complete.
    bool run(std::uint64_t tasks, const std::function<void(std::uint64_t task, unsigned slot)>& body) const {
        std::atomic<std::uint64_t> next{0};
        std::atomic<bool> stopped{false};
        const auto work = [&](std::uint64_t slot, unsigned) {
            for (;;) {
                const std::uint64_t task = next.fetch_add(1, std::memory_order_relaxed);
                if (task >= tasks || stopped.load(std::memory_order_relaxed)) return;
                if (stop_.stop_requested()) {
                    stopped.store(true, std::memory_order_relaxed);
                    return;
                }
                body(task, static_cast<unsigned>(slot));
            }
        };
        const std::uint64_t slots = tasks < slots_ ? tasks : slots_;
        if (slots <= 1 || pool_ == nullptr) {
            work(0, 0);
        } else {
            pool_->parallel_for(slots, work);
        }
        return !stopped.load(std::memory_order_relaxed) && !stop_.stop_requested();
    }

  private:
    ThreadPool* pool_;
    const StopToken& stop_;
    unsigned slots_;
};

}  // namespace tegu::kernels::selection
