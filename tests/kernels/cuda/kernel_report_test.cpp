// SPDX-License-Identifier: Apache-2.0
// What the driver says of each kernel: that it has code, fits the device as the default policy launches it,
// and that most spill nothing.
#include "kernels/execution/cuda/kernel_report.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>

#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch.h"
#include "tests/kernels/cuda/test_device.h"

namespace tegu::test {
namespace {

// Kernels that are held to fewer registers than they would take, so that more warps run, or that close a
// segment by a call: they may keep something in local memory. The others must not. Where a block has half of
// the registers all may, but those that are bounded for that.
bool may_use_local_memory(const std::string& name, unsigned compute_capability) {
    if (compute_capability < 70) return name.rfind("add_", 0) != 0 && name.rfind("rowscale_", 0) != 0;
    for (const char* stem :
         {"bracket_cuts<", "bracket_filter<", "bracket_finish<", "count_columns<", "count_elements<",
          "dot_float<", "dot_integer<", "entropy_map_pairs<", "filter_distinct<", "filter_packs<",
          "keep_survivors<", "partition_keys<", "quantile_windows<", "reduce_", "sample_cut<",
          "select_best_rows<", "select_buckets<", "select_segments<", "sort_pass<"})
        if (name.rfind(stem, 0) == 0) return true;
    return false;
}
constexpr unsigned kMaxLocalBytes = 512;  // of a thread, where some are allowed

TEST(KernelReport, EveryKernelFitsTheDeviceAndMostSpillNothing) {
    const char* why_not = "";
    const cuda::Context* const context = test_context(&why_not);
    if (context == nullptr) GTEST_SKIP() << "no GPU: " << why_not;
    const Result<std::vector<cuda::KernelResources>> kernels = cuda::kernel_resources(context->limits);
    ASSERT_TRUE(kernels.ok()) << kernels.error().message;
    EXPECT_FALSE(kernels->empty());
    for (const cuda::KernelResources& kernel : *kernels) {
        EXPECT_GT(kernel.registers, 0u) << kernel.name;
        EXPECT_LE(kernel.local_bytes,
                  may_use_local_memory(kernel.name, context->limits.compute_capability) ? kMaxLocalBytes : 0u)
            << kernel.name;
        EXPECT_LE(kernel.threads, kernel.max_threads) << kernel.name;
        EXPECT_GE(kernel.blocks_per_multiprocessor, 1u) << kernel.name;
        EXPECT_LE(kernel.blocks_per_multiprocessor * kernel.threads,
                  context->limits.threads_per_multiprocessor)
            << kernel.name;
        EXPECT_LE(kernel.static_shared_bytes + kernel.dynamic_shared_bytes,
                  context->limits.shared_bytes_per_block)
            << kernel.name;
        EXPECT_LE(kernel.architecture, context->limits.compute_capability) << kernel.name;
        EXPECT_GT(kernel.architecture, 0u) << kernel.name;
    }
}

TEST(KernelReport, LeavesTheKernelsTheSharedMemoryThatAllMayHave) {
    const char* why_not = "";
    const cuda::Context* const context = test_context(&why_not);
    if (context == nullptr) GTEST_SKIP() << "no GPU: " << why_not;
    ASSERT_TRUE(cuda::kernel_resources(context->limits).ok());
    cuda::KernelLister lister(context->limits);
    cuda::list_kernels(lister);
    for (const cuda::KernelEntry& kernel : lister.entries()) {
        cudaFuncAttributes attributes;
        ASSERT_EQ(cudaSuccess, cudaFuncGetAttributes(&attributes, kernel.function)) << kernel.name;
        EXPECT_GE(attributes.sharedSizeBytes + static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes),
                  cuda::kPlainSharedBytes)
            << kernel.name;
    }
}

}  // namespace
}  // namespace tegu::test
