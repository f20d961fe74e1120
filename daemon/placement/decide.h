// SPDX-License-Identifier: Apache-2.0
// decide(): chooses the target of a job. Pure function of the job's time at each target, the queues, the
// copies and the limits. All placement rules are here and are tested without a daemon.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "daemon/placement/target.h"

namespace tegu::daemon {

// One target for one job. Times in ns.
struct Offer {
    bool possible = false;
    std::uint64_t wait_ns = 0;     // for the jobs ahead of it
    std::uint64_t start_ns = 0;    // handover of the job and of its result
    std::uint64_t run_ns = 0;      // computing
    std::uint64_t copy_ns = 0;     // copying bytes for this job only
    std::uint64_t keep_ns = 0;     // copying bytes a copy that later jobs use again
    std::uint64_t copy_bytes = 0;  // of both
    unsigned seen = 0;             // similar jobs measured there; see CostModel::Evidence
    unsigned elsewhere = 0;        // similar jobs that ran elsewhere since

    // Time from now to the result. `paid_ns`: part of keep_ns that no longer counts.
    std::uint64_t done_ns(std::uint64_t paid_ns = 0) const;
};

// The client's choice of backend.
enum class Asked : std::uint8_t { Auto, Cpu, Gpu };

struct Question {
    Asked asked = Asked::Auto;
    std::uint64_t inline_budget_ns = 0;
    Offer on_io;                       // inline on the io thread
    Offer express;                     // possible if the job's memory is small enough
    bool pool_runs_others = false;     // another client's job runs on the pool now
    std::uint64_t express_own_ns = 0;  // time of the user's jobs there
    Offer pool;                        // always possible
    std::vector<Offer> gpus;
    // Extra time of earlier jobs on the same data because a copy was missing. Once it reaches the copy time,
    // the copy is free. So the loss is at most twice that of the best choice in hindsight.
    std::uint64_t paid_ns = 0;
    // If can_divide is set and two or more GPUs are idle, a job with a longer GPU time than divide_ns is
    // divided over them.
    bool can_divide = false;
    std::uint64_t divide_ns = UINT64_MAX;
    // A trial runs a job on a target that is not expected to be the fastest, to detect wrong predictions. 0:
    // no trials.
    std::uint64_t trial_jobs = 0;
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

struct Answer {
    Target target = Target::Pool;
    std::size_t gpu = 0;  // index of the GPU, if it is the target; of a divided job: the first idle one
    bool divided = false;
    Reason reason = Reason::Only;
    std::uint64_t done_ns = 0;    // predicted, from now
    std::uint64_t missed_ns = 0;  // time that a missing copy would have saved
    bool makes_copy = false;      // a copy that later jobs use again
};

// Maximum time on one thread of a job in the express lane, and of all jobs of one user there.
inline constexpr std::uint64_t kExpressNs = 5'000'000;

// The first rule of decide(): whether the job runs inline. Callers check it first and then skip the rest of
// the question.
bool is_inline(Asked asked, const Offer& on_io, std::uint64_t inline_budget_ns);
Answer inline_answer(const Offer& on_io);

// Whether one thread may be the better CPU target, if it is faster than predicted. Then the job fits the
// inline budget or does not need the pool.
bool is_near_one_thread(const Question& question);

Answer decide(const Question& question);

}  // namespace tegu::daemon
