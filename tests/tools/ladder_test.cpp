// SPDX-License-Identifier: Apache-2.0
// The teaching kernels against sums, extremes and lists computed on the host: integers exactly, floats within the bound that ladder.h gives.
#include "tools/bench/ladder/ladder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "tests/kernels/cuda/cuda_test.h"
#include "tools/bench/ladder/baselines.h"

namespace tegu::bench {
namespace {

using test::DeviceBytes;
using testing_support::SplitMix;

constexpr LadderStep kSteps[] = {
#define TEGU_X(Name, word, title, change) LadderStep::Name,
    TEGU_LADDER_STEPS(TEGU_X)
#undef TEGU_X
};
constexpr std::uint64_t kSizes[] = {0,   1,    2,    31,   32,   33,   63,   64,   65,   127,  128,  129,  255,
                                    257, 1000, 1023, 1024, 1025, 2047, 2049, 4095, 4097, 8191, 8193, 10007};

// `skip` elements lie before the first: the address is a multiple of the element's size, not of 16 bytes.
template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(const std::vector<T>& values, std::size_t skip = 0)
        : skip_(skip), memory_(with_gap(values, skip)) {}
    explicit DeviceArray(std::size_t count) : skip_(0), memory_(count * sizeof(T)) {}
    T* data() const { return reinterpret_cast<T*>(memory_.data()) + skip_; }
    std::vector<T> download(std::size_t count) const {
        const std::vector<std::byte> bytes = memory_.download();
        std::vector<T> values(count);
        if (count != 0) std::memcpy(values.data(), bytes.data() + skip_ * sizeof(T), count * sizeof(T));
        return values;
    }

  private:
    static std::vector<std::byte> with_gap(const std::vector<T>& values, std::size_t skip) {
        std::vector<std::byte> bytes((values.size() + skip) * sizeof(T));
        if (!values.empty()) std::memcpy(bytes.data() + skip * sizeof(T), values.data(), values.size() * sizeof(T));
        return bytes;
    }
    std::size_t skip_;
    DeviceBytes memory_;
};

class LadderTest : public test::CudaTest {
  protected:
    // The partial sums that the launch leaves. T: i32 with S i64, or f32 with S f32.
    template <class T, class S>
    std::vector<S> partials(LadderStep step, unsigned threads, const DeviceArray<T>& x, std::uint64_t n) {
        const LadderPolicy policy{threads};
        const DeviceArray<S> partials(
            std::vector<S>(std::max<std::uint64_t>(1, ladder_blocks(step, n, policy, context_.limits))));
        const DeviceArray<std::uint32_t> ticket(std::vector<std::uint32_t>{0});
        EXPECT_EQ(
            launch_ladder(step, x.data(), n, partials.data(), ticket.data(), policy, context_.limits, context_.stream),
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

std::vector<std::int32_t> integers(std::uint64_t n, std::uint64_t seed) {
    SplitMix random(seed);
    std::vector<std::int32_t> values(n);
    for (std::int32_t& value : values) value = static_cast<std::int32_t>(static_cast<std::uint32_t>(random.next()));
    return values;
}

TEST_F(LadderTest, IntegerSumsAreExactAtEverySizeAndBlock) {
    for (const unsigned threads : {128u, 256u, 512u, 1024u})
        for (const std::uint64_t n : kSizes) {
            if (threads > 128 && n % 3 != 1) continue;  // the block sizes share all but their number
            const std::vector<std::int32_t> values = integers(n, n + threads);
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
        SplitMix random(n);
        std::vector<float> values(n);
        for (float& value : values)
            value = std::ldexp(static_cast<float>(static_cast<std::int32_t>(random.next() >> 40) - (1 << 23)),
                               -static_cast<int>(random.next() % 40));
        long double exact = 0, sizes = 0;
        for (const float value : values)
            exact += static_cast<long double>(value), sizes += std::fabs(static_cast<long double>(value));
        const DeviceArray<float> x(values, n % 4);
        for (const LadderStep step : kSteps) {
            const long double units =
                static_cast<long double>(ladder_additions(step, n, LadderPolicy{128}, context_.limits)) * 0x1p-24L;
            ASSERT_LT(units, 0.01L);
            EXPECT_LE(std::fabs(sum(step, 128, x, n) - exact), units / (1 - units) * sizes) << where(step, 128, n);
        }
    }
}

TEST_F(LadderTest, FloatsThatAreSmallIntegersAreExact) {
    for (const std::uint64_t n : {1023u, 8193u}) {
        SplitMix random(n);
        std::vector<float> values(n);
        for (float& value : values) value = static_cast<float>(random.next() % 1001) - 500.0f;
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
    for (const std::uint64_t at :
         {std::uint64_t{0}, (n >> 1) - 1, n >> 1, (std::uint64_t{1} << 31) - 1, std::uint64_t{1} << 31, n - 2, n - 1}) {
        values[at] = static_cast<std::int32_t>(at * 2654435761u);
        expected += values[at];
    }
    const DeviceArray<std::int32_t> x(values);
    for (const LadderStep step : kSteps) EXPECT_EQ(sum(step, 1024, x, n), expected) << where(step, 1024, n);
}

TEST_F(LadderTest, PartialsAreAsManyAsTheHeaderSays) {
    const cuda::DeviceLimits limits{53, 1, 2048, 48 << 10, 256 << 10};
    const LadderPolicy policy{1024};
    EXPECT_EQ(ladder_partials(LadderStep::Neighbours, 0, policy, limits), 0u);
    EXPECT_EQ(ladder_partials(LadderStep::Neighbours, 1, policy, limits), 1u);
    EXPECT_EQ(ladder_partials(LadderStep::Interleaved, 1025, policy, limits), 2u);
    EXPECT_EQ(ladder_partials(LadderStep::Unrolled2, 2049, policy, limits), 2u);
    EXPECT_EQ(ladder_partials(LadderStep::Complete, std::uint64_t{1} << 24, policy, limits), 2048u);
    EXPECT_EQ(ladder_partials(LadderStep::GridStride, std::uint64_t{1} << 24, policy, limits), 1u);
    EXPECT_EQ(ladder_blocks(LadderStep::GridStride, std::uint64_t{1} << 24, policy, limits), 2u);
}

class BaselinesTest : public LadderTest {};

TEST_F(BaselinesTest, ExtremesAreThoseOfTheHost) {
    for (const std::uint64_t n : kSizes) {
        const std::vector<std::int32_t> values = integers(n, n + 7);
        const DeviceArray<std::int32_t> x(values);
        const DeviceArray<std::uint32_t> keys(
            std::vector<std::uint32_t>{extreme_key(INT32_MAX), extreme_key(INT32_MIN)});
        ASSERT_EQ(launch_plain_extremes(x.data(), n, keys.data(), BaselinePolicy{128, 3}, context_.stream), 0);
        ASSERT_TRUE(context_.workspace->synchronize());
        const std::vector<std::uint32_t> found = keys.download(2);
        EXPECT_EQ(extreme_value(found[0]), n == 0 ? INT32_MAX : *std::min_element(values.begin(), values.end())) << n;
        EXPECT_EQ(extreme_value(found[1]), n == 0 ? INT32_MIN : *std::max_element(values.begin(), values.end())) << n;
    }
}

TEST_F(BaselinesTest, ListsHoldTheLargestDistinctValues) {
    for (const unsigned k : {10u, 48u})
        for (const std::uint64_t n : {0u, 1u, 9u, 10u, 11u, 47u, 48u, 49u, 127u, 1000u, 5001u})
            for (const std::int32_t modulus : {0, 5, 30}) {  // 0: any value
                std::vector<std::int32_t> values = integers(n, n + k);
                if (modulus != 0)
                    for (std::int32_t& value : values) value %= modulus;
                if (n > 10) values[3] = INT32_MIN, values[7] = INT32_MAX;
                const std::set<std::int32_t, std::greater<>> distinct(values.begin(), values.end());
                std::vector<std::int32_t> expected(distinct.begin(), distinct.end());
                expected.resize(k, INT32_MIN);
                const BaselinePolicy policy{k == 10 ? 128u : 32u, 3};
                const DeviceArray<std::int32_t> x(values), out(std::size_t{k}), lists(std::size_t{3} * k);
                ASSERT_EQ(launch_list_topk(k, x.data(), n, out.data(), lists.data(), policy, context_.stream), 0);
                ASSERT_TRUE(context_.workspace->synchronize());
                EXPECT_EQ(out.download(k), expected) << "k = " << k << ", n = " << n << ", modulus " << modulus;
            }
}

TEST_F(BaselinesTest, PlainAddAdds) {
    for (const std::uint64_t n : kSizes) {
        std::vector<float> a(n), b(n), expected(n);
        SplitMix random(n);
        for (std::uint64_t i = 0; i < n; ++i) {
            a[i] = static_cast<float>(random.next() >> 40), b[i] = static_cast<float>(random.next() >> 44) * 0x1p-9f;
            expected[i] = a[i] + b[i];
        }
        const DeviceArray<float> x(a), y(b), z(std::size_t{n});
        ASSERT_EQ(launch_plain_add(x.data(), y.data(), z.data(), n, BaselinePolicy{256, 1}, context_.stream), 0);
        ASSERT_TRUE(context_.workspace->synchronize());
        EXPECT_EQ(z.download(n), expected) << n;
    }
}

}  // namespace
}  // namespace tegu::bench
