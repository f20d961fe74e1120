// SPDX-License-Identifier: Apache-2.0
// The contract of all operations: plan_job() plans a job, run_job() runs the plan on the CPU backend. Results
// depend on the job and the input alone, not on threads, instruction set or tuning; docs/numerics.md defines
// them. kernels/registry.h names the functions that implement each operation.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "base/core_sharing.h"
#include "base/heartbeat.h"
#include "base/job.h"
#include "base/result.h"
#include "base/span.h"
#include "kernels/cpu_policies.h"
#include "kernels/run_policy.h"

namespace tegu::kernels {

class ThreadPool;

// The method that plan_<stem> chose for a job: a plain struct of the operation, which run_<stem> reads.
class PlannedMethod {
  public:
    template <class T>
    void store(const T& method) {
        check<T>();
        std::memcpy(bytes_, &method, sizeof method);
    }
    // REQUIRES: store<T>() was called before.
    template <class T>
    T load() const {
        check<T>();
        T method;
        std::memcpy(static_cast<void*>(&method), bytes_, sizeof method);
        return method;
    }

  private:
    template <class T>
    static constexpr void check() {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof bytes_, "a small plain struct");
    }
    std::byte bytes_[96] = {};
};

// The outputs and the cost of a job, known before any data is read.
struct JobPlan {
    std::vector<ArraySpec> outputs;  // capacities, in the order of the reply
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    // An upper bound of the working memory that run_job allocates, with any number of threads.
    std::uint64_t scratch_bytes = 0;
    std::uint64_t predicted_ns = 0;  // on one thread; used by admission and placement
    // outputs[0] may be the memory of a dense input: same address, every element read before it is written.
    bool in_place = false;
    PlannedMethod method;
    std::vector<JobPlan> parts;  // of a fused job, in the order of its parts
};

// Checks shape and parameters. Errors: BadRange, BadRequest, Unsupported, EmptyInput, TooLarge, each with
// field and allowed. `policies`: those of the later run; they change only the working memory and the
// predicted time. Never allocates in proportion to the shape. Proves that rows, cols * element size, and rows
// * cols * element size are each at most 2^62.
Result<JobPlan> plan_job(const Job& job, const CpuPolicies& policies = CpuPolicies());

// One input. Element (r, c) is at data + (r * row_stride + c) * element size; any alignment is allowed.
// Another process may change the bytes while the job runs: the result is then undefined, but the run stays in
// bounds.
struct InputView {
    const std::byte* data = nullptr;
    std::uint64_t row_stride = 0;  // elements, >= cols
};

// The memory of one array of the plan: dense, row-major, aligned for its type, as large as its spec. Does not
// overlap an input, except that the first output may be an input if the plan has in_place.
struct OutputView {
    std::byte* data = nullptr;
};

// The request to stop a running job, by a cancel or by the clock. Each thread polls it at least every few
// milliseconds. A poll also sets the job's heartbeat, and offers the core to other threads.
class StopToken {
  public:
    using Clock = std::chrono::steady_clock;
    StopToken() = default;
    StopToken(const std::atomic<bool>* cancelled, Clock::time_point deadline, Heartbeat* heartbeat = nullptr,
              const CoreSharing* cores = nullptr)
        : cancelled_(cancelled), deadline_(deadline), heartbeat_(heartbeat), cores_(cores) {}
    // Polls a function instead, which has the same duties. It returns 0: go on, 1: cancelled, 2: the deadline
    // passed. It outlives the run, and throws nothing.
    using Poll = std::int32_t (*)(void* of);
    StopToken(Poll poll, void* of) : poll_(poll), poll_of_(of) {}

    bool stop_requested() const {
        if (poll_ != nullptr) return poll_(poll_of_) != 0;
        if (heartbeat_ != nullptr) heartbeat_->beat();
        if (cores_ != nullptr) (void)cores_->offer();
        return (cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed)) ||
               (deadline_ != Clock::time_point::max() && Clock::now() >= deadline_);
    }
    // Whether it is a cancel that requests the stop, and not the clock.
    bool cancelled() const {
        if (poll_ != nullptr) return poll_(poll_of_) == 1;
        return cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed);
    }
    // Cancelled or DeadlineExceeded. REQUIRES: stop_requested() has returned true.
    Error error() const;

  private:
    const std::atomic<bool>* cancelled_ = nullptr;  // not owned; outlives the run
    Clock::time_point deadline_ = Clock::time_point::max();
    Heartbeat* heartbeat_ = nullptr;  // as cancelled_
    const CoreSharing* cores_ = nullptr;
    Poll poll_ = nullptr;
    void* poll_of_ = nullptr;
};

struct RunReport {
    RunPolicy policy;
    // Parallel to plan.outputs: columns that hold results; == cols but for distinct values.
    std::vector<std::uint64_t> filled_columns;
    unsigned threads = 1;  // threads that shared the job, the caller's included; also in the policy
};

// The context of a run on the CPU, besides the job.
struct CpuContext {
    ThreadPool* pool = nullptr;  // not owned; null: the calling thread alone
    CpuPolicies policies;

    // The pool if work with this predicted time on one thread is worth sharing, else null. `own_share_ns`:
    // the operation's own threshold, for policies without one.
    ThreadPool* pool_for(std::uint64_t predicted_ns, std::uint64_t own_share_ns) const {
        const std::uint64_t share_ns = policies.share.share_ns != 0 ? policies.share.share_ns : own_share_ns;
        return predicted_ns < share_ns ? nullptr : pool;
    }
};

// Runs a planned job on the CPU. `inputs` and `outputs` are parallel to the operation's inputs and to
// plan.outputs. Outputs are undefined if it fails. The policies limit the threads of the pool that take part.
// Errors: Cancelled, DeadlineExceeded, OutOfMemory (scratch); Overflow, with the statistic as its field;
//         BadRange, if a range taken from the data is unusable. The last two name the row of a job by rows.
// REQUIRES: plan_job(job, context.policies) gave `plan`, and the views are valid for it. Blocking; any
//           thread, but with a pool only the pool's caller.
Result<RunReport> run_job(const Job& job, const JobPlan& plan, Span<const InputView> inputs,
                          Span<const OutputView> outputs, const CpuContext& context, const StopToken& stop);
// Plans and runs the job. Errors: those of plan_job() as well.
Result<RunReport> run_job(const Job& job, Span<const InputView> inputs, Span<const OutputView> outputs,
                          const CpuContext& context, const StopToken& stop);
// With the default policies. `pool` may be null.
Result<RunReport> run_job(const Job& job, Span<const InputView> inputs, Span<const OutputView> outputs,
                          ThreadPool* pool, const StopToken& stop);

// The number of segments of a job: one result each, for the whole array or for every row.
inline std::uint64_t segments_of(const Job& job) {
    return job.axis == Axis::Rows ? job.rows : 1;
}
// The elements of each segment.
inline std::uint64_t segment_elements(const Job& job) {
    return job.axis == Axis::Rows ? job.cols : job.rows * job.cols;
}

// The error with its row at the end of the message.
Error in_row(Error error, std::uint64_t row);

// The instruction set that the CPU backend chose on this machine: "avx512", "avx2", "sse2", "neon".
// $TEGU_CPU_ISA may lower it.
const char* cpu_isa();

// The start of every report of this backend: "cpu avx2 threads=2"; the operation adds the rest.
RunReport cpu_report(unsigned threads);

}  // namespace tegu::kernels
