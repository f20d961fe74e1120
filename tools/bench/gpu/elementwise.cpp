// SPDX-License-Identifier: Apache-2.0
// add and rowscale, beside a copy that moves as many bytes.
#include "kernels/add/cuda/add.h"
#include "kernels/rowscale/cuda/rowscale.h"
#include "tools/bench/gpu/gpu_bench.h"

namespace tegu::bench {
namespace {

std::vector<float> numbers(std::uint64_t n) {
    std::vector<float> values(n);
    std::uint32_t state = 1;
    for (float& value : values) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
    }
    return values;
}

constexpr unsigned kThreads[] = {64, 128, 256, 512, 1024};
constexpr unsigned kPacks[] = {1, 2, 4};
constexpr unsigned kWaves[] = {1, 2, 4, 8, 32, 1000};

template <class Policy>
std::vector<Policy> all_policies() {
    std::vector<Policy> policies;
    for (const unsigned threads : kThreads)
        for (const unsigned packs : kPacks)
            for (const unsigned waves : kWaves) policies.push_back(Policy{threads, packs, waves});
    return policies;
}
std::vector<cuda::AddPolicy> add_policies(const GpuBench& bench) {
    if (bench.sweep()) return all_policies<cuda::AddPolicy>();
    return {bench.context().policies.add};
}
std::vector<cuda::RowscalePolicy> rowscale_policies(const GpuBench& bench) {
    if (bench.sweep()) return all_policies<cuda::RowscalePolicy>();
    return {bench.context().policies.rowscale};
}
std::string policy_name(const GpuBench& bench, unsigned threads, unsigned packs, unsigned waves) {
    if (!bench.sweep()) return "";
    return " " + std::to_string(threads) + "/" + std::to_string(packs) + "/" + std::to_string(waves);
}

// A copy that reads and writes `bytes` in all.
GpuTime time_copy(GpuBench& bench, std::uint64_t bytes) {
    const Rotation from(bytes / 2, bench.context().limits.l2_bytes),
        to(bytes / 2, bench.context().limits.l2_bytes);
    return bench.time([&](std::size_t turn) {
        require_cuda(cudaMemcpyAsync(to[turn], from[turn], bytes / 2, cudaMemcpyDeviceToDevice,
                                     bench.context().stream),
                     "cudaMemcpyAsync");
    });
}

void bench_add_case(GpuBench& bench, const std::string& name, ElementType type, std::uint64_t n) {
    if (!bench.wants(name)) return;
    const std::uint64_t bytes = n * element_bytes(type);
    const GpuTime copy = time_copy(bench, 3 * bytes);
    const cuda::Context& context = bench.context();
    Rotation x(bytes, context.limits.l2_bytes), y(bytes, context.limits.l2_bytes);
    const Rotation z(bytes, context.limits.l2_bytes);
    const std::vector<std::uint8_t> zeros(bytes);
    x.fill(zeros.data(), bytes);
    y.fill(zeros.data(), bytes);
    const Rotation overflow(sizeof(std::uint64_t), 0);
    for (const cuda::AddPolicy& policy : add_policies(bench)) {
        const GpuTime time = bench.time([&](std::size_t turn) {
            const cuda::AddArrays arrays{x[turn], y[turn], z[turn], 1,
                                         n,       n,       n,       static_cast<std::uint64_t*>(overflow[0])};
            require_cuda(cuda::launch_add(type, arrays, policy, context.limits, context.stream), "add");
        });
        bench.report(
            name + policy_name(bench, policy.threads_per_block, policy.packs_per_thread, policy.waves), n,
            3 * bytes, time, "copy", copy);
    }
}

// All rows in one launch, or two.
void launch_rowscale(const cuda::RowscaleArrays& arrays, const cuda::RowscalePolicy& policy,
                     const cuda::Context& context) {
    const cuda::RowscaleShape shape = cuda::rowscale_shape(ElementType::F32, arrays, policy, context.limits);
    if (shape.method != cuda::RowscaleMethod::Spread) {
        require_cuda(
            cuda::launch_rowscale(ElementType::F32, arrays, shape, policy, context.limits, context.stream),
            "rowscale");
        return;
    }
    const cuda::RowscalePiece all{0, arrays.rows * arrays.lines, 0, arrays.cols};
    require_cuda(cuda::launch_rowscale_keys(ElementType::F32, arrays, all, shape, policy, context.limits,
                                            context.stream),
                 "rowscale");
    require_cuda(cuda::launch_rowscale_divide(ElementType::F32, arrays, all, shape, policy, context.limits,
                                              context.stream),
                 "rowscale");
}

void bench_rowscale_case(GpuBench& bench, const std::string& name, std::uint64_t rows, std::uint64_t cols) {
    if (!bench.wants(name)) return;
    const std::uint64_t n = rows * cols, bytes = 4 * n;
    const GpuTime copy = time_copy(bench, 2 * bytes + 4 * rows);
    const cuda::Context& context = bench.context();
    Rotation x(bytes, context.limits.l2_bytes);
    x.fill(numbers(n).data(), bytes);
    const Rotation values(bytes, context.limits.l2_bytes), scales(4 * rows, 0), keys(8 * rows, 0);
    for (const cuda::RowscalePolicy& policy : rowscale_policies(bench)) {
        const GpuTime time = bench.time([&](std::size_t turn) {
            const cuda::RowscaleArrays arrays{
                x[turn], values[turn], scales[0], static_cast<std::uint64_t*>(keys[0]), rows, cols, cols,
                1,       false};
            launch_rowscale(arrays, policy, context);
        });
        bench.report(
            name + policy_name(bench, policy.threads_per_block, policy.packs_per_thread, policy.waves), n,
            2 * bytes + 4 * rows, time, "copy", copy);
    }
}

}  // namespace

void bench_add(GpuBench& bench) {
    bench_add_case(bench, "add/f32/1e5", ElementType::F32, 100000);
    bench_add_case(bench, "add/f32/4096x4096", ElementType::F32, 4096 * 4096);
    if (bench.quick()) return;
    bench_add_case(bench, "add/u8/1e8", ElementType::U8, 100000000);
    bench_add_case(bench, "add/i32/1e8", ElementType::I32, 100000000);
    bench_add_case(bench, "add/f16/1e8", ElementType::F16, 100000000);
    bench_add_case(bench, "add/f64/1e8", ElementType::F64, 100000000);
}

void bench_rowscale(GpuBench& bench) {
    bench_rowscale_case(bench, "rowscale/f32/55296x128", 55296, 128);
    if (bench.quick()) return;
    bench_rowscale_case(bench, "rowscale/f32/442368x128", 442368, 128);
    bench_rowscale_case(bench, "rowscale/f32/442368x127", 442368, 127);
    bench_rowscale_case(bench, "rowscale/f32/1769472x32", 1769472, 32);
    bench_rowscale_case(bench, "rowscale/f32/55296x1024", 55296, 1024);
    bench_rowscale_case(bench, "rowscale/f32/13824x4096", 13824, 4096);
    bench_rowscale_case(bench, "rowscale/f32/3456x16384", 3456, 16384);
    bench_rowscale_case(bench, "rowscale/f32/864x65536", 864, 65536);
    bench_rowscale_case(bench, "rowscale/f32/54x1048576", 54, 1048576);
    bench_rowscale_case(bench, "rowscale/f32/1x56623104", 1, 56623104);
}

}  // namespace tegu::bench
