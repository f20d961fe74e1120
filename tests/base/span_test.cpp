// SPDX-License-Identifier: Apache-2.0
#include "base/span.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace tegu {
namespace {

int total(Span<const int> numbers) {
    int sum = 0;
    for (int n : numbers) sum += n;
    return sum;
}

TEST(Span, ViewsArraysAndContainers) {
    int raw[] = {1, 2, 3};
    std::vector<int> vector = {4, 5};
    const std::array<int, 2> array = {{6, 7}};
    EXPECT_EQ(total(raw), 6);
    EXPECT_EQ(total(vector), 9);
    EXPECT_EQ(total(array), 13);
    EXPECT_EQ(total(Span<int>(vector)), 9);
    EXPECT_EQ(total({}), 0);
    EXPECT_TRUE(Span<int>().empty());
}

TEST(Span, WritesThrough) {
    std::vector<int> vector = {1, 2, 3};
    const Span<int> span(vector);
    span[1] = 20;
    EXPECT_EQ(vector[1], 20);
    EXPECT_EQ(span.end() - span.begin(), 3);
}

TEST(Span, Subspans) {
    std::vector<int> vector = {1, 2, 3, 4};
    const Span<const int> span(vector);
    EXPECT_EQ(total(span.subspan(1, 2)), 5);
    EXPECT_EQ(total(span.subspan(3)), 4);
    EXPECT_TRUE(span.subspan(4).empty());
    EXPECT_TRUE(span.subspan(4, 0).empty());
    EXPECT_EQ(span.subspan(2).data(), vector.data() + 2);
}

}  // namespace
}  // namespace tegu
