// SPDX-License-Identifier: Apache-2.0
// ThreadPool: the threads of the CPU backend. One caller at a time submits a range and works on it too; a
// pool of one thread has no workers. The mapping of indices to threads is undefined: results depend on
// indices alone.
//
// Idle workers sleep on a condition variable, after a spin of at most 20 us.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace tegu::kernels {

class ThreadPool {
  public:
    // `threads` counts the caller: threads - 1 workers are started. REQUIRES: threads >= 1.
    explicit ThreadPool(unsigned threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    // The number of threads that take part: limit(), or all. Call from the caller's thread.
    unsigned threads() const;

    // Limits the threads that take part from now on, the caller included. REQUIRES: threads >= 1; no range is
    // open. Call from the caller's thread.
    void limit(unsigned threads);

    // Calls body(index, worker) once for each index in [0, count), worker in [0, threads()), from several
    // threads; indices are assigned in increasing order. Returns when all are done. Concurrent calls are
    // serialised. After an exception of `body` no further index begins; the first exception is rethrown here
    // after all threads have left `body`. `body` must not call parallel_for of this pool.
    void parallel_for(std::uint64_t count,
                      const std::function<void(std::uint64_t index, unsigned worker)>& body);

    // Returns when each thread that takes part has arrived here: proves that none hangs. On an idle pool it
    // costs one wake-up per thread.
    void meet();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tegu::kernels
