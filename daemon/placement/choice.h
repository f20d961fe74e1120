// SPDX-License-Identifier: Apache-2.0
// Choice: the target of a job and its predictions; the job's task stores it until the job ends.
#pragma once

#include <array>
#include <cstdint>

#include "daemon/placement/decide.h"

namespace tegu::daemon {

struct Choice {
    Answer answer;
    // Predicted wall time from its start, at each target, copies included; queues count it.
    std::array<std::uint64_t, kTargets> predicted_ns{};
    // Predicted computing time only, on the chosen GPU or else the first.
    std::uint64_t gpu_run_ns = 0;
    // Estimated bytes that the job copies to and from that GPU.
    std::uint64_t gpu_copy_bytes = 0;
    bool idle = false;             // no job waits or runs at the target
    bool considered = false;       // the CPU and a GPU were compared
    bool near_one_thread = false;  // is_near_one_thread()

    std::uint64_t predicted() const { return predicted_ns[static_cast<std::size_t>(answer.target)]; }
};

}  // namespace tegu::daemon
