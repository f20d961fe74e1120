// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/cuda/varied_job.h"

#include <algorithm>

namespace tegu::test {

namespace {

// By name, so that a policy may gain a member with a default.
void set_add(cuda::Policies& policies, unsigned threads, unsigned packs, unsigned waves) {
    policies.add.threads_per_block = threads;
    policies.add.packs_per_thread = packs;
    policies.add.waves = waves;
}
void set_rowscale(cuda::Policies& policies, unsigned threads, unsigned packs, unsigned waves) {
    policies.rowscale.threads_per_block = threads;
    policies.rowscale.packs_per_thread = packs;
    policies.rowscale.waves = waves;
}
void set_entropy_map(cuda::Policies& policies, cuda::EntropyMapMethod method, unsigned threads, unsigned rows,
                     unsigned columns, std::uint64_t pixels) {
    policies.entropy_map.method = method;
    policies.entropy_map.threads_per_block = threads;
    policies.entropy_map.rows_per_strip = rows;
    policies.entropy_map.columns_per_thread = columns;
    policies.entropy_map.piece_pixels = pixels;
}
void set_count(cuda::Policies& policies, unsigned threads, unsigned copies, unsigned waves,
               std::size_t shared_bytes, std::uint64_t launch_bytes, std::uint64_t lane_elements) {
    policies.count.threads_per_block = threads;
    policies.count.copies = copies;
    policies.count.waves = waves;
    policies.count.shared_bytes = shared_bytes;
    policies.count.launch_bytes = launch_bytes;
    policies.count.lane_elements = lane_elements;
}
void set_quantile(cuda::Policies& policies, unsigned block_threads, unsigned capacity, unsigned count_threads,
                  unsigned waves, unsigned bins) {
    policies.quantile.block_threads = block_threads;
    policies.quantile.capacity = capacity;
    policies.quantile.count_threads = count_threads;
    policies.quantile.waves = waves;
    policies.quantile.shared_bins = bins;
}
void set_reduce(cuda::Policies& policies, unsigned threads, unsigned tiles, unsigned waves,
                std::uint64_t launch_bytes) {
    policies.reduce.threads_per_block = threads;
    policies.reduce.tiles_per_warp = tiles;
    policies.reduce.waves = waves;
    policies.reduce.launch_bytes = launch_bytes;
}
void set_topk(cuda::Policies& policies, unsigned block_threads, unsigned capacity, unsigned sample,
              std::uint64_t block_elements, unsigned filter_threads, unsigned waves, unsigned sort_tile) {
    policies.selection.block_threads = block_threads;
    policies.selection.capacity = capacity;
    policies.selection.sample = sample;
    policies.selection.block_elements = block_elements;
    policies.selection.filter_threads = filter_threads;
    policies.selection.waves = waves;
    policies.selection.sort_tile = sort_tile;
}

}  // namespace

std::vector<cuda::Context> contexts_with_policies(const cuda::Context& context) {
    std::vector<cuda::Context> contexts(4, context);
    cuda::Policies& narrow = contexts[1].policies;  // blocks of one warp, small capacity
    set_add(narrow, 32, 1, 1);
    set_entropy_map(narrow, cuda::EntropyMapMethod::Slide, 32, 1, 0, 0);
    set_count(narrow, 32, 1, 1, 48 << 10, 32 << 20, 0);
    set_quantile(narrow, 32, 32, 32, 1, 2048);
    set_reduce(narrow, 32, 1, 1, 100000);
    set_rowscale(narrow, 32, 1, 1);
    set_topk(narrow, 64, 64, 64, 100, 64, 1, 256);
    cuda::Policies& cut = contexts[2].policies;  // many launches
    set_add(cut, 1024, 2, 1);
    set_entropy_map(cut, cuda::EntropyMapMethod::Chosen, 64, 5, 0, 100000);
    set_count(cut, 512, 4, 2, 16 << 10, 64 << 10, ~std::uint64_t{0});
    set_quantile(cut, 64, 128, 96, 2, 4096);
    set_reduce(cut, 256, 16, 2, 64 << 10);
    set_rowscale(cut, 64, 2, 1);
    set_topk(cut, 96, 128, 200, 128, 32, 3, 512);
    // nothing counted in shared memory, samples that are too small
    cuda::Policies& poor = contexts[3].policies;
    set_add(poor, 96, 4, 2);
    set_entropy_map(poor, cuda::EntropyMapMethod::Chosen, 256, 40, 1, 0);
    set_count(poor, 96, 2, 3, 4 << 10, 32 << 20, 100);
    set_quantile(poor, 256, 64, 64, 1, 0);
    set_reduce(poor, 64, 2, 3, 64 << 20);
    set_rowscale(poor, 512, 1, 1);
    set_topk(poor, 256, 256, 16, 256, 128, 2, 1024);
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
    const std::uint64_t ks[] = {one, std::min<std::uint64_t>(job.cols, 10),
                                std::min<std::uint64_t>(job.cols, 4096), (job.cols + one) / 2};
    const TopkParams topk{ks[variant % 4], variant % 8 < 4, variant % 3 == 0};
    const StatisticSet empty =
        statistic_bit(Statistic::Count) | statistic_bit(Statistic::Sum) | statistic_bit(Statistic::Nans);
    const ReduceParams reduce{n == 0 ? empty : kAllStatistics, flag,
                              static_cast<std::uint32_t>(variant / 2 % 2)};
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
