// SPDX-License-Identifier: Apache-2.0
// ThreadPool: the few threads of the CPU backend. One caller at a time hands it a range; the caller works
// too, so a pool of one thread has no workers and costs nothing. Workers sleep on a condition variable when
// idle (after a short spin that is bounded and documented in the source). Which thread runs which index is
// not defined and must not matter: results depend on indices alone.
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

    // That take part: limit(), or all. By the caller's thread.
    unsigned threads() const;

    // From now on at most so many threads take part, the caller included. REQUIRES: threads >= 1; no range is
    // open. By the caller's thread.
    void limit(unsigned threads);

    // Calls body(index, worker) once for each index in [0, count), worker in [0, threads()), from several
    // threads; indices are handed out in increasing order. Returns when all are done. Calls from several
    // threads are taken one after another. After an exception of `body` no further index is begun; the first
    // one is thrown again here once all threads are out of it. `body` must not call parallel_for of this
    // pool.
    void parallel_for(std::uint64_t count,
                      const std::function<void(std::uint64_t index, unsigned worker)>& body);

    // Returns when each thread of the pool that takes part has come here: for whoever wants to know that none
    // of them hangs. Idle, it costs one wake-up of each.
    void meet();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tegu::kernels
