// SPDX-License-Identifier: Apache-2.0
// The door to the kernels: plan_job() checks a job and says what it will produce and cost, run_job() computes
// it on the CPU backend. The daemon, the benchmarks and the tests call these two for every operation. Each
// operation <stem> implements plan_<stem>() and run_<stem>() in <stem>.h and <stem>.cpp; operation.cpp
// dispatches from the list in base/job.h. Results depend on the job and the input alone: not on threads,
// instruction set or tuning. docs/numerics.md fixes them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/core_sharing.h"
#include "base/heartbeat.h"
#include "base/job.h"
#include "base/result.h"
#include "base/span.h"
#include "kernels/execution/cpu/cpu_policies.h"

namespace tegu::kernels {

class ThreadPool;

// What a job will produce and cost, known before any data is touched.
struct JobPlan {
    std::vector<ArraySpec> outputs;  // capacities, in the order of the reply
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    // The most working memory that run_job allocates with one thread and with any number; an upper bound.
    std::uint64_t scratch_bytes = 0;
    std::uint64_t predicted_ns = 0;  // on one thread; feeds admission and the choice of where it runs
    // outputs[0] may be the memory of a dense input: same address, every element read before it is written.
    bool in_place = false;
};

// Checks shape and parameters. Errors: BadRange, BadRequest, Unsupported, EmptyInput, TooLarge, each with
// field and allowed. `policies`: those that the job is to run with; they change the working memory and the
// predicted time alone. Never allocates in proportion to the shape. rows, cols * element size, and rows *
// cols * element size are proved to be at most 2^62, each by itself.
Result<JobPlan> plan_job(const Job& job, const CpuPolicies& policies = CpuPolicies());

// One input. Element (r, c) is at data + (r * row_stride + c) * element size; any alignment is allowed. The
// bytes may change while the job runs (another process holds them): the result is then undefined, the run
// stays in bounds.
struct InputView {
    const std::byte* data = nullptr;
    std::uint64_t row_stride = 0;  // elements, >= cols
};

// Where one array of the plan goes: dense, row-major, aligned for its type, as large as its spec. Does not
// overlap an input, but that the first may be one if the plan says in_place.
struct OutputView {
    std::byte* data = nullptr;
};

// Asks a running job to stop: set by a cancel, or by the clock. Checked at least every few milliseconds of
// work per thread, which is also how a long job shows that it gets on: each check beats. And it is where the
// thread offers its core to others, if these are to share it.
class StopToken {
  public:
    using Clock = std::chrono::steady_clock;
    StopToken() = default;
    StopToken(const std::atomic<bool>* cancelled, Clock::time_point deadline, Heartbeat* heartbeat = nullptr,
              const CoreSharing* cores = nullptr)
        : cancelled_(cancelled), deadline_(deadline), heartbeat_(heartbeat), cores_(cores) {}

    bool stop_requested() const {
        if (heartbeat_ != nullptr) heartbeat_->beat();
        if (cores_ != nullptr) (void)cores_->offer();
        return (cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed)) ||
               (deadline_ != Clock::time_point::max() && Clock::now() >= deadline_);
    }
    // Cancelled or DeadlineExceeded. REQUIRES: stop_requested() was seen to be true.
    Error error() const;

  private:
    const std::atomic<bool>* cancelled_ = nullptr;  // not owned; outlives the run
    Clock::time_point deadline_ = Clock::time_point::max();
    Heartbeat* heartbeat_ = nullptr;  // as cancelled_
    const CoreSharing* cores_ = nullptr;
};

struct RunReport {
    std::string policy;  // how it ran, for people and logs: "cpu avx2 threads=2 tile=1024"
    std::vector<std::uint64_t>
        // parallel to plan.outputs: columns that hold results; == cols but for topk `distinct`
        filled_columns;
    unsigned threads = 1;  // that it was divided among, the caller's own included; the policy names them, too
};

// What a run on the CPU has besides its job.
struct CpuContext {
    ThreadPool* pool = nullptr;  // not owned; null: the calling thread alone
    CpuPolicies policies;

    // The pool where work that is predicted to take so long on one thread is shared, else null.
    // `own_share_ns`: the operation's own number, for policies that name none.
    ThreadPool* pool_for(std::uint64_t predicted_ns, std::uint64_t own_share_ns) const {
        const std::uint64_t share_ns = policies.share.share_ns != 0 ? policies.share.share_ns : own_share_ns;
        return predicted_ns < share_ns ? nullptr : pool;
    }
};

// Runs a planned job on the CPU. `inputs` and `outputs` are parallel to the operation's inputs and to
// plan.outputs. Outputs are undefined if it fails. While it runs, no more threads of the pool take part than
// the policies say.
// Errors: Cancelled, DeadlineExceeded, OutOfMemory (scratch), Overflow (names row and statistic), BadRange (a
//         range taken
// from the data that cannot be used).
// REQUIRES: plan_job(job, context.policies) succeeded, and views are valid for it. Blocking; any thread, with
//           a pool its caller's.
Result<RunReport> run_job(const Job& job, Span<const InputView> inputs, Span<const OutputView> outputs,
                          const CpuContext& context, const StopToken& stop);
// With the default policies. `pool` may be null.
Result<RunReport> run_job(const Job& job, Span<const InputView> inputs, Span<const OutputView> outputs,
                          ThreadPool* pool, const StopToken& stop);

// The instruction set that the CPU backend chose on this machine: "avx512", "avx2", "sse2", "neon".
// $TEGU_CPU_ISA may lower it.
const char* cpu_isa();

// What every report of this backend begins with: the threads, and of the policy "cpu avx2 threads=2"; the
// operation adds the rest.
RunReport cpu_report(unsigned threads);

}  // namespace tegu::kernels
