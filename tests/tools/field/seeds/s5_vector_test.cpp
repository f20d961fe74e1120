// SPDX-License-Identifier: Apache-2.0
// The statistics of S5 against the host: minimum and maximum exactly, sums within the bound that vector.h
// gives, and exactly where the values are whole.
#include "tools/field/seeds/dot/vector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/tools/field/seeds/seeds_test.h"

namespace tegu::seeds {
namespace {

constexpr VectorStatistic kStatistics[] = {
#define TEGU_X(Name, word) VectorStatistic::Name,
    TEGU_VECTOR_STATISTICS(TEGU_X)
#undef TEGU_X
};
constexpr VectorPolicy kPolicies[] = {
    {32, 1, SharedMemory::Static},  {256, 1, SharedMemory::Dynamic}, {1024, 1, SharedMemory::Static},
    {64, 3, SharedMemory::Dynamic}, {128, 2, SharedMemory::Static},  {32, 100, SharedMemory::Dynamic},
};

std::string where(VectorStatistic statistic, const VectorPolicy& policy, std::uint64_t n) {
    return "statistic " + std::to_string(static_cast<int>(statistic)) + ", " + std::to_string(policy.blocks) +
           " blocks of " + std::to_string(policy.threads) + ", n = " + std::to_string(n);
}

class VectorTest : public SeedsTest {
  protected:
    float statistic(VectorStatistic statistic, const DeviceArray<float>& x, const DeviceArray<float>& y,
                    std::uint64_t n, const VectorPolicy& policy) {
        const DeviceArray<float> partials(std::size_t{policy.blocks}), out(std::size_t{1});
        EXPECT_EQ(launch_vector_statistic(statistic, VectorInput{x.data(), y.data(), n}, partials.data(),
                                          out.data(), policy, context_.stream),
                  0);
        wait();
        return out.download(1)[0];
    }
};

// What is added for each element of the statistic.
std::vector<float> summands(VectorStatistic statistic, const std::vector<float>& x,
                            const std::vector<float>& y) {
    std::vector<float> result = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (statistic == VectorStatistic::Norm) result[i] = x[i] * x[i];
        if (statistic == VectorStatistic::Dot) result[i] = x[i] * y[i];
    }
    return result;
}

TEST_F(VectorTest, ExtremesAreExact) {
    for (const std::uint64_t n : kSizes) {
        const std::vector<float> values = random_floats(n, n);
        const DeviceArray<float> x(values, n % 4);
        for (const VectorPolicy& policy : kPolicies) {
            const float infinity = std::numeric_limits<float>::infinity();
            EXPECT_EQ(statistic(VectorStatistic::Min, x, x, n, policy),
                      n == 0 ? infinity : *std::min_element(values.begin(), values.end()))
                << where(VectorStatistic::Min, policy, n);
            EXPECT_EQ(statistic(VectorStatistic::Max, x, x, n, policy),
                      n == 0 ? -infinity : *std::max_element(values.begin(), values.end()))
                << where(VectorStatistic::Max, policy, n);
        }
    }
}

TEST_F(VectorTest, SumsKeepToTheBound) {
    for (const std::uint64_t n : kSizes) {
        if (n == 0) continue;
        const std::vector<float> a = random_floats(n, n), b = random_floats(n, n + 1);
        const DeviceArray<float> x(a, n % 4), y(b);
        for (const VectorPolicy& policy : kPolicies)
            for (const VectorStatistic of : kStatistics) {
                if (of == VectorStatistic::Min || of == VectorStatistic::Max) continue;
                const std::vector<float> added = summands(of, a, b);
                const long double sum = std::accumulate(added.begin(), added.end(), 0.0L);
                long double bound = sum_bound(vector_additions(n, policy), added);
                long double expected = sum;
                if (of == VectorStatistic::Mean) expected /= n, bound /= n;
                if (of == VectorStatistic::Norm) expected = std::sqrt(sum), bound /= expected;
                EXPECT_LE(std::fabs(statistic(of, x, y, n, policy) - expected), bound)
                    << where(of, policy, n);
            }
    }
}

TEST_F(VectorTest, SumsOfWholeNumbersAreExact) {
    for (const std::uint64_t n : {1u, 33u, 1025u, 5000u}) {
        const std::vector<float> a = random_whole_floats(n, n, 50), b = random_whole_floats(n, n + 1, 50);
        const DeviceArray<float> x(a), y(b);
        const double dot = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
        const double sum = std::accumulate(a.begin(), a.end(), 0.0);
        for (const VectorPolicy& policy : kPolicies) {
            EXPECT_EQ(statistic(VectorStatistic::Sum, x, y, n, policy), sum)
                << where(VectorStatistic::Sum, policy, n);
            EXPECT_EQ(statistic(VectorStatistic::Dot, x, y, n, policy), dot)
                << where(VectorStatistic::Dot, policy, n);
        }
    }
}

TEST_F(VectorTest, OfNothing) {
    const DeviceArray<float> x(std::vector<float>{1.0f});
    for (const VectorPolicy& policy : kPolicies) {
        EXPECT_EQ(statistic(VectorStatistic::Sum, x, x, 0, policy), 0.0f);
        EXPECT_EQ(statistic(VectorStatistic::Norm, x, x, 0, policy), 0.0f);
        EXPECT_EQ(statistic(VectorStatistic::Dot, x, x, 0, policy), 0.0f);
        EXPECT_TRUE(std::isnan(statistic(VectorStatistic::Mean, x, x, 0, policy)));
    }
}

TEST_F(VectorTest, EntriesSayWhatABlockTakes) {
    EXPECT_EQ(vector_kernel(VectorStatistic::Min, {256, 1, SharedMemory::Dynamic}).shared_bytes, 1024u);
    EXPECT_EQ(vector_kernel(VectorStatistic::Min, {256, 1, SharedMemory::Static}).shared_bytes, 0u);
    EXPECT_EQ(vector_join_kernel(VectorStatistic::Norm, {256, 4, SharedMemory::Static}).name,
              "vector_join<norm, static>");
}

}  // namespace
}  // namespace tegu::seeds
