// SPDX-License-Identifier: Apache-2.0
// How a thread waits for a stream. It looks again and again, and does other work between two looks. So a
// short job needs no wake-up, and another job may run beside a long one.
#pragma once

#include "base/result.h"
#include "kernels/execution/cuda/launch.h"

namespace tegu::cuda {

// Work that the waiting thread does between two looks. It may use other streams, and wait for them.
struct Meanwhile {
    // Returns soon; false if there was nothing to do. Throws nothing. Null: no work.
    bool (*work)(void* with) = nullptr;
    void* with = nullptr;

    bool operator()() const { return work != nullptr && work(with); }
};

struct StreamWait {
    Meanwhile meanwhile;
    // After a while the thread sleeps until the stream is done, and works after it. For boards with few
    // cores.
    bool sleeps = false;
};

inline constexpr StreamWait kPlainWait{};

// Returns when all work of the stream is done. `wait` outlives the call. Errors: those of check_cuda().
Result<void> wait_for(Stream stream, const StreamWait& wait);

}  // namespace tegu::cuda
