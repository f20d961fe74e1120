// SPDX-License-Identifier: Apache-2.0
// The sums of the ladder, and the sum of two vectors, against the host: integers exactly, floats within the
// bound that ladder.h gives.
#include "tools/field/seeds/add/ladder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/tools/field/seeds/seeds_test.h"
#include "tools/field/seeds/add/add.h"

namespace tegu::seeds {
namespace {

constexpr LadderStep kSteps[] = {
#define TEGU_X(Name, word, title, change) LadderStep::Name,
    TEGU_LADDER_STEPS(TEGU_X)
#undef TEGU_X
};

class LadderTest : public SeedsTest {
  protected:
    // The partial sums that the launch leaves. T: i32 with S i64, or f32 with S f32.
    template <class T, class S>
    std::vector<S> partials(LadderStep step, unsigned threads, const DeviceArray<T>& x, std::uint64_t n) {
        const LadderPolicy policy{threads};
        const DeviceArray<S> partials(
            std::vector<S>(std::max<std::uint64_t>(1, ladder_blocks(step, n, policy, context_.limits))));
        const DeviceArray<std::uint32_t> ticket(std::vector<std::uint32_t>{0});
        EXPECT_EQ(launch_ladder(step, x.data(), n, partials.data(), ticket.data(), policy, context_.limits,
                                context_.stream),
                  0);
        EXPECT_TRUE(context_.workspace->synchronize());
        EXPECT_EQ(ticket.download(1), std::vector<std::uint32_t>{0});
        return partials.download(ladder_partials(step, n, policy, context_.limits));
    }
    std::int64_t sum(LadderStep step, unsigned threads, const DeviceArray<std::int32_t>& x, std::uint64_t n) {
        const std::vector<std::int64_t> left = partials<std::int32_t, std::int64_t>(step, threads, x, n);
        return std::accumulate(left.begin(), left.end(), std::int64_t{0});
    }
    double sum(LadderStep step, unsigned threads, const DeviceArray<float>& x, std::uint64_t n) {
        const std::vector<float> left = partials<float, float>(step, threads, x, n);
        return std::accumulate(left.begin(), left.end(), 0.0);
    }
};

std::string where(LadderStep step, unsigned threads, std::uint64_t n) {
    return "step " + std::to_string(static_cast<int>(step)) + ", " + std::to_string(threads) +
           " threads, n = " + std::to_string(n);
}

TEST_F(LadderTest, IntegerSumsAreExactAtEverySizeAndBlock) {
    for (const unsigned threads : {128u, 256u, 512u, 1024u})
        for (const std::uint64_t n : kSizes) {
            if (threads > 128 && n % 3 != 1) continue;  // the block sizes share all but their number
            const std::vector<std::int32_t> values = random_integers(n, n + threads);
            const DeviceArray<std::int32_t> x(values, n % 4);
            const std::int64_t expected = std::accumulate(values.begin(), values.end(), std::int64_t{0});
            for (const LadderStep step : kSteps) {
                test::set_thread_order(n + threads);
                ASSERT_EQ(sum(step, threads, x, n), expected) << where(step, threads, n);
            }
        }
}

TEST_F(LadderTest, ExtremesOfIntegersDoNotWrap) {
    const std::uint64_t n = 5000;
    for (const std::int32_t value : {INT32_MIN, INT32_MAX, -1}) {
        const DeviceArray<std::int32_t> x(std::vector<std::int32_t>(n, value));
        for (const LadderStep step : kSteps)
            EXPECT_EQ(sum(step, 128, x, n), static_cast<std::int64_t>(n) * value) << where(step, 128, n);
    }
}

TEST_F(LadderTest, FloatSumsKeepToTheBound) {
    for (const std::uint64_t n : kSizes) {
        const std::vector<float> values = random_floats(n, n);
        const long double exact = std::accumulate(values.begin(), values.end(), 0.0L);
        const DeviceArray<float> x(values, n % 4);
        for (const LadderStep step : kSteps) {
            const std::uint64_t additions = ladder_additions(step, n, LadderPolicy{128}, context_.limits);
            EXPECT_LE(std::fabs(sum(step, 128, x, n) - exact), sum_bound(additions, values))
                << where(step, 128, n);
        }
    }
}

TEST_F(LadderTest, FloatsThatAreSmallIntegersAreExact) {
    for (const std::uint64_t n : {1023u, 8193u}) {
        const std::vector<float> values = random_whole_floats(n, n, 500);
        const double exact = std::accumulate(values.begin(), values.end(), 0.0);
        const DeviceArray<float> x(values);
        for (const LadderStep step : kSteps) EXPECT_EQ(sum(step, 256, x, n), exact) << where(step, 256, n);
    }
}

TEST_F(LadderTest, IndicesHave64Bits) {
    const std::uint64_t n = (std::uint64_t{1} << 31) + 4099;
    if (n > test::largest_test_elements()) GTEST_SKIP() << "needs a GPU";
    std::vector<std::int32_t> values(n);
    std::int64_t expected = 0;
    for (const std::uint64_t at : {std::uint64_t{0}, (n >> 1) - 1, n >> 1, (std::uint64_t{1} << 31) - 1,
                                   std::uint64_t{1} << 31, n - 2, n - 1}) {
        values[at] = static_cast<std::int32_t>(at * 2654435761u);
        expected += values[at];
    }
    const DeviceArray<std::int32_t> x(values);
    for (const LadderStep step : kSteps) EXPECT_EQ(sum(step, 1024, x, n), expected) << where(step, 1024, n);
}

TEST_F(LadderTest, PartialsAreAsManyAsTheHeaderSays) {
    const cuda::DeviceLimits limits{53, 1, 2048, 48 << 10, 256 << 10};
    const LadderPolicy policy{1024};
    EXPECT_EQ(ladder_partials(LadderStep::Atomics, 1025, policy, limits), 1u);
    EXPECT_EQ(ladder_blocks(LadderStep::SharedAtomics, 1025, policy, limits), 2u);
    EXPECT_EQ(ladder_partials(LadderStep::Neighbours, 0, policy, limits), 0u);
    EXPECT_EQ(ladder_partials(LadderStep::Neighbours, 1, policy, limits), 1u);
    EXPECT_EQ(ladder_partials(LadderStep::Interleaved, 1025, policy, limits), 2u);
    EXPECT_EQ(ladder_partials(LadderStep::Unrolled2, 2049, policy, limits), 2u);
    EXPECT_EQ(ladder_partials(LadderStep::Complete, std::uint64_t{1} << 24, policy, limits), 2048u);
    EXPECT_EQ(ladder_partials(LadderStep::GridStride, std::uint64_t{1} << 24, policy, limits), 1u);
    EXPECT_EQ(ladder_blocks(LadderStep::GridStride, std::uint64_t{1} << 24, policy, limits), 2u);
}

TEST_F(LadderTest, PlainAddAdds) {
    for (const std::uint64_t n : kSizes) {
        const std::vector<float> a = random_floats(n, n), b = random_floats(n, n + 1);
        std::vector<float> expected(n);
        for (std::uint64_t i = 0; i < n; ++i) expected[i] = a[i] + b[i];
        const DeviceArray<float> x(a, 1), y(b, 2), z(std::size_t{n});
        ASSERT_EQ(launch_plain_add(x.data(), y.data(), z.data(), n, 256, context_.stream), 0);
        wait();
        EXPECT_EQ(z.download(n), expected) << n;
    }
}

}  // namespace
}  // namespace tegu::seeds
