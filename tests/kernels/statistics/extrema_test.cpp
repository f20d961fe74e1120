// SPDX-License-Identifier: Apache-2.0
// Minimum and maximum in f64: integers that it cannot hold are rounded outwards, NaN are left out and noted,
// and values that occur give what their elements give.
#include "kernels/statistics/extrema.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/half.h"
#include "kernels/statistics/cpu/find_extrema.h"

namespace tegu::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
Extrema found(ElementType type, const std::vector<T>& values, unsigned threads = 1) {
    ThreadPool pool(threads);
    const StopToken stop;
    const Segment segment = dense_segment(reinterpret_cast<const std::byte*>(values.data()), values.size(),
                                          static_cast<unsigned>(sizeof(T)));
    const Result<Extrema> extrema = find_extrema(type, segment, WorkerGroup(&pool, stop));
    EXPECT_TRUE(extrema.ok());
    return *extrema;
}

void expect(const Extrema& extrema, double lo, double hi, bool nan = false) {
    EXPECT_TRUE(extrema.any);
    EXPECT_EQ(extrema.nan, nan);
    EXPECT_EQ(extrema.lo, lo);
    EXPECT_EQ(extrema.hi, hi);
}

TEST(Extrema, OfIntegersBeyondAFloatAreRoundedOutwards) {
    const std::int64_t odd = (std::int64_t{1} << 53) + 1;  // between two numbers of f64
    expect(found<std::int64_t>(ElementType::I64, {odd}), 9007199254740992.0, 9007199254740994.0);
    expect(found<std::int64_t>(ElementType::I64, {-odd}), -9007199254740994.0, -9007199254740992.0);
    expect(found<std::uint64_t>(ElementType::U64, {std::numeric_limits<std::uint64_t>::max(), 3}), 3,
           18446744073709551616.0);
    expect(found<std::int64_t>(ElementType::I64, {std::numeric_limits<std::int64_t>::min(), 5}),
           -9223372036854775808.0, 5);
}

TEST(Extrema, OfFloatsLeaveNansOutAndNoteThem) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    expect(found<float>(ElementType::F32, {2, nan, -3}), -3, 2, true);
    expect(found<double>(ElementType::F64, {kInfinity, -kInfinity}), -kInfinity, kInfinity);
    const Extrema none = found<float>(ElementType::F32, {nan, nan});
    EXPECT_FALSE(none.any);
    EXPECT_TRUE(none.nan);
    EXPECT_FALSE(found<float>(ElementType::F32, {}).any);
}

TEST(Extrema, OfManyChunksByManyThreads) {
    std::vector<std::int32_t> values(500000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i % 1000);
    values[123456] = -7;
    values[499999] = 70000;
    for (const unsigned threads : {1u, 3u}) expect(found(ElementType::I32, values, threads), -7, 70000);
}

TEST(Extrema, OfValuesThatOccurAreThoseOfTheirElements) {
    std::vector<std::uint64_t> counts(256);
    counts[0x80] = 1, counts[0x7f] = 9, counts[3] = 2;
    expect(extrema_of_values(ElementType::U8, {counts.data(), counts.size()}), 3, 128);
    expect(extrema_of_values(ElementType::I8, {counts.data(), counts.size()}), -128, 127);

    std::vector<std::uint64_t> halves(65536);
    halves[float_to_half(-2.5f).bits] = 4;
    halves[0x7c00] = 1;  // infinity
    expect(extrema_of_values(ElementType::F16, {halves.data(), halves.size()}), -2.5, kInfinity);
    halves[0xfe00] = 1;  // a NaN
    expect(extrema_of_values(ElementType::F16, {halves.data(), halves.size()}), -2.5, kInfinity, true);
    EXPECT_FALSE(extrema_of_values(ElementType::U8, {counts.data(), 3}).any);
}

}  // namespace
}  // namespace tegu::kernels
