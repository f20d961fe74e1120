// SPDX-License-Identifier: Apache-2.0
// What the driver says of each kernel: that it has code, fits the device as the default policy launches it, and spills nothing.
#include "kernels/cuda/kernel_report.h"

#include <gtest/gtest.h>

#include "tests/kernels/cuda/test_device.h"

namespace tegu::test {
namespace {

// Bytes of local memory that a kernel may have. The counts of a large window fill the registers of a thread but for two words.
unsigned allowed_local_bytes(const std::string& name) {
    return name.rfind("entropy_map_pairs<", 0) == 0 ? 8 : 0;
}

TEST(KernelReport, EveryKernelRunsAndSpillsNothing) {
    const char* why_not = "";
    const cuda::Context* const context = test_context(&why_not);
    if (context == nullptr) GTEST_SKIP() << "no GPU: " << why_not;
    const Result<std::vector<cuda::KernelResources>> kernels = cuda::kernel_resources(context->limits);
    ASSERT_TRUE(kernels.ok()) << kernels.error().message;
    EXPECT_FALSE(kernels->empty());
    for (const cuda::KernelResources& kernel : *kernels) {
        EXPECT_GT(kernel.registers, 0u) << kernel.name;
        EXPECT_LE(kernel.local_bytes, allowed_local_bytes(kernel.name)) << kernel.name;
        EXPECT_LE(kernel.threads, kernel.max_threads) << kernel.name;
        EXPECT_GE(kernel.blocks_per_multiprocessor, 1u) << kernel.name;
        EXPECT_LE(kernel.blocks_per_multiprocessor * kernel.threads, context->limits.threads_per_multiprocessor)
            << kernel.name;
        EXPECT_LE(kernel.static_shared_bytes + kernel.dynamic_shared_bytes, context->limits.shared_bytes_per_block)
            << kernel.name;
        EXPECT_LE(kernel.architecture, context->limits.compute_capability) << kernel.name;
        EXPECT_GT(kernel.architecture, 0u) << kernel.name;
    }
}

}  // namespace
}  // namespace tegu::test
