// SPDX-License-Identifier: Apache-2.0
// A range is published under the mutex with a generation number; threads take indices from one atomic
// counter. A worker joins an open range under the mutex; the caller closes the range when no index is left.
// The caller therefore waits for workers that hold an index, never for one that is still waking up.
#include "kernels/execution/cpu/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/relax.h"

namespace tegu::kernels {
namespace {

constexpr std::chrono::microseconds kSpin{20};

// Spins for at most kSpin until `ready` is true. Workers spin after a range, so the next range of a job needs
// no wake-up; the caller spins for the last index of another thread. Then they sleep: an idle pool uses no
// CPU time.
template <class Ready>
void spin_until(Ready ready) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + kSpin;
    do {
        if (ready()) return;
        relax();
    } while (Clock::now() < end);
}

}  // namespace

struct ThreadPool::State {
    using Body = std::function<void(std::uint64_t, unsigned)>;

    std::mutex caller_mutex;  // one parallel_for at a time

    std::mutex mutex;  // guards the members below; spinning threads also read the atomics without it
    std::condition_variable wake;  // a range was opened, or the pool stops
    std::condition_variable left;  // the last worker left a closed range
    std::condition_variable more;  // the limit was raised, or the pool stops
    unsigned limit = 0;            // threads that take part
    std::atomic<std::uint64_t> generation{0};
    std::atomic<bool> stopping{false};
    std::atomic<unsigned> inside{0};  // workers that joined the range and have not left
    const Body* body = nullptr;       // null: no range is open
    std::uint64_t count = 0;

    std::atomic<std::uint64_t> next{0};
    std::vector<std::thread> workers;

    // The first exception of a body; no index begins after it. An allocation failure must neither end the
    // process nor the range while other threads work on it.
    std::mutex thrown_mutex;
    std::exception_ptr thrown;

    void work(const Body& run, std::uint64_t end, unsigned worker) {
        try {
            for (;;) {
                const std::uint64_t index = next.fetch_add(1, std::memory_order_relaxed);
                if (index >= end) return;
                run(index, worker);
            }
        } catch (...) {
            next.store(end, std::memory_order_relaxed);
            std::lock_guard<std::mutex> lock(thrown_mutex);
            if (thrown == nullptr) thrown = std::current_exception();
        }
    }

    bool has_news(std::uint64_t seen) const {
        return generation.load(std::memory_order_relaxed) != seen || stopping.load(std::memory_order_relaxed);
    }

    void run_worker(unsigned worker) {
        std::uint64_t seen = 0;
        for (;;) {
            spin_until([&] { return has_news(seen); });
            std::unique_lock<std::mutex> lock(mutex);
            wake.wait(lock, [&] { return has_news(seen); });
            more.wait(lock, [&] { return worker < limit || stopping.load(std::memory_order_relaxed); });
            if (stopping.load(std::memory_order_relaxed)) return;
            seen = generation.load(std::memory_order_relaxed);
            if (body == nullptr) continue;  // woke too late
            const Body& run = *body;
            const std::uint64_t end = count;
            inside.fetch_add(1, std::memory_order_relaxed);
            lock.unlock();
            work(run, end, worker);
            lock.lock();
            if (inside.fetch_sub(1, std::memory_order_release) == 1 && body == nullptr) left.notify_one();
        }
    }

    void open(const Body& run, std::uint64_t end) {
        {
            std::lock_guard<std::mutex> lock(mutex);
            body = &run;
            count = end;
            next.store(0, std::memory_order_relaxed);
            generation.fetch_add(1, std::memory_order_relaxed);
        }
        if (end >= limit || limit <= workers.size())
            return wake.notify_all();  // one alone may wake a thread that rests
        for (std::uint64_t i = 1; i < end; ++i) wake.notify_one();
    }

    void close() {
        {
            std::lock_guard<std::mutex> lock(mutex);
            body = nullptr;
        }
        spin_until([&] { return inside.load(std::memory_order_acquire) == 0; });
        std::unique_lock<std::mutex> lock(mutex);
        left.wait(lock, [&] { return inside.load(std::memory_order_relaxed) == 0; });
    }
};

ThreadPool::ThreadPool(unsigned threads) : state_(std::make_unique<State>()) {
    assert(threads >= 1);
    state_->limit = threads;
    state_->workers.reserve(threads - 1);
    for (unsigned worker = 1; worker < threads; ++worker)
        state_->workers.emplace_back([state = state_.get(), worker] { state->run_worker(worker); });
}

ThreadPool::~ThreadPool() {
    {
        std::lock_guard<std::mutex> lock(state_->mutex);
        state_->stopping.store(true, std::memory_order_relaxed);
    }
    state_->wake.notify_all();
    state_->more.notify_all();
    for (std::thread& worker : state_->workers) worker.join();
}

unsigned ThreadPool::threads() const {
    return state_->limit;
}

void ThreadPool::limit(unsigned threads) {
    assert(threads >= 1);
    threads = std::min(threads, static_cast<unsigned>(state_->workers.size()) + 1);
    if (threads == state_->limit) return;
    {
        std::lock_guard<std::mutex> lock(state_->mutex);
        state_->limit = threads;
    }
    state_->more.notify_all();
}

void ThreadPool::parallel_for(std::uint64_t count, const std::function<void(std::uint64_t, unsigned)>& body) {
    State& state = *state_;
    if (state.limit == 1 || count <= 1) {
        for (std::uint64_t index = 0; index < count; ++index) body(index, 0);
        return;
    }
    std::lock_guard<std::mutex> caller(state.caller_mutex);
    state.open(body, count);
    state.work(body, count, 0);
    state.close();
    if (state.thrown != nullptr) std::rethrow_exception(std::exchange(state.thrown, nullptr));
}

// One index per thread. No thread returns its index before all are taken, so each thread takes one.
void ThreadPool::meet() {
    const unsigned all = threads();
    std::mutex mutex;
    std::condition_variable met;
    unsigned here = 0;
    parallel_for(all, [&](std::uint64_t, unsigned) {
        std::unique_lock<std::mutex> lock(mutex);
        if (++here == all) met.notify_all();
        met.wait(lock, [&] { return here == all; });
    });
}

}  // namespace tegu::kernels
