// SPDX-License-Identifier: Apache-2.0
// ThreadPool: each index once, in increasing order per thread, from many callers; short and long ranges; idle
// threads sleep.
#include "kernels/execution/cpu/thread_pool.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

namespace tegu::kernels {
namespace {

TEST(ThreadPool, CallsEachIndexOnce) {
    for (unsigned threads : {1u, 2u, 3u, 7u}) {
        ThreadPool pool(threads);
        EXPECT_EQ(pool.threads(), threads);
        for (std::uint64_t count : {0u, 1u, 2u, 6u, 7u, 1000u}) {
            std::vector<std::atomic<int>> calls(count);
            std::atomic<bool> worker_in_range{true};
            pool.parallel_for(count, [&](std::uint64_t index, unsigned worker) {
                calls[index].fetch_add(1);
                if (worker >= threads) worker_in_range = false;
            });
            for (std::uint64_t i = 0; i < count; ++i) EXPECT_EQ(calls[i].load(), 1) << i << " of " << count;
            EXPECT_TRUE(worker_in_range);
        }
    }
}

TEST(ThreadPool, HandsOutIndicesInIncreasingOrder) {
    ThreadPool pool(4);
    std::vector<std::vector<std::uint64_t>> seen(4);  // one per worker, so no lock
    pool.parallel_for(5000, [&](std::uint64_t index, unsigned worker) { seen[worker].push_back(index); });
    std::size_t total = 0;
    for (const auto& indices : seen) {
        for (std::size_t i = 1; i < indices.size(); ++i) EXPECT_LT(indices[i - 1], indices[i]);
        total += indices.size();
    }
    EXPECT_EQ(total, 5000u);
}

// What a body wrote without synchronisation of its own is visible after the call, also when ranges follow
// each other at once.
TEST(ThreadPool, ResultsAreVisibleAfterEachOfManyRanges) {
    ThreadPool pool(3);
    std::vector<std::uint64_t> values(8);
    for (std::uint64_t round = 0; round < 3000; ++round) {
        pool.parallel_for(values.size(),
                          [&](std::uint64_t index, unsigned) { values[index] = round + index; });
        for (std::uint64_t i = 0; i < values.size(); ++i)
            ASSERT_EQ(values[i], round + i) << "round " << round;
    }
}

TEST(ThreadPool, AnExceptionIsThrownAgainOnceAllAreOut) {
    ThreadPool pool(3);
    for (unsigned thrower : {0u, 1u, 2u}) {
        std::atomic<bool> thrown{false};
        std::atomic<unsigned> running{0};
        const auto body = [&](std::uint64_t, unsigned worker) {
            running.fetch_add(1);
            if (worker == thrower && !thrown.exchange(true)) {
                running.fetch_sub(1);
                throw std::bad_alloc();
            }
            while (!thrown.load()) std::this_thread::yield();
            running.fetch_sub(1);
        };
        EXPECT_THROW(pool.parallel_for(1000000, body), std::bad_alloc) << thrower;
        EXPECT_EQ(running.load(), 0u);
    }
    std::atomic<int> calls{0};
    pool.parallel_for(100, [&](std::uint64_t, unsigned) { calls.fetch_add(1); });
    EXPECT_EQ(calls.load(), 100);
}

TEST(ThreadPool, AllThreadsTakePart) {
    ThreadPool pool(3);
    std::mutex mutex;
    std::set<unsigned> workers;
    std::atomic<int> waiting{0};
    // Each of three indices waits for the others, so three threads must have come.
    pool.parallel_for(3, [&](std::uint64_t, unsigned worker) {
        {
            std::lock_guard<std::mutex> lock(mutex);
            workers.insert(worker);
        }
        waiting.fetch_add(1);
        while (waiting.load() < 3) std::this_thread::yield();
    });
    EXPECT_EQ(workers, (std::set<unsigned>{0, 1, 2}));
}

TEST(ThreadPool, CallsFromSeveralThreadsAreTakenOneAfterAnother) {
    ThreadPool pool(3);
    std::atomic<int> in_call{0};
    std::atomic<bool> mixed{false};
    std::atomic<std::uint64_t> done{0};
    std::vector<std::thread> callers;
    for (int caller = 1; caller <= 4; ++caller)
        callers.emplace_back([&, caller] {
            for (int round = 0; round < 200; ++round)
                pool.parallel_for(5, [&](std::uint64_t, unsigned) {
                    int expected = 0;
                    if (!in_call.compare_exchange_strong(expected, caller) && expected != caller)
                        mixed = true;
                    if (done.fetch_add(1) % 5 == 4) in_call = 0;
                });
        });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(done.load(), 4u * 200 * 5);
    EXPECT_FALSE(mixed);
}

// The caller does all the work rather than wait for threads that have not woken up.
TEST(ThreadPool, TinyRangesDoNotWaitForSleepers) {
    ThreadPool pool(7);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // all asleep
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> calls{0};
        pool.parallel_for(2, [&](std::uint64_t, unsigned) { calls.fetch_add(1); });
        ASSERT_EQ(calls.load(), 2);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

TEST(ThreadPool, CanBeDestroyedAtAnyMoment) {
    for (int round = 0; round < 200; ++round) {
        auto pool = std::make_unique<ThreadPool>(4);
        std::atomic<int> calls{0};
        if (round % 2)
            pool->parallel_for(static_cast<std::uint64_t>(round),
                               [&](std::uint64_t, unsigned) { calls.fetch_add(1); });
        pool.reset();
        EXPECT_EQ(calls.load(), round % 2 ? round : 0);
    }
}

double process_cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Idle threads sleep: seven of them for 300 ms would use two seconds if they span.
TEST(ThreadPool, MeetReturnsWhenEachThreadHasCome) {
    for (const unsigned threads : {1u, 2u, 5u}) {
        ThreadPool pool(threads);
        for (int round = 0; round < 50; ++round) pool.meet();
        std::atomic<std::uint64_t> sum{0};
        pool.parallel_for(100, [&](std::uint64_t index, unsigned) { sum += index; });
        EXPECT_EQ(4950u, sum.load());
    }
}

// Which threads take part in a range that ends only when so many are in it.
std::set<unsigned> workers_of(ThreadPool& pool) {
    std::mutex mutex;
    std::set<unsigned> workers;
    std::atomic<unsigned> inside{0};
    pool.parallel_for(pool.threads(), [&](std::uint64_t, unsigned worker) {
        {
            std::lock_guard<std::mutex> lock(mutex);
            workers.insert(worker);
        }
        inside.fetch_add(1);
        while (inside.load() < pool.threads()) std::this_thread::yield();
    });
    return workers;
}

TEST(ThreadPool, ALimitKeepsThreadsOutUntilItIsRaised) {
    ThreadPool pool(4);
    for (int round = 0; round < 100; ++round)
        for (const unsigned limit : {2u, 4u, 1u, 3u, 9u, 2u, 2u}) {
            pool.limit(limit);
            const unsigned threads = std::min(limit, 4u);
            ASSERT_EQ(threads, pool.threads());
            const std::set<unsigned> workers = workers_of(pool);
            ASSERT_EQ(threads, workers.size());
            ASSERT_EQ(threads - 1, *workers.rbegin()) << "a thread above the limit came";
            pool.meet();
        }
}

TEST(ThreadPool, ALimitedPoolCanBeDestroyed) {
    for (int round = 0; round < 100; ++round) {
        ThreadPool pool(4);
        pool.limit(1 + static_cast<unsigned>(round) % 4);
        if (round % 3 > 0) pool.meet();
    }
}

TEST(ThreadPool, AnIdlePoolUsesNoCpuTime) {
    ThreadPool pool(8);
    pool.parallel_for(100, [](std::uint64_t, unsigned) {});
    // On a busy machine it takes its threads a while until all of them sleep. One that never does fails every
    // time.
    double used = 1;
    for (int attempt = 0; attempt < 100 && used >= 0.01; ++attempt) {
        const double before = process_cpu_seconds();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        used = process_cpu_seconds() - before;
    }
    EXPECT_LT(used, 0.01);
}

}  // namespace
}  // namespace tegu::kernels
