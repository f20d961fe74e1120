// SPDX-License-Identifier: Apache-2.0
// rowscale on the GPU backend beyond the common jobs: widths around lanes, packs and blocks, launch policies, gaps, addresses, in place.
#include "kernels/cuda/operation.h"
#include "tests/kernels/cuda/cuda_test.h"

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
        const TestInput input{testing_support::make_digest_input(type, content, shape, shape.cols), shape.offset, shape.cols + shape.extra};
        const cuda::RowscalePolicy& policy = context_.policies.rowscale;
        ASSERT_TRUE(same_on_both(context_, job, {input}))
            << element_word(type) << (axis == Axis::Rows ? " rows " : " whole ") << shape.rows << " x " << shape.cols << ", gap " << shape.extra
            << ", offset " << shape.offset << ", content " << static_cast<int>(content) << ", threads " << policy.threads_per_block
            << ", packs " << policy.packs_per_thread;
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

TEST_F(CudaRowscale, GapsOddAddressesAndNanGiveTheSameBits) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{2}, std::size_t{3}, std::size_t{8}})
        for (const std::uint64_t extra : {0, 1, 8})
            for (const ElementType type : kTypes)
                for (const bool skip_nans : {false, true}) {
                    expect_same(type, Axis::Rows, DigestShape{19, 40, extra, offset}, Content::Special, skip_nans);
                    expect_same(type, Axis::Whole, DigestShape{19, 40, extra, offset}, Content::Special, skip_nans);
                }
}

TEST_F(CudaRowscale, EmptyAndSingleShapesGiveTheSameBits) {
    for (const ElementType type : kTypes)
        for (const Axis axis : {Axis::Whole, Axis::Rows})
            for (const auto& shape : {DigestShape{0, 0, 0, 0}, DigestShape{0, 7, 0, 0}, DigestShape{7, 0, 0, 0}, DigestShape{1, 1, 0, 0}, DigestShape{40, 1, 0, 0}})
                expect_same(type, axis, shape, Content::Plain, false);
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
        ASSERT_TRUE(cuda::run_job(job, {&same, 1}, {outputs, 2}, context_, kernels::StopToken()));
        ASSERT_TRUE(cuda::run_job(job, {&other, 1}, {others, 2}, context_, kernels::StopToken()));
        EXPECT_EQ(in_place.download(), values.download()) << cols;
    }
}

}  // namespace
}  // namespace tegu::test
