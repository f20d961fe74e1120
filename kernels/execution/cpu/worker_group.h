// SPDX-License-Identifier: Apache-2.0
// WorkerGroup: the workers that share one piece of work on the CPU. A worker is a thread of the pool while it
// takes tasks; its index selects its own memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>

#include "kernels/execution/cpu/thread_pool.h"
#include "kernels/execution/cpu/work.h"
#include "kernels/operation.h"

namespace tegu::kernels {

// Maximum workers of a group with per-worker memory: bounds that memory for any number of threads of the
// pool.
inline constexpr unsigned kMaxWorkers = 16;

// Keeps the error of the lowest index, regardless of which thread reports first.
class FirstError {
  public:
    void keep(std::uint64_t index, Error error) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (seen_ && index_ <= index) return;
        seen_ = true;
        index_ = index;
        error_ = std::move(error);
    }
    // REQUIRES: no thread calls keep() any more.
    bool seen() const { return seen_; }
    Error take() { return std::move(error_); }

  private:
    std::mutex mutex_;
    bool seen_ = false;
    std::uint64_t index_ = 0;
    Error error_;
};

class WorkerGroup {
  public:
    // At most `max_workers` threads of `pool`. Null `pool`: the calling thread alone. Pool and stop token
    // outlive the group.
    WorkerGroup(ThreadPool* pool, const StopToken& stop, unsigned max_workers = ~0u)
        : pool_(pool), stop_(&stop), size_(pool == nullptr ? 1 : std::min(pool->threads(), max_workers)) {}

    // The workers are first() .. first() + size() - 1.
    unsigned first() const { return first_; }
    unsigned size() const { return size_; }
    const StopToken& stop() const { return *stop_; }

    // The same with at most `max_workers`.
    WorkerGroup limited(unsigned max_workers) const {
        WorkerGroup group = *this;
        group.size_ = std::min(size_, max_workers);
        return group;
    }
    // One worker of the group, on the calling thread.
    WorkerGroup alone(unsigned worker) const {
        WorkerGroup group = *this;
        group.first_ = worker;
        group.size_ = 1;
        return group;
    }

    // Calls body(task, worker) once for each task in [0, tasks); a worker gets its tasks in increasing order.
    // The stop token is polled before each. False: a stop was requested, or a body returned false; the work
    // is then incomplete. A body without a result may return early when it observes a stop request.
    template <class Body>
    bool run(std::uint64_t tasks, const Body& body) const {
        constexpr bool kLeavesEarly = std::is_void_v<decltype(body(tasks, 0u))>;
        const auto one = [&](std::uint64_t task, unsigned worker) {
            if (stop_->stop_requested()) return false;
            if constexpr (kLeavesEarly)
                return body(task, worker), true;
            else
                return static_cast<bool>(body(task, worker));
        };
        if (size_ > 1 && tasks > 1) {
            if (!share(tasks, one)) return false;
        } else {
            for (std::uint64_t task = 0; task < tasks; ++task)
                if (!one(task, first_)) return false;
        }
        return !kLeavesEarly || !stop_->stop_requested();
    }

    // The same for bodies that return Result<void>. After an error no further task begins; all tasks below
    // the failed one have begun, and the error of the lowest is returned. Errors: Cancelled,
    // DeadlineExceeded.
    template <class Body>
    Result<void> try_run(std::uint64_t tasks, const Body& body) const {
        FirstError first;
        const bool done = run(tasks, [&](std::uint64_t task, unsigned worker) {
            Result<void> result = body(task, worker);
            if (!result) first.keep(task, std::move(result).error());
            return result.ok();
        });
        if (first.seen()) return first.take();
        if (!done) return stop_->error();
        return {};
    }

  private:
    template <class One>
    bool share(std::uint64_t tasks, const One& one) const {
        std::atomic<std::uint64_t> next{0};
        std::atomic<bool> stopped{false};
        const auto work = [&](std::uint64_t index, unsigned) {
            while (!stopped.load(std::memory_order_relaxed)) {
                const std::uint64_t task = next.fetch_add(1, std::memory_order_relaxed);
                if (task >= tasks) return;
                if (!one(task, first_ + static_cast<unsigned>(index)))
                    stopped.store(true, std::memory_order_relaxed);
            }
        };
        pool_->parallel_for(std::min<std::uint64_t>(size_, tasks), std::ref(work));
        return !stopped.load(std::memory_order_relaxed);
    }

    ThreadPool* pool_;
    const StopToken* stop_;
    unsigned first_ = 0;
    unsigned size_;
};

// The group of a job: uses the context's pool if the predicted work is worth waking its threads.
inline WorkerGroup group_for(const CpuContext& context, std::uint64_t predicted_ns, const StopToken& stop,
                             unsigned max_workers = ~0u, std::uint64_t own_share_ns = kParallelWorkNs) {
    return WorkerGroup(context.pool_for(predicted_ns, own_share_ns), stop, max_workers);
}

}  // namespace tegu::kernels
