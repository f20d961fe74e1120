// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <gtest/gtest.h>

namespace tegu {
namespace {

// The reference implementation's first numbers.
TEST(Random, IsSplitMix64) {
    Random random(1234567);
    for (const std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u})
        EXPECT_EQ(random(), expected);
}

TEST(Random, AtIsTheSameSequence) {
    Random random(7);
    for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(Random(7).at(i), random());
}

TEST(LinearRandom, IsTheGeneratorOfMmix) {
    LinearRandom random(0);
    EXPECT_EQ(random(), 1442695040888963407u);
    EXPECT_EQ(random(), 1876011003808476466u);
}

TEST(Random, BelowStaysBelow) {
    Random random(3);
    bool seen[3] = {};
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t value = random.below(3);
        ASSERT_LT(value, 3u);
        seen[value] = true;
    }
    EXPECT_TRUE(seen[0] && seen[1] && seen[2]);
}

}  // namespace
}  // namespace tegu
