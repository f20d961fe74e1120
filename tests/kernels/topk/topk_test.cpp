// SPDX-License-Identifier: Apache-2.0
// Top-k against a stable sort: every element type, pattern, size and k of interest, on one thread and on
// several, as one segment and by rows. edges_test.cpp has the rest.
#include "tests/kernels/topk/run.h"

namespace tegu::kernels {
namespace {

using test::Pattern;

// Every method still runs with a sanitizer; the reference sorts ten times slower there.
constexpr std::size_t kLarge = kSanitized ? 40000 : 100000;

template <class T>
class TopkTest : public ::testing::Test {};

TYPED_TEST_SUITE(TopkTest, test::EveryType, test::TypeNames);

// The reference is sorted once for all k.
template <class T>
void check_whole(Pattern pattern, std::size_t n, const std::vector<std::uint64_t>& ks, std::uint64_t seed) {
    const std::vector<T> elements = test::make_elements<T>(pattern, n, seed);
    for (const bool largest : {true, false}) {
        std::vector<std::int64_t> order = test::order_of(elements, largest, false);
        for (const bool distinct : {false, true}) {
            if (distinct) test::drop_repeats(elements, largest, order);
            for (const std::uint64_t k : ks) {
                if (k < 1 || k > n) continue;
                const Case the_case{
                    topk_job(ElementTypeOf<T>::value, Axis::Whole, 1, n, k, largest, distinct)};
                SCOPED_TRACE("pattern " + std::to_string(static_cast<int>(pattern)) + " n " +
                             std::to_string(n) + " k " + std::to_string(k) +
                             (largest ? " largest" : " smallest") + (distinct ? " distinct" : "") + " seed " +
                             std::to_string(seed));
                Outcome first;
                for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &pool_of(7), &pool_of(2)}) {
                    if (pool != nullptr && (n <= 8192 || (pool == &pool_of(2) && kSanitized)))
                        break;  // one thread's work
                    Outcome outcome = run_elements(the_case, elements, pool);
                    ASSERT_TRUE(outcome.report.ok()) << outcome.report.error().message;
                    if (pool == nullptr) {
                        expect_row(outcome, 0, elements, order, k, distinct);
                        if (::testing::Test::HasFatalFailure()) return;
                        const std::uint64_t filled = std::min<std::uint64_t>(k, order.size());
                        std::vector<std::uint64_t> columns = {filled, filled};
                        if (distinct) columns.push_back(1);
                        EXPECT_EQ(outcome.report->filled_columns, columns);
                        first = std::move(outcome);
                    } else {
                        ASSERT_TRUE(same_arrays(outcome, first))
                            << "differs with " << pool->threads() << " threads";
                    }
                }
            }
        }
    }
}

TYPED_TEST(TopkTest, SmallSizesMatchAStableSort) {
    for (int pattern = 0; pattern < static_cast<int>(Pattern::Count); ++pattern)
        for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 1023u, 1024u, 1025u}) {
            check_whole<TypeParam>(static_cast<Pattern>(pattern), n, {1, 2, 10, 384, n / 2, n - 1, n},
                                   1000 + n);
            if (this->HasFatalFailure()) return;
        }
}

// Where sorting changes its ways within `direct`, and where other methods begin.
TYPED_TEST(TopkTest, MiddleSizesMatchAStableSort) {
    for (int pattern = 0; pattern < static_cast<int>(Pattern::Count); ++pattern)
        for (const std::size_t n : {5000u, 8192u, 8193u}) {
            check_whole<TypeParam>(static_cast<Pattern>(pattern), n, {15, 100, 600, 1300, n / 2}, 4000 + n);
            if (this->HasFatalFailure()) return;
        }
}

TYPED_TEST(TopkTest, LargeSizesMatchAStableSort) {
    for (int pattern = 0; pattern < static_cast<int>(Pattern::Count); ++pattern) {
        const std::size_t n = kLarge;
        check_whole<TypeParam>(static_cast<Pattern>(pattern), n, {1, 10, 384, n / 33, n / 2, n - 1, n}, 77);
        if (this->HasFatalFailure()) return;
    }
}

// Rows of several lengths with gaps and at odd addresses: each row by itself, and all as one segment.
TYPED_TEST(TopkTest, RowsAndStrides) {
    using T = TypeParam;
    for (const std::uint64_t cols : {1u, 7u, 128u, 1500u, 9000u}) {
        const std::uint64_t rows = cols > 1000 ? 5 : 40;
        const std::vector<T> elements = test::make_elements<T>(Pattern::Specials, rows * cols, cols);
        for (const std::uint64_t stride : {cols, cols + 3})
            for (const std::size_t offset : {0u, 1u})
                for (const bool distinct : {false, true}) {
                    const std::uint64_t k = std::min<std::uint64_t>(cols, 5);
                    const Case by_rows{
                        topk_job(ElementTypeOf<T>::value, Axis::Rows, rows, cols, k, true, distinct), stride,
                        offset};
                    const Outcome outcome = run_elements(by_rows, elements, &pool_of(2));
                    ASSERT_TRUE(outcome.report.ok()) << outcome.report.error().message;
                    for (std::uint64_t row = 0; row < rows; ++row) {
                        const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(row * cols);
                        const std::vector<T> one(begin, begin + static_cast<std::ptrdiff_t>(cols));
                        expect_row(outcome, row, one, test::order_of(one, true, distinct), k, distinct);
                        if (this->HasFatalFailure()) return;
                    }
                    const Case whole{
                        topk_job(ElementTypeOf<T>::value, Axis::Whole, rows, cols, k, false, distinct),
                        stride, offset};
                    expect_row(run_elements(whole, elements, &pool_of(7)), 0, elements,
                               test::order_of(elements, false, distinct), k, distinct);
                    if (this->HasFatalFailure()) return;
                }
    }
}

}  // namespace
}  // namespace tegu::kernels
