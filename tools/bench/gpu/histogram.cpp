// SPDX-License-Identifier: Apache-2.0
// histogram and entropy: one read of the input, and counters in shared memory. Whole jobs are timed, with the waits of the host that they have.
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "kernels/cuda/operation.h"
#include "tools/bench/gpu/gpu_bench.h"

namespace tegu::bench {
namespace {

// What the elements are like: skewed data are many additions to few counters.
enum class Data { Uniform, Flat, Two };

const char* word(Data data) {
    return data == Data::Uniform ? "uniform" : data == Data::Flat ? "flat" : "two values";
}

template <class T>
std::vector<T> elements(std::uint64_t n, Data data, double scale) {
    std::vector<T> values(n);
    std::uint32_t state = 1;
    for (std::uint64_t i = 0; i < n; ++i) {
        state = state * 1664525u + 1013904223u;
        const double unit = static_cast<double>(state >> 8) * 0x1p-24;
        const double level = data == Data::Uniform ? unit : data == Data::Flat ? 0.25 : unit < 0.5 ? 0.25 : 0.75;
        values[i] = static_cast<T>(level * scale);
    }
    return values;
}

struct Case {
    std::string name;
    Job job;
    Data data = Data::Uniform;
    unsigned passes = 1;  // over the input
};

template <class T>
void fill(Rotation& x, const Case& test, std::uint64_t n) {
    const double scale = std::is_integral<T>::value ? 256.0 : 1.0;
    x.fill(elements<T>(n, test.data, scale).data(), n * sizeof(T));
}

void bench_case(GpuBench& bench, const Case& test) {
    const std::string name = test.name + (test.data == Data::Uniform ? "" : std::string(", ") + word(test.data));
    if (!bench.wants(name)) return;
    const cuda::Context& context = bench.context();
    const std::uint64_t n = test.job.rows * test.job.cols, bytes = n * element_bytes(test.job.type);
    Rotation x(bytes, context.limits.l2_bytes);
    switch (test.job.type) {
        case ElementType::U8: fill<std::uint8_t>(x, test, n); break;
        case ElementType::U16: fill<std::uint16_t>(x, test, n); break;
        case ElementType::F64: fill<double>(x, test, n); break;
        default: fill<float>(x, test, n); break;
    }
    const Result<kernels::JobPlan> plan = kernels::plan_job(test.job);
    std::deque<Rotation> memory;
    std::vector<kernels::OutputView> outputs;
    for (const ArraySpec& spec : plan->outputs) {
        memory.emplace_back(array_bytes(spec), 0);
        outputs.push_back({static_cast<std::byte*>(memory.back()[0])});
    }
    const GpuTime time = bench.time([&](std::size_t turn) {
        const kernels::InputView input{static_cast<const std::byte*>(x[turn]), test.job.cols};
        const auto done = cuda::run_job(test.job, {&input, 1}, outputs, context, kernels::StopToken());
        if (!done) {
            std::fprintf(stderr, "tegu-bench-gpu: %s: %s\n", name.c_str(), done.error().message.c_str());
            std::exit(1);
        }
    });
    bench.report(name, n, test.passes * bytes, time);
}

Job histogram_job(ElementType type, std::uint64_t rows, std::uint64_t cols, std::uint32_t bins, bool has_range) {
    HistogramParams params;
    params.bins = bins;
    params.has_range = has_range;
    params.hi = is_float(type) ? 1.0 : 256.0;
    return Job{type, rows == 1 ? Axis::Whole : Axis::Rows, rows, cols, params};
}
Job entropy_job(ElementType type, std::uint64_t rows, std::uint64_t cols, std::uint32_t levels) {
    EntropyParams params;
    params.levels = levels;
    return Job{type, rows == 1 ? Axis::Whole : Axis::Rows, rows, cols, params};
}

}  // namespace

void bench_histogram(GpuBench& bench) {
    const std::uint64_t large = bench.quick() ? 10000000 : 100000000;
    for (const Data data : {Data::Uniform, Data::Flat, Data::Two}) {
        bench_case(bench, {"histogram/u8/256/" + std::to_string(large),
                           histogram_job(ElementType::U8, 1, large, 256, true), data});
        bench_case(bench, {"histogram/f32/256/" + std::to_string(large),
                           histogram_job(ElementType::F32, 1, large, 256, true), data});
    }
    if (bench.quick()) return;
    bench_case(bench, {"histogram/u8/256/1e9", histogram_job(ElementType::U8, 1, 1000000000, 256, true)});
    bench_case(bench, {"histogram/f32/256/1e6", histogram_job(ElementType::F32, 1, 1000000, 256, true)});
    bench_case(bench, {"histogram/f32/256, no range/1e8", histogram_job(ElementType::F32, 1, large, 256, false),
                       Data::Uniform, 2});
    for (const std::uint32_t bins : {10u, 4096u, 20000u, 50000u, 1u << 20})
        bench_case(bench, {"histogram/f32/" + std::to_string(bins) + "/1e8",
                           histogram_job(ElementType::F32, 1, large, bins, true)});
    bench_case(bench,
               {"histogram/f32/1048576/1e8", histogram_job(ElementType::F32, 1, large, 1u << 20, true), Data::Flat});
    bench_case(bench, {"histogram/u16/256/1e8", histogram_job(ElementType::U16, 1, large, 256, true)});
    bench_case(bench, {"histogram/f64/256/1e8", histogram_job(ElementType::F64, 1, large, 256, true)});
    bench_case(bench, {"histogram/f32/16/100000x1000", histogram_job(ElementType::F32, 100000, 1000, 16, true)});
    bench_case(bench, {"histogram/f32/16/100x1000000", histogram_job(ElementType::F32, 100, 1000000, 16, true)});
    bench_case(bench, {"entropy/u8/256/1e8", entropy_job(ElementType::U8, 1, large, 256)});
    bench_case(bench, {"entropy/f32/256/1e8", entropy_job(ElementType::F32, 1, large, 256), Data::Uniform, 2});
    bench_case(bench, {"entropy/u16/65536/1e8", entropy_job(ElementType::U16, 1, large, 65536)});
    bench_case(bench,
               {"entropy/f32/256/100000x1000", entropy_job(ElementType::F32, 100000, 1000, 256), Data::Uniform, 2});
}

}  // namespace tegu::bench
