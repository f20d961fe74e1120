// SPDX-License-Identifier: Apache-2.0
// A range is published under a generation number; indices are taken from one atomic counter. The caller works first and
// waits for the workers last. Workers spin for about 20 us before they sleep, so that the second of two
// ranges in one job does not pay for a wake-up; an idle pool is asleep and uses no CPU time.
#include "kernels/thread_pool.h"

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace tegu::kernels {

struct ThreadPool::State {
    std::mutex caller_mutex;   // one parallel_for at a time
    std::mutex mutex;          // guards `generation`, `stopping` against lost wake-ups
    std::condition_variable wake;
    std::atomic<std::uint64_t> generation{0};
    std::atomic<bool> stopping{false};

    const std::function<void(std::uint64_t, unsigned)>* body = nullptr;
    std::uint64_t count = 0;
    std::atomic<std::uint64_t> next{0};
    std::atomic<unsigned> working{0};  // workers that have not left the current range

    std::vector<std::thread> workers;

    void work(unsigned worker) {
        for (;;) {
            const std::uint64_t index = next.fetch_add(1, std::memory_order_relaxed);
            if (index >= count) return;
            (*body)(index, worker);
        }
    }

    bool has_news(std::uint64_t seen) const {
        return generation.load(std::memory_order_acquire) != seen || stopping.load(std::memory_order_relaxed);
    }

    void wait_for_news(std::uint64_t seen) {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point end = Clock::now() + std::chrono::microseconds(20);
        while (Clock::now() < end)
            if (has_news(seen)) return;
        std::unique_lock<std::mutex> lock(mutex);
        wake.wait(lock, [&] { return has_news(seen); });
    }

    void run_worker(unsigned worker) {
        std::uint64_t seen = 0;
        for (;;) {
            wait_for_news(seen);
            if (stopping.load(std::memory_order_relaxed)) return;
            seen = generation.load(std::memory_order_acquire);
            work(worker);
            working.fetch_sub(1, std::memory_order_release);
        }
    }
};

ThreadPool::ThreadPool(unsigned threads) : state_(std::make_unique<State>()) {
    assert(threads >= 1);
    state_->workers.reserve(threads - 1);
    for (unsigned worker = 1; worker < threads; ++worker)
        state_->workers.emplace_back([state = state_.get(), worker] { state->run_worker(worker); });
}

ThreadPool::~ThreadPool() {
    {
        std::lock_guard<std::mutex> lock(state_->mutex);
        state_->stopping.store(true);
    }
    state_->wake.notify_all();
    for (std::thread& worker : state_->workers) worker.join();
}

unsigned ThreadPool::threads() const { return static_cast<unsigned>(state_->workers.size()) + 1; }

void ThreadPool::parallel_for(std::uint64_t count, const std::function<void(std::uint64_t, unsigned)>& body) {
    State& state = *state_;
    if (state.workers.empty() || count <= 1) {
        for (std::uint64_t index = 0; index < count; ++index) body(index, 0);
        return;
    }
    std::lock_guard<std::mutex> caller(state.caller_mutex);
    state.body = &body;
    state.count = count;
    state.next.store(0, std::memory_order_relaxed);
    state.working.store(static_cast<unsigned>(state.workers.size()), std::memory_order_relaxed);
    {
        std::lock_guard<std::mutex> lock(state.mutex);
        state.generation.fetch_add(1, std::memory_order_release);
    }
    state.wake.notify_all();
    state.work(0);
    while (state.working.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

}  // namespace tegu::kernels
