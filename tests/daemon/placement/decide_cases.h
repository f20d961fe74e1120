// SPDX-License-Identifier: Apache-2.0
// Inputs of decide() for its tests.
#pragma once

#include "daemon/placement/decide.h"

namespace tegu::daemon {

inline constexpr std::uint64_t kUs = 1000, kMs = 1'000'000;

inline Offer offer(std::uint64_t run_ns, std::uint64_t wait_ns = 0, std::uint64_t copy_ns = 0,
                   std::uint64_t keep_ns = 0) {
    Offer made;
    made.run_ns = run_ns;
    made.wait_ns = wait_ns;
    made.start_ns = 20 * kUs;
    made.copy_ns = copy_ns;
    made.keep_ns = keep_ns;
    return made;
}

inline Offer without_memory() {
    Offer made;
    made.has_memory = false;
    return made;
}

// A job of 2 ms on one thread, 300 us on the pool, 100 us on a GPU.
inline PlacementInputs example() {
    PlacementInputs inputs;
    inputs.inline_budget_ns = 50 * kUs;
    inputs.max_scratch_bytes = 1000;
    inputs.express = offer(2 * kMs);
    inputs.pool = offer(300 * kUs);
    inputs.gpus = {offer(100 * kUs)};
    return inputs;
}

}  // namespace tegu::daemon
