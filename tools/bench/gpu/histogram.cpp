// SPDX-License-Identifier: Apache-2.0
// histogram, entropy and fused: whole jobs are timed, host waits included. Histograms of 256 bins are
// compared with CUB's, fused jobs with their parts in sequence. A kernel that only reads is the floor of
// both.
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "kernels/operation_cuda.h"
#include "tools/bench/gpu/gpu_bench.h"
#include "tools/bench/gpu/histogram_peers.h"
#include "tools/bench/gpu/reduce_peers.h"

namespace tegu::bench {
namespace {

// The distribution of the elements. Skewed data are many additions to few counters.
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
        const double level = data == Data::Uniform ? unit
                             : data == Data::Flat  ? 0.25
                             : unit < 0.5          ? 0.25
                                                   : 0.75;
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

std::vector<cuda::CountPolicy> policies_of(const GpuBench& bench) {
    const cuda::CountPolicy standard = bench.context().policies.count;
    if (!bench.sweep()) return {standard};
    std::vector<cuda::CountPolicy> policies;
    for (const unsigned threads : {128u, 256u, 512u})
        for (const unsigned copies : {1u, 4u, 16u})
            for (const unsigned waves : {1u, 2u}) {
                cuda::CountPolicy policy = standard;
                policy.threads_per_block = threads;
                policy.copies = copies;
                policy.waves = waves;
                policies.push_back(policy);
            }
    for (const std::uint64_t lane_elements : {std::uint64_t{0}, ~std::uint64_t{0}}) {
        policies.push_back(standard);
        policies.back().lane_elements = lane_elements;
    }
    return policies;
}
std::string policy_name(const cuda::CountPolicy& policy) {
    return " " + std::to_string(policy.threads_per_block) + "/" + std::to_string(policy.copies) + "/" +
           std::to_string(policy.waves) +
           (policy.lane_elements == 0                   ? "/lanes"
            : policy.lane_elements == ~std::uint64_t{0} ? "/no lanes"
                                                        : "");
}

// The job as it is run, with outputs of its own.
class Runner {
  public:
    Runner(const Case& test, const Rotation& x) : test_(test), x_(x), plan_(*kernels::plan_job(test.job)) {
        for (const ArraySpec& spec : plan_.outputs) {
            memory_.emplace_back(array_bytes(spec), 0, 1);
            outputs_.push_back({static_cast<std::byte*>(memory_.back()[0])});
        }
    }
    GpuTime time(GpuBench& bench, const cuda::CountPolicy& policy) const {
        cuda::Context context = bench.context();
        context.policies.count = policy;
        return bench.time([&](std::size_t turn) {
            const kernels::InputView input{static_cast<const std::byte*>(x_[turn]), test_.job.cols};
            const auto done =
                cuda::run_job({test_.job, plan_.parts, {&input, 1}, outputs_, kernels::StopToken()}, context);
            if (done) return;
            std::fprintf(stderr, "tegu-bench-gpu: %s: %s\n", test_.name.c_str(),
                         done.error().message.c_str());
            std::exit(1);
        });
    }

  private:
    const Case& test_;
    const Rotation& x_;
    const kernels::JobPlan plan_;
    std::deque<Rotation> memory_;
    std::vector<kernels::OutputView> outputs_;
};

// CUB's counts of the same elements in as many bins; 0 where there is no CUB, or it has no such histogram.
GpuTime time_cub(GpuBench& bench, const Job& job, const Rotation& x) {
    const auto* const params = std::get_if<HistogramParams>(&job.params);
    const bool is_peer = params != nullptr && params->has_range && job.axis == Axis::Whole &&
                         params->bins == 256 && job.cols < 1u << 31;
    const auto n = static_cast<std::int32_t>(is_peer ? job.cols : 0);
    const std::size_t space_bytes = is_peer ? cub_histogram_bytes(n, 256) : 0;
    if (space_bytes == 0 || (job.type != ElementType::U8 && job.type != ElementType::F32)) return {};
    const Rotation space(space_bytes, 0, 1), counts(256 * sizeof(unsigned), 0, 1);
    return bench.time([&](std::size_t turn) {
        auto* const bins = static_cast<unsigned*>(counts[0]);
        const auto count = [&](auto* elements) {
            return cub_histogram(space[0], space_bytes, elements, n, bins, 256,
                                 static_cast<float>(params->lo), static_cast<float>(params->hi),
                                 bench.context().stream);
        };
        require_cuda(job.type == ElementType::U8 ? count(static_cast<const std::uint8_t*>(x[turn]))
                                                 : count(static_cast<const float*>(x[turn])),
                     "CUB");
    });
}

// The sum of the times of the parts, each a job.
GpuTime time_parts(GpuBench& bench, const Case& test, const Rotation& x, const cuda::CountPolicy& policy) {
    GpuTime sum;
    const auto* const params = std::get_if<FusedParams>(&test.job.params);
    if (params == nullptr) return sum;
    for (const FusedPart& part : params->parts) {
        Case alone = test;
        std::visit([&](const auto& own) { alone.job.params = own; }, part);
        const GpuTime time = Runner(alone, x).time(bench, policy);
        sum.us += time.us;
        sum.noise = time.noise > sum.noise ? time.noise : sum.noise;
    }
    return sum;
}

void bench_case(GpuBench& bench, const Case& test) {
    const std::string name =
        test.name + (test.data == Data::Uniform ? "" : std::string(", ") + word(test.data));
    if (!bench.wants(name)) return;
    const std::uint64_t n = test.job.rows * test.job.cols, bytes = n * element_bytes(test.job.type);
    Rotation x(bytes, bench.context().limits.l2_bytes);
    switch (test.job.type) {
        case ElementType::U8: fill<std::uint8_t>(x, test, n); break;
        case ElementType::U16: fill<std::uint16_t>(x, test, n); break;
        case ElementType::F64: fill<double>(x, test, n); break;
        default: fill<float>(x, test, n); break;
    }
    const Rotation out(sizeof(unsigned), 0, 1);
    const GpuTime read = bench.time([&](std::size_t turn) {
        require_cuda(read_all(x[turn], bytes / 16 * 16, static_cast<unsigned*>(out[0]),
                              bench.context().limits.multiprocessors, bench.context().stream),
                     "read");
    });
    bench.report(name + ", read", n, bytes, read);
    const GpuTime cub = time_cub(bench, test.job, x);
    const Runner runner(test, x);
    for (const cuda::CountPolicy& policy : policies_of(bench)) {
        const GpuTime time = runner.time(bench, policy);
        const GpuTime parts = time_parts(bench, test, x, policy);
        const std::string beside = cub.us > 0 ? "CUB" : parts.us > 0 ? "its parts" : "";
        bench.report(name + (bench.sweep() ? policy_name(policy) : ""), n, test.passes * bytes, time, beside,
                     cub.us > 0 ? cub : parts);
    }
}

Job histogram_job(ElementType type, std::uint64_t rows, std::uint64_t cols, std::uint32_t bins,
                  bool has_range) {
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
// Statistics, histogram and entropy. With ranges each of them alone reads the data once.
Job fused_job(ElementType type, StatisticSet statistics, std::uint64_t cols, bool has_range) {
    ReduceParams reduce;
    reduce.statistics = statistics;
    const Job counting = histogram_job(type, 1, cols, 256, has_range);
    const HistogramParams& histogram = *std::get_if<HistogramParams>(&counting.params);
    EntropyParams entropy;
    entropy.levels = 256;
    entropy.has_range = has_range && element_bytes(type) > 1;
    entropy.hi = histogram.hi;
    FusedParams params;
    params.parts = {reduce, histogram, entropy};
    return Job{type, Axis::Whole, 1, cols, params};
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
    bench_case(bench, {"histogram/f32/256, no range/1e8",
                       histogram_job(ElementType::F32, 1, large, 256, false), Data::Uniform, 2});
    for (const std::uint32_t bins : {10u, 4096u, 20000u, 50000u, 1u << 20})
        bench_case(bench, {"histogram/f32/" + std::to_string(bins) + "/1e8",
                           histogram_job(ElementType::F32, 1, large, bins, true)});
    bench_case(bench, {"histogram/f32/1048576/1e8", histogram_job(ElementType::F32, 1, large, 1u << 20, true),
                       Data::Flat});
    bench_case(bench, {"histogram/u16/256/1e8", histogram_job(ElementType::U16, 1, large, 256, true)});
    bench_case(bench, {"histogram/f64/256/1e8", histogram_job(ElementType::F64, 1, large, 256, true)});
    bench_case(bench,
               {"histogram/f32/16/100000x1000", histogram_job(ElementType::F32, 100000, 1000, 16, true)});
    bench_case(bench,
               {"histogram/f32/16/100x1000000", histogram_job(ElementType::F32, 100, 1000000, 16, true)});
    bench_case(bench, {"entropy/u8/256/1e8", entropy_job(ElementType::U8, 1, large, 256)});
    bench_case(bench, {"entropy/f32/256, no range/1e8", entropy_job(ElementType::F32, 1, large, 256),
                       Data::Uniform, 2});
    bench_case(bench, {"entropy/u16/65536/1e8", entropy_job(ElementType::U16, 1, large, 65536)});
    bench_case(bench, {"entropy/f32/256/100000x1000", entropy_job(ElementType::F32, 100000, 1000, 256),
                       Data::Uniform, 2});
    constexpr StatisticSet kMoments = statistic_bit(Statistic::Mean) | statistic_bit(Statistic::Var);
    const auto fused = [&](const char* name, ElementType type, StatisticSet statistics, bool has_range,
                           std::uint64_t n) {
        bench_case(bench, {name, fused_job(type, statistics, n, has_range), Data::Uniform,
                           has_range || element_bytes(type) == 1 ? 3u : 5u});
    };
    fused("fused/u8/all/1e8", ElementType::U8, kAllStatistics, true, large);
    fused("fused/f32/all/1e8", ElementType::F32, kAllStatistics, true, large);
    fused("fused/f32/all/1e6", ElementType::F32, kAllStatistics, true, 1000000);
    fused("fused/f32/mean,var/1e8", ElementType::F32, kMoments, true, large);
    fused("fused/f32/all, no range/1e8", ElementType::F32, kAllStatistics, false, large);
    fused("fused/u16/all/1e8", ElementType::U16, kAllStatistics, true, large);
    fused("fused/f64/all/1e8", ElementType::F64, kAllStatistics, true, large);
}

}  // namespace tegu::bench
