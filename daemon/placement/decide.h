// SPDX-License-Identifier: Apache-2.0
// decide(): where a job runs. One pure function of all that counts: how long the job takes at each target,
// what waits there before it, what has to be copied, and limits. Sessions only ask it; so each rule of
// placement stands here and is tested without a daemon.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "daemon/placement/target.h"

namespace tegu::daemon {

// One target, for one job. Times in ns.
struct Offer {
    bool possible = false;
    std::uint64_t wait_ns = 0;     // for what waits and runs there before it
    std::uint64_t start_ns = 0;    // to hand the job over and its result back
    std::uint64_t run_ns = 0;      // computing
    std::uint64_t copy_ns = 0;     // of bytes that are copied for this job alone
    std::uint64_t keep_ns = 0;     // of bytes that are copied there now, and that later jobs use again
    std::uint64_t copy_bytes = 0;  // of both
    unsigned seen = 0;             // jobs like this one that were measured there; see CostModel::Evidence
    unsigned elsewhere = 0;        // jobs like this one that ran elsewhere since

    // From now until the result is there. `paid_ns`: of keep_ns that counts no more.
    std::uint64_t done_ns(std::uint64_t paid_ns = 0) const;
};

// What the client asked for.
enum class Asked : std::uint8_t { Auto, Cpu, Gpu };

struct Question {
    Asked asked = Asked::Auto;
    std::uint64_t inline_budget_ns = 0;
    Offer on_io;                       // at once, on the io thread
    Offer express;                     // possible: the job is small enough in memory
    bool pool_runs_others = false;     // another client's job runs on the pool now
    std::uint64_t express_own_ns = 0;  // what the user has there already
    Offer pool;                        // always possible
    std::vector<Offer> gpus;
    // How long jobs on the same data have taken longer so far because a copy of it was missing. Once that is
    // as long as the copy takes, the copy counts for nothing: then at most twice the time is lost that the
    // best choice in hindsight would lose.
    std::uint64_t paid_ns = 0;
    // A job that keeps a GPU for longer than this is divided over those that are idle, if it can be and two
    // or more are.
    bool can_divide = false;
    std::uint64_t divide_ns = UINT64_MAX;
    // A trial runs a job where it is not expected to be done first, so that a wrong expectation is found out.
    // 0: none.
    std::uint64_t trial_jobs = 0;
};

// Why. The words are part of the names in STATS.
enum class Reason : std::uint8_t {
    Asked,    // the client asked for this backend, and this is the target for it
    Small,    // below the inline budget
    Only,     // nothing else can run it
    Fastest,  // it would be done first here on an idle machine, too
    Queue,    // elsewhere it would be done first, but for what waits there
    Copy,     // elsewhere it would be done first, but for what has to be copied
    Express,  // beside a long job of another client
    Trial,    // to learn how long it takes here
};
inline constexpr std::size_t kReasons = 8;
std::string_view reason_word(Reason reason);

struct Answer {
    Target target = Target::Pool;
    std::size_t gpu = 0;  // its number, if that is the target; of a divided job: the first idle one
    bool divided = false;
    Reason reason = Reason::Only;
    std::uint64_t done_ns = 0;    // predicted, from now
    std::uint64_t missed_ns = 0;  // how much sooner it would have been done with a copy that is not there
    bool makes_copy = false;      // that later jobs use again
};

// One that runs jobs for this long on one thread gets no place in the express lane, and no user has more than
// this there at a time.
inline constexpr std::uint64_t kExpressNs = 5'000'000;

// Whether the job runs on the io thread, and the answer then: the first rule of decide(), for whom the rest
// of the question is not worth asking.
bool is_inline(Asked asked, const Offer& on_io, std::uint64_t inline_budget_ns);
Answer inline_answer(const Offer& on_io);

// Whether one thread might be the better target on the CPU: it may be faster than expected, so that the job
// is below the inline budget or not worth the pool.
bool is_near_one_thread(const Question& question);

Answer decide(const Question& question);

}  // namespace tegu::daemon
