// SPDX-License-Identifier: Apache-2.0
// quantile: whole arrays and rows; the times are those of whole jobs.
#include "tools/bench/gpu/select_bench.h"

namespace tegu::bench {
namespace {

void bench_shape(GpuBench& bench, const std::string& shape, Values values, std::uint64_t rows,
                 std::uint64_t cols, const std::vector<std::vector<double>>& lists) {
    const std::string stem = "quantile/f32/" + shape;
    if (!bench.wants(stem)) return;
    SelectBench cases(bench, ElementType::F32, values, rows, cols);
    for (const std::vector<double>& q : lists) {
        QuantileParams params;
        params.q = q;
        params.skip_nans = true;
        const std::string name = stem + "/q" + std::to_string(q.size());
        if (bench.wants(name)) cases.verify_and_time(name, cases.job_of(params));
    }
}

void bench_rows(GpuBench& bench, std::uint64_t rows, std::uint64_t cols) {
    bench_shape(bench, std::to_string(rows) + "x" + std::to_string(cols), Values::Uniform, rows, cols,
                {{0.5}});
}

}  // namespace

void bench_quantile(GpuBench& bench) {
    bench_rows(bench, 16384, 128);
    if (bench.quick()) return;
    bench_shape(bench, "1e7/uniform", Values::Uniform, 1, 10000000,
                {{0.5}, {0.5, 0.01, 0.99, 0.25, 0.75, 0.05, 0.95}});
    bench_shape(bench, "1e7/few", Values::Few, 1, 10000000, {{0.5}});
    bench_rows(bench, 4096, 4096);
    bench_rows(bench, 256, 131072);
    bench_rows(bench, 100000, 1000);
}

}  // namespace tegu::bench
