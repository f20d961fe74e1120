// SPDX-License-Identifier: Apache-2.0
// add, beside a copy that moves as many bytes.
#include "kernels/add/cuda/add.h"

#include "tools/bench/gpu/elementwise.h"

namespace tegu::bench {
namespace {

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
    for (const cuda::AddPolicy& policy : swept_policies(bench, context.policies.add)) {
        const GpuTime time = bench.time([&](std::size_t turn) {
            const cuda::AddArrays arrays{x[turn], y[turn], z[turn], 1,
                                         n,       n,       n,       static_cast<std::uint64_t*>(overflow[0])};
            require_cuda(cuda::launch_add(type, arrays, context.config(policy)), "add");
        });
        bench.report(name + policy_name(bench, policy), n, 3 * bytes, time, "copy", copy);
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

}  // namespace tegu::bench
