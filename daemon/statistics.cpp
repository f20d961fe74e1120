// SPDX-License-Identifier: Apache-2.0
#include "daemon/statistics.h"

namespace tegu::daemon {

void OperationCounters::count(Status status, const kernels::JobPlan& plan, std::uint64_t queue, std::uint64_t compute) {
    ++replies[static_cast<std::size_t>(status) % kStatusSlots];
    queue_ns += queue;
    compute_ns += compute;
    if (status != Status::Ok) return;
    bytes_read += plan.bytes_read;
    bytes_written += plan.bytes_written;
}

const char* close_reason_word(CloseReason reason) {
    switch (reason) {
#define TEGU_X(Name, word) \
    case CloseReason::Name: return #word;
        TEGU_CLOSE_REASONS(TEGU_X)
#undef TEGU_X
    }
    return "?";
}

}  // namespace tegu::daemon
