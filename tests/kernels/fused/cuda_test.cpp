// SPDX-License-Identifier: Apache-2.0
// fused on the GPU backend beyond the common jobs: every set of parts, in any order, and which error is named
// where several parts fail.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "kernels/operation_cuda.h"
#include "tests/kernels/cuda/compare_backends.h"
#include "tests/kernels/digests/inputs.h"

namespace tegu::test {
namespace {

using testing_support::Content;
using testing_support::DigestShape;

ReduceParams all_statistics() {
    ReduceParams params;
    params.statistics = kAllStatistics;
    params.skip_nans = true;
    return params;
}
HistogramParams bins_of(std::uint32_t bins, bool skip_nans) {
    HistogramParams params;
    params.bins = bins;
    params.skip_nans = skip_nans;
    return params;
}
EntropyParams levels_of(std::uint32_t levels) {
    EntropyParams params;
    params.levels = levels;
    return params;
}
std::vector<FusedPart> all_parts() {
    TopkParams topk;
    topk.k = 3;
    QuantileParams quantile;
    quantile.q = {0.5, 0.1};
    return {levels_of(16), topk, all_statistics(), quantile, bins_of(20, true)};
}

class CudaFused : public testing::Test {
  protected:
    void SetUp() override {
        const char* why_not = "";
        context_ = test_context(&why_not);
        if (context_ == nullptr) GTEST_SKIP() << "no GPU: " << why_not;
    }
    const cuda::Context* context_ = nullptr;
};

TEST_F(CudaFused, EverySetOfPartsGivesTheSameBits) {
    const std::vector<FusedPart> parts = all_parts();
    for (unsigned set = 1; set < 1u << parts.size(); ++set) {
        FusedParams params;
        for (std::size_t i = 0; i < parts.size(); ++i)
            if ((set >> i & 1u) != 0) params.parts.push_back(parts[i]);
        for (const ElementType type :
             {ElementType::U8, ElementType::I16, ElementType::F32, ElementType::F64}) {
            for (const Axis axis : {Axis::Whole, Axis::Rows}) {
                const DigestShape shape{5, 211, 3, 1};
                const Job job{type, axis, shape.rows, shape.cols, params};
                const TestInput input{testing_support::make_digest_input(type, Content::Plain, shape, set),
                                      shape.offset, shape.cols + shape.extra};
                ASSERT_TRUE(same_on_both(*context_, job, {input}))
                    << element_word(type) << ", set " << set << (axis == Axis::Rows ? ", rows" : ", whole");
            }
        }
    }
}

// Statistics, bins and levels from one count of the values: sets of parts, gaps, and extremes that lie
// anywhere.
TEST_F(CudaFused, BytesThatShareTheirCountsGiveTheSameBits) {
    cuda::Context context = *context_;
    context.policies.count.lane_elements = 1;
    HistogramParams ranged = bins_of(7, false);
    ranged.has_range = true;
    ranged.lo = -3;
    ranged.hi = 90.5;
    EntropyParams counts = levels_of(10);
    counts.partial = true;
    const std::vector<std::vector<FusedPart>> sets = {{levels_of(16), all_statistics(), bins_of(20, true)},
                                                      {ranged, all_statistics()},
                                                      {bins_of(3, false), levels_of(256)},
                                                      {all_statistics(), counts, ranged},
                                                      {all_statistics(), bins_of(9, false)}};
    for (const ElementType type : {ElementType::U8, ElementType::I8})
        for (const Content content : {Content::Plain, Content::Wide, Content::Ties, Content::Special})
            for (const DigestShape& shape : {DigestShape{1, 1, 0, 0}, DigestShape{1, 20011, 0, 1},
                                             DigestShape{7, 2113, 0, 0}, DigestShape{5, 211, 3, 1}})
                for (std::size_t set = 0; set < sets.size(); ++set) {
                    FusedParams params;
                    params.parts = sets[set];
                    const Job job{type, Axis::Whole, shape.rows, shape.cols, params};
                    const TestInput input{testing_support::make_digest_input(type, content, shape, set),
                                          shape.offset, shape.cols + shape.extra};
                    ASSERT_TRUE(same_on_both(context, job, {input}))
                        << element_word(type) << ", " << shape.rows << " x " << shape.cols << ", set " << set
                        << ", content " << static_cast<int>(content);
                }
}

// Statistics overflow, histograms meet NaN, entropies meet ranges that f32 cannot divide, in rows of any
// order.
TEST_F(CudaFused, TheErrorOfTheFirstRowIsNamed) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> good = {1, 2, 3, 4}, with_nan = {1, nan, 2, 3}, wide = {-3e38f, 3e38f, 0, 0},
                             both = {-3e38f, 3e38f, nan, 0};
    const std::vector<std::vector<std::vector<float>>> arrays = {{good, with_nan, wide},
                                                                 {good, wide, with_nan},
                                                                 {both, good, wide},
                                                                 {good, good, both},
                                                                 {good, good, wide}};
    for (const auto& rows : arrays) {
        for (const bool entropy_first : {false, true}) {
            FusedParams params;
            params.parts = {bins_of(5, false), all_statistics(), levels_of(9)};
            if (entropy_first) std::swap(params.parts[0], params.parts[2]);
            TestInput input;
            for (const auto& row : rows) {
                const auto* const bytes = reinterpret_cast<const std::byte*>(row.data());
                input.bytes.insert(input.bytes.end(), bytes, bytes + row.size() * sizeof(float));
            }
            input.row_stride = good.size();
            ASSERT_TRUE(same_on_both(
                *context_, Job{ElementType::F32, Axis::Rows, rows.size(), good.size(), params}, {input}));
        }
    }
    const std::vector<std::uint64_t> large(6, ~std::uint64_t{0});
    TestInput input;
    input.bytes.resize(large.size() * sizeof large[0]);
    std::memcpy(input.bytes.data(), large.data(), input.bytes.size());
    input.row_stride = 3;
    FusedParams params;
    params.parts = {levels_of(9), bins_of(5, false), all_statistics()};
    ASSERT_TRUE(same_on_both(*context_, Job{ElementType::U64, Axis::Rows, 2, 3, params}, {input}));
}

}  // namespace
}  // namespace tegu::test
