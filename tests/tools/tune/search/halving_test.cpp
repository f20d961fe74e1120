// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/search/halving.h"

#include <gtest/gtest.h>

#include <map>

namespace tegu::tune {
namespace {

const Stop kNever = [] { return false; };

TEST(Halving, FindsTheBestAndSpendsMostSamplesOnThem) {
    std::map<std::size_t, unsigned> samples;
    const auto score = [&](std::size_t candidate, unsigned count) -> std::optional<double> {
        samples[candidate] += count;
        return static_cast<double>((candidate * 7 + 3) % 16);  // 11 is the best, then 2 and 9
    };
    EXPECT_EQ(halve(16, {2, 3}, score, kNever), (std::vector<std::size_t>{11, 2, 9}));
    EXPECT_EQ(samples[11], 2u + 4 + 8);  // 16 candidates, then 8, then 4
    std::size_t once = 0;
    for (const auto& entry : samples) once += entry.second == 2;
    EXPECT_EQ(once, 8u);
}

TEST(Halving, LeavesOutWhatCannotRun) {
    const auto score = [](std::size_t candidate, unsigned) -> std::optional<double> {
        if (candidate % 2 == 0) return std::nullopt;
        return static_cast<double>(candidate);
    };
    EXPECT_EQ(halve(9, {2, 2}, score, kNever), (std::vector<std::size_t>{1, 3}));
    EXPECT_TRUE(halve(
                    3, {2, 1}, [](std::size_t, unsigned) { return std::optional<double>(); }, kNever)
                    .empty());
}

TEST(Halving, KeepsTheOrderOfEquals) {
    const auto score = [](std::size_t, unsigned) { return std::optional<double>(1); };
    EXPECT_EQ(halve(5, {1, 2}, score, kNever), (std::vector<std::size_t>{0, 1}));
}

TEST(Halving, NoCandidatesAndOne) {
    unsigned calls = 0;
    const auto score = [&](std::size_t, unsigned) {
        ++calls;
        return std::optional<double>(1);
    };
    EXPECT_TRUE(halve(0, {2, 3}, score, kNever).empty());
    EXPECT_EQ(calls, 0u);
    EXPECT_EQ(halve(1, {2, 3}, score, kNever), (std::vector<std::size_t>{0}));
    EXPECT_EQ(calls, 1u);
}

TEST(Halving, StoppedInTheFirstRoundHasOnlyWhatWasMeasured) {
    unsigned calls = 0;
    const auto score = [&](std::size_t candidate, unsigned) {
        ++calls;
        return std::optional<double>(10.0 - static_cast<double>(candidate));
    };
    const auto stop = [&] { return calls == 2; };
    EXPECT_EQ(halve(8, {2, 3}, score, stop), (std::vector<std::size_t>{1, 0}));
}

TEST(Halving, StoppedLaterFallsBackOnTheRoundBefore) {
    unsigned calls = 0;
    const auto score = [&](std::size_t candidate, unsigned) {
        ++calls;
        return std::optional<double>(static_cast<double>(candidate));
    };
    const auto stop = [&] { return calls == 9; };  // one of the second round
    EXPECT_EQ(halve(8, {2, 3}, score, stop), (std::vector<std::size_t>{0, 1, 2}));
    calls = 0;
    EXPECT_EQ(halve(8, {2, 3}, score, [] { return true; }), std::vector<std::size_t>{});
    EXPECT_EQ(calls, 0u);
}

}  // namespace
}  // namespace tegu::tune
