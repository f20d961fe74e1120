// SPDX-License-Identifier: Apache-2.0
// Words that one block publishes while later blocks wait for them. A block takes a ticket first, and waits
// for lower tickets alone. Their blocks have started, so they never wait for it.
#pragma once

#include "kernels/execution/cuda/simt.cuh"

namespace tegu {
namespace cuda {

// One access each, in L2. A word carries its own flag, so no fence orders it.
TEGU_DEVICE void publish(std::uint64_t* at, std::uint64_t word) {
    *static_cast<volatile std::uint64_t*>(at) = word;
}
TEGU_DEVICE std::uint64_t load_published(const std::uint64_t* at) {
    return *static_cast<const volatile std::uint64_t*>(at);
}

// Gives all threads of the block the number of blocks that have taken a ticket before. The block whose number
// is `last` leaves the ticket at zero. All threads call it.
TEGU_DEVICE unsigned take_ticket(std::uint32_t* ticket, unsigned last) {
    TEGU_SHARED(std::uint32_t, taken);
    if (thread_index() == 0) taken = atomic_wrap(ticket, last);
    block_barrier();
    return taken;
}

}  // namespace cuda
}  // namespace tegu
