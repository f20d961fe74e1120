// SPDX-License-Identifier: Apache-2.0
// Choice: where a job goes and what was predicted of it, as its task carries it until it ends.
#pragma once

#include <array>
#include <cstdint>

#include "daemon/placement/decide.h"

namespace tegu::daemon {

struct Choice {
    Answer answer;
    // Wall time once it begins, at each target, copies included: what queues count.
    std::array<std::uint64_t, kTargets> predicted_ns{};
    // Computing alone, on the GPU that was chosen, or that is the first of all.
    std::uint64_t gpu_run_ns = 0;
    // Bytes that the job copies to and from that GPU, as far as is known.
    std::uint64_t gpu_copy_bytes = 0;
    bool idle = false;             // nothing waits or runs at the target
    bool considered = false;       // the CPU and a GPU were compared
    bool near_one_thread = false;  // is_near_one_thread()

    std::uint64_t predicted() const { return predicted_ns[static_cast<std::size_t>(answer.target)]; }
};

}  // namespace tegu::daemon
