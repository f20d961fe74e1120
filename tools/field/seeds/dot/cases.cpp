// SPDX-License-Identifier: Apache-2.0
// S5 on the CPU: tegu's own kernels. The author's rival was numpy, which no board has to have; the plain loop
// of S2 is its like.
#include "tools/field/seeds/dot/cases.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/field/seeds/seeds.h"

namespace tegu::field {
namespace {

using seeds::VectorStatistic;

constexpr std::uint64_t kVectorElements = 10000000;

struct StatisticInfo5 {
    VectorStatistic statistic;
    Statistic own;  // of tegu's reduce; not of Dot
    const char* word;
};
constexpr StatisticInfo5 kStatistics[] = {
    {VectorStatistic::Sum, Statistic::Sum, "sum"},  {VectorStatistic::Min, Statistic::Min, "min"},
    {VectorStatistic::Max, Statistic::Max, "max"},  {VectorStatistic::Mean, Statistic::Mean, "mean"},
    {VectorStatistic::Norm, Statistic::L2, "norm"},
};

std::vector<VectorJob> describe_dot(const PartContext& context) {
    std::vector<FieldJob> jobs;
    for (const StatisticInfo5& info : kStatistics) {
        ReduceParams params;
        params.statistics = statistic_bit(info.own);
        const int priority = info.statistic == VectorStatistic::Sum ? 0 : 1;
        jobs.push_back(sequence_job(ElementType::F32, kVectorElements, params, info.word, priority));
    }
    jobs.push_back(sequence_job(ElementType::F32, kVectorElements, DotParams(), "", 1));
    jobs = seed_jobs(context, std::move(jobs));
    std::vector<VectorJob> vectors;
    for (std::size_t i = 0; i < std::size(kStatistics); ++i)
        vectors.push_back({kStatistics[i].statistic, std::move(jobs[i])});
    vectors.push_back({VectorStatistic::Dot, std::move(jobs.back())});
    return vectors;
}

}  // namespace

Result<void> VectorValues::make() {
    if (!y_.empty()) return {};
    return within_memory([&] {
        x_ = signs(n_, 5);
        y_ = signs(n_, 6);
    });
}

float VectorValues::expected(VectorStatistic statistic) const {
    const double sum = std::accumulate(x_.begin(), x_.end(), 0.0);
    switch (statistic) {
        case VectorStatistic::Min: return *std::min_element(x_.begin(), x_.end());
        case VectorStatistic::Max: return *std::max_element(x_.begin(), x_.end());
        case VectorStatistic::Sum: return static_cast<float>(sum);
        case VectorStatistic::Mean: return static_cast<float>(sum) / static_cast<float>(n_);
        case VectorStatistic::Norm:
            return std::sqrt(static_cast<float>(std::inner_product(x_.begin(), x_.end(), x_.begin(), 0.0)));
        case VectorStatistic::Dot: break;
    }
    return static_cast<float>(std::inner_product(x_.begin(), x_.end(), y_.begin(), 0.0));
}

void add_s5_cases(PartContext& context, CaseList& cases) {
    const std::size_t first = cases.cases().size();
    const std::vector<VectorJob> vectors = describe_dot(context);
    const auto values = std::make_shared<VectorValues>(vectors.front().job.elements());
    for (const VectorJob& vector : vectors) {
        add_own_cases(context, cases, vector.job);
        if (has_seed_gpu(context)) add_s5_gpu_cases(context, cases, vector, values);
    }
    if (!has_seed_gpu(context)) skip_gpu(context, cases);
    keep_wanted(context, cases, first);
}

}  // namespace tegu::field
