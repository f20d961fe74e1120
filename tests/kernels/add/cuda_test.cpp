// SPDX-License-Identifier: Apache-2.0
// add on the GPU backend beyond the common jobs: launch policies, sizes around packs, gaps and addresses, in
// place, sums that do not fit.
#include <cstring>

#include "kernels/operation_cuda.h"
#include "tests/kernels/cuda/cuda_test.h"
#include "tests/kernels/cuda/watched_workspace.h"

namespace tegu::test {
namespace {

using testing_support::Content;
using testing_support::DigestShape;

const cuda::AddPolicy kPolicies[] = {{256, 4, 8}, {32, 1, 1}, {1024, 2, 1}, {96, 4, 2}, {512, 1, 3}};

class CudaAdd : public CudaTest {
  protected:
};

TEST_F(CudaAdd, EverySizeAndPolicyGivesTheSameBits) {
    for (const cuda::AddPolicy& policy : kPolicies) {
        context_.policies.add = policy;
        for (const std::uint64_t n : {0, 1, 3, 4, 5, 15, 16, 17, 31, 33, 127, 128, 129, 1023, 4097, 20001}) {
            for (const ElementType type :
                 {ElementType::U8, ElementType::I16, ElementType::F16, ElementType::F32, ElementType::I64}) {
                const DigestShape shape{1, n, 0, 0};
                Job job{type, Axis::Whole, 1, n, AddParams{}};
                ASSERT_TRUE(same_on_both(context_, job, {input_of(type, shape, 1), input_of(type, shape, 2)}))
                    << element_word(type) << ", n " << n << ", threads " << policy.threads_per_block;
            }
        }
    }
}

TEST_F(CudaAdd, RowsWithGapsAndOddAddressesGiveTheSameBits) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{8}}) {
        for (const std::uint64_t extra : {0, 1, 3, 8}) {
            for (const ElementType type :
                 {ElementType::U8, ElementType::F16, ElementType::I32, ElementType::F64}) {
                const DigestShape shape{37, 53, extra, offset};
                const DigestShape dense{37, 53, 0, 0};
                Job job{type, Axis::Whole, 37, 53, AddParams{}};
                ASSERT_TRUE(same_on_both(context_, job, {input_of(type, shape, 3), input_of(type, dense, 4)}))
                    << element_word(type) << ", offset " << offset << ", gap " << extra;
            }
        }
    }
}

// The first of several sums that do not fit, wherever they lie.
TEST_F(CudaAdd, SumThatDoesNotFitIsNamedAsTheCpuNamesIt) {
    for (const ElementType type : {ElementType::U8, ElementType::I8, ElementType::U32, ElementType::I32,
                                   ElementType::U64, ElementType::I64}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const DigestShape shape{3, 333, seed % 2, 0};
            Job job{type, Axis::Whole, 3, 333, AddParams{}};
            set_thread_order(seed);
            ASSERT_TRUE(same_on_both(context_, job,
                                     {input_of(type, shape, seed, Content::Special),
                                      input_of(type, shape, seed + 50, Content::Special)}))
                << element_word(type) << ", seed " << seed;
        }
    }
}

TEST_F(CudaAdd, SeveralLaunchesGiveTheSameBitsAndErrors) {
    for (const std::uint64_t launch_bytes : {std::uint64_t{1}, std::uint64_t{500}, std::uint64_t{3000}}) {
        context_.policies.add = {64, 2, 2, launch_bytes};
        for (const ElementType type :
             {ElementType::U8, ElementType::I8, ElementType::F16, ElementType::I32, ElementType::F64})
            for (const auto& shape : {DigestShape{1, 5001, 0, 0}, DigestShape{9, 555, 3, 0},
                                      DigestShape{50, 9, 0, 1}, DigestShape{0, 5, 0, 0}})
                for (const Content content : {Content::Plain, Content::Special}) {
                    const Job job{type, Axis::Whole, shape.rows, shape.cols, AddParams{}};
                    ASSERT_TRUE(
                        same_on_both(context_, job,
                                     {input_of(type, shape, 5, content), input_of(type, shape, 6, content)}))
                        << element_word(type) << ", " << shape.rows << " x " << shape.cols << ", launches of "
                        << launch_bytes << " bytes";
                }
    }
}

TEST_F(CudaAdd, StopsBetweenLaunches) {
    context_.policies.add.launch_bytes = 1;
    WatchedWorkspace workspace(context_.workspace, 3);
    context_.workspace = &workspace;
    const TestInput x = input_of(ElementType::F32, {1, 5000, 0, 0}, 1);
    const DeviceBytes memory(x.bytes), sum(4 * 5000);
    const kernels::InputView views[] = {{memory.data(), 5000}, {memory.data(), 5000}};
    const kernels::OutputView output{sum.data()};
    const auto report = run_on_device(Job{ElementType::F32, Axis::Whole, 1, 5000, AddParams{}}, {views, 2},
                                      {&output, 1}, context_, workspace.stop());
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().status, Status::Cancelled);
    EXPECT_EQ(workspace.waits(), 3);
}

TEST_F(CudaAdd, InPlaceGivesTheSameBitsAndErrors) {
    const std::uint64_t n = 1000;
    const auto x = testing_support::make_digest_input(ElementType::I32, Content::Plain, {1, n, 0, 0}, 7);
    Job job{ElementType::I32, Axis::Whole, 1, n, AddParams{}};
    const DeviceBytes memory(x);
    const kernels::InputView inputs[] = {{memory.data(), n}, {memory.data(), n}};
    const kernels::OutputView output{memory.data()};
    const auto done = run_on_device(job, {inputs, 2}, {&output, 1}, context_, kernels::StopToken());
    ASSERT_TRUE(done) << done.error().message;
    const std::vector<std::byte> doubled = memory.download();
    for (std::size_t i = 0; i < n; ++i) {
        std::int32_t before, after;
        std::memcpy(&before, x.data() + 4 * i, 4);
        std::memcpy(&after, doubled.data() + 4 * i, 4);
        ASSERT_EQ(after, 2 * before) << i;
    }
    const std::vector<std::int32_t> large(n, 1500000000);
    std::vector<std::byte> bytes(4 * n);
    std::memcpy(bytes.data(), large.data(), bytes.size());
    const DeviceBytes too_large(bytes);
    const kernels::InputView same[] = {{too_large.data(), n}, {too_large.data(), n}};
    const kernels::OutputView over{too_large.data()};
    const auto failed = run_on_device(job, {same, 2}, {&over, 1}, context_, kernels::StopToken());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().status, Status::Overflow);
    EXPECT_EQ(failed.error().message, "the sum at index 0 is 3000000000 and does not fit i32");
}

}  // namespace
}  // namespace tegu::test
