// SPDX-License-Identifier: Apache-2.0
#include "daemon/gpus/kernel_report.h"

#include <algorithm>

namespace tegu::daemon {
namespace {

wire::KernelInfo info_of(const cuda::KernelResources& kernel) {
    wire::KernelInfo info;
    info.name = kernel.name;
    info.moves = kernel.moves;
    info.registers = kernel.registers;
    info.threads = kernel.threads;
    info.max_threads = kernel.max_threads;
    info.blocks_per_multiprocessor = kernel.blocks_per_multiprocessor;
    info.static_shared_bytes = kernel.static_shared_bytes;
    info.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
    info.local_bytes = kernel.local_bytes;
    info.constant_bytes = kernel.constant_bytes;
    info.architecture = kernel.architecture;
    return info;
}

}  // namespace

wire::KernelsReply kernels_reply(const Gpus& gpus, std::uint32_t first) {
    wire::KernelsReply reply;
    if (gpus.all().empty()) {
        reply.reason = gpus.status().reason;
        return reply;
    }
    const GpuExecutor& gpu = *gpus.all().front();
    if (!gpu.kernels()) {
        reply.reason = gpu.kernels().error().message;
        return reply;
    }
    const std::vector<cuda::KernelResources>& kernels = *gpu.kernels();
    reply.total = static_cast<std::uint32_t>(kernels.size());
    reply.threads_per_multiprocessor = gpu.device().limits.threads_per_multiprocessor;
    const std::size_t end = std::min(kernels.size(), std::size_t{first} + wire::kMaxKernelsListed);
    for (std::size_t i = first; i < end; ++i) reply.kernels.push_back(info_of(kernels[i]));
    return reply;
}

}  // namespace tegu::daemon
