// SPDX-License-Identifier: Apache-2.0
#include "kernels/execution/cuda/kernel_report.h"

#include <cuda_runtime_api.h>

#include "kernels/execution/cuda/context.h"
#include "kernels/execution/cuda/kernel_list.h"

namespace tegu::cuda {
namespace {

// The number of blocks that run at once on a multiprocessor. Requests the same shared memory as launch(); a
// device that refuses it runs none. Does not request the amount that every kernel may use by default: a
// smaller request would leave less to launch_plain().
Result<unsigned> resident_blocks(const KernelEntry& kernel, std::size_t static_bytes) {
    if (static_bytes + kernel.shared_bytes > kPlainSharedBytes &&
        cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(kernel.shared_bytes)) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0u;
    }
    int blocks = 0;
    const Result<void> counted =
        check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                       &blocks, kernel.function, static_cast<int>(kernel.threads), kernel.shared_bytes),
                   "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    if (!counted) return counted.error();
    return static_cast<unsigned>(blocks);
}

Result<KernelResources> resources_of(const KernelEntry& kernel) {
    cudaFuncAttributes attributes;
    const Result<void> found =
        check_cuda(cudaFuncGetAttributes(&attributes, kernel.function), "cudaFuncGetAttributes");
    if (!found) return found.error();
    const Result<unsigned> blocks = resident_blocks(kernel, attributes.sharedSizeBytes);
    if (!blocks) return blocks.error();
    KernelResources resources;
    resources.name = kernel.name;
    resources.moves = kernel.moves;
    resources.registers = static_cast<unsigned>(attributes.numRegs);
    resources.threads = kernel.threads;
    resources.max_threads = static_cast<unsigned>(attributes.maxThreadsPerBlock);
    resources.blocks_per_multiprocessor = *blocks;
    resources.static_shared_bytes = static_cast<unsigned>(attributes.sharedSizeBytes);
    resources.dynamic_shared_bytes = static_cast<unsigned>(kernel.shared_bytes);
    resources.local_bytes = static_cast<unsigned>(attributes.localSizeBytes);
    resources.constant_bytes = static_cast<unsigned>(attributes.constSizeBytes);
    resources.architecture = static_cast<unsigned>(attributes.binaryVersion);
    return resources;
}

}  // namespace

Result<std::vector<KernelResources>> kernel_resources(const DeviceLimits& limits) {
    KernelLister lister(limits);
    list_kernels(lister);
    std::vector<KernelResources> all;
    for (const KernelEntry& kernel : lister.entries()) {
        Result<KernelResources> resources = resources_of(kernel);
        if (!resources) return std::move(resources).error();
        all.push_back(std::move(*resources));
    }
    return all;
}

}  // namespace tegu::cuda
