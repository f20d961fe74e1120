// SPDX-License-Identifier: Apache-2.0
// decide(): where a job runs, CPU or GPU, or why it is refused. Pure functions of plain values: all rules of
// placement are here and are tested without a daemon. docs/placement.md explains the rules.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/placement/target.h"
#include "wire/protocol.h"

namespace tegu::daemon {

// One target for one job. Times in ns.
struct Offer {
    bool has_memory = true;        // of a GPU: its arena can hold the arrays of the job
    std::uint64_t wait_ns = 0;     // for the jobs ahead of it
    std::uint64_t start_ns = 0;    // handover of the job and of its result
    std::uint64_t run_ns = 0;      // computing
    std::uint64_t copy_ns = 0;     // copying bytes for this job only
    std::uint64_t keep_ns = 0;     // copying bytes to a copy that later jobs use again
    std::uint64_t copy_bytes = 0;  // of both
    unsigned seen = 0;             // similar jobs measured there; see CostModel::Evidence
    unsigned elsewhere = 0;        // similar jobs that ran elsewhere since

    // Time from now to the result. `paid_ns`: part of keep_ns that no longer counts.
    std::uint64_t done_ns(std::uint64_t paid_ns = 0) const;
};

// The jobs at all executors, and how many may wait.
struct JobQueue {
    std::uint64_t waiting = 0;                  // jobs
    std::uint64_t waiting_ns = 0;               // predicted time of those
    std::uint64_t running_ns = 0;               // predicted remaining time of running jobs
    std::uint64_t max_waiting = UINT64_MAX;     // limits.queued_jobs
    std::uint64_t max_waiting_ms = 1ull << 40;  // limits.queued_work_ms
};

// Everything that decides where a job runs. is_inline() reads the first part only.
struct PlacementInputs {
    wire::BackendChoice wish = wire::BackendChoice::Auto;  // of the client
    std::uint64_t inline_budget_ns = 0;
    bool gave_up_inline = false;              // it took too long on the io thread
    std::uint64_t scratch_bytes = 0;          // working memory of the job
    std::uint64_t running_scratch_bytes = 0;  // of the running jobs
    std::uint64_t max_scratch_bytes = 0;      // of all together
    Offer express;                            // run_ns: on one thread, also that of the io thread

    Offer pool;
    std::vector<Offer> gpus;           // those that run jobs; empty if the client wants the CPU
    bool pool_runs_others = false;     // another client's job runs on the pool now
    std::uint64_t express_own_ns = 0;  // time of the user's jobs in the express lane
    JobQueue queue;
    // Extra time of earlier jobs on the same data because a copy was missing. Once it reaches the copy time,
    // the copy is free. So the loss is at most twice that of the best choice in hindsight.
    std::uint64_t paid_ns = 0;
    // If can_divide is set and two or more GPUs are idle, a job with a longer GPU time than divide_ns is
    // divided over them. 0: never.
    bool can_divide = false;
    std::uint64_t divide_ns = 0;
    // A trial runs a job on a target that is not expected to be the fastest, to detect wrong predictions. 0:
    // no trials.
    std::uint64_t trial_jobs = 0;
    // A job with one of these is never a trial.
    bool cold = false;  // it uses memory for the first time
    bool has_deadline = false;
    bool high_priority = false;
};

// Why the target was chosen. The words are part of the names in STATS.
enum class Reason : std::uint8_t {
    Asked,    // the client requested this backend
    Small,    // below the inline budget
    Only,     // no other target can run it
    Fastest,  // fastest, also on an idle machine
    Queue,    // another target is faster, but has a longer queue
    Copy,     // another target is faster, but for the copies
    Express,  // beside a long job of another client
    Trial,    // to measure its time here
};
inline constexpr std::size_t kReasons = 8;
std::string_view reason_word(Reason reason);

// The target of a job and its predictions; the job's task stores it until the job ends.
struct Choice {
    Target target = Target::Pool;
    std::size_t gpu = 0;              // index of the GPU, if it is the target; the first of `shared`
    std::vector<std::size_t> shared;  // the GPUs of a divided job; empty: not divided
    Reason reason = Reason::Only;
    std::uint64_t done_ns = 0;    // predicted, from now
    std::uint64_t missed_ns = 0;  // time that a missing copy would have saved
    bool makes_copy = false;      // a copy that later jobs use again

    // Predicted wall time from its start, at each target, copies included; queues count it.
    std::array<std::uint64_t, kTargets> predicted_ns{};
    // Predicted computing time only, on the chosen GPU or else the first.
    std::uint64_t gpu_run_ns = 0;
    // Estimated bytes that the job copies to and from that GPU.
    std::uint64_t gpu_copy_bytes = 0;
    bool idle = false;        // no job waits or runs at the target
    bool considered = false;  // the CPU and a GPU were compared
    // One thread may be the better CPU target, if it is faster than predicted. Then the job fits the inline
    // budget or does not need the pool.
    bool near_one_thread = false;

    bool divided() const { return !shared.empty(); }
    std::uint64_t predicted() const { return predicted_ns[static_cast<std::size_t>(target)]; }
};

// Maximum time on one thread of a job in the express lane, and of all jobs of one user there.
inline constexpr std::uint64_t kExpressNs = 5'000'000;
// Maximum time of a job on the io thread, unless it works in place: far more than a prediction error. Then
// it is given up and placed again.
inline constexpr std::uint64_t kInlineNs = 5'000'000;

// Refuses a job that wants a GPU where none runs jobs. `no_gpu_reason`: why. Error: Unsupported. Needs only
// the request, so callers check it before the operands.
Result<void> check_wish(wire::BackendChoice wish, bool has_gpu, const std::string& no_gpu_reason);
// The first rule of decide(): whether the job runs inline. Callers collect the second part of the inputs
// only if it does not.
bool is_inline(const PlacementInputs& inputs);
// Chooses the target. Error: Busy with a time to retry, if too many jobs wait or too much work.
// REQUIRES: check_wish() succeeded.
Result<Choice> decide(const PlacementInputs& inputs);

// A job that a GPU ended with an error.
struct FailedGpuJob {
    wire::BackendChoice wish = wire::BackendChoice::Auto;
    Status status = Status::OutOfMemory;
    bool is_piece = false;       // of a divided job, which runs again whole
    bool input_changed = false;  // it works in place and has begun to write
};
// Whether the CPU runs the job again: only for lack of memory, and if the client left the choice.
bool falls_back_to_cpu(const FailedGpuJob& failure);
// The GPU that runs a divided job again whole, after a piece failed: the one with the least work, the first
// of equals. `work_ns`: predicted time of the waiting and running jobs of each GPU. REQUIRES: not empty.
std::size_t gpu_to_repeat_on(const std::vector<std::uint64_t>& work_ns);

}  // namespace tegu::daemon
