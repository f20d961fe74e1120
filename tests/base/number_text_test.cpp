// SPDX-License-Identifier: Apache-2.0
#include "base/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

namespace tegu {
namespace {

TEST(NumberText, SaysShortNumbersShortly) {
    EXPECT_EQ(number_text(0.0), "0");
    EXPECT_EQ(number_text(-0.0), "-0");
    EXPECT_EQ(number_text(0.1), "0.1");
    EXPECT_EQ(number_text(-2.5), "-2.5");
    EXPECT_EQ(number_text(1e300), "1e+300");
}

TEST(NumberText, SaysIntegersAsPrintfDoes) {
    std::mt19937_64 random(12);
    const auto check = [](double value) {
        char wanted[32];
        std::snprintf(wanted, sizeof wanted, "%.15g", value);
        EXPECT_EQ(number_text(value), wanted);
    };
    for (const double value : {1.0, -1.0, 999999999999999.0, -999999999999999.0, 1e15, -1e15, 1e16})
        check(value);
    for (int i = 0; i < 1000; ++i)
        check(static_cast<double>(static_cast<std::int64_t>(random()) >> (14 + random() % 49)));
}

TEST(NumberText, HidesNoDifference) {
    EXPECT_EQ(number_text(1.0000000001), "1.0000000001");
    EXPECT_EQ(number_text(std::nextafter(1.0, 2.0)), "1.0000000000000002");
    EXPECT_EQ(number_text(std::nextafter(0.0, -1.0)), "-4.94065645841247e-324");
}

TEST(NumberText, WordsForWhatIsNoNumber) {
    EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
    EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-inf");
    EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN()), "nan");
    EXPECT_EQ(number_text(-std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(NumberText, ReadsBackAsTheSameNumber) {
    std::mt19937_64 random(11);
    for (int i = 0; i < 20'000; ++i) {
        const double value =
            std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 2000) - 1064);
        if (std::isinf(value)) continue;
        EXPECT_EQ(std::strtod(number_text(value).c_str(), nullptr), value) << "seed 11, i " << i;
    }
}

}  // namespace
}  // namespace tegu
