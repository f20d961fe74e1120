// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/statistics.h"

namespace tegu::daemon {

void Statistics::count_job(const EndedJob& job) {
    OperationCounters& counters = of(job.operation);
    ++counters.replies[static_cast<std::size_t>(job.status) % kStatusSlots];
    counters.queue_ns += job.queue_ns;
    counters.compute_ns += job.compute_ns;
    times.queue.add(job.queue_ns);
    times.whole.add(job.whole_ns);
    if (job.started) times.compute.add(job.compute_ns);
    if (job.started && job.on_gpu) times.copy.add(job.copy_ns);
    if (job.status != Status::Ok) return;
    counters.bytes_read += job.plan.bytes_read;
    counters.bytes_written += job.plan.bytes_written;
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
