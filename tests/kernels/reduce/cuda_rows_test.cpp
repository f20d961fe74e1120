// SPDX-License-Identifier: Apache-2.0
// reduce of many rows on the GPU backend: batches of short rows, rows of one tile, and rows of small
// integers, of every length, pattern and alignment. The device is taken for a small one, so that few rows
// fill it.
#include <cstring>
#include <limits>

#include "kernels/statistics/cuda/reduce.h"
#include "tests/kernels/cuda/cuda_test.h"
#include "tests/kernels/cuda/patterns.h"

namespace tegu::test {
namespace {

using testing_support::Content;
using testing_support::DigestShape;

constexpr StatisticSet kSums = statistic_bit(Statistic::Sum) | statistic_bit(Statistic::Mean) |
                               statistic_bit(Statistic::Nans) | statistic_bit(Statistic::Count);
constexpr std::uint64_t kRows = 65;  // two batches and a row

class CudaRows : public CudaTest {
  protected:
    void SetUp() override {
        CudaTest::SetUp();
        context_.limits.multiprocessors = 1;
        context_.limits.threads_per_multiprocessor = 64;
    }
    testing::AssertionResult same(ElementType type, std::uint64_t cols, StatisticSet set, bool skip_nans,
                                  const TestInput& input) {
        return same_on_both(context_, Job{type, Axis::Rows, kRows, cols, ReduceParams{set, skip_nans, 1}},
                            {input});
    }
};

TEST_F(CudaRows, BatchesAreChosenForManyRowsAlone) {
    const auto shape_of = [&](std::uint64_t rows, std::uint64_t n, cuda::ReduceKind kind) {
        return cuda::choose_reduce_shape(cuda::reduce_workload(ElementType::F32, kind, rows, n),
                                         cuda::kDefaultReducePolicy, context_.limits);
    };
    EXPECT_EQ(shape_of(kRows, 128, cuda::ReduceKind::Sum).batch_rows, 32u);
    EXPECT_EQ(shape_of(kRows, 9, cuda::ReduceKind::Sum).row_lanes, 4u);
    EXPECT_EQ(shape_of(kRows, 100, cuda::ReduceKind::All).batch_rows, 32u);
    EXPECT_EQ(shape_of(kRows, 100, cuda::ReduceKind::All).threads, 32u);
    EXPECT_EQ(shape_of(kRows, 12, cuda::ReduceKind::All).batch_rows, 0u);
    EXPECT_EQ(shape_of(kRows, 64, cuda::ReduceKind::All).row_lanes, 16u);
    EXPECT_EQ(shape_of(kRows, 8, cuda::ReduceKind::All).batch_rows, 0u);
    EXPECT_EQ(shape_of(31, 128, cuda::ReduceKind::All).batch_rows, 0u);
    EXPECT_EQ(shape_of(kRows, 129, cuda::ReduceKind::Sum).batch_rows, 0u);
    EXPECT_EQ(shape_of(kRows, 1024, cuda::ReduceKind::Moments).batch_rows, 32u);
    EXPECT_EQ(shape_of(2, 1024, cuda::ReduceKind::All).batch_rows, 1u);
    EXPECT_EQ(shape_of(kRows, 1025, cuda::ReduceKind::All).batch_rows, 0u);
    EXPECT_EQ(shape_of(1, 1024, cuda::ReduceKind::All).batch_rows, 0u);
}

TEST_F(CudaRows, EveryLengthAndAlignmentGivesTheSameBits) {
    for (const std::uint64_t cols : {1,   4,   8,   9,   12,  13,  16,  17,  32,   33,   61,  64,
                                     100, 127, 128, 129, 255, 256, 511, 512, 1000, 1023, 1024})
        for (const ElementType type : {ElementType::F16, ElementType::F32, ElementType::F64, ElementType::U8,
                                       ElementType::I8, ElementType::U16, ElementType::I16})
            for (const std::uint64_t extra : {0, 3}) {
                if (is_slow() && extra != 0 && cols > 128) continue;
                const TestInput input = input_of(type, {kRows, cols, extra, 0}, cols);
                for (const StatisticSet set : {kAllStatistics, kSums})
                    ASSERT_TRUE(same(type, cols, set, false, input))
                        << element_word(type) << ", cols " << cols << ", gap " << extra << ", set " << set;
            }
}

TEST_F(CudaRows, EveryPatternGivesTheSameBits) {
    for (const Pattern pattern : kPatterns)
        for (const ElementType type :
             {ElementType::F16, ElementType::F32, ElementType::F64, ElementType::U8, ElementType::I16})
            for (const std::uint64_t cols : {11, 16, 96, 128, 300, 1024}) {
                if (is_slow() && cols == 300) continue;
                const TestInput input = make_pattern(type, pattern, {kRows, cols, 0, 0}, cols);
                set_thread_order(cols);
                for (const bool skip_nans : {false, true}) {
                    if (skip_nans && !is_float(type)) continue;
                    ASSERT_TRUE(same(type, cols, kAllStatistics, skip_nans, input))
                        << element_word(type) << ", cols " << cols << ", " << pattern_word(pattern)
                        << (skip_nans ? ", skip_nans" : "");
                }
            }
}

// One element in one row makes its batch go row by row: NaN, infinities, a sum that overflows f32, squares
// that vanish. Zeros of both signs stay in the batch.
TEST_F(CudaRows, OneSpecialElementAnywhereGivesTheSameBits) {
    const float inf = std::numeric_limits<float>::infinity();
    for (const std::uint64_t cols : {12, 128, 640})
        for (const float special : {std::numeric_limits<float>::quiet_NaN(), inf, -inf, 3e38f, -0.0f, 1e-42f})
            for (const float other : {0.0f, 1.0f, -0.0f, 2e-38f, 3e38f}) {
                TestInput input;
                std::vector<float> values(kRows * cols, other);
                values[(kRows - 3) * cols + cols * 2 / 3] = special;
                input.bytes.resize(values.size() * sizeof(float));
                std::memcpy(input.bytes.data(), values.data(), input.bytes.size());
                input.row_stride = cols;
                for (const bool skip_nans : {false, true})
                    ASSERT_TRUE(same(ElementType::F32, cols, kAllStatistics, skip_nans, input))
                        << "cols " << cols << ", " << special << " among " << other
                        << (skip_nans ? ", skip_nans" : "");
            }
}

TEST_F(CudaRows, EachStatisticAloneGivesTheSameBits) {
    for (const StatisticInfo& info : kStatisticInfos)
        for (const ElementType type : {ElementType::F32, ElementType::I8, ElementType::U16})
            for (const std::uint64_t cols : {16, 200}) {
                const TestInput input = input_of(type, {kRows, cols, 0, 0}, cols, Content::Ties);
                ASSERT_TRUE(same(type, cols, statistic_bit(info.statistic), false, input))
                    << element_word(type) << ", cols " << cols << ", " << info.word;
            }
}

TEST_F(CudaRows, EveryPolicyGivesTheSameBits) {
    for (const cuda::ReducePolicy& policy :
         {cuda::ReducePolicy{512, 4, 1, 64 << 20}, cuda::ReducePolicy{32, 1, 1, 100000},
          cuda::ReducePolicy{64, 2, 3, 1}}) {
        context_.policies.reduce = policy;
        for (const std::uint64_t cols : {16, 128, 1024})
            for (const ElementType type : {ElementType::F32, ElementType::U8})
                ASSERT_TRUE(
                    same(type, cols, kAllStatistics, false, input_of(type, {kRows, cols, 0, 0}, cols)))
                    << element_word(type) << ", cols " << cols << ", threads " << policy.threads_per_block;
    }
}

}  // namespace
}  // namespace tegu::test
