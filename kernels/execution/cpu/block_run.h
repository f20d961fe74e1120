// SPDX-License-Identifier: Apache-2.0
// Work cut into blocks at fixed borders, done by the caller alone or by the pool: the stop token is looked at
// before each block, and of several errors the one of the lowest block is kept, whichever thread met it
// first.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "kernels/execution/cpu/thread_pool.h"
#include "kernels/operation.h"

namespace tegu::kernels {

// whose results have a size that fits 64 bits
constexpr std::uint64_t kMaxOutputRows = std::uint64_t{1} << 56;
constexpr std::uint64_t kParallelWorkNs = 20000;  // predicted work below which waking a thread does not pay

// Outputs that are written past the caches, where the input is not written over: docs/operations/add.md and
// rowscale.md, "Speed".
constexpr std::uint64_t kStreamBytes = 16 << 20;  // from this size on they do not stay in a cache anyway
constexpr std::uint64_t kStreamRunBytes = 4096;   // shorter runs of neighbours have too many broken lines

// The segments of a job that gives one result for each.
inline std::uint64_t segments_of(const Job& job) {
    return job.axis == Axis::Rows ? job.rows : 1;
}

inline std::uint64_t blocks_of(std::uint64_t items, std::uint64_t block) {
    return items / block + (items % block != 0);
}

inline std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
    return blocks_of(value, multiple) * multiple;
}

// Nanoseconds of work that may be very much.
inline std::uint64_t predicted_work_ns(double ns) {
    return ns < 1e18 ? static_cast<std::uint64_t>(ns) : std::uint64_t{1000000000000000000};
}

// The pool for a job whose predicted work is worth waking threads, else null.
template <class PredictNs>
ThreadPool* shared_pool(const CpuContext& context, const PredictNs& predict_ns) {
    if (context.pool == nullptr || context.pool->threads() == 1) return nullptr;
    return context.pool_for(predict_ns(), kParallelWorkNs);
}

inline RunReport cpu_report(const ThreadPool* pool) {
    return cpu_report(pool == nullptr ? 1 : pool->threads());
}

class FirstError {
  public:
    // An error at `place`; of several the one at the lowest place stays.
    void keep(std::uint64_t place, Error error) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (seen() && place_ <= place) return;
        place_ = place;
        error_ = std::move(error);
        seen_.store(true, std::memory_order_relaxed);
    }
    bool seen() const { return seen_.load(std::memory_order_relaxed); }
    // REQUIRES: no thread calls keep() any more.
    Result<void> result() {
        if (!seen()) return {};
        return std::move(error_);
    }

  private:
    std::mutex mutex_;
    std::atomic<bool> seen_{false};
    std::uint64_t place_ = 0;
    Error error_;
};

// body(block, worker) -> Result<void> for blocks [0, count), in increasing order on each thread. After an
// error blocks that were not begun are left out; all below the one that failed have been begun. `pool` may be
// null. A block is a few milliseconds at most.
template <class Body>
Result<void> for_blocks(std::uint64_t count, ThreadPool* pool, const StopToken& stop, const Body& body) {
    FirstError first;
    const auto one = [&](std::uint64_t block, unsigned worker) {
        if (first.seen()) return;
        if (stop.stop_requested()) return first.keep(0, stop.error());
        Result<void> done = body(block, worker);
        if (!done) first.keep(block, std::move(done).error());
    };
    if (pool != nullptr)
        pool->parallel_for(count, one);
    else
        for (std::uint64_t block = 0; block < count && !first.seen(); ++block) one(block, 0);
    return first.result();
}

}  // namespace tegu::kernels
