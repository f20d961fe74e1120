// SPDX-License-Identifier: Apache-2.0
// Histograms of every type against the obvious one: shapes, strides, alignments, ranges that are wide,
// narrow, beyond the type or found in the data, values that stand on edges, on one thread and on several.
#include <cinttypes>

#include "tests/kernels/histogram/reference.h"

namespace tegu::test {
namespace {

using kernels::ThreadPool;

HistogramParams params_of(std::uint32_t bins) {
    HistogramParams params;
    params.bins = bins;
    return params;
}

HistogramParams params_of(std::uint32_t bins, double lo, double hi) {
    return with_range(params_of(bins), lo, hi);
}

// Lays rows out with a stride and an offset in bytes, runs, and compares each row (or the whole) with the
// reference.
template <class T>
void expect_right(const std::vector<T>& x, Axis axis, std::uint64_t rows, const HistogramParams& params,
                  ThreadPool* pool, std::uint64_t gap = 0, std::size_t offset = 0) {
    const std::uint64_t cols = rows == 0 ? 0 : x.size() / rows;
    std::vector<std::byte> memory(offset + rows * (cols + gap) * sizeof(T) + 1, std::byte{0x11});
    for (std::uint64_t r = 0; r < rows; ++r)
        if (cols != 0)
            std::memcpy(memory.data() + offset + r * (cols + gap) * sizeof(T), x.data() + r * cols,
                        cols * sizeof(T));
    const Job job = counting_job(ElementTypeOf<T>::value, axis, rows, cols, params);
    const Ran ran = run_counting(job, memory.data() + offset, cols + gap, pool);
    const std::uint64_t segments = axis == Axis::Whole ? 1 : rows;
    std::vector<ReferenceHistogram> wanted;
    bool usable = true;
    for (std::uint64_t r = 0; r < segments; ++r) {
        const std::vector<T> part =
            axis == Axis::Whole ? x
                                : std::vector<T>(x.begin() + static_cast<std::ptrdiff_t>(r * cols),
                                                 x.begin() + static_cast<std::ptrdiff_t>((r + 1) * cols));
        wanted.push_back(reference_histogram(part, params));
        usable = usable && wanted.back().usable;
    }
    SCOPED_TRACE(std::string(element_word(job.type)) + " rows " + std::to_string(rows) + " cols " +
                 std::to_string(cols) + " bins " + std::to_string(params.bins) + " lo " +
                 std::to_string(params.lo) + " hi " + std::to_string(params.hi));
    ASSERT_EQ(ran.report.ok(), usable) << (ran.report.ok() ? "" : ran.report.error().message);
    if (!usable) {
        EXPECT_EQ(ran.report.error().status, Status::BadRange);
        EXPECT_EQ(ran.report.error().field, "range");
        EXPECT_FALSE(ran.report.error().allowed.empty());
        return;
    }
    EXPECT_EQ(ran.report->filled_columns, (std::vector<std::uint64_t>{params.bins, params.bins + 1ull}));
    for (std::uint64_t r = 0; r < segments; ++r) {
        for (std::uint32_t i = 0; i <= params.bins; ++i)
            ASSERT_EQ(ran.at<double>(1, r * (params.bins + 1ull) + i), wanted[r].edges[i])
                << "row " << r << " edge " << i;
        for (std::uint32_t i = 0; i < params.bins; ++i)
            ASSERT_EQ(ran.at<std::uint64_t>(0, r * params.bins + i), wanted[r].counts[i])
                << "row " << r << " bin " << i;
    }
}

template <class T>
class HistogramOf : public RandomWithPools<20261121> {};
TYPED_TEST_SUITE(HistogramOf, EveryType);

TYPED_TEST(HistogramOf, ManySizesBinsAndRanges) {
    SCOPED_TRACE("seed " + std::to_string(this->seed_));
    int turn = 0;
    for (const std::size_t n : {1, 2, 3, 7, 8, 9, 63, 64, 65, 1023, 1024, 1025, 5000, 16385})
        for (const Fill fill : {Fill::Small, Fill::Bits, Fill::Equal, Fill::Runs}) {
            const std::vector<TypeParam> x = elements_of<TypeParam>(this->random_, n, fill);
            ThreadPool* const pool = this->pools_[++turn % 3];
            for (const std::uint32_t bins : {1u, 2u, 10u, 255u, 256u, 1000u}) {
                expect_right(x, Axis::Whole, 1, params_of(bins), pool);
                expect_right(x, Axis::Whole, 1, params_of(bins, -3.3, 9.9), pool);
                expect_right(x, Axis::Whole, 1, params_of(bins, 0, bins), pool);
                expect_right(x, Axis::Whole, 1, params_of(bins, -12.5, 12.5), pool);
            }
            expect_right(x, Axis::Whole, 1, params_of(3000, -1e30, 1e31), pool);
            expect_right(x, Axis::Whole, 1, params_of(7, 5, 5), pool);
            expect_right(x, Axis::Whole, 1, params_of(7, 200, 1e6), pool);
            expect_right(x, Axis::Whole, 1, params_of(7, 0.25, 0.75), pool);
            HistogramParams skip = params_of(33);
            skip.skip_nans = true;
            expect_right(x, Axis::Whole, 1, skip, pool);
        }
}

TYPED_TEST(HistogramOf, LongSegmentsAreCountedByTheirValuesOrBins) {
    SCOPED_TRACE("seed " + std::to_string(this->seed_));
    const std::size_t n = (1u << 18) + 12345;
    for (const Fill fill : {Fill::Small, Fill::Bits, Fill::Equal, Fill::Runs}) {
        const std::vector<TypeParam> x = elements_of<TypeParam>(this->random_, n, fill);
        for (ThreadPool* pool : {this->pools_[0], this->pools_[2]}) {
            HistogramParams found = params_of(256);
            found.skip_nans = true;
            expect_right(x, Axis::Whole, 1, found, pool);
            expect_right(x, Axis::Whole, 1, params_of(64, -10, 11), pool, 0, 3);
        }
        expect_right(x, Axis::Whole, 1, params_of(100000, 0, 25), &pool_of(7));
    }
}

TYPED_TEST(HistogramOf, RowsStridesAndAlignments) {
    SCOPED_TRACE("seed " + std::to_string(this->seed_));
    for (const std::uint64_t rows : {1, 2, 5, 33})
        for (const std::uint64_t cols : {1, 3, 64, 1000, 2048}) {
            const std::vector<TypeParam> x = elements_of<TypeParam>(this->random_, rows * cols, Fill::Small);
            for (const Axis axis : {Axis::Whole, Axis::Rows})
                for (const std::uint64_t gap : {0, 1, 13})
                    for (ThreadPool* pool : this->pools_) {
                        expect_right(x, axis, rows, params_of(16), pool, gap, gap);
                        expect_right(x, axis, rows, params_of(20, -5, 5), pool, gap, 1);
                    }
        }
}

TYPED_TEST(HistogramOf, FewLongRowsAreSharedByThreads) {
    const std::uint64_t cols = 17 * 16384 + 5;
    const std::vector<TypeParam> x = elements_of<TypeParam>(this->random_, 3 * cols, Fill::Small);
    for (ThreadPool* pool : this->pools_) {
        expect_right(x, Axis::Rows, 3, params_of(10), pool, 2);
        expect_right(x, Axis::Rows, 3, params_of(10, 0, 7), pool);
    }
}

// Each edge itself, and its neighbours in the type, for ranges whose bins are many, narrow and far from zero.
TYPED_TEST(HistogramOf, ValuesOnEdgesAndBesideThem) {
    const double ranges[][2] = {{0, 1},
                                {0.1, 0.7},
                                {-1, 1},
                                {1e6, 1e6 + 3},
                                {-1e9, 1e9},
                                {0, 0x1p64},
                                {-0x1p63, 0x1p63},
                                {0x1p62, 0x1p62 + 0x1p30},
                                {0x1p53, 0x1p53 + 400},
                                {1e15, 1e15 + 100},
                                {-300, 70000},
                                {0, 0x1p65},
                                {1e-310, 1e-300},
                                {-1e308, 5e307},
                                {0x1.fp15, 0x1.1p16}};
    for (const auto& range : ranges)
        for (const std::uint32_t bins : {1u, 3u, 10u, 64u, 100u, 999u}) {
            std::vector<TypeParam> x;
            for (std::uint32_t i = 0; i <= bins; ++i) {
                const double edge = i == bins ? range[1] : range[0] + i * ((range[1] - range[0]) / bins);
                if constexpr (std::is_integral<TypeParam>::value) {
                    constexpr double kLowest = static_cast<double>(std::numeric_limits<TypeParam>::min());
                    constexpr double kLimit =
                        static_cast<double>(std::numeric_limits<TypeParam>::max() / 2 + 1) * 2;
                    const double at = std::floor(edge);
                    if (at < kLowest || at >= kLimit) continue;
                    const auto value = static_cast<TypeParam>(at);
                    x.push_back(value);
                    if (value != std::numeric_limits<TypeParam>::min())
                        x.push_back(static_cast<TypeParam>(value - 1));
                    if (value != std::numeric_limits<TypeParam>::max())
                        x.push_back(static_cast<TypeParam>(value + 1));
                } else if constexpr (std::is_same<TypeParam, Half>::value) {
                    const Half value = float_to_half(static_cast<float>(edge));
                    for (const int step : {-1, 0, 1})
                        x.push_back(Half{static_cast<std::uint16_t>(value.bits + step)});
                } else {
                    const auto value = static_cast<TypeParam>(edge);
                    constexpr TypeParam kInfinity = std::numeric_limits<TypeParam>::infinity();
                    for (const TypeParam v :
                         {value, std::nextafter(value, -kInfinity), std::nextafter(value, kInfinity)})
                        x.push_back(v);
                }
            }
            if (x.empty()) continue;
            expect_right(x, Axis::Whole, 1, params_of(bins, range[0], range[1]), nullptr);
        }
}

TYPED_TEST(HistogramOf, Empty) {
    const std::vector<TypeParam> none;
    expect_right(none, Axis::Whole, 1, params_of(4), nullptr);
    expect_right(none, Axis::Whole, 0, params_of(4), nullptr);
    expect_right(none, Axis::Whole, 1, params_of(4, 2, 3), nullptr);
    expect_right(none, Axis::Rows, 3, params_of(4), nullptr);
    expect_right(none, Axis::Rows, 3, params_of(4, 2, 3), &pool_of(2));
    expect_right(none, Axis::Rows, 0, params_of(4), &pool_of(2));
}

// What 64-bit integers have beyond 2^53: edges that no f64 near them can tell apart are compared exactly.
TEST(Histogram, WideIntegersBeyondF64) {
    std::vector<std::int64_t> signed_values;
    std::vector<std::uint64_t> unsigned_values;
    for (std::int64_t i = -300; i <= 300; ++i) {
        signed_values.push_back((std::int64_t{1} << 60) + i * 7);
        signed_values.push_back(-(std::int64_t{1} << 62) + i);
        unsigned_values.push_back((std::uint64_t{1} << 63) + static_cast<std::uint64_t>(i * 3));
    }
    unsigned_values.push_back(~std::uint64_t{0});
    signed_values.push_back(std::numeric_limits<std::int64_t>::max());
    signed_values.push_back(std::numeric_limits<std::int64_t>::min());
    for (const std::uint32_t bins : {1u, 2u, 3u, 5u, 100u}) {
        expect_right(signed_values, Axis::Whole, 1, params_of(bins), nullptr);
        expect_right(unsigned_values, Axis::Whole, 1, params_of(bins), nullptr);
        expect_right(signed_values, Axis::Whole, 1, params_of(bins, 0x1p60 - 1024, 0x1p60 + 2048), nullptr);
        expect_right(unsigned_values, Axis::Whole, 1, params_of(bins, 0x1p63 - 1024, 0x1p63 + 2048), nullptr);
        expect_right(unsigned_values, Axis::Whole, 1, params_of(bins, 0, 0x1p64), nullptr);
        expect_right(unsigned_values, Axis::Whole, 1, params_of(bins, 0x1p64, 0x1p65), nullptr);
        expect_right(unsigned_values, Axis::Whole, 1, params_of(bins, -5, -2), nullptr);
        expect_right(signed_values, Axis::Whole, 1, params_of(bins, -0x1p70, 0x1p70), nullptr);
    }
}

TEST(Histogram, TheLargestNumberOfBins) {
    std::mt19937_64 random(7);
    const std::vector<float> x = elements_of<float>(random, 300000, Fill::Small);
    ThreadPool pool(3);
    expect_right(x, Axis::Whole, 1, params_of(kMaxBins, -12.5, 12.5), &pool);
    expect_right(x, Axis::Whole, 1, params_of(kMaxBins), nullptr);
    const std::vector<std::int64_t> wide = elements_of<std::int64_t>(random, 30000, Fill::Bits);
    expect_right(wide, Axis::Whole, 1, params_of(kMaxBins), &pool);
}

}  // namespace
}  // namespace tegu::test
