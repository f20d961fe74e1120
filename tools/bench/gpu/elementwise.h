// SPDX-License-Identifier: Apache-2.0
// Shared by the cases of add and of rows: policies, and a copy that moves as many bytes.
#pragma once

#include "tools/bench/gpu/gpu_bench.h"

namespace tegu::bench {

template <class Policy>
std::vector<Policy> swept_policies(const GpuBench& bench, const Policy& one) {
    if (!bench.sweep()) return {one};
    std::vector<Policy> policies;
    for (const unsigned threads : {64u, 128u, 256u, 512u, 1024u})
        for (const unsigned packs : {1u, 2u, 4u})
            for (const unsigned waves : {1u, 2u, 4u, 8u, 32u, 1000u})
                policies.push_back(Policy{threads, packs, waves});
    return policies;
}
template <class Policy>
std::string policy_name(const GpuBench& bench, const Policy& policy) {
    if (!bench.sweep()) return "";
    return " " + std::to_string(policy.threads_per_block) + "/" + std::to_string(policy.packs_per_thread) +
           "/" + std::to_string(policy.waves);
}

// A copy that reads and writes `bytes` in all.
inline GpuTime time_copy(GpuBench& bench, std::uint64_t bytes) {
    const Rotation from(bytes / 2, bench.context().limits.l2_bytes),
        to(bytes / 2, bench.context().limits.l2_bytes);
    return bench.time([&](std::size_t turn) {
        require_cuda(cudaMemcpyAsync(to[turn], from[turn], bytes / 2, cudaMemcpyDeviceToDevice,
                                     bench.context().stream),
                     "cudaMemcpyAsync");
    });
}

}  // namespace tegu::bench
