// SPDX-License-Identifier: Apache-2.0
// BufferServices: quotas, helper threads and held memory, shared by all buffers. Outlives every owner of a
// buffer or a charge. Io thread.
#pragma once

#include <functional>

#include "daemon/buffers/buffer_ending.h"
#include "daemon/buffers/held_memory.h"
#include "daemon/buffers/quota.h"
#include "daemon/helper_thread.h"

namespace tegu::daemon {

struct BufferServices {
    // `wake` as of HelperThread, for run_done(). `poll_soon` requests a poll within a second.
    BufferServices(const config::Settings::Limits& limits, std::uint64_t descriptors,
                   const std::function<void()>& wake, std::function<void()> poll_soon);

    // Ends the threads. Call once the devices have ended.
    void stop();
    // True while a helper thread works or a device request is unsent; the caller polls again soon.
    bool busy() const { return !sealer.idle() || !pages.idle() || !endings.empty(); }

    Quotas quotas;
    HelperThread sealer;  // seals memfds; waits for pinned pages
    HelperThread pages;   // allocates and frees pages of large buffers; reads and writes files
    HeldMemory held;
    BufferEndings endings;
};

}  // namespace tegu::daemon
