// SPDX-License-Identifier: Apache-2.0
// The lists of kernels: each is named once, and launched as a device allows.
#include "kernels/execution/cuda/kernel_list.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/kernels/cuda/test_device.h"

namespace tegu::test {
namespace {

// of a name, and of what it moves: the message KERNELS has room for no more
constexpr std::size_t kMaxText = 255;

std::vector<cuda::KernelEntry> listed(const cuda::DeviceLimits& limits) {
    cuda::KernelLister lister(limits);
    cuda::list_kernels(lister);
    return lister.entries();
}

// A Nano, an Orin, and a device with much of everything.
const cuda::DeviceLimits kDevices[] = {{53, 1, 2048, 48 << 10, 256 << 10},
                                       {87, 16, 1536, 163 << 10, 4 << 20},
                                       {90, 132, 2048, 227 << 10, 50 << 20}};

TEST(KernelList, NamesEachKernelOnce) {
    std::set<std::string> names;
    std::set<const void*> functions;
    for (const cuda::KernelEntry& kernel : listed(kDevices[0])) {
        EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
        EXPECT_TRUE(functions.insert(kernel.function).second) << kernel.name;
        EXPECT_NE(kernel.function, nullptr) << kernel.name;
        EXPECT_LE(kernel.name.size(), kMaxText) << kernel.name;
        EXPECT_FALSE(kernel.moves.empty()) << kernel.name;
        EXPECT_LE(kernel.moves.size(), kMaxText) << kernel.name;
    }
    EXPECT_GT(names.size(), 100u);
}

TEST(KernelList, HasLaunchesThatTheDeviceAllows) {
    for (const cuda::DeviceLimits& limits : kDevices)
        for (const cuda::KernelEntry& kernel : listed(limits)) {
            EXPECT_GT(kernel.threads, 0u) << kernel.name;
            EXPECT_EQ(kernel.threads % 32, 0u) << kernel.name;
            EXPECT_LE(kernel.threads, 1024u) << kernel.name;
            EXPECT_LE(kernel.shared_bytes, limits.shared_bytes_per_block)
                << kernel.name << " on sm_" << limits.compute_capability;
        }
}

}  // namespace
}  // namespace tegu::test
