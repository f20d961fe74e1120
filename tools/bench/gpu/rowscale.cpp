// SPDX-License-Identifier: Apache-2.0
// rowscale, beside a copy that moves as many bytes.
#include "kernels/rowscale/cuda/rowscale.h"

#include "tools/bench/gpu/elementwise.h"

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

// All rows in one launch, or two.
void launch_rowscale(const cuda::RowscaleArrays& arrays, const cuda::RowscalePolicy& policy,
                     const cuda::Context& context) {
    const cuda::RowscaleShape shape = cuda::rowscale_shape(ElementType::F32, arrays, policy, context.limits);
    const cuda::RowscaleConfig config = context.config(policy);
    if (shape.method != cuda::RowscaleMethod::Spread) {
        require_cuda(cuda::launch_rowscale(arrays, shape, config), "rowscale");
        return;
    }
    const cuda::RowscalePiece all{0, arrays.rows * arrays.lines, 0, arrays.cols};
    require_cuda(cuda::launch_rowscale_keys(arrays, all, shape, config), "rowscale");
    require_cuda(cuda::launch_rowscale_divide(arrays, all, shape, config), "rowscale");
}

void bench_rowscale_case(GpuBench& bench, const std::string& name, std::uint64_t rows, std::uint64_t cols) {
    if (!bench.wants(name)) return;
    const std::uint64_t n = rows * cols, bytes = 4 * n;
    const GpuTime copy = time_copy(bench, 2 * bytes + 4 * rows);
    const cuda::Context& context = bench.context();
    Rotation x(bytes, context.limits.l2_bytes);
    x.fill(numbers(n).data(), bytes);
    const Rotation values(bytes, context.limits.l2_bytes), scales(4 * rows, 0);
    Rotation keys(16 * rows + 8, 0);
    keys.zero(16 * rows + 8);
    for (const cuda::RowscalePolicy& policy : swept_policies(bench, context.policies.rowscale)) {
        const GpuTime time = bench.time([&](std::size_t turn) {
            const cuda::RowscaleArrays arrays{
                x[turn], values[turn], scales[0], static_cast<std::uint64_t*>(keys[0]), rows, cols, cols,
                1,       false};
            launch_rowscale(arrays, policy, context);
        });
        bench.report(name + policy_name(bench, policy), n, 2 * bytes + 4 * rows, time, "copy", copy);
    }
}

}  // namespace

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
