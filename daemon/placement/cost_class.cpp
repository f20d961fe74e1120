// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/cost_class.h"

#include <algorithm>
#include <variant>

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
            statistic_bit(Statistic::Argmin) | statistic_bit(Statistic::Argmax) |
            statistic_bit(Statistic::Absmax),
        statistic_bit(Statistic::L1) | statistic_bit(Statistic::L2),
        statistic_bit(Statistic::Var) | statistic_bit(Statistic::Std),
        statistic_bit(Statistic::Nonzero) | statistic_bit(Statistic::Nans),
    };
    unsigned needs = 0;
    for (std::size_t i = 0; i < std::size(kGroups); ++i) needs |= (set & kGroups[i]) != 0 ? 1u << i : 0;
    return needs;
}

// What decides besides what tables know, in up to 8 bits.
struct FineDetail {
    unsigned operator()(const ReduceParams& params) const { return needs_of(params.statistics); }
    unsigned operator()(const TopkParams& params) const { return params.largest ? 1 : 0; }
    unsigned operator()(const EntropyMapParams& params) const {
        return log2_of(params.levels) * 16 + log2_of(params.window_rows) * 2 + (params.has_range ? 1 : 0);
    }
    unsigned operator()(const HistogramParams& params) const { return params.has_range ? 1 : 0; }
    unsigned operator()(const EntropyParams& params) const { return params.has_range ? 1 : 0; }
    template <class Params>
    unsigned operator()(const Params&) const {
        return 0;
    }
};

std::uint64_t key_of(const tuning::JobClass& job, unsigned fine) {
    return static_cast<std::uint64_t>(job.operation) | std::uint64_t{log2_of(job.detail)} << 8 |
           std::uint64_t{fine & 0xff} << 16 | std::uint64_t{job.variants & 0xf} << 24;
}

// Of all parts; their order does not matter for the time.
std::uint64_t key_of(const Job& job, const FusedParams& params) {
    std::uint64_t sum = 0;
    for (const FusedPart& part : params.parts)
        sum += key_of(tuning::class_of(job, part), std::visit(FineDetail(), part)) * 0x9e3779b97f4a7c15u;
    return static_cast<std::uint64_t>(Operation::Fused) | (sum >> 48) << 8;
}

std::uint64_t parameter_key(const Job& job, const tuning::JobClass& described) {
    if (const FusedParams* const fused = std::get_if<FusedParams>(&job.params)) return key_of(job, *fused);
    return key_of(described, std::visit(FineDetail(), job.params));
}

}  // namespace

CostClass classify(const Job& job, const kernels::JobPlan& plan) {
    CostClass made;
    made.job = tuning::class_of(job);
    made.plan_ns = std::max<std::uint64_t>(plan.predicted_ns, 1);
    const GpuWork work = gpu_work_of(job, plan);
    made.gpu_work = work.ps;
    made.gpu_steps = work.steps;
    const std::uint64_t rows = job.axis == Axis::Rows ? std::uint64_t{1 + log2_of(job.cols) / 2} << 32 : 0;
    made.key = parameter_key(job, made.job) | static_cast<std::uint64_t>(job.type) << 28 | rows;
    return made;
}

}  // namespace tegu::daemon
