// SPDX-License-Identifier: Apache-2.0
// The common steps of every job: the checks of its shape, the dispatch by operation, the limit of threads.
#include "kernels/registry.h"

#include "kernels/execution/cpu/thread_pool.h"

namespace tegu::kernels {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;

// Checks every operation's shape: its bytes must fit pointer arithmetic.
Result<void> check_shape(const Job& job) {
    const std::uint64_t bytes = element_bytes(job.type);
    if (bytes == 0)
        return field_error(
            Status::Unsupported, "type", "1..11",
            "element type " + std::to_string(static_cast<unsigned>(job.type)) + " is not known");
    if (job.axis != Axis::Whole && job.axis != Axis::Rows)
        return bad_range("axis", "0 (whole) or 1 (rows)",
                         "axis " + std::to_string(static_cast<unsigned>(job.axis)) + " is not known");
    std::uint64_t elements = 0;
    std::uint64_t total = 0;
    if (__builtin_mul_overflow(job.rows, job.cols, &elements) ||
        __builtin_mul_overflow(elements, bytes, &total) ||
        // each alone, too: the other may be 0
        total > kMaxBytes || job.rows > kMaxBytes || job.cols > kMaxBytes / bytes)
        return bad_range("rows", "rows * cols * element size up to 2^62 bytes",
                         std::to_string(job.rows) + " x " + std::to_string(job.cols) +
                             " elements are larger than any buffer");
    return {};
}

}  // namespace

Error StopToken::error() const {
    if (cancelled()) return make_error(Status::Cancelled, "the job was cancelled");
    return make_error(Status::DeadlineExceeded, "the deadline passed while the job ran");
}

Result<JobPlan> plan_job(const Job& job, const CpuPolicies& policies) {
    Result<void> shape = check_shape(job);
    if (!shape) return std::move(shape).error();
    switch (operation_of(job)) {
#define TEGU_X(number, Name, stem, inputs, sentence) \
    case Operation::Name: return plan_##stem(job, *std::get_if<Name##Params>(&job.params), policies);
        TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    }
    return make_error(Status::Unsupported, "operation is not known");
}

namespace {

// Limits the threads of the pool during a scope.
class PoolLimit {
  public:
    PoolLimit(ThreadPool* pool, unsigned threads) : pool_(pool), before_(pool->threads()) {
        pool_->limit(threads);
    }
    ~PoolLimit() { pool_->limit(before_); }
    PoolLimit(const PoolLimit&) = delete;
    PoolLimit& operator=(const PoolLimit&) = delete;

  private:
    ThreadPool* const pool_;
    const unsigned before_;
};

Result<RunReport> dispatch(const Job& job, const JobPlan& plan, Span<const InputView> inputs,
                           Span<const OutputView> outputs, const CpuContext& context, const StopToken& stop) {
    switch (operation_of(job)) {
#define TEGU_X(number, Name, stem, input_count, sentence) \
    case Operation::Name:                                 \
        return run_##stem(job, *std::get_if<Name##Params>(&job.params), plan, inputs, outputs, context, stop);
        TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    }
    return make_error(Status::Unsupported, "operation is not known");
}

}  // namespace

Result<RunReport> run_job(const Job& job, const JobPlan& plan, Span<const InputView> inputs,
                          Span<const OutputView> outputs, const CpuContext& context, const StopToken& stop) {
    const unsigned max = context.policies.share.threads;
    if (context.pool == nullptr || max == 0 || max >= context.pool->threads())
        return dispatch(job, plan, inputs, outputs, context, stop);
    if (max == 1) return dispatch(job, plan, inputs, outputs, CpuContext{nullptr, context.policies}, stop);
    const PoolLimit limit(context.pool, max);
    return dispatch(job, plan, inputs, outputs, context, stop);
}

Result<RunReport> run_job(const Job& job, Span<const InputView> inputs, Span<const OutputView> outputs,
                          const CpuContext& context, const StopToken& stop) {
    const Result<JobPlan> plan = plan_job(job, context.policies);
    if (!plan) return plan.error();
    return run_job(job, *plan, inputs, outputs, context, stop);
}

Result<RunReport> run_job(const Job& job, Span<const InputView> inputs, Span<const OutputView> outputs,
                          ThreadPool* pool, const StopToken& stop) {
    return run_job(job, inputs, outputs, CpuContext{pool, CpuPolicies()}, stop);
}

Error in_row(Error error, std::uint64_t row) {
    error.message += " in row " + std::to_string(row);
    error.row = row;
    return error;
}

RunReport cpu_report(unsigned threads) {
    RunReport report;
    report.policy.reserve(6);  // usually enough
    report.policy.add_word("backend", "cpu");
    report.policy.add_word("isa", cpu_isa());
    report.policy.add("threads", threads);
    report.threads = threads;
    return report;
}

}  // namespace tegu::kernels
