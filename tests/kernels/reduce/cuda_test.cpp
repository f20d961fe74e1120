// SPDX-License-Identifier: Apache-2.0
// reduce on the GPU backend beyond the common jobs: launch policies, sizes around runs, tiles and chunks,
// rows of every length, gaps and addresses, inputs where a leaf leaves its fast path, integer totals that do
// not fit, and jobs cut into several launches.
#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/operation_cuda.h"
#include "kernels/statistics/cuda/reduce.h"
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

template <class T>
TestInput input_from(const std::vector<T>& values) {
    TestInput input;
    input.bytes.resize(values.size() * sizeof(T));
    std::memcpy(input.bytes.data(), values.data(), input.bytes.size());
    input.row_stride = values.size();
    return input;
}

Job job_of(ElementType type, Axis axis, std::uint64_t rows, std::uint64_t cols,
           StatisticSet set = kAllStatistics, bool skip_nans = false) {
    return Job{type, axis, rows, cols, ReduceParams{set, skip_nans, 1}};
}

StatisticSet set_of(std::initializer_list<Statistic> statistics) {
    StatisticSet set = 0;
    for (const Statistic statistic : statistics) set |= statistic_bit(statistic);
    return set;
}

class CudaReduce : public CudaTest {
  protected:
    testing::AssertionResult same(const Job& job, const TestInput& input) {
        return same_on_both(context_, job, {input});
    }
};

TEST_F(CudaReduce, EverySizeAndPolicyGivesTheSameBits) {
    for (const cuda::ReducePolicy& policy : kPolicies) {
        context_.policies.reduce = policy;
        for (const std::uint64_t n : {1, 3, 4, 31, 32, 33, 127, 128, 129, 255, 257, 1023, 1024, 1025, 4095,
                                      4097, 16383, 16385, 40000}) {
            for (const ElementType type : {ElementType::U8, ElementType::I16, ElementType::I64,
                                           ElementType::F16, ElementType::F32, ElementType::F64})
                ASSERT_TRUE(same(job_of(type, Axis::Whole, 1, n), input_of(type, {1, n, 0, 0}, n)))
                    << element_word(type) << ", n " << n << ", threads " << policy.threads_per_block;
        }
    }
}

TEST_F(CudaReduce, LargeBlocksGiveTheSameBits) {
    allow_large_blocks();
    for (const unsigned tiles : {1u, 4u, 16u}) {
        context_.policies.reduce = cuda::ReducePolicy{512, tiles, 2, 64 << 20};
        for (const ElementType type :
             {ElementType::U8, ElementType::I64, ElementType::F32, ElementType::F64}) {
            for (const std::uint64_t n : {1025, 16385, 70000})
                ASSERT_TRUE(same(job_of(type, Axis::Whole, 1, n), input_of(type, {1, n, 0, 0}, n)))
                    << element_word(type) << ", n " << n << ", tiles " << tiles;
            ASSERT_TRUE(same(job_of(type, Axis::Rows, 3, 17000), input_of(type, {3, 17000, 1, 0}, 5)))
                << element_word(type) << ", tiles " << tiles;
        }
        // Of floats the sum alone has such blocks.
        for (const std::uint64_t n : {16385, 70000})
            ASSERT_TRUE(same(job_of(ElementType::F32, Axis::Whole, 1, n, statistic_bit(Statistic::Sum)),
                             input_of(ElementType::F32, {1, n, 0, 0}, n)))
                << "n " << n << ", tiles " << tiles;
    }
}

TEST_F(CudaReduce, EmptySegmentsAndNoRowsGiveTheSameBits) {
    const StatisticSet empty =
        set_of({Statistic::Count, Statistic::Sum, Statistic::Nonzero, Statistic::Nans});
    for (const ElementType type : kTypes) {
        EXPECT_TRUE(same(job_of(type, Axis::Whole, 1, 0, empty), input_of(type, {1, 0, 0, 0}, 1)))
            << element_word(type);
        EXPECT_TRUE(same(job_of(type, Axis::Rows, 7, 0, empty), input_of(type, {7, 0, 0, 0}, 1)))
            << element_word(type);
        EXPECT_TRUE(same(job_of(type, Axis::Rows, 0, 5, empty), input_of(type, {0, 5, 0, 0}, 1)))
            << element_word(type);
        EXPECT_TRUE(same(job_of(type, Axis::Rows, 3, 5, statistic_bit(Statistic::Count)),
                         input_of(type, {3, 5, 0, 0}, 1)))
            << element_word(type);
    }
}

TEST_F(CudaReduce, EachStatisticAloneGivesTheSameBits) {
    for (const ElementType type : kTypes)
        for (const StatisticInfo& info : kStatisticInfos)
            for (const bool skip_nans : {false, true}) {
                const DigestShape shape{1, 2500, 0, 0};
                ASSERT_TRUE(
                    same(job_of(type, Axis::Whole, 1, shape.cols, statistic_bit(info.statistic), skip_nans),
                         input_of(type, shape, 5, is_float(type) ? Content::Special : Content::Plain)))
                    << element_word(type) << ", " << info.word << (skip_nans ? ", skip_nans" : "");
            }
}

TEST_F(CudaReduce, NodesOfAPieceGiveTheSameBits) {
    for (const ElementType type : kTypes)
        for (const StatisticSet set : {kAllStatistics, statistic_bit(Statistic::Sum),
                                       set_of({Statistic::Std, Statistic::L1}), set_of({Statistic::Argmin})})
            for (const std::uint64_t n : {std::uint64_t{100}, std::uint64_t{70001}}) {
                const DigestShape shape{1, n, 0, 0};
                ReduceParams params{set, n % 2 == 0, 0};
                params.partial = true;
                params.last = set != kAllStatistics;
                params.offset = static_cast<std::uint32_t>(set == kAllStatistics ? 16384 : 77);
                ASSERT_TRUE(same(Job{type, Axis::Whole, 1, n, params},
                                 input_of(type, shape, n, is_float(type) ? Content::Special : Content::Wide)))
                    << element_word(type) << ", n " << n << ", set " << set;
            }
}

TEST_F(CudaReduce, RowsOfEveryLengthGiveTheSameBits) {
    for (const cuda::ReducePolicy& policy : {kPolicies[0], kPolicies[3]}) {
        context_.policies.reduce = policy;
        for (const std::uint64_t cols :
             {1, 2, 3, 4, 5, 8, 15, 16, 17, 33, 64, 65, 100, 127, 128, 129, 500, 513, 1030, 5000, 17000}) {
            const std::uint64_t rows = cols < 200 ? 70 : 3;
            for (const ElementType type :
                 {ElementType::U8, ElementType::I32, ElementType::F16, ElementType::F32, ElementType::F64})
                for (const std::uint64_t extra : {0, 3}) {
                    const DigestShape shape{rows, cols, extra, 0};
                    ASSERT_TRUE(same(job_of(type, Axis::Rows, rows, cols), input_of(type, shape, cols)))
                        << element_word(type) << ", cols " << cols << ", gap " << extra << ", threads "
                        << policy.threads_per_block;
                }
        }
    }
}

TEST_F(CudaReduce, GapsAndAddressesGiveTheSameBits) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{8}})
        for (const std::uint64_t extra : {0, 1, 4, 16})
            for (const std::uint64_t cols : {53, 64, 1024})
                for (const ElementType type : {ElementType::U8, ElementType::I16, ElementType::F16,
                                               ElementType::F32, ElementType::F64}) {
                    const DigestShape shape{9, cols, extra, offset};
                    ASSERT_TRUE(
                        same(job_of(type, Axis::Whole, 9, cols), input_of(type, shape, offset + extra)))
                        << element_word(type) << ", offset " << offset << ", gap " << extra << ", cols "
                        << cols;
                }
}

// The kernels of loose segments merge extremes with every set that has moments. Here a block closes more
// groups than it has threads for that.
TEST_F(CudaReduce, ManyGroupsOfLooseSegmentsGiveTheSameBits) {
    context_.policies.reduce = {64, 16, 1, 64 << 20};
    context_.limits.multiprocessors = 1;
    const DigestShape shape{3, 1 << 20, 3, 0};
    for (const ElementType type : {ElementType::F16, ElementType::F32, ElementType::F64})
        for (const StatisticSet set : {set_of({Statistic::Var}), set_of({Statistic::L2}),
                                       set_of({Statistic::Argmax}), set_of({Statistic::Sum})})
            ASSERT_TRUE(
                same(job_of(type, Axis::Whole, shape.rows, shape.cols, set), input_of(type, shape, 7)))
                << element_word(type) << ", set " << set;
}

// NaN, infinities, zeros of both signs and subnormals, in leaves that are full and not, in any order of
// threads.
TEST_F(CudaReduce, SpecialFloatsGiveTheSameBits) {
    for (const ElementType type : {ElementType::F16, ElementType::F32, ElementType::F64})
        for (const Content content : {Content::Special, Content::Wide, Content::Ties})
            for (const bool skip_nans : {false, true})
                for (const std::uint64_t n : {7, 129, 2048, 20000}) {
                    set_thread_order(n);
                    ASSERT_TRUE(same(job_of(type, Axis::Whole, 1, n, kAllStatistics, skip_nans),
                                     input_of(type, {1, n, 0, 0}, n, content)))
                        << element_word(type) << ", n " << n << ", content " << static_cast<int>(content)
                        << (skip_nans ? ", skip_nans" : "");
                    ASSERT_TRUE(same(job_of(type, Axis::Rows, 40, 11, kAllStatistics, skip_nans),
                                     input_of(type, {40, 11, 0, 0}, n, content)))
                        << element_word(type) << ", rows, seed " << n << ", content "
                        << static_cast<int>(content);
                }
}

TEST_F(CudaReduce, OneSpecialElementAnywhereGivesTheSameBits) {
    const float inf = std::numeric_limits<float>::infinity();
    const float specials[] = {std::numeric_limits<float>::quiet_NaN(), inf, -inf, 3e38f, -0.0f, 1e-42f};
    for (const std::uint64_t n : {37, 1024, 5000})
        for (const float special : specials)
            for (const float other : {0.0f, 1.0f, -0.0f, 2e-38f, 3e38f}) {
                std::vector<float> values(n, other);
                values[n * 2 / 3] = special;
                for (const bool skip_nans : {false, true})
                    ASSERT_TRUE(same(job_of(ElementType::F32, Axis::Whole, 1, n, kAllStatistics, skip_nans),
                                     input_from(values)))
                        << "n " << n << ", " << special << " among " << other
                        << (skip_nans ? ", skip_nans" : "");
            }
}

TEST_F(CudaReduce, OrderedAndConstantInputsGiveTheSameBits) {
    for (const int step : {-1, 0, 1}) {
        std::vector<float> floats(20000);
        std::vector<std::int16_t> shorts(20000);
        std::vector<double> large(20000);
        for (std::size_t i = 0; i < floats.size(); ++i) {
            floats[i] = static_cast<float>(step * static_cast<int>(i)) * 0.37f;
            shorts[i] = static_cast<std::int16_t>(step * static_cast<int>(i));
            large[i] = 1e15 + step * static_cast<double>(i);
        }
        EXPECT_TRUE(same(job_of(ElementType::F32, Axis::Whole, 1, floats.size()), input_from(floats)))
            << step;
        EXPECT_TRUE(same(job_of(ElementType::I16, Axis::Whole, 1, shorts.size()), input_from(shorts)))
            << step;
        EXPECT_TRUE(same(job_of(ElementType::F64, Axis::Whole, 1, large.size()), input_from(large))) << step;
    }
}

// Sums and squares at the edge of 64, 128 and 192 bits, and those that fail, in the words of the CPU.
TEST_F(CudaReduce, IntegerLimitsGiveTheSameBitsAndErrors) {
    for (const ElementType type : {ElementType::U8, ElementType::I8, ElementType::U32, ElementType::I32,
                                   ElementType::U64, ElementType::I64})
        for (const Content content : {Content::Special, Content::Wide})
            for (const StatisticSet set :
                 {kAllStatistics, kAllStatistics & ~set_of({Statistic::Sum, Statistic::L1})})
                for (std::uint64_t seed = 0; seed < 3; ++seed) {
                    ASSERT_TRUE(same(job_of(type, Axis::Whole, 1, 3001, set),
                                     input_of(type, {1, 3001, 0, 0}, seed, content)))
                        << element_word(type) << ", seed " << seed << ", content "
                        << static_cast<int>(content);
                    ASSERT_TRUE(same(job_of(type, Axis::Rows, 50, 9, set),
                                     input_of(type, {50, 9, 0, 0}, seed, content)))
                        << element_word(type) << ", rows, seed " << seed << ", content "
                        << static_cast<int>(content);
                }
}

// More groups than are closed at once, in several launches.
TEST_F(CudaReduce, ManyGroupsAreClosedInFans) {
    context_.limits.multiprocessors = 1;
    for (const cuda::ReducePolicy& policy :
         {cuda::ReducePolicy{32, 16, 1, 1 << 20}, cuda::ReducePolicy{128, 4, 1, 4 << 20}}) {
        context_.policies.reduce = policy;
        const std::uint64_t n =
            16384 * (std::uint64_t{cuda::closing_of(2, policy.threads_per_block, 2).fan} + 1) + 5;
        EXPECT_TRUE(
            same(job_of(ElementType::F32, Axis::Whole, 1, n, set_of({Statistic::Sum, Statistic::Argmin})),
                 input_of(ElementType::F32, {1, n, 0, 0}, 3)));
        EXPECT_TRUE(
            same(job_of(ElementType::F32, Axis::Whole, 1, n / 3, set_of({Statistic::Var, Statistic::Argmax})),
                 input_of(ElementType::F32, {1, n / 3, 0, 0}, 4)));
    }
}

// The last block of several keeps its own result in shared memory, also if it is one warp.
TEST_F(CudaReduce, GroupsOfOneWarpAreClosed) {
    context_.policies.reduce = cuda::ReducePolicy{32, 16, 4, 64 << 20};
    const std::uint64_t n = 131073;
    for (const ElementType type : {ElementType::I64, ElementType::U64})
        for (const Statistic statistic : {Statistic::Sum, Statistic::L2, Statistic::Min})
            EXPECT_TRUE(
                same(job_of(type, Axis::Whole, 1, n, set_of({statistic})), input_of(type, {1, n, 0, 0}, 3)));
}

// A job that was stopped leaves counters as they are.
TEST_F(CudaReduce, CountersThatWereNotLeftZeroDoNotShow) {
    const std::vector<std::uint32_t> used(1024, 3);
    const std::size_t bytes = used.size() * sizeof used[0];
    const TestInput input = input_of(ElementType::F32, {1, 40000, 0, 0}, 3);
    context_.policies.reduce = cuda::ReducePolicy{512, 1, 1, 1};
    const Job job = job_of(ElementType::F32, Axis::Whole, 1, 40000);
    EXPECT_TRUE(same(job, input));
    const Result<void*> counters = context_.workspace->take_counters(bytes);
    ASSERT_TRUE(counters);
    ASSERT_TRUE(context_.workspace->write(*counters, used.data(), bytes));
    ASSERT_TRUE(context_.workspace->synchronize());
    EXPECT_TRUE(same(job, input));
}

TEST_F(CudaReduce, ManySeparateSegmentsAreCutIntoLaunches) {
    context_.policies.reduce.launch_bytes = 1;
    const DigestShape shape{5, 3000, 0, 0};
    EXPECT_TRUE(same(job_of(ElementType::F32, Axis::Rows, 5, 3000), input_of(ElementType::F32, shape, 1)));
    EXPECT_TRUE(same(job_of(ElementType::U64, Axis::Rows, 5, 3000, statistic_bit(Statistic::Sum)),
                     input_of(ElementType::U64, shape, 1, Content::Special)));
    context_.policies.reduce = cuda::ReducePolicy{128, 4, 1, 1};
    EXPECT_TRUE(same(job_of(ElementType::F32, Axis::Rows, 2, 34000),
                     input_of(ElementType::F32, {2, 34000, 0, 0}, 1)));
}

}  // namespace
}  // namespace tegu::test
