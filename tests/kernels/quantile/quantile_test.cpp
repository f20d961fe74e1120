// SPDX-License-Identifier: Apache-2.0
// Quantiles against a sort and numpy's formulas: every element type, pattern, method of quantile and size at
// which the way of computing changes, on one thread and on several; rows, and values that are not numbers.
// edges_test.cpp has the rest.
#include "tests/kernels/quantile/run.h"

namespace tegu::kernels {
namespace {

using test::Pattern;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kLarge = 90000;
#else
constexpr std::size_t kLarge = 200000;
#endif

template <class T>
class QuantileTest : public ::testing::Test {};

TYPED_TEST_SUITE(QuantileTest, test::EveryType, test::TypeNames);

template <class T>
void check_sizes(const std::vector<std::size_t>& sizes, const std::vector<std::vector<double>>& qs,
                 const std::vector<QuantileMethod>& methods, std::uint64_t seed) {
    for (int pattern = 0; pattern < static_cast<int>(Pattern::Count); ++pattern)
        for (const std::size_t n : sizes) {
            const std::vector<T> elements =
                test::make_elements<T>(static_cast<Pattern>(pattern), n, seed + n);
            for (const std::vector<double>& q : qs)
                for (const QuantileMethod method : methods)
                    for (const bool skip_nans : {false, true}) {
                        check(quantile_job(ElementTypeOf<T>::value, Axis::Whole, 1, n, q, method, skip_nans),
                              elements,
                              "pattern " + std::to_string(pattern) + " n " + std::to_string(n) +
                                  " quantiles " + std::to_string(q.size()) + " seed " +
                                  std::to_string(seed + n));
                        if (::testing::Test::HasFatalFailure()) return;
                    }
        }
}

TYPED_TEST(QuantileTest, SmallSizesMatchASort) {
    check_sizes<TypeParam>({1, 2, 3, 31, 64, 65, 257, 1025}, {{0.5}, {1, 0, 0.25, 0.5, 0.5, 0.999}, many(30)},
                           kMethods, 100);
}

TYPED_TEST(QuantileTest, SizesWhereTheMethodChanges) {
    check_sizes<TypeParam>({8193, 16385, 32769}, {{0.5}, {0, 0.31, 1}}, {QuantileMethod::Linear}, 200);
}

TYPED_TEST(QuantileTest, LargeSizesMatchASort) {
    check_sizes<TypeParam>({kLarge}, {{0.5, 0.001, 0.9999}}, {QuantileMethod::Midpoint}, 300);
}

TYPED_TEST(QuantileTest, ManyQuantilesOfALargeSegment) {
    using T = TypeParam;
    for (const Pattern pattern :
         {Pattern::Random, Pattern::Specials, Pattern::FewValues, Pattern::Sawtooth}) {
        const std::vector<T> elements = test::make_elements<T>(pattern, kLarge, 7);
        check(quantile_job(ElementTypeOf<T>::value, Axis::Whole, 1, kLarge, many(kMaxQuantiles),
                           QuantileMethod::Linear, true),
              elements, "pattern " + std::to_string(static_cast<int>(pattern)));
        if (this->HasFatalFailure()) return;
    }
}

// The sample looks at few places: elements that stand nowhere else are what it must not be believed about.
TEST(Quantile, RareValuesThatASampleMisses) {
    const std::size_t n = 400000;
    for (const std::size_t rare : {0u, 1u, 50u, 5000u}) {
        std::vector<double> elements(n);
        for (std::size_t i = 0; i < n; ++i)
            elements[i] = i >= n / 2 && i < n / 2 + rare ? -1.0 - static_cast<double>(i)
                                                         : static_cast<double>(i % 1000);
        for (const double q : {0.0, 1e-6, static_cast<double>(rare) / static_cast<double>(n - 1), 0.5, 1.0})
            check(quantile_job(ElementType::F64, Axis::Whole, 1, n, {q}), elements,
                  std::to_string(rare) + " rare values, q " + std::to_string(q));
        if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(Quantile, NansOfEveryShare) {
    const std::size_t n = 100000;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::size_t nans : {std::size_t{1}, std::size_t{10}, n / 10, n / 2, n - 3, n - 1, n}) {
        std::vector<float> elements = test::make_elements<float>(Pattern::Random, n, nans);
        for (std::size_t i = 0; i < nans; ++i) elements[i * 7919 % n] = i % 2 == 0 ? nan : -nan;
        for (const QuantileMethod method : kMethods)
            for (const bool skip_nans : {false, true}) {
                check(quantile_job(ElementType::F32, Axis::Whole, 1, n, {0, 0.5, 0.9, 1}, method, skip_nans),
                      elements, std::to_string(nans) + " NaN");
                if (::testing::Test::HasFatalFailure()) return;
            }
    }
}

TYPED_TEST(QuantileTest, RowsAndStrides) {
    using T = TypeParam;
    for (const std::uint64_t cols : {1u, 7u, 128u, 9000u, 20000u}) {
        const std::uint64_t rows = cols > 1000 ? 4 : 40;
        const std::vector<T> elements = test::make_elements<T>(Pattern::Specials, rows * cols, cols);
        for (const std::uint64_t gap : {0u, 3u})
            for (const bool skip_nans : {false, true}) {
                const Job by_rows = quantile_job(ElementTypeOf<T>::value, Axis::Rows, rows, cols, {0.1, 0.5},
                                                 QuantileMethod::Linear, skip_nans);
                std::vector<std::byte> want;
                for (std::uint64_t row = 0; row < rows; ++row) {
                    const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(row * cols);
                    const std::vector<std::byte> one = expected(
                        std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(cols)), params_of(by_rows));
                    want.insert(want.end(), one.begin(), one.end());
                }
                EXPECT_EQ(run_elements(by_rows, elements, &pool_of(2), gap, 1).quantiles, want) << cols;
                EXPECT_EQ(run_elements(by_rows, elements, nullptr, gap, 0).quantiles, want) << cols;
                const Job whole = quantile_job(ElementTypeOf<T>::value, Axis::Whole, rows, cols, {0.1, 0.5},
                                               QuantileMethod::Higher, skip_nans);
                EXPECT_EQ(run_elements(whole, elements, &pool_of(7), gap, 1).quantiles,
                          expected(elements, params_of(whole)))
                    << cols;
            }
    }
}

TEST(Quantile, LongRowsShareTheThreads) {
    const std::uint64_t cols = 140000;
    const std::vector<float> elements = test::make_elements<float>(Pattern::Random, 3 * cols, 5);
    const Job job = quantile_job(ElementType::F32, Axis::Rows, 3, cols, {0.5});
    const Outcome outcome = run_elements(job, elements, &pool_of(2), 1);
    ASSERT_TRUE(outcome.report.ok());
    for (std::uint64_t row = 0; row < 3; ++row) {
        const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(row * cols);
        const std::vector<std::byte> want =
            expected(std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(cols)), params_of(job));
        EXPECT_EQ(std::memcmp(outcome.quantiles.data() + row * 8, want.data(), 8), 0) << row;
    }
}

}  // namespace
}  // namespace tegu::kernels
