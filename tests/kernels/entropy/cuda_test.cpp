// SPDX-License-Identifier: Apache-2.0
// entropy on the GPU backend beyond the common jobs: launch policies, sizes around packs and stretches, gaps
// and addresses, NaN and ranges of rows, skewed and flat data, counters beyond shared memory.
#include <cstring>
#include <limits>

#include "kernels/operation_cuda.h"
#include "tests/kernels/cuda/cuda_test.h"
#include "tests/kernels/cuda/watched_workspace.h"

namespace tegu::test {
namespace {

using testing_support::Content;
using testing_support::DigestShape;

const cuda::CountPolicy kPolicies[] = {{256, 8, 1, 200 << 10, 32 << 20, 1 << 18, 64 << 20},
                                       {32, 1, 1, 48 << 10, 32 << 20, 0, 1 << 20},
                                       {512, 4, 2, 16 << 10, 10 << 10, ~std::uint64_t{0}, 3000},
                                       {96, 2, 3, 0, 1, 100, 1}};
const ElementType kTypes[] = {ElementType::U8,  ElementType::I8,  ElementType::U16, ElementType::I16,
                              ElementType::U32, ElementType::I32, ElementType::U64, ElementType::I64,
                              ElementType::F16, ElementType::F32, ElementType::F64};

EntropyParams levels_of(std::uint32_t levels, bool skip_nans = false, LogBase base = LogBase::Two) {
    EntropyParams params;
    params.levels = levels;
    params.skip_nans = skip_nans;
    params.base = base;
    return params;
}

class CudaEntropy : public CudaTest {
  protected:
    testing::AssertionResult same(ElementType type, Axis axis, const DigestShape& shape, Content content,
                                  const EntropyParams& params) {
        const Job job{type, axis, shape.rows, shape.cols, params};
        const TestInput input{testing_support::make_digest_input(type, content, shape, shape.cols),
                              shape.offset, shape.cols + shape.extra};
        set_thread_order(shape.cols + params.levels);
        return same_on_both(context_, job, {input})
               << element_word(type) << (axis == Axis::Rows ? " rows " : " whole ") << shape.rows << " x "
               << shape.cols << ", gap " << shape.extra << ", offset " << shape.offset << ", content "
               << static_cast<int>(content) << ", levels " << params.levels << ", threads "
               << context_.policies.count.threads_per_block;
    }
    testing::AssertionResult same_floats(const std::vector<float>& values, std::uint64_t rows,
                                         const EntropyParams& params) {
        TestInput input;
        input.bytes.resize(values.size() * sizeof(float));
        std::memcpy(input.bytes.data(), values.data(), input.bytes.size());
        input.row_stride = values.size() / rows;
        return same_on_both(context_, Job{ElementType::F32, Axis::Rows, rows, input.row_stride, params},
                            {input});
    }
};

TEST_F(CudaEntropy, CountsOfLevelsAreTheSame) {
    for (const ElementType type : kTypes)
        for (const std::uint32_t levels : {2u, 256u, 5000u})
            for (const Content content : {Content::Plain, Content::Special}) {
                EntropyParams params = levels_of(levels);
                params.partial = true;
                params.has_range = true;
                params.lo = -1;
                params.hi = 100;
                ASSERT_TRUE(same(type, Axis::Whole, {1, 3001, 0, 0}, content, params));
            }
}

TEST_F(CudaEntropy, EverySizeAndPolicyGivesTheSameBits) {
    for (const cuda::CountPolicy& policy : kPolicies) {
        context_.policies.count = policy;
        for (const std::uint64_t n : {1, 15, 16, 17, 31, 33, 255, 256, 257, 2047, 2049, 8193}) {
            for (const ElementType type : kTypes) {
                ASSERT_TRUE(same(type, Axis::Whole, DigestShape{1, n, 0, 0}, Content::Plain, levels_of(16)));
                ASSERT_TRUE(same(type, Axis::Whole, DigestShape{1, n, 0, 0}, Content::Ties,
                                 levels_of(700, true, LogBase::E)));
            }
        }
    }
}

TEST_F(CudaEntropy, RowsGapsAndOddAddressesGiveTheSameBits) {
    for (const cuda::CountPolicy& policy : kPolicies) {
        context_.policies.count = policy;
        for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{8}}) {
            for (const std::uint64_t extra : {0, 1, 8}) {
                for (const ElementType type : kTypes) {
                    ASSERT_TRUE(same(type, Axis::Rows, DigestShape{21, 37, extra, offset}, Content::Plain,
                                     levels_of(7)));
                    EntropyParams range = levels_of(40, true, LogBase::E);
                    range.has_range = true;
                    range.lo = -100;
                    range.hi = 200;
                    ASSERT_TRUE(
                        same(type, Axis::Whole, DigestShape{21, 37, extra, offset}, Content::Special, range));
                }
            }
        }
        ASSERT_TRUE(
            same(ElementType::F64, Axis::Rows, DigestShape{0, 5, 0, 0}, Content::Plain, levels_of(9)));
    }
}

TEST_F(CudaEntropy, NanFlatAndEmptyRangesGiveTheSameBits) {
    const float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> rows = {1, 2, 3, 4, nan,      1,         2, 3, nan,      nan,      nan,  nan,
                                     5, 5, 5, 5, infinity, -infinity, 1, 2, infinity, infinity, 0.0f, -0.0f};
    for (const bool skip_nans : {false, true})
        for (const LogBase base : {LogBase::Two, LogBase::E})
            ASSERT_TRUE(same_floats(rows, 6, levels_of(4, skip_nans, base)));
    // A range that no f32 can divide: named with its row.
    ASSERT_TRUE(same_floats({1, 2, 3, 4, -3e38f, 3e38f, 0, 0}, 2, levels_of(4)));
    ASSERT_TRUE(same_floats({1, 2, 3, 4, 0, 1e-45f, 0, 0}, 2, levels_of(4)));
}

TEST_F(CudaEntropy, SkewedDataGiveTheSameBits) {
    for (const cuda::CountPolicy& policy : kPolicies) {
        context_.policies.count = policy;
        for (const std::size_t period : {1, 2, 3, 40, 5000}) {
            std::vector<float> values(9001);
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = i % period < period / 2 ? 7.0f : static_cast<float>(i % 11);
            ASSERT_TRUE(same_floats(values, 1, levels_of(256))) << period;
        }
    }
}

TEST_F(CudaEntropy, EveryNumberOfLevelsGivesTheSameBits) {
    for (const std::uint32_t levels :
         {2u, 3u, 31u, 33u, 255u, 256u, 257u, 511u, 513u, 4096u, 12000u, 65535u, 65536u})
        for (const ElementType type :
             {ElementType::U8, ElementType::U16, ElementType::F32, ElementType::I64}) {
            ASSERT_TRUE(
                same(type, Axis::Whole, DigestShape{1, 5000, 0, 0}, Content::Plain, levels_of(levels)));
            ASSERT_TRUE(same(type, Axis::Rows, DigestShape{3, 600, 0, 0}, Content::Wide,
                             levels_of(levels, true, LogBase::E)));
        }
}

TEST_F(CudaEntropy, VeryManyRowsGiveTheSameBits) {
    ASSERT_TRUE(same(ElementType::F16, Axis::Rows, DigestShape{5000, 3, 1, 0}, Content::Plain, levels_of(3)));
    ASSERT_TRUE(
        same(ElementType::I8, Axis::Rows, DigestShape{2000, 5, 0, 0}, Content::Plain, levels_of(256)));
    ASSERT_TRUE(same(ElementType::I16, Axis::Rows, DigestShape{200, 5, 0, 0}, Content::Plain,
                     levels_of(65536)));  // more than one batch
}

// A warp for each row: sizes around the packs that it keeps, gaps, odd addresses, several launches.
TEST_F(CudaEntropy, ManyRowsGiveTheSameBits) {
    const std::uint64_t rows = std::uint64_t{context_.limits.multiprocessors} * 16 + 5;
    for (const std::uint64_t launch_bytes : {32 << 20, 1 << 18}) {
        context_.policies.count.launch_bytes = launch_bytes;
        for (const std::uint64_t cols : {1, 2, 7, 8, 31, 100, 257})
            for (const ElementType type : kTypes)
                ASSERT_TRUE(same(type, Axis::Rows, DigestShape{rows, cols, cols % 3, cols % 2 * 8},
                                 cols % 2 == 0 ? Content::Plain : Content::Special,
                                 levels_of(cols % 4 == 0 ? 256 : 17, cols % 8 == 7, LogBase::E)));
    }
    for (const std::uint64_t cols : {639, 640, 1023, 1024, 1025, 2048, 2077})
        for (const ElementType type :
             {ElementType::U16, ElementType::F16, ElementType::F32, ElementType::F64})
            ASSERT_TRUE(
                same(type, Axis::Rows, DigestShape{rows, cols, 1, 0}, Content::Plain, levels_of(1024)));
}

TEST_F(CudaEntropy, ManyRowsWithNanAndWithoutRulesGiveTheSameBitsAndErrors) {
    const std::uint64_t rows = std::uint64_t{context_.limits.multiprocessors} * 16 + 50;
    const float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> kinds = {
        1, 2, 3,        4,         nan, 1, 2,        3,        nan,  nan,   nan,   nan,  5, 5,
        5, 5, infinity, -infinity, 1,   2, infinity, infinity, 0.0f, -0.0f, -0.0f, 0.0f, 1, 1};
    std::vector<float> values;
    for (std::uint64_t i = 0; i < rows * 4; ++i) values.push_back(kinds[i % kinds.size()]);
    for (const bool skip_nans : {false, true})
        for (const LogBase base : {LogBase::Two, LogBase::E})
            ASSERT_TRUE(same_floats(values, rows, levels_of(4, skip_nans, base)));
    for (const std::uint64_t row : {std::uint64_t{0}, rows / 2, rows - 1}) {
        values[row * 4] = -3e38f;
        values[row * 4 + 1] = 3e38f;
        ASSERT_TRUE(same_floats(values, rows, levels_of(4, true)));
        for (std::uint64_t i = 0; i < 4; ++i) values[row * 4 + i] = 0;
        values[row * 4 + 2] = 1e-45f;
        ASSERT_TRUE(same_floats(values, rows, levels_of(4, true)));
        values[row * 4 + 2] = 0;
    }
}

TEST_F(CudaEntropy, MemoryDoesNotGrowWithTheNumberOfRows) {
    context_.policies.count.batch_bytes = 4000;
    for (const ElementType type : {ElementType::F32, ElementType::U8, ElementType::I16}) {
        std::size_t taken = 0, copied = 0;
        for (const std::uint64_t rows : {130, 400}) {
            WatchedWorkspace workspace(context_.workspace);
            cuda::Context context = context_;
            context.workspace = &workspace;
            const DigestShape shape{rows, 5, 1, 0};
            ASSERT_TRUE(same_on_both(context, Job{type, Axis::Rows, rows, 5, levels_of(3)},
                                     {input_of(type, shape, rows)}))
                << element_word(type) << ", rows " << rows;
            EXPECT_LE(workspace.taken_bytes(), 8000u) << element_word(type);
            EXPECT_LE(workspace.largest_copy(), 4000u) << element_word(type);
            if (rows == 130) {
                taken = workspace.taken_bytes();
                copied = workspace.largest_copy();
            }
            EXPECT_EQ(workspace.taken_bytes(), taken) << element_word(type);
            EXPECT_EQ(workspace.largest_copy(), copied) << element_word(type);
        }
    }
}

// Between launches and between batches, and between the parts of the search for a range.
TEST_F(CudaEntropy, StopsBetweenLaunches) {
    context_.policies.count.launch_bytes = 1;
    for (const DigestShape& shape : {DigestShape{1, 60000, 0, 0}, DigestShape{50, 100, 0, 0}}) {
        for (const ElementType type : {ElementType::U8, ElementType::I16, ElementType::F32}) {
            WatchedWorkspace workspace(context_.workspace, 3);
            cuda::Context context = context_;
            context.workspace = &workspace;
            const TestInput input = input_of(type, shape, 1);
            const DeviceBytes x(input.bytes), entropy(shape.rows * 8);
            const kernels::InputView view{x.data(), input.row_stride};
            const kernels::OutputView output{entropy.data()};
            const auto report = run_on_device(Job{type, Axis::Rows, shape.rows, shape.cols, levels_of(4)},
                                              {&view, 1}, {&output, 1}, context, workspace.stop());
            ASSERT_FALSE(report) << element_word(type) << ' ' << shape.rows << " x " << shape.cols;
            EXPECT_EQ(report.error().status, Status::Cancelled);
            EXPECT_EQ(workspace.waits(), 3);
        }
    }
}

}  // namespace
}  // namespace tegu::test
