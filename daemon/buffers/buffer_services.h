// SPDX-License-Identifier: Apache-2.0
// BufferServices: what all buffers share: quotas, the threads that make, seal and free their memory, and the
// memory that clients still hold. It outlives everything that owns a buffer or a charge. Io thread.
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
    // A thread works, or a device has not been told that a buffer ended: poll again soon.
    bool busy() const { return !sealer.idle() || !pages.idle() || !endings.empty(); }

    Quotas quotas;
    HelperThread sealer;  // waits for whoever has pinned a page of a memfd
    HelperThread pages;   // makes the pages of large buffers and gives them back; reads and writes files
    HeldMemory held;
    BufferEndings endings;
};

}  // namespace tegu::daemon
