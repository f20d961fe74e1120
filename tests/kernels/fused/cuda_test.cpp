// SPDX-License-Identifier: Apache-2.0
// fused on the GPU backend beyond the common jobs: every set of parts, in any order, and which error is named
// where several parts fail.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <limits>

#include "kernels/operation_cuda.h"
#include "kernels/registry.h"
#include "tests/kernels/cuda/compare_backends.h"
#include "tests/kernels/cuda/watched_workspace.h"
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

HistogramParams bins_between(std::uint32_t bins, double lo, double hi) {
    HistogramParams params = bins_of(bins, true);
    params.has_range = true;
    params.lo = lo;
    params.hi = hi;
    return params;
}
EntropyParams levels_between(std::uint32_t levels, double lo, double hi, bool partial = false) {
    EntropyParams params = levels_of(levels);
    params.has_range = true;
    params.lo = lo;
    params.hi = hi;
    params.skip_nans = levels % 2 == 0;
    params.partial = partial;
    return params;
}
ReduceParams statistics_of(StatisticSet statistics, bool skip_nans) {
    ReduceParams params;
    params.statistics = statistics;
    params.skip_nans = skip_nans;
    return params;
}
EntropyParams skipping(EntropyParams params) {
    params.skip_nans = true;
    return params;
}

constexpr StatisticSet kMoments = statistic_bit(Statistic::Mean) | statistic_bit(Statistic::Var);
constexpr StatisticSet kExtremes = statistic_bit(Statistic::Minmax) | statistic_bit(Statistic::Argmax);

// Parts that share a read or a count, and parts that nearly do.
std::vector<std::vector<FusedPart>> sharing_sets() {
    return {
        {all_statistics(), bins_between(20, -3.5, 7.25), levels_between(20, -3.5, 7.25)},
        {levels_between(16, 0, 16), statistics_of(kMoments, false), bins_between(16, 0, 16)},
        {statistics_of(kExtremes, true), bins_between(10, 0, 1.1), levels_between(10, 0, 1.1)},
        {statistics_of(statistic_bit(Statistic::Sum), true), levels_between(9, -2, 2, true)},
        {all_statistics(), bins_between(2500, 3, 9), levels_between(2500, 3, 9)},
        {bins_between(256, -100, 156), levels_between(256, -100, 156)},
        {bins_between(7, 0, 14), levels_between(8, 0, 14), statistics_of(kAllStatistics, false)},
        {bins_of(31, true), skipping(levels_of(31))},
        {all_statistics(), bins_of(256, true), skipping(levels_of(256))},
        {statistics_of(kMoments, true), bins_of(10, true), levels_of(12)},
        {statistics_of(kExtremes, false), bins_of(12, true)},
        {all_statistics(), levels_of(40)},
        {all_statistics(), bins_between(6, 2, 2), levels_of(6)},
        {all_statistics(), bins_of(9, false), levels_between(9, -1, 1)},
    };
}

// A context whose jobs share reads of few elements, in launches of few elements, too.
std::vector<cuda::Context> sharing_contexts(const cuda::Context& context) {
    std::vector<cuda::Context> contexts(2, context);
    for (cuda::Context& own : contexts) own.policies.count.lane_elements = 1;
    contexts[1].policies.reduce.launch_bytes = contexts[1].policies.count.launch_bytes = 4096;
    contexts[1].policies.reduce.tiles_per_warp = 2;
    return contexts;
}

TEST_F(CudaFused, ElementsThatAreReadTogetherGiveTheSameBits) {
    const std::vector<cuda::Context> contexts = sharing_contexts(*context_);
    const std::vector<std::vector<FusedPart>> sets = sharing_sets();
    const Content contents[] = {Content::Plain, Content::Wide, Content::Ties, Content::Special};
    std::size_t turn = 0;
    for (const ElementType type :
         {ElementType::F32, ElementType::F16, ElementType::F64, ElementType::U16, ElementType::I16,
          ElementType::U32, ElementType::I32, ElementType::U64, ElementType::I64})
        for (const DigestShape& shape : {DigestShape{1, 1, 0, 0}, DigestShape{1, 33003, 0, 0},
                                         DigestShape{1, 9011, 0, 1}, DigestShape{5, 211, 3, 1}})
            for (std::size_t set = 0; set < sets.size(); ++set)
                // one content after the other where no kernel reads once for all parts
                for (std::size_t c = 0; c < (type == ElementType::F32 ? 4u : 1u); ++c) {
                    const Content content = contents[++turn % 4];
                    FusedParams params;
                    params.parts = sets[set];
                    const Job job{type, Axis::Whole, shape.rows, shape.cols, params};
                    if (!kernels::plan_job(job)) continue;  // f16 has no such range
                    const TestInput input{testing_support::make_digest_input(type, content, shape, set),
                                          shape.offset, shape.cols + shape.extra};
                    ASSERT_TRUE(same_on_both(contexts, job, {input}))
                        << element_word(type) << ", " << shape.rows << " x " << shape.cols << ", set " << set
                        << ", content " << static_cast<int>(content);
                }
}

// Elements on the edges of bins and beside them, where the level is often not the bin; and some outside.
TEST_F(CudaFused, BinsAndLevelsDifferNearEdges) {
    const std::vector<cuda::Context> contexts = sharing_contexts(*context_);
    const float infinity = std::numeric_limits<float>::infinity();
    const float outside[] = {infinity, -infinity, std::numeric_limits<float>::quiet_NaN(),
                             -0.0f,    1e-44f,    3e38f};
    struct Range {
        std::uint32_t bins;
        double lo, hi;
    };
    for (const Range& range : {Range{10, 0, 1}, Range{7, -1.25, 3}, Range{256, 0, 1}, Range{100, 0.5, 0.75},
                               Range{1000, -3e5, 1e6}, Range{3, 1e-30, 2e-30}}) {
        const double step = (range.hi - range.lo) / range.bins;
        TestInput input;
        for (std::uint32_t i = 0; i < 12000; ++i) {
            const auto edge = static_cast<float>(range.lo + i % (range.bins + 1) * step);
            const float beside[] = {edge, std::nextafter(edge, infinity), std::nextafter(edge, -infinity),
                                    i % 5 == 0 ? outside[i / 5 % 6] : edge};
            const auto* const bytes = reinterpret_cast<const std::byte*>(beside);
            input.bytes.insert(input.bytes.end(), bytes, bytes + sizeof beside);
        }
        const std::uint64_t n = input.bytes.size() / sizeof(float);
        input.row_stride = n;
        for (const bool reduces : {false, true}) {
            FusedParams params;
            params.parts = {bins_between(range.bins, range.lo, range.hi),
                            skipping(levels_between(range.bins, range.lo, range.hi, true))};
            if (reduces) params.parts.emplace_back(all_statistics());
            ASSERT_TRUE(same_on_both(contexts, Job{ElementType::F32, Axis::Whole, 1, n, params}, {input}))
                << range.bins << " bins, " << range.lo << " to " << range.hi;
        }
    }
}

// Bins whose counters just fit the shared memory of a block, and do not: by default on boards and servers,
// then with the least that a table may give.
TEST_F(CudaFused, TooManyBinsForABlockAreCountedOneAfterAnother) {
    std::vector<cuda::Context> contexts(2, sharing_contexts(*context_)[0]);
    contexts[1].policies.count.shared_bytes = 1;
    const DigestShape shape{1, 70000, 0, 0};
    for (const std::uint32_t bins :
         {510u, 511u, 512u, 2048u, 6143u, 6144u, 8191u, 8192u, 16384u, 25599u, 25600u, 32768u, 65536u}) {
        FusedParams params;
        params.parts = {bins_between(bins, 0, 65536), levels_between(bins, 0, 65536)};
        const Job job{ElementType::U16, Axis::Whole, 1, shape.cols, params};
        TestInput input;
        input.bytes = testing_support::make_digest_input(job.type, Content::Plain, shape, bins);
        input.row_stride = shape.cols;
        ASSERT_TRUE(same_on_both(contexts, job, {input})) << bins << " bins";
    }
}

TEST_F(CudaFused, StopsBetweenSharedLaunches) {
    const DigestShape shape{1, 60000, 0, 0};
    const std::vector<std::vector<FusedPart>> sets = {
        {all_statistics(), bins_between(16, 0, 16), levels_between(16, 0, 16)},
        {bins_between(16, 0, 16), levels_between(16, 0, 16)},
        {all_statistics(), bins_of(16, true), skipping(levels_of(16))}};
    for (const std::vector<FusedPart>& parts : sets) {
        cuda::Context context = sharing_contexts(*context_)[1];
        context.policies.reduce.launch_bytes = context.policies.count.launch_bytes = 1;
        WatchedWorkspace workspace(context.workspace, 2);
        context.workspace = &workspace;
        FusedParams params;
        params.parts = parts;
        const Job job{ElementType::F32, Axis::Whole, 1, shape.cols, params};
        const DeviceBytes x(testing_support::make_digest_input(job.type, Content::Plain, shape, 1));
        const kernels::InputView view{x.data(), shape.cols};
        const Result<kernels::JobPlan> plan = kernels::plan_job(job);
        ASSERT_TRUE(plan);
        std::deque<DeviceBytes> memory;
        std::vector<kernels::OutputView> outputs;
        for (const ArraySpec& spec : plan->outputs) {
            memory.emplace_back(array_bytes(spec));
            outputs.push_back({memory.back().data()});
        }
        const auto report =
            run_on_device(job, {&view, 1}, {outputs.data(), outputs.size()}, context, workspace.stop());
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().status, Status::Cancelled);
        EXPECT_EQ(workspace.waits(), 2);
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
