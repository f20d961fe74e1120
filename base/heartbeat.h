// SPDX-License-Identifier: Apache-2.0
// Heartbeat: the sign of life that working threads give and one thread collects. It is a flag, not a counter:
// a thread reads it, and writes only if it is not set. So any number of beats between two collections reads
// one cache line that nobody changes.
#pragma once

#include <atomic>

namespace tegu {

class alignas(64) Heartbeat {
  public:
    // Any thread; cheap enough for the inside of a loop.
    void beat() {
        if (!beat_.load(std::memory_order_relaxed)) beat_.store(true, std::memory_order_relaxed);
    }
    // Whether there was a beat since the last call. One thread.
    bool take() { return beat_.exchange(false, std::memory_order_relaxed); }

  private:
    std::atomic<bool> beat_{false};
};

}  // namespace tegu
