// SPDX-License-Identifier: Apache-2.0
// dot on the GPU backend beyond the common jobs: launch policies, sizes around runs, tiles and chunks, gaps
// and addresses that differ between the inputs, leaves that have to be computed in f64, and sums that do not
// fit.
#include <cstring>
#include <limits>

#include "kernels/operation_cuda.h"
#include "tests/kernels/cuda/cuda_test.h"

namespace tegu::test {
namespace {

using testing_support::Content;
using testing_support::DigestShape;

const cuda::ReducePolicy kPolicies[] = {
    {128, 16, 4, 64 << 20}, {512, 4, 1, 64 << 20}, {256, 16, 2, 1}, {32, 1, 1, 100000}, {64, 2, 3, 4096}};

constexpr ElementType kTypes[] = {
#define TEGU_X(number, Name, word, type) ElementType::Name,
    TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
};

TestInput input_from(const std::vector<float>& values) {
    TestInput input;
    input.bytes.resize(values.size() * sizeof(float));
    std::memcpy(input.bytes.data(), values.data(), input.bytes.size());
    input.row_stride = values.size();
    return input;
}

Job job_of(ElementType type, Axis axis, std::uint64_t rows, std::uint64_t cols, bool skip_nans = false) {
    return Job{type, axis, rows, cols, DotParams{skip_nans}};
}

class CudaDot : public CudaTest {
  protected:
    testing::AssertionResult same(const Job& job, const TestInput& x, const TestInput& y) {
        return same_on_both(context_, job, {x, y});
    }
};

TEST_F(CudaDot, EverySizeAndPolicyGivesTheSameBits) {
    for (const cuda::ReducePolicy& policy : kPolicies) {
        context_.policies.reduce = policy;
        for (const std::uint64_t n :
             {0, 1, 3, 4, 31, 33, 127, 129, 255, 257, 1023, 1025, 4097, 16383, 16385, 40000})
            for (const ElementType type :
                 {ElementType::U8, ElementType::I16, ElementType::I32, ElementType::U64, ElementType::F16,
                  ElementType::F32, ElementType::F64}) {
                const DigestShape shape{1, n, 0, 0};
                ASSERT_TRUE(same(job_of(type, Axis::Whole, 1, n), input_of(type, shape, n),
                                 input_of(type, shape, n + 1)))
                    << element_word(type) << ", n " << n << ", threads " << policy.threads_per_block;
            }
    }
}

TEST_F(CudaDot, LargeBlocksGiveTheSameBits) {
    allow_large_blocks();
    for (const unsigned tiles : {1u, 4u, 16u}) {
        context_.policies.reduce = cuda::ReducePolicy{512, tiles, 2, 64 << 20};
        for (const ElementType type : {ElementType::U8, ElementType::I64, ElementType::F32, ElementType::F64})
            for (const std::uint64_t n : {1025, 16385, 70000}) {
                const DigestShape shape{1, n, 0, 0};
                ASSERT_TRUE(same(job_of(type, Axis::Whole, 1, n), input_of(type, shape, n),
                                 input_of(type, shape, n + 1)))
                    << element_word(type) << ", n " << n << ", tiles " << tiles;
            }
    }
}

TEST_F(CudaDot, RowsOfEveryLengthGiveTheSameBits) {
    for (const std::uint64_t cols : {0, 1, 3, 4, 5, 16, 17, 64, 65, 128, 129, 513, 5000, 17000}) {
        const std::uint64_t rows = cols < 200 ? 70 : 3;
        for (const ElementType type : kTypes) {
            const DigestShape gaps{rows, cols, 3, 0}, dense{rows, cols, 0, 0};
            ASSERT_TRUE(same(job_of(type, Axis::Rows, rows, cols), input_of(type, gaps, cols),
                             input_of(type, dense, 7)))
                << element_word(type) << ", cols " << cols;
        }
    }
}

// The last block of several keeps its own result in shared memory, also if it is one warp.
TEST_F(CudaDot, GroupsOfOneWarpAreClosed) {
    context_.policies.reduce = cuda::ReducePolicy{32, 16, 4, 64 << 20};
    const DigestShape shape{1, 131073, 0, 0};
    EXPECT_TRUE(same(job_of(ElementType::U64, Axis::Whole, 1, shape.cols),
                     input_of(ElementType::U64, shape, 3), input_of(ElementType::U64, shape, 4)));
}

TEST_F(CudaDot, GapsAndAddressesGiveTheSameBits) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{8}})
        for (const std::uint64_t extra : {0, 1, 4, 16})
            for (const ElementType type :
                 {ElementType::U8, ElementType::I16, ElementType::F16, ElementType::F32, ElementType::F64}) {
                const DigestShape one{9, 64, extra, offset}, other{9, 64, 0, 0};
                const Job job = job_of(type, Axis::Whole, 9, 64);
                ASSERT_TRUE(same(job, input_of(type, one, 1), input_of(type, other, 2)))
                    << element_word(type) << ", offset " << offset << ", gap " << extra;
                ASSERT_TRUE(same(job, input_of(type, other, 1), input_of(type, one, 2)))
                    << element_word(type) << ", offset " << offset << ", gap " << extra;
            }
}

TEST_F(CudaDot, SpecialFloatsGiveTheSameBits) {
    for (const ElementType type : {ElementType::F16, ElementType::F32, ElementType::F64})
        for (const Content content : {Content::Special, Content::Wide, Content::Ties})
            for (const bool skip_nans : {false, true})
                for (const std::uint64_t n : {7, 129, 2048, 20000}) {
                    set_thread_order(n);
                    const DigestShape shape{1, n, 0, 0}, rows{40, 11, 0, 0};
                    ASSERT_TRUE(same(job_of(type, Axis::Whole, 1, n, skip_nans),
                                     input_of(type, shape, n, content),
                                     input_of(type, shape, n + 1, content)))
                        << element_word(type) << ", n " << n << ", content " << static_cast<int>(content)
                        << (skip_nans ? ", skip_nans" : "");
                    ASSERT_TRUE(same(job_of(type, Axis::Rows, 40, 11, skip_nans),
                                     input_of(type, rows, n, content), input_of(type, rows, n + 1, content)))
                        << element_word(type) << ", rows, seed " << n << ", content "
                        << static_cast<int>(content);
                }
}

// Infinity times zero, products that overflow f32, NaN on either side.
TEST_F(CudaDot, OneSpecialPairAnywhereGivesTheSameBits) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const float pairs[][2] = {{inf, 0}, {0, nan}, {nan, inf}, {3e38f, 3e38f}, {-0.0f, 1}, {1e-30f, 1e-30f}};
    for (const std::uint64_t n : {37, 1024, 5000})
        for (const auto& pair : pairs)
            for (const float other : {0.0f, 1.5f, 1e20f}) {
                std::vector<float> x(n, other), y(n, other);
                x[n * 2 / 3] = pair[0];
                y[n * 2 / 3] = pair[1];
                for (const bool skip_nans : {false, true})
                    ASSERT_TRUE(same(job_of(ElementType::F32, Axis::Whole, 1, n, skip_nans), input_from(x),
                                     input_from(y)))
                        << "n " << n << ", " << pair[0] << " times " << pair[1] << " among " << other
                        << (skip_nans ? ", skip_nans" : "");
            }
}

TEST_F(CudaDot, IntegerLimitsGiveTheSameBitsAndErrors) {
    for (const ElementType type : kTypes) {
        if (is_float(type)) continue;
        for (const Content content : {Content::Special, Content::Wide})
            for (std::uint64_t seed = 0; seed < 6; ++seed) {
                const std::uint64_t n = seed % 2 == 0 ? 3001 : 2;
                const DigestShape shape{1, n, 0, 0}, rows{50, seed + 1, 0, 0};
                ASSERT_TRUE(same(job_of(type, Axis::Whole, 1, n), input_of(type, shape, seed, content),
                                 input_of(type, shape, seed + 9, content)))
                    << element_word(type) << ", seed " << seed << ", content " << static_cast<int>(content);
                ASSERT_TRUE(same(job_of(type, Axis::Rows, 50, seed + 1), input_of(type, rows, seed, content),
                                 input_of(type, rows, seed + 9, content)))
                    << element_word(type) << ", rows, seed " << seed << ", content "
                    << static_cast<int>(content);
            }
    }
}

TEST_F(CudaDot, NodesOfAPieceGiveTheSameBits) {
    for (const ElementType type : kTypes)
        for (const std::uint64_t n : {std::uint64_t{100}, std::uint64_t{50001}}) {
            const DigestShape shape{1, n, 0, 0};
            const Content content = is_float(type) ? Content::Special : Content::Wide;
            const DotParams params{n % 2 == 0, true, n % 2 == 0, 16384};
            ASSERT_TRUE(same(Job{type, Axis::Whole, 1, n, params}, input_of(type, shape, 1, content),
                             input_of(type, shape, 2, content)))
                << element_word(type) << ", n " << n;
        }
}

TEST_F(CudaDot, LongJobsAreCutIntoLaunches) {
    context_.policies.reduce.launch_bytes = 1;
    const DigestShape rows{5, 3000, 0, 0}, one{1, 60000, 0, 0};
    for (const ElementType type : {ElementType::F32, ElementType::I16}) {
        EXPECT_TRUE(
            same(job_of(type, Axis::Rows, 5, 3000), input_of(type, rows, 1), input_of(type, rows, 2)));
        EXPECT_TRUE(
            same(job_of(type, Axis::Whole, 1, 60000), input_of(type, one, 1), input_of(type, one, 2)));
    }
}

}  // namespace
}  // namespace tegu::test
