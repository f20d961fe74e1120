// SPDX-License-Identifier: Apache-2.0
// JobTask: a job in flight that did not run at once, from its admission to its reply.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <optional>

#include "daemon/jobs/job_runner.h"
#include "daemon/jobs/scheduler.h"
#include "daemon/placement/decide.h"

namespace tegu::daemon {

class DividedJob;
class Session;

// Progress of a job, for lists: set by executors, read by the io thread.
struct JobStage {
    std::atomic<Target> target{Target::Pool};  // the executor that has it
    std::atomic<std::int64_t> started_ns{0};   // of the clock; 0: it waits

    void wait_at(Target where) {
        target.store(where, std::memory_order_relaxed);
        started_ns.store(0, std::memory_order_relaxed);
    }
    // Of several starts, as of pieces, the first counts.
    void start(TimePoint now) {
        std::int64_t waits = 0;
        (void)started_ns.compare_exchange_strong(waits, now.time_since_epoch().count(),
                                                 std::memory_order_relaxed);
    }
};

// A job in flight that did not run at once.
struct JobTask {
    Waiting waiting;  // its ticket, user, priority and cost
    Choice choice;    // the target, and the predicted wall time at each possible target
    pid_t pid = 0;    // of the client
    std::uint64_t request_id = 0;
    std::weak_ptr<Session> session;  // expired after the client disconnects
    TimePoint received;
    TimePoint deadline = kNever;
    PreparedJob prepared;
    wire::ByteBuffer data;                // the inline inputs
    std::atomic<bool> stop{false};        // set by the io thread to end the job
    std::shared_ptr<JobTask> whole;       // the divided job of this piece; null: not a piece
    std::shared_ptr<DividedJob> divided;  // io thread only: state of its pieces; null: not divided
    bool cancelled_by_client = false;     // io thread only
    std::size_t gpu = 0;                  // io thread only: index of its GPU
    JobStage stage;                       // not of a piece

    // Set by the executor.
    std::optional<Error> error;
    wire::ByteBuffer body;  // of the reply, if `error` is empty
    std::uint64_t queue_ns = 0;
    RunCost cost;
    Target target = Target::Pool;  // where it ran
    kernels::RunPolicy policy;     // of a piece

    // The stop flag; a piece shares the flag of its job.
    std::atomic<bool>& stop_flag() { return whole != nullptr ? whole->stop : stop; }
    // A piece shows its progress as that of its job.
    JobStage& shown_stage() { return whole != nullptr ? whole->stage : stage; }
};

// A list, so that a job moves from queue to queue without an allocation.
using TaskList = std::list<std::shared_ptr<JobTask>>;

}  // namespace tegu::daemon
