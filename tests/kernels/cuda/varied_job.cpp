// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/cuda/varied_job.h"

#include <algorithm>

namespace tegu::test {

std::vector<cuda::Context> contexts_with_policies(const cuda::Context& context) {
    std::vector<cuda::Context> contexts(4, context);
    cuda::Policies* policies = &contexts[1].policies;  // blocks of one warp, little room
    policies->add = {32, 1, 1};
    policies->entropy_map = {cuda::EntropyMapMethod::Slide, 32, 1, 0, 0};
    policies->count = {32, 1, 1, 48 << 10, 32 << 20, 0};
    policies->quantile = {32, 32, 32, 1, 2048};
    policies->reduce = {32, 1, 1, 100000};
    policies->rowscale = {32, 1, 1};
    policies->topk = {64, 64, 64, 100, 64, 1, 256};
    policies = &contexts[2].policies;  // many launches
    policies->add = {1024, 2, 1};
    policies->entropy_map = {cuda::EntropyMapMethod::Chosen, 64, 5, 0, 100000};
    policies->count = {512, 4, 2, 16 << 10, 64 << 10, ~std::uint64_t{0}};
    policies->quantile = {64, 128, 96, 2, 4096};
    policies->reduce = {256, 16, 2, 64 << 10};
    policies->rowscale = {64, 2, 1};
    policies->topk = {96, 128, 200, 128, 32, 3, 512};
    policies = &contexts[3].policies;  // nothing counted in shared memory, samples that are too small
    policies->add = {96, 4, 2};
    policies->entropy_map = {cuda::EntropyMapMethod::Chosen, 256, 40, 1, 0};
    policies->count = {96, 2, 3, 4 << 10, 32 << 20, 100};
    policies->quantile = {256, 64, 64, 1, 0};
    policies->reduce = {64, 2, 3, 64 << 20};
    policies->rowscale = {512, 1, 1};
    policies->topk = {256, 256, 16, 256, 128, 2, 1024};
    return contexts;
}

Job varied_job(Operation operation, ElementType type, std::uint64_t n, std::uint64_t variant) {
    Job job;
    job.type = type;
    job.cols = n;
    if (variant % 3 == 2 && n >= 6) {
        job.rows = n >= 100000 ? 1 + variant % 7 * 50 : 3;
        job.cols = n / job.rows;
        if (operation != Operation::Add && operation != Operation::EntropyMap) job.axis = Axis::Rows;
    }
    const bool flag = variant % 2 == 0;
    const std::uint64_t one = job.cols == 0 ? 0 : 1;
    HistogramParams histogram;
    histogram.bins = flag ? 256 : 1000;
    histogram.skip_nans = flag;
    histogram.has_range = variant % 4 < 2;
    histogram.lo = -3.5;
    histogram.hi = 40;
    EntropyParams entropy;
    entropy.levels = flag ? 256 : 16;
    entropy.has_range = histogram.has_range;
    entropy.lo = histogram.lo;
    entropy.hi = histogram.hi;
    entropy.skip_nans = flag;
    QuantileParams quantile;
    quantile.q = {0.5, 0, 1, 0.999};
    quantile.method = static_cast<QuantileMethod>(variant % 5);
    quantile.skip_nans = flag;
    const std::uint64_t ks[] = {one, std::min<std::uint64_t>(job.cols, 10), std::min<std::uint64_t>(job.cols, 4096), (job.cols + one) / 2};
    const TopkParams topk{ks[variant % 4], variant % 8 < 4, variant % 5 == 0};
    const StatisticSet empty = statistic_bit(Statistic::Count) | statistic_bit(Statistic::Sum) | statistic_bit(Statistic::Nans);
    const ReduceParams reduce{n == 0 ? empty : kAllStatistics, flag, static_cast<std::uint32_t>(variant / 2 % 2)};
    switch (operation) {
        case Operation::Reduce: job.params = reduce; break;
        case Operation::Topk: job.params = topk; break;
        case Operation::Add: job.params = AddParams{}; break;
        case Operation::Dot: job.params = DotParams{flag}; break;
        case Operation::Rowscale: job.params = RowscaleParams{flag}; break;
        case Operation::Quantile: job.params = quantile; break;
        case Operation::Histogram: job.params = histogram; break;
        case Operation::Entropy: job.params = entropy; break;
        case Operation::Fused: {
            FusedParams fused;
            fused.parts = {reduce, topk, quantile, histogram, entropy};
            job.params = fused;
            break;
        }
        case Operation::EntropyMap: {
            EntropyMapParams map;
            map.window_rows = map.window_cols = flag ? 5 : 9;
            map.levels = variant % 3 == 0 ? 16 : 100;
            map.has_range = histogram.has_range;
            map.lo = histogram.lo;
            map.hi = histogram.hi;
            map.border = flag ? Border::Clip : Border::Mirror;
            if (job.rows == 1 && n >= 10000) job = {type, Axis::Whole, n / 400, 400, {}};
            job.params = map;
            break;
        }
    }
    return job;
}

}  // namespace tegu::test
