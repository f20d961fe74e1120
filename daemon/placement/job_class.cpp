// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/job_class.h"

#include <algorithm>

#include "daemon/placement/gpu_work.h"

namespace tegu::daemon {
namespace {

unsigned log2_of(std::uint64_t value) {
    return value < 2 ? 0 : 63 - static_cast<unsigned>(__builtin_clzll(value));
}

// Statistics that share their work: sums, extremes, sums of magnitudes, moments, counts of zeros.
unsigned needs_of(StatisticSet set) {
    constexpr StatisticSet kGroups[] = {
        statistic_bit(Statistic::Sum) | statistic_bit(Statistic::Mean),
        statistic_bit(Statistic::Min) | statistic_bit(Statistic::Max) | statistic_bit(Statistic::Minmax) |
            statistic_bit(Statistic::Argmin) | statistic_bit(Statistic::Argmax) | statistic_bit(Statistic::Absmax),
        statistic_bit(Statistic::L1) | statistic_bit(Statistic::L2),
        statistic_bit(Statistic::Var) | statistic_bit(Statistic::Std),
        statistic_bit(Statistic::Nonzero) | statistic_bit(Statistic::Nans),
    };
    unsigned needs = 0;
    for (std::size_t i = 0; i < std::size(kGroups); ++i) needs |= (set & kGroups[i]) != 0 ? 1u << i : 0;
    return needs;
}

// `fine`: a second number that decides, in up to 8 bits. `flags`: 4 bits.
struct Details {
    std::uint64_t detail = 0;
    unsigned fine = 0;
    unsigned flags = 0;
    std::string_view variant;
};

Details details(const ReduceParams& params) {
    const StatisticSet reading = params.statistics & ~statistic_bit(Statistic::Count);
    return {static_cast<std::uint64_t>(__builtin_popcount(reading)), needs_of(params.statistics),
            params.skip_nans ? 1u : 0u, params.skip_nans ? "skip_nans" : ""};
}
Details details(const TopkParams& params) {
    return {params.k, 0, (params.distinct ? 1u : 0u) | (params.largest ? 2u : 0u), params.distinct ? "distinct" : ""};
}
Details details(const EntropyMapParams& params) {
    const bool mirror = params.border == Border::Mirror;
    return {std::uint64_t{params.window_rows} * params.window_cols, log2_of(params.levels) * 8 + log2_of(params.window_rows),
            (mirror ? 1u : 0u) | (params.has_range ? 2u : 0u), mirror ? "mirror" : ""};
}
Details details(const AddParams&) {
    return {};
}
Details details(const DotParams& params) {
    return {0, 0, params.skip_nans ? 1u : 0u, params.skip_nans ? "skip_nans" : ""};
}
Details details(const RowscaleParams& params) {
    return {0, 0, params.skip_nans ? 1u : 0u, params.skip_nans ? "skip_nans" : ""};
}
Details details(const QuantileParams& params) {
    return {params.q.size(), 0, params.skip_nans ? 1u : 0u, params.skip_nans ? "skip_nans" : ""};
}
Details details(const HistogramParams& params) {
    return {params.bins, 0, (params.skip_nans ? 1u : 0u) | (params.has_range ? 2u : 0u),
            params.skip_nans ? "skip_nans" : ""};
}
Details details(const EntropyParams& params) {
    return {params.levels, 0, (params.skip_nans ? 1u : 0u) | (params.has_range ? 2u : 0u),
            params.skip_nans ? "skip_nans" : ""};
}

std::uint64_t key_of(Operation operation, const Details& found) {
    return static_cast<std::uint64_t>(operation) | std::uint64_t{log2_of(found.detail)} << 8 |
           std::uint64_t{found.fine & 0xff} << 16 | std::uint64_t{found.flags & 0xf} << 24;
}

// Of all parts; their order does not matter for the time.
Details details(const FusedParams& params) {
    std::uint64_t sum = 0;
    for (const FusedPart& part : params.parts) {
        const Details found = std::visit([](const auto& each) { return details(each); }, part);
        sum += key_of(operation_of(part), found) * 0x9e3779b97f4a7c15u;
    }
    return {0, static_cast<unsigned>(sum >> 56), static_cast<unsigned>(sum >> 52) & 0xf, ""};
}

Details details_of(const Job& job) {
    return std::visit([](const auto& params) { return details(params); }, job.params);
}

void compare_to_table(const Job& job, JobClass& job_class) {
    const EntropyMapParams* params = std::get_if<EntropyMapParams>(&job.params);
    if (params == nullptr || params->levels == kTableLevels) return;
    Job other = job;
    std::get_if<EntropyMapParams>(&other.params)->levels = kTableLevels;
    const Result<kernels::JobPlan> plan = kernels::plan_job(other);
    if (!plan || plan->predicted_ns == 0) return;
    job_class.plan_to_table = static_cast<double>(job_class.plan_ns) / static_cast<double>(plan->predicted_ns);
    job_class.gpu_to_table = job_class.gpu_work / gpu_work_of(other, *plan).ps;
}

}  // namespace

std::uint64_t detail_of(const Job& job) {
    return details_of(job).detail;
}

JobClass classify(const Job& job, const kernels::JobPlan& plan) {
    const Details found = details_of(job);
    const bool rows = job.axis == Axis::Rows;
    JobClass job_class;
    job_class.operation = operation_of(job);
    job_class.plan_ns = std::max<std::uint64_t>(plan.predicted_ns, 1);
    job_class.type = job.type;
    job_class.variant = found.variant;
    job_class.sequences = rows ? job.rows : 1;
    job_class.elements = rows ? job.cols : job.rows * job.cols;
    job_class.detail = found.detail;
    const GpuWork work = gpu_work_of(job, plan);
    job_class.gpu_work = work.ps;
    job_class.gpu_steps = work.steps;
    job_class.key = key_of(job_class.operation, found) | static_cast<std::uint64_t>(job.type) << 28 |
                    (rows ? std::uint64_t{1 + log2_of(job.cols) / 2} << 32 : 0);
    compare_to_table(job, job_class);
    return job_class;
}

}  // namespace tegu::daemon
