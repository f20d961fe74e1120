// SPDX-License-Identifier: Apache-2.0
// The choice of a sample in groups: its bounds, and how often its cut keeps enough of random keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/random.h"
#include "kernels/selection/cuda/run.h"

namespace tegu::cuda {
namespace {

GroupedSample choose(std::uint64_t k, std::uint64_t n, unsigned groups, unsigned multiprocessors) {
    DeviceLimits limits;
    limits.multiprocessors = multiprocessors;
    return choose_groups(k, n, groups, kDefaultSelectionPolicy, limits);
}

TEST(GroupedSample, StaysInItsBounds) {
    for (const unsigned multiprocessors : {1u, 16u, 132u}) {
        for (const unsigned groups : {32u, 256u, 512u}) {
            for (const std::uint64_t n :
                 {std::uint64_t{groups}, std::uint64_t{100000}, std::uint64_t{1} << 33}) {
                for (const std::uint64_t k : {std::uint64_t{1}, n / 1000 + 1, n / 2 + 1, n}) {
                    const GroupedSample sample = choose(k, n, groups, multiprocessors);
                    EXPECT_EQ(sample.groups, groups);
                    EXPECT_EQ(sample.each & (sample.each - 1), 0u);
                    EXPECT_LE(sample.each, kMaxOfGroup);
                    EXPECT_TRUE(sample.each == 1 || sample.size() <= n / 8) << n;
                    EXPECT_GE(sample.rank, 1u);
                    EXPECT_GE(sample.enough, sample.rank);
                    EXPECT_LE(max_before(sample, n), n);
                }
            }
        }
    }
}

TEST(GroupedSample, IsLargerForMoreMultiprocessors) {
    EXPECT_LT(choose(10, 100000000, 512, 1).size(), choose(10, 100000000, 512, 132).size());
}

// Keys are the numbers of elements in order, so a cut at key c keeps c + 1 of them.
TEST(GroupedSample, CutsOfRandomOrdersKeepEnoughAndNotTooMany) {
    const std::uint64_t n = 200000;
    Random next(7);
    for (const std::uint64_t k : {std::uint64_t{1}, std::uint64_t{60}, std::uint64_t{4096}}) {
        const GroupedSample sample = choose(k, n, 512, 132);
        ASSERT_LE(sample.enough, sample.groups);
        for (unsigned trial = 0; trial < 200; ++trial) {
            std::vector<std::uint64_t> minima(sample.groups, n);
            for (std::uint64_t number = 0; number < sample.size(); ++number) {
                std::uint64_t& least = minima[static_cast<std::size_t>(number % sample.groups)];
                least = std::min(least, next.below(n));
            }
            std::sort(minima.begin(), minima.end());
            EXPECT_GE(minima[sample.rank - 1] + 1, k) << k << ", trial " << trial;
            EXPECT_LE(minima[sample.enough - 1] + 1, max_before(sample, n)) << k << ", trial " << trial;
        }
    }
}

}  // namespace
}  // namespace tegu::cuda
