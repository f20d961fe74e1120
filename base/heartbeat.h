// SPDX-License-Identifier: Apache-2.0
// Heartbeat: a liveness flag that working threads set and one thread collects. A thread writes the flag only
// if it is not set. Any number of beats between two collections therefore reads one unmodified cache line.
#pragma once

#include <atomic>

namespace tegu {

class alignas(64) Heartbeat {
  public:
    // Any thread; cheap enough for an inner loop.
    void beat() {
        if (!beat_.load(std::memory_order_relaxed)) beat_.store(true, std::memory_order_relaxed);
    }
    // True if there was a beat since the last call. One thread.
    bool take() { return beat_.exchange(false, std::memory_order_relaxed); }

  private:
    std::atomic<bool> beat_{false};
};

}  // namespace tegu
