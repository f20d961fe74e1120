// SPDX-License-Identifier: Apache-2.0
// rowscale on the GPU backend beyond the common jobs: widths around lanes, packs and blocks, launch policies,
// gaps, addresses, in place.
#include "tests/kernels/cuda/cuda_test.h"
#include "kernels/operation_cuda.h"
#include "tests/kernels/cuda/watched_workspace.h"

namespace tegu::test {
namespace {

using testing_support::Content;
using testing_support::DigestShape;

const cuda::RowscalePolicy kPolicies[] = {{256, 4, 8}, {32, 1, 1}, {64, 2, 1}, {128, 4, 2}, {512, 1, 1}};
const ElementType kTypes[] = {ElementType::F16, ElementType::F32, ElementType::F64};

class CudaRowscale : public CudaTest {
  protected:
    void expect_same(ElementType type, Axis axis, const DigestShape& shape, Content content, bool skip_nans) {
        const Job job{type, axis, shape.rows, shape.cols, RowscaleParams{skip_nans}};
        const TestInput input{testing_support::make_digest_input(type, content, shape, shape.cols),
                              shape.offset, shape.cols + shape.extra};
        const cuda::RowscalePolicy& policy = context_.policies.rowscale;
        ASSERT_TRUE(same_on_both(context_, job, {input}))
            << element_word(type) << (axis == Axis::Rows ? " rows " : " whole ") << shape.rows << " x "
            << shape.cols << ", gap " << shape.extra << ", offset " << shape.offset << ", content "
            << static_cast<int>(content) << ", threads " << policy.threads_per_block << ", packs "
            << policy.packs_per_thread;
    }
};

TEST_F(CudaRowscale, EveryWidthAndPolicyGivesTheSameBits) {
    for (const cuda::RowscalePolicy& policy : kPolicies) {
        context_.policies.rowscale = policy;
        for (const std::uint64_t cols : {1, 2, 3, 4, 8, 31, 32, 33, 127, 128, 129, 256, 511, 1024, 2050}) {
            for (const ElementType type : kTypes) {
                expect_same(type, Axis::Rows, DigestShape{5, cols, 0, 0}, Content::Plain, false);
                expect_same(type, Axis::Whole, DigestShape{5, cols, 0, 0}, Content::Special, true);
            }
        }
    }
}

// Dense rows that share packs: any number of rows, so that the last packs are cut.
TEST_F(CudaRowscale, JointRowsGiveTheSameBits) {
    for (const cuda::RowscalePolicy& policy : kPolicies) {
        context_.policies.rowscale = policy;
        for (const std::uint64_t cols : {3, 5, 7, 9, 31, 33, 97, 127})
            for (const std::uint64_t rows : {2, 7, 8, 31})
                for (const ElementType type : kTypes) {
                    expect_same(type, Axis::Rows, DigestShape{rows, cols, 0, 0}, Content::Special, false);
                    expect_same(type, Axis::Rows, DigestShape{rows, cols, 0, 0}, Content::Special, true);
                    expect_same(type, Axis::Rows, DigestShape{rows, cols, 0, 0}, Content::Plain, false);
                }
    }
}

// Rows that many blocks share: as on a device with a large cache, more parts than blocks, and fewer.
TEST_F(CudaRowscale, TrailingDivisionGivesTheSameBits) {
    context_.limits.l2_bytes = 64 << 20;
    context_.policies.rowscale = {32, 1, 1};
    for (const ElementType type : kTypes)
        for (const auto& shape :
             {DigestShape{2, 4104, 0, 0}, DigestShape{9, 4104, 3, 0}, DigestShape{5, 9000, 0, 0}}) {
            expect_same(type, Axis::Rows, shape, Content::Special, true);
            expect_same(type, Axis::Rows, shape, Content::Special, false);
            expect_same(type, Axis::Rows, shape, Content::Plain, false);
        }
    context_.policies.rowscale = {32, 1, 1, 50000};  // several launches use the same words
    expect_same(ElementType::F32, Axis::Rows, DigestShape{9, 9000, 0, 0}, Content::Plain, false);
}

TEST_F(CudaRowscale, GapsOddAddressesAndNanGiveTheSameBits) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{2}, std::size_t{3}, std::size_t{8}})
        for (const std::uint64_t extra : {0, 1, 8})
            for (const ElementType type : kTypes)
                for (const bool skip_nans : {false, true}) {
                    expect_same(type, Axis::Rows, DigestShape{19, 40, extra, offset}, Content::Special,
                                skip_nans);
                    expect_same(type, Axis::Whole, DigestShape{19, 40, extra, offset}, Content::Special,
                                skip_nans);
                }
}

TEST_F(CudaRowscale, EmptyAndSingleShapesGiveTheSameBits) {
    for (const ElementType type : kTypes)
        for (const Axis axis : {Axis::Whole, Axis::Rows})
            for (const auto& shape :
                 {DigestShape{0, 0, 0, 0}, DigestShape{0, 7, 0, 0}, DigestShape{7, 0, 0, 0},
                  DigestShape{1, 1, 0, 0}, DigestShape{40, 1, 0, 0}})
                expect_same(type, axis, shape, Content::Plain, false);
}

// Rows that blocks read twice, and rows that are spread, each for every type and width of access.
TEST_F(CudaRowscale, LongRowsGiveTheSameBits) {
    for (const cuda::RowscalePolicy& policy :
         {cuda::RowscalePolicy{256, 1, 4}, cuda::RowscalePolicy{32, 1, 1},
          cuda::RowscalePolicy{1024, 1, 2}}) {
        context_.policies.rowscale = policy;
        for (const ElementType type : kTypes)
            for (const std::uint64_t rows : {3, 9})
                for (const std::uint64_t extra : {0, 3}) {
                    expect_same(type, Axis::Rows, DigestShape{rows, 8200, extra, 0}, Content::Special, true);
                    expect_same(type, Axis::Rows, DigestShape{rows, 8200, extra, 0}, Content::Plain, false);
                }
    }
}

TEST_F(CudaRowscale, SeveralLaunchesGiveTheSameBits) {
    for (const std::uint64_t launch_bytes : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{7000}}) {
        context_.policies.rowscale = {64, 2, 2, launch_bytes};
        for (const ElementType type : kTypes)
            for (const auto& shape :
                 {DigestShape{50, 33, 0, 0}, DigestShape{7, 300, 8, 0}, DigestShape{3, 9000, 1, 8},
                  DigestShape{2, 1000, 0, 0}, DigestShape{0, 5, 0, 0}}) {
                expect_same(type, Axis::Rows, shape, Content::Special, true);
                expect_same(type, Axis::Whole, shape, Content::Plain, false);
            }
    }
}

TEST_F(CudaRowscale, StopsBetweenLaunches) {
    context_.policies.rowscale.launch_bytes = 1;
    for (const Axis axis : {Axis::Rows, Axis::Whole}) {
        const DigestShape shape{50, 1000, 0, 0};  // as one row more than a block holds
        WatchedWorkspace workspace(context_.workspace, 3);
        cuda::Context context = context_;
        context.workspace = &workspace;
        const TestInput input = input_of(ElementType::F32, shape, 1);
        const DeviceBytes x(input.bytes), values(4 * 50000), scales(4 * 50);
        const kernels::InputView view{x.data(), input.row_stride};
        const kernels::OutputView outputs[] = {{values.data()}, {scales.data()}};
        const auto report = run_on_device(Job{ElementType::F32, axis, 50, 1000, RowscaleParams{}}, {&view, 1},
                                          {outputs, 2}, context, workspace.stop());
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().status, Status::Cancelled);
        EXPECT_EQ(workspace.waits(), 3);
    }
}

TEST(RowscaleShape, EveryRowHasSomebodyToScaleIt) {
    const cuda::DeviceLimits devices[] = {{53, 1, 2048, 48 << 10, 256 << 10},
                                          {90, 132, 2048, 227 << 10, 50 << 20}};
    for (const cuda::DeviceLimits& limits : devices)
        for (const cuda::RowscalePolicy& policy : kPolicies)
            for (const std::uint64_t rows : {std::uint64_t{1}, std::uint64_t{600}, std::uint64_t{1000000}})
                for (const std::uint64_t cols : {std::uint64_t{1}, std::uint64_t{128}, std::uint64_t{4096},
                                                 std::uint64_t{65536}, std::uint64_t{100000000}}) {
                    const cuda::RowscaleArrays arrays{nullptr, nullptr, nullptr, nullptr, rows,
                                                      cols,    cols,    1,       false};
                    const cuda::RowscaleShape shape =
                        cuda::rowscale_shape(ElementType::F32, arrays, policy, limits);
                    ASSERT_TRUE(shape.threads >= 32 && shape.threads <= 1024 && shape.threads % 32 == 0);
                    ASSERT_TRUE(shape.pack == 1 || (shape.pack == 4 && cols % 4 == 0));
                    const bool held = shape.method == cuda::RowscaleMethod::Group ||
                                      shape.method == cuda::RowscaleMethod::Block;
                    if (held) {
                        ASSERT_GE(std::uint64_t{shape.lanes} * shape.packs * shape.pack, cols);
                        ASSERT_LE(shape.packs, policy.packs_per_thread);
                    }
                    ASSERT_EQ(shape.method == cuda::RowscaleMethod::Group,
                              cols <= 32 * shape.pack * policy.packs_per_thread);
                    if (cols == 65536) {
                        const bool large_cache = limits.l2_bytes > 1 << 20;
                        ASSERT_EQ(shape.method, rows < 600    ? cuda::RowscaleMethod::Spread
                                                : large_cache ? cuda::RowscaleMethod::Trail
                                                              : cuda::RowscaleMethod::Sweeps);
                    }
                    if (cols == 100000000) {
                        ASSERT_EQ(shape.method, cuda::RowscaleMethod::Spread);
                    }
                }
}

// More lines than the y of a grid.
TEST_F(CudaRowscale, VeryManyRowsGiveTheSameBits) {
    context_.policies.rowscale = {32, 1, 1};
    const std::uint64_t rows = 66000;
    const DigestShape shape{rows, 1, 1, 0};
    expect_same(ElementType::F16, Axis::Whole, shape, Content::Plain, false);
}

TEST_F(CudaRowscale, InPlaceGivesWhatTheCpuGives) {
    const std::uint64_t rows = 9;
    for (const std::uint64_t cols : {40, 700, 5000}) {
        const DigestShape shape{rows, cols, 0, 0};
        const auto bytes = testing_support::make_digest_input(ElementType::F32, Content::Plain, shape, 5);
        const Job job{ElementType::F32, Axis::Rows, rows, cols, RowscaleParams{}};
        const DeviceBytes in_place(bytes);
        const DeviceBytes apart(bytes);
        const DeviceBytes values(4 * rows * cols);
        const DeviceBytes scales(4 * rows);
        const kernels::OutputView outputs[] = {{in_place.data()}, {scales.data()}};
        const kernels::OutputView others[] = {{values.data()}, {scales.data()}};
        const kernels::InputView same{in_place.data(), cols};
        const kernels::InputView other{apart.data(), cols};
        ASSERT_TRUE(run_on_device(job, {&same, 1}, {outputs, 2}, context_, kernels::StopToken()));
        ASSERT_TRUE(run_on_device(job, {&other, 1}, {others, 2}, context_, kernels::StopToken()));
        EXPECT_EQ(in_place.download(), values.download()) << cols;
    }
}

}  // namespace
}  // namespace tegu::test
