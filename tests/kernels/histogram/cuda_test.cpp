// SPDX-License-Identifier: Apache-2.0
// histogram on the GPU backend beyond the common jobs: launch policies, sizes around packs, stretches, gaps
// and addresses, ranges that f32 cannot estimate, elements next to the edges, many bins, jobs in several
// launches.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "kernels/operation_cuda.h"
#include "tests/kernels/cuda/cuda_test.h"
#include "tests/kernels/cuda/watched_workspace.h"

namespace tegu::test {
namespace {

using testing_support::Content;
using testing_support::DigestShape;

const cuda::CountPolicy kPolicies[] = {{256, 8, 1, 200 << 10, 32 << 20, 1 << 18, 64 << 20},
                                       {32, 1, 1, 48 << 10, 32 << 20, 0, 1 << 20},
                                       {1024, 4, 2, 16 << 10, 10 << 10, ~std::uint64_t{0}, 3000},
                                       {96, 2, 3, 3000, 1, 100, 1},
                                       {512, 16, 1, 0, 50000, 5000, 20000}};
const ElementType kTypes[] = {ElementType::U8,  ElementType::I8,  ElementType::U16, ElementType::I16,
                              ElementType::U32, ElementType::I32, ElementType::U64, ElementType::I64,
                              ElementType::F16, ElementType::F32, ElementType::F64};

HistogramParams bins_of(std::uint32_t bins) {
    HistogramParams params;
    params.bins = bins;
    params.skip_nans = true;
    return params;
}
HistogramParams bins_of(std::uint32_t bins, double lo, double hi) {
    HistogramParams params = bins_of(bins);
    params.has_range = true;
    params.lo = lo;
    params.hi = hi;
    return params;
}

template <class T>
TestInput input_from(const std::vector<T>& values) {
    TestInput input;
    input.bytes.resize(values.size() * sizeof(T));
    std::memcpy(input.bytes.data(), values.data(), input.bytes.size());
    input.row_stride = values.size();
    return input;
}

class CudaHistogram : public CudaTest {
  protected:
    testing::AssertionResult same(ElementType type, Axis axis, const DigestShape& shape, Content content,
                                  const HistogramParams& params) {
        const Job job{type, axis, shape.rows, shape.cols, params};
        if (!kernels::plan_job(job)) return testing::AssertionSuccess();
        const TestInput input{testing_support::make_digest_input(type, content, shape, shape.cols),
                              shape.offset, shape.cols + shape.extra};
        set_thread_order(shape.cols + params.bins);
        return same_on_both(context_, job, {input})
               << element_word(type) << (axis == Axis::Rows ? " rows " : " whole ") << shape.rows << " x "
               << shape.cols << ", gap " << shape.extra << ", offset " << shape.offset << ", content "
               << static_cast<int>(content) << ", bins " << params.bins << ", threads "
               << context_.policies.count.threads_per_block;
    }
    // Neighbours of every edge, and of numbers everywhere.
    template <class T>
    testing::AssertionResult same_at_edges(ElementType type, std::uint32_t bins, double lo, double hi,
                                           std::uint64_t seed) {
        std::mt19937_64 random(seed);
        std::vector<T> values;
        for (int i = 0; i < 1200; ++i) {
            const auto edge = static_cast<double>(random() % (bins + 1));
            values.push_back(near<T>(lo + edge * ((hi - lo) / bins), static_cast<int>(random() % 5) - 2));
        }
        const Job job{type, Axis::Whole, 1, values.size(), bins_of(bins, lo, hi)};
        const Result<kernels::JobPlan> plan = kernels::plan_job(job);
        if (!plan) return testing::AssertionFailure() << plan.error().message;
        return same_on_both(context_, job, {input_from(values)})
               << element_word(type) << ", " << bins << " bins from " << lo << " to " << hi << ", seed "
               << seed;
    }
    // In every 128 elements, the middles of bins, one that lies close to an edge, and ever closer: most bins
    // are guessed, those next to an edge must not be.
    testing::AssertionResult same_next_to_few_edges(std::uint32_t bins, double lo, double hi,
                                                    std::uint64_t seed) {
        std::mt19937_64 random(seed);
        const double step = (hi - lo) / bins;
        std::vector<float> values;
        for (int i = 0; i < 128 * 120; ++i)
            values.push_back(static_cast<float>(lo + (static_cast<double>(random() % bins) + 0.5) * step));
        for (std::size_t i = 0; i < values.size(); i += 128) {
            const double close = std::ldexp(random() % 2 == 0 ? 1.0 : -1.0, -static_cast<int>(i / 128 % 30));
            values[i + random() % 128] =
                static_cast<float>(lo + (static_cast<double>(random() % (bins + 1)) + close) * step);
        }
        const Job job{ElementType::F32, Axis::Whole, 1, values.size(), bins_of(bins, lo, hi)};
        return same_on_both(context_, job, {input_from(values)})
               << bins << " bins from " << lo << " to " << hi << ", seed " << seed;
    }
    template <class T>
    static T near(double number, int steps) {
        if constexpr (std::is_same_v<T, Half>) {
            const Half half = float_to_half(static_cast<float>(number));
            return Half{static_cast<std::uint16_t>(half.bits + steps)};
        } else if constexpr (std::is_integral_v<T>) {
            const double least = static_cast<double>(std::numeric_limits<T>::min()),
                         most = std::ldexp(1.0, std::numeric_limits<T>::digits);
            const T whole = number <= least  ? std::numeric_limits<T>::min()
                            : number >= most ? std::numeric_limits<T>::max()
                                             : static_cast<T>(number);
            return static_cast<T>(static_cast<std::uint64_t>(whole) + static_cast<std::uint64_t>(steps));
        } else {
            T value = static_cast<T>(number);
            for (int i = 0; i < std::abs(steps); ++i)
                value = std::nextafter(value, std::numeric_limits<T>::infinity() * static_cast<T>(steps));
            return value;
        }
    }
};

TEST_F(CudaHistogram, EverySizeAndPolicyGivesTheSameBits) {
    for (const cuda::CountPolicy& policy : kPolicies) {
        context_.policies.count = policy;
        for (const std::uint64_t n :
             {0, 1, 15, 16, 17, 31, 33, 255, 256, 257, 1023, 1024, 2047, 2049, 8191, 8193}) {
            for (const ElementType type : kTypes) {
                ASSERT_TRUE(same(type, Axis::Whole, DigestShape{1, n, 0, 0}, Content::Plain, bins_of(10)));
                if (n % 2 == 1) {
                    ASSERT_TRUE(same(type, Axis::Whole, DigestShape{1, n, 0, 0}, Content::Ties,
                                     bins_of(300, -3, 40)));
                }
            }
        }
    }
}

TEST_F(CudaHistogram, RowsGapsAndOddAddressesGiveTheSameBits) {
    for (const cuda::CountPolicy& policy : kPolicies) {
        context_.policies.count = policy;
        for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{8}}) {
            for (const std::uint64_t extra : {0, 1, 8}) {
                for (const ElementType type : kTypes) {
                    ASSERT_TRUE(same(type, Axis::Rows, DigestShape{21, 37, extra, offset}, Content::Plain,
                                     bins_of(7)));
                    ASSERT_TRUE(same(type, Axis::Whole, DigestShape{21, 37, extra, offset}, Content::Special,
                                     bins_of(33, -100, 1e5)));
                }
            }
        }
        ASSERT_TRUE(
            same(ElementType::I8, Axis::Rows, DigestShape{3, 1500, 3, 1}, Content::Plain, bins_of(9)));
        ASSERT_TRUE(same(ElementType::U8, Axis::Rows, DigestShape{3, 1500, 3, 1}, Content::Plain,
                         bins_of(9, 3, 200)));
        ASSERT_TRUE(
            same(ElementType::F32, Axis::Rows, DigestShape{2, 3001, 1, 0}, Content::Wide, bins_of(9)));
        ASSERT_TRUE(same(ElementType::F64, Axis::Rows, DigestShape{0, 5, 0, 0}, Content::Plain, bins_of(9)));
        ASSERT_TRUE(same(ElementType::F64, Axis::Rows, DigestShape{5, 0, 0, 0}, Content::Plain, bins_of(9)));
    }
}

TEST_F(CudaHistogram, NeighboursOfEveryEdgeGiveTheSameBits) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        for (const std::uint32_t bins : {1u, 3u, 256u, 1000u, 70000u, 1u << 20}) {
            ASSERT_TRUE(same_at_edges<float>(ElementType::F32, bins, -1, 1, seed));
            ASSERT_TRUE(same_at_edges<float>(ElementType::F32, bins, 0.1, 0.7, seed));
            ASSERT_TRUE(same_at_edges<float>(ElementType::F32, bins, 1e6 + 0.3, 1e6 + 1.7,
                                             seed));  // bins narrower than f32 is there
            ASSERT_TRUE(same_at_edges<float>(ElementType::F32, bins, -3e38, 3e38, seed));
            ASSERT_TRUE(same_at_edges<float>(ElementType::F32, bins, -1e300, 1e300, seed));
            ASSERT_TRUE(same_at_edges<float>(ElementType::F32, bins, 0, 1e-42, seed));
            ASSERT_TRUE(same_at_edges<Half>(ElementType::F16, bins, -2, 3.3, seed));
            ASSERT_TRUE(same_at_edges<Half>(ElementType::F16, bins, 60000, 70000, seed));
            ASSERT_TRUE(same_at_edges<double>(ElementType::F64, bins, 0.1, 0.7, seed));
            ASSERT_TRUE(same_at_edges<double>(ElementType::F64, bins, -1e300, 1e300, seed));
            ASSERT_TRUE(same_at_edges<double>(ElementType::F64, bins, 1e15, 1e15 + 3e6, seed));
            ASSERT_TRUE(same_at_edges<std::uint8_t>(ElementType::U8, bins, 3.5, 200, seed));
            ASSERT_TRUE(same_at_edges<std::int8_t>(ElementType::I8, bins, -1e6, 90.25, seed));
            ASSERT_TRUE(same_at_edges<std::int16_t>(ElementType::I16, bins, -30000.5, 30000.25, seed));
            ASSERT_TRUE(same_at_edges<std::uint16_t>(ElementType::U16, bins, 0, 65536, seed));
            ASSERT_TRUE(
                same_at_edges<std::int32_t>(ElementType::I32, bins, -2147483648.0, 2147483647.0, seed));
            ASSERT_TRUE(same_at_edges<std::uint32_t>(ElementType::U32, bins, -1e10, 1e10, seed));
            ASSERT_TRUE(same_at_edges<std::int64_t>(ElementType::I64, bins, -9.3e18, 9.3e18, seed));
            ASSERT_TRUE(same_at_edges<std::int64_t>(ElementType::I64, bins, 9e15, 9e15 + 1e7, seed));
            ASSERT_TRUE(same_at_edges<std::uint64_t>(ElementType::U64, bins, 1e19, 1.9e19, seed));
            ASSERT_TRUE(same_at_edges<std::uint64_t>(ElementType::U64, bins, -5, 1e300, seed));
        }
    }
}

TEST_F(CudaHistogram, OneElementNextToAnEdgeAmongManyGivesTheSameBits) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed)
        for (const std::uint32_t bins : {1u, 3u, 64u, 100u, 256u, 1000u}) {
            ASSERT_TRUE(same_next_to_few_edges(bins, 0, 1, seed));
            ASSERT_TRUE(same_next_to_few_edges(bins, 0, 256, seed));
            ASSERT_TRUE(same_next_to_few_edges(bins, -1, 1, seed));
            ASSERT_TRUE(same_next_to_few_edges(bins, 0.1, 0.7, seed));
            ASSERT_TRUE(same_next_to_few_edges(bins, 3, 7e5, seed));
            ASSERT_TRUE(same_next_to_few_edges(bins, -1e-40, 1e-39, seed));
            ASSERT_TRUE(same_next_to_few_edges(bins, -2e38, 1e38, seed));
        }
}

// Bins that a guess in f32 cannot tell apart: at their edges, next to them, and outside of all.
TEST_F(CudaHistogram, ManyBinsGiveTheSameBits) {
    constexpr std::uint32_t kBins = 9000;
    struct Range {
        double lo, hi;
    };
    for (const Range& range : {Range{-1, 1}, Range{0.1, 0.7}, Range{0, 9000}, Range{1, 18001}, Range{-3, 7e5},
                               Range{-1e-20, 1e-19}, Range{-2e38, 1e38}, Range{5e6, 5e6 + 1}}) {
        std::mt19937_64 random(kBins);
        const double step = (range.hi - range.lo) / kBins;
        std::vector<float> values;
        std::vector<Half> halves;
        for (int i = 0; i < 12000; ++i) {
            const double edge = range.lo + static_cast<double>(random() % (kBins + 1)) * step;
            const double inside = edge + static_cast<double>(random() % 1024) * 0x1p-10 * step;
            const int steps = static_cast<int>(random() % 5) - 2;
            values.push_back(i % 3 == 0 ? near<float>(edge, steps) : static_cast<float>(inside));
            halves.push_back(near<Half>(edge, 0));
        }
        values[7] = std::numeric_limits<float>::infinity();
        values[8] = -values[7];
        values[9] = std::numeric_limits<float>::quiet_NaN();
        for (std::size_t i = 100; i < 1000; ++i)
            values[i] = static_cast<float>(i % 2 == 0 ? range.lo : range.hi);
        const HistogramParams params = bins_of(kBins, range.lo, range.hi);
        ASSERT_TRUE(same_on_both(context_, Job{ElementType::F32, Axis::Whole, 1, values.size(), params},
                                 {input_from(values)}))
            << range.lo << " to " << range.hi;
        ASSERT_TRUE(same_on_both(context_, Job{ElementType::F16, Axis::Whole, 1, halves.size(), params},
                                 {input_from(halves)}))
            << range.lo << " to " << range.hi;
    }
}

// More bins than shared memory counts: the bins of a tile are sorted into buckets. Uniform, sorted, flat and
// skewed elements, several pieces and launches, rows, odd addresses.
TEST_F(CudaHistogram, BinsInBucketsGiveTheSameBits) {
    context_.policies.count.shared_bytes = 32 << 10;
    context_.limits.l2_bytes = 0;  // does not allow for more workspace
    const std::uint32_t bins = is_slow() ? 8200 : 1000000;
    const std::uint64_t n = std::uint64_t{bins} * 4 + 1001;
    std::mt19937_64 random(bins);
    for (const bool exact : {true, false}) {
        const HistogramParams params = exact ? bins_of(bins, 0, bins) : bins_of(bins, 0.1, 0.7);
        const double width = params.hi - params.lo;
        for (const unsigned kind : {0u, 1u, 2u, 3u, 4u}) {
            std::vector<float> values(n);
            for (std::uint64_t i = 0; i < n; ++i) {
                const double unit = kind == 0   ? static_cast<double>(random() % 1000003) / 1000000
                                    : kind == 1 ? static_cast<double>(i) / static_cast<double>(n)
                                    : kind == 2 ? 0.25
                                    : kind == 3 ? (random() % 2 == 0 ? 0.25 : 0.75)
                                                : static_cast<double>(random() % 1000) * 1e-6 + 0.5;
                values[i] = static_cast<float>(params.lo + unit * width);
            }
            values[3] = std::numeric_limits<float>::quiet_NaN();
            values[n - 1] = static_cast<float>(params.hi);
            values[n - 2] = static_cast<float>(params.lo);
            values[n - 3] = std::numeric_limits<float>::infinity();
            context_.policies.count.batch_bytes = kind == 0 ? 40000 : 64 << 20;
            context_.policies.count.launch_bytes = kind == 1 && is_slow() ? 100000 : 32 << 20;
            TestInput input = input_from(values);
            ASSERT_TRUE(same_on_both(context_, Job{ElementType::F32, Axis::Whole, 1, n, params}, {input}))
                << "kind " << kind << ", exact " << exact;
            if (kind != 0) continue;
            input.offset = 4;
            input.bytes.insert(input.bytes.begin(), 4, std::byte{0});
            ASSERT_TRUE(same_on_both(context_, Job{ElementType::F32, Axis::Whole, 1, n, params}, {input}));
        }
    }
    std::vector<Half> halves(2 * n);
    for (Half& half : halves) half = Half{static_cast<std::uint16_t>(random() % 0x8000)};
    TestInput input = input_from(halves);
    input.row_stride = n;
    for (const HistogramParams& params : {bins_of(bins, 0, 2048), bins_of(bins, -0.3, 1000)})
        ASSERT_TRUE(same_on_both(context_, Job{ElementType::F16, Axis::Rows, 2, n, params}, {input}));
    std::vector<float> rows(2 * n);
    for (std::uint64_t i = 0; i < 2 * n; ++i)
        rows[i] = static_cast<float>(random() % 5000) * (i < n ? 1.0f : 0.3f);
    input = input_from(rows);
    input.row_stride = n;
    ASSERT_TRUE(same_on_both(context_, Job{ElementType::F32, Axis::Rows, 2, n, bins_of(bins)}, {input}));
}

// Edges that are not far apart compared with f64's spacing: only few bins may be so narrow.
TEST_F(CudaHistogram, NarrowBinsGiveTheSameBits) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        ASSERT_TRUE(same_at_edges<double>(ElementType::F64, 100, 1e15, 1e15 + 30, seed));
        ASSERT_TRUE(same_at_edges<std::int64_t>(ElementType::I64, 50, 4503599627370496.0,
                                                4503599627370496.0 + 200, seed));
        ASSERT_TRUE(same_at_edges<std::uint64_t>(ElementType::U64, 40, 1.8e19, 1.8e19 + 1e6, seed));
        ASSERT_TRUE(same_at_edges<float>(ElementType::F32, 100, 1e15, 1e15 + 30, seed));
        ASSERT_TRUE(same_at_edges<double>(ElementType::F64, 7, 0, 1e-300, seed));
    }
}

TEST_F(CudaHistogram, RangesFromTheDataGiveTheSameBitsAndErrors) {
    for (const Content content : {Content::Plain, Content::Wide, Content::Special, Content::Ties}) {
        for (const ElementType type : kTypes) {
            for (const bool skip_nans : {false, true}) {
                HistogramParams params = bins_of(500);
                params.skip_nans = skip_nans;
                ASSERT_TRUE(same(type, Axis::Whole, DigestShape{1, 4000, 0, 0}, content, params));
                ASSERT_TRUE(same(type, Axis::Rows, DigestShape{17, 65, 2, 0}, content, params));
            }
        }
    }
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const auto& values : {std::vector<float>{nan, nan, nan},
                               {1, nan, 2},
                               {5, 5, 5},
                               {-0.0f, 0.0f, -0.0f},
                               {1, std::numeric_limits<float>::infinity(), nan}}) {
        for (const bool skip_nans : {false, true}) {
            HistogramParams params = bins_of(4);
            params.skip_nans = skip_nans;
            for (const Axis axis : {Axis::Whole, Axis::Rows}) {
                const Job job{ElementType::F32, axis, 1, values.size(), params};
                ASSERT_TRUE(same_on_both(context_, job, {input_from(values)}))
                    << values[0] << " " << values[1] << ", skip_nans " << skip_nans;
            }
        }
    }
}

// Six of the smallest f64 for four bins: the edges would be 0, 2, 4, 6 and 6 of them.
TEST_F(CudaHistogram, RangesWithoutIncreasingEdgesAreTheSameErrors) {
    const double least = std::numeric_limits<double>::denorm_min();
    for (const double hi : {6 * least, 8 * least}) {
        const std::vector<double> values = {0, least, 8 * least, 0, hi, 3 * least};
        for (const Axis axis : {Axis::Whole, Axis::Rows}) {
            const HistogramParams params = bins_of(4);
            const Job job{ElementType::F64, axis, 2, 3, params};
            TestInput input = input_from(values);
            input.row_stride = 3;
            ASSERT_TRUE(same_on_both(context_, job, {input})) << hi;
            ASSERT_TRUE(
                same_on_both(context_, Job{ElementType::F64, axis, 2, 3, FusedParams{{params}}}, {input}));
        }
    }
}

// One value, runs, and two values in turn: many additions to few counters.
TEST_F(CudaHistogram, SkewedDataGiveTheSameBits) {
    for (const cuda::CountPolicy& policy : kPolicies) {
        context_.policies.count = policy;
        for (const std::uint32_t period : {1u, 2u, 3u, 40u, 5000u}) {
            std::vector<std::uint8_t> bytes(9001);
            std::vector<float> floats(9001);
            for (std::size_t i = 0; i < bytes.size(); ++i) {
                bytes[i] = static_cast<std::uint8_t>(i % period < period / 2 ? 7 : 9);
                floats[i] = bytes[i];
            }
            ASSERT_TRUE(same_on_both(context_,
                                     Job{ElementType::U8, Axis::Whole, 1, bytes.size(), bins_of(256, 0, 256)},
                                     {input_from(bytes)}))
                << period;
            ASSERT_TRUE(same_on_both(context_,
                                     Job{ElementType::F32, Axis::Whole, 1, floats.size(), bins_of(50, 0, 10)},
                                     {input_from(floats)}))
                << period;
        }
    }
}

// Columns of counters for each lane: several stretches, gaps and odd addresses.
TEST_F(CudaHistogram, BytesInColumnsGiveTheSameBits) {
    for (const cuda::CountPolicy& policy : kPolicies) {
        context_.policies.count = policy;
        context_.policies.count.lane_elements = 0;
        for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{15}}) {
            for (const ElementType type : {ElementType::U8, ElementType::I8}) {
                ASSERT_TRUE(
                    same(type, Axis::Whole, DigestShape{1, 50000, 0, offset}, Content::Plain, bins_of(256)));
                ASSERT_TRUE(same(type, Axis::Whole, DigestShape{13, 1501, 3, offset}, Content::Plain,
                                 bins_of(100, -3, 77)));
                ASSERT_TRUE(same(type, Axis::Rows, DigestShape{5, 8001, 0, offset}, Content::Ties,
                                 bins_of(256, 0, 256)));
            }
            TestInput flat{std::vector<std::byte>(40000 + offset, std::byte{0xc7}), offset, 40000};
            ASSERT_TRUE(same_on_both(
                context_, Job{ElementType::U8, Axis::Whole, 1, 40000, bins_of(256, 0, 256)}, {flat}));
        }
    }
}

TEST_F(CudaHistogram, VeryManyRowsGiveTheSameBits) {
    ASSERT_TRUE(same(ElementType::F16, Axis::Rows, DigestShape{5000, 3, 1, 0}, Content::Plain, bins_of(3)));
    ASSERT_TRUE(
        same(ElementType::U8, Axis::Rows, DigestShape{3000, 5, 0, 0}, Content::Plain, bins_of(3, 0, 100)));
}

// Rows whose ranges, rules and counts would need memory without bound, had they to be there at once: with a
// small limit few rows do.
TEST_F(CudaHistogram, MemoryDoesNotGrowWithTheNumberOfRows) {
    context_.policies.count.batch_bytes = 4000;
    struct Case {
        ElementType type;
        std::uint64_t cols;
        HistogramParams params;
    };
    for (const Case& test :
         {Case{ElementType::F32, 5, bins_of(3)}, Case{ElementType::I16, 3, bins_of(2)},
          Case{ElementType::U8, 1100, bins_of(3, 0, 9)}, Case{ElementType::U8, 1030, bins_of(3)},
          Case{ElementType::F64, 2, bins_of(3, -1, 1)}}) {
        std::size_t taken = 0, copied = 0;
        for (const std::uint64_t rows : {40, 400}) {
            WatchedWorkspace workspace(context_.workspace);
            cuda::Context context = context_;
            context.workspace = &workspace;
            const DigestShape shape{rows, test.cols, 1, 0};
            ASSERT_TRUE(same_on_both(context, Job{test.type, Axis::Rows, rows, test.cols, test.params},
                                     {input_of(test.type, shape, rows)}))
                << element_word(test.type) << ", rows " << rows;
            EXPECT_LE(workspace.taken_bytes(), 20000u) << element_word(test.type);
            EXPECT_LE(workspace.largest_copy(), 4000u) << element_word(test.type);
            if (rows == 40) {
                taken = workspace.taken_bytes();
                copied = workspace.largest_copy();
            }
            EXPECT_EQ(workspace.taken_bytes(), taken) << element_word(test.type);
            EXPECT_EQ(workspace.largest_copy(), copied) << element_word(test.type);
        }
    }
}

// Between launches and between batches, of long segments and of many.
TEST_F(CudaHistogram, StopsBetweenLaunches) {
    context_.policies.count.launch_bytes = 1;
    for (const DigestShape& shape :
         {DigestShape{1, 60000, 0, 0}, DigestShape{50, 100, 0, 0}, DigestShape{50, 1100, 0, 0}}) {
        for (const ElementType type : {ElementType::U8, ElementType::F32}) {
            WatchedWorkspace workspace(context_.workspace, 3);
            cuda::Context context = context_;
            context.workspace = &workspace;
            const TestInput input = input_of(type, shape, 1);
            const DeviceBytes x(input.bytes), counts(shape.rows * 8 * 4), edges(shape.rows * 8 * 5);
            const kernels::InputView view{x.data(), input.row_stride};
            const kernels::OutputView outputs[] = {{counts.data()}, {edges.data()}};
            const Job job{type, Axis::Rows, shape.rows, shape.cols, bins_of(4, 0, 1)};
            const auto report = run_on_device(job, {&view, 1}, {outputs, 2}, context, workspace.stop());
            ASSERT_FALSE(report) << element_word(type) << ' ' << shape.rows << " x " << shape.cols;
            EXPECT_EQ(report.error().status, Status::Cancelled);
            EXPECT_EQ(workspace.waits(), 3);
        }
    }
}

TEST(CountShape, PartsCoverEveryStretchAndFitTheDevice) {
    const cuda::DeviceLimits devices[] = {{53, 1, 2048, 48 << 10, 256 << 10},
                                          {90, 132, 2048, 227 << 10, 50 << 20}};
    for (const cuda::DeviceLimits& limits : devices)
        for (const cuda::CountPolicy& policy : kPolicies)
            for (const std::uint64_t segments : {1, 5, 100000})
                for (const std::uint64_t cols :
                     {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{100000}, std::uint64_t{10000000000}})
                    for (const std::uint64_t lines : {1, 1000})
                        for (const std::uint64_t slots : {1, 256, 5000, 60000, 1 << 20})
                            for (const std::size_t bytes : {1, 4}) {
                                const cuda::CountWorkload work{
                                    {nullptr, segments, lines * cols, lines * cols, cols, cols},
                                    bytes,
                                    slots,
                                    slots == 256 && bytes == 1,
                                    slots % 2 == 0,
                                    slots == 256 ? 0u : 2u,
                                    100,
                                    slots * 4,
                                    lines == 1,
                                    slots * 40};
                                const cuda::CountShape shape = cuda::choose_count_shape(work, policy, limits);
                                ASSERT_GE(shape.parts * shape.part, shape.at_once);
                                ASSERT_LT((shape.parts - 1) * shape.part, shape.at_once);
                                ASSERT_LE(shape.part * (cuda::kCountStretchBytes / bytes + 32),
                                          std::uint64_t{1} << 32)
                                    << "32-bit counters";
                                ASSERT_LE(shape.team_bytes * shape.teams_per_block(),
                                          limits.shared_bytes_per_block);
                                ASSERT_LE(shape.team_bytes * shape.teams_per_block(),
                                          std::max<std::size_t>(policy.shared_bytes, 4096));
                                ASSERT_LE(shape.columns, 32u);
                                ASSERT_TRUE(shape.columns == 0 ||
                                            (shape.shared && shape.slices == 1 && work.fast));
                                ASSERT_GE(shape.blocks, 1u);
                                ASSERT_GE(std::uint64_t{shape.slices} * shape.slice, slots);
                                ASSERT_LT(std::uint64_t{shape.slices - 1} * shape.slice, slots);
                                ASSERT_GE(shape.segments, 1u);
                                const std::uint64_t stretches = cuda::count_stretches(work.input, bytes);
                                ASSERT_TRUE(shape.segments == 1 || shape.at_once == stretches);
                                ASSERT_LE(shape.at_once, std::max<std::uint64_t>(stretches, 1));
                                ASSERT_LE(shape.threads, cuda::kCountThreads);
                                ASSERT_EQ(shape.team_bytes % 16, 0u);
                            }
}

// A line of few elements costs a warp what a good part of a stretch does.
TEST(CountShape, LaunchesOfNarrowLinesAreNotLonger) {
    const cuda::DeviceLimits devices[] = {{53, 1, 2048, 48 << 10, 256 << 10},
                                          {90, 132, 2048, 227 << 10, 50 << 20}};
    for (const cuda::DeviceLimits& limits : devices)
        for (const std::uint64_t cols : {1, 4, 100}) {
            const cuda::CountWorkload work{
                {nullptr, 1, 500000000 * cols, 0, cols, 2 * cols}, 1, 256, true, true, 0, 0, 0, false, 256};
            const cuda::CountShape shape = cuda::choose_count_shape(work, cuda::kDefaultCountPolicy, limits);
            EXPECT_LE(
                shape.at_once * (cuda::kCountStretchBytes / 2),
                cuda::kDefaultCountPolicy.launch_bytes * limits.multiprocessors + cuda::kCountStretchBytes);
        }
}

// As many columns as leave memory for two blocks of a multiprocessor.
TEST(CountShape, ColumnsFitTwoBlocks) {
    const auto columns = [&](const cuda::DeviceLimits& limits, std::uint64_t slots, std::uint64_t n) {
        const cuda::CountWorkload work{
            {nullptr, 1, n, 0, n, n}, 4, slots, false, true, 2, 160, 0, false, 256};
        const cuda::CountShape shape = cuda::choose_count_shape(work, cuda::kDefaultCountPolicy, limits);
        EXPECT_LE(std::uint64_t{shape.columns} * (slots + 2) * 4, shape.team_bytes);
        return shape.columns;
    };
    const cuda::DeviceLimits nano{53, 1, 2048, 48 << 10, 256 << 10}, orin{87, 16, 1536, 163 << 10, 4 << 20},
        hopper{90, 132, 2048, 227 << 10, 50 << 20};
    EXPECT_EQ(columns(nano, 64, 1 << 24), 32u);
    EXPECT_EQ(columns(nano, 256, 1 << 24), 16u);
    EXPECT_EQ(columns(nano, 20000, 1 << 24), 0u) << "no single copy fits";
    EXPECT_EQ(columns(orin, 256, 1 << 24), 32u);
    EXPECT_EQ(columns(hopper, 4096, 1 << 24), 4u);
    EXPECT_EQ(columns(hopper, 50000, 1 << 24), 1u);
    EXPECT_EQ(columns(hopper, 16, 1000), 16u) << "clearing more would take longer";
}

}  // namespace
}  // namespace tegu::test
