// SPDX-License-Identifier: Apache-2.0
// Bars and columns: lengths, the smallest that is seen, and neighbours that share one.
#include "tools/tegu/output/bars.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tegu {
namespace cli {
namespace {

TEST(BarText, LengthIsTheShare) {
    EXPECT_EQ(bar_text(0, 10, false), "");
    EXPECT_EQ(bar_text(1e-9, 10, false), "#");
    EXPECT_EQ(bar_text(0.5, 10, false), "#####");
    EXPECT_EQ(bar_text(1, 10, false), "##########");
    EXPECT_EQ(bar_text(7, 10, false), "##########");
    EXPECT_EQ(bar_text(1e-9, 10, true), "▏");
    EXPECT_EQ(bar_text(0.25, 10, true), "██▌");
    EXPECT_EQ(bar_text(1, 2, true), "██");
}

TEST(SparkText, OnlyZeroIsBlank) {
    EXPECT_EQ(spark_text({0, 1, 1000, 500}, false), " .@=");
    EXPECT_EQ(spark_text({0, 1, 1000, 500}, true), " ▁█▄");
    EXPECT_EQ(spark_text({0, 0}, false), "  ");
    EXPECT_EQ(spark_text({}, true), "");
}

TEST(Merged, SumsOfNeighboursLoseNothing) {
    const std::uint64_t counts[] = {1, 2, 3, 4, 5, 6, 7};
    EXPECT_EQ(merged(counts, 7, 7), (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(merged(counts, 7, 6), (std::vector<std::uint64_t>{3, 7, 11, 7}));
    EXPECT_EQ(merged(counts, 7, 1), (std::vector<std::uint64_t>{28}));
    EXPECT_EQ(group_size(7, 6), 2u);
    EXPECT_EQ(group_size(6, 6), 1u);
    EXPECT_EQ(group_size(1u << 20, 32), 1u << 15);
}

}  // namespace
}  // namespace cli
}  // namespace tegu
