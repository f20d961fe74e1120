// SPDX-License-Identifier: Apache-2.0
// The search for a value among elements: the first of several, at every position around the steps of a
// vector, and none.
#include "kernels/statistics/cpu/find.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tegu::kernels {
namespace {

template <class T, class Find>
void expect_first_found(Find find) {
    for (const std::size_t n : {0, 1, 15, 16, 63, 64, 65, 255, 256, 257, 600})
        for (const std::size_t skipped : {0, 1, 3}) {  // addresses
            std::vector<T> data(n + skipped, T{1});
            EXPECT_EQ(find(data.data() + skipped, n, T{7}), n);
            for (std::size_t at = 0; at < n; at += at < 70 ? 1 : 37) {
                std::vector<T> with = data;
                with[skipped + at] = T{7};
                with[skipped + n - 1] = T{7};
                EXPECT_EQ(find(with.data() + skipped, n, T{7}), at) << n << " elements";
            }
        }
}

TEST(Find, TheFirstOfEveryType) {
#define TEGU_X(word, type) expect_first_found<type>(TEGU_ISA_SELECT(find_##word));
    TEGU_FIND_KERNELS(TEGU_X)
#undef TEGU_X
}

TEST(Find, FloatsCompareByValue) {
    const std::vector<float> data = {std::numeric_limits<float>::quiet_NaN(), -1, -0.0f, 0.0f};
    const auto find = TEGU_ISA_SELECT(find_f32);
    EXPECT_EQ(find(data.data(), data.size(), 0.0f), 2u);
    EXPECT_EQ(find(data.data(), data.size(), std::nanf("")), data.size());
}

}  // namespace
}  // namespace tegu::kernels
