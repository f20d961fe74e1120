// SPDX-License-Identifier: Apache-2.0
// Fused jobs: every set of parts, in several orders, gives to the bit what the parts give alone; the number
// of passes; what is refused.
#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include "tests/kernels/counting/counting_run.h"

namespace tegu::test {
namespace {

using kernels::JobPlan;
using kernels::plan_job;
using kernels::StopToken;
using kernels::ThreadPool;

ReduceParams reduce_part(ElementType type, bool skip_nans = false) {
    ReduceParams params;
    params.statistics = kAllStatistics;
    if (element_bytes(type) == 8 && !is_float(type))  // sums of any 64-bit integers do not fit
        params.statistics &= ~(statistic_bit(Statistic::Sum) | statistic_bit(Statistic::L1));
    params.skip_nans = skip_nans;
    return params;
}

HistogramParams histogram_part(bool has_range, std::uint32_t bins = 50) {
    HistogramParams params;
    params.bins = bins;
    params.has_range = has_range;
    params.lo = has_range ? -9.5 : 0;
    params.hi = has_range ? 12.25 : 0;
    params.skip_nans = true;
    return params;
}

EntropyParams entropy_part(bool has_range, std::uint32_t levels = 64) {
    EntropyParams params;
    params.levels = levels;
    params.has_range = has_range;
    params.lo = has_range ? -3 : 0;
    params.hi = has_range ? 20 : 0;
    params.skip_nans = true;
    return params;
}

Job alone(const Job& job, const FusedPart& part) {
    Job single = job;
    std::visit([&](const auto& params) { single.params = params; }, part);
    return single;
}

// Runs the parts together and each alone, over the same memory.
void expect_same_bits(Job job, const std::vector<FusedPart>& parts, const void* data, std::uint64_t stride,
                      ThreadPool* pool) {
    job.params = FusedParams{parts};
    const Ran fused = run_counting(job, data, stride, pool);
    SCOPED_TRACE(std::string(element_word(job.type)) + " rows " + std::to_string(job.rows) + " cols " +
                 std::to_string(job.cols) + " parts " + std::to_string(parts.size()));
    std::vector<Ran> singles;
    for (const FusedPart& part : parts)
        singles.push_back(run_counting(alone(job, part), data, stride, nullptr));
    for (const Ran& single : singles)
        if (!single.report.ok()) {
            ASSERT_FALSE(fused.report.ok());
            EXPECT_EQ(fused.report.error().status, single.report.error().status);
            EXPECT_EQ(fused.report.error().field, single.report.error().field);
            return;
        }
    std::size_t next = 0;
    for (const Ran& single : singles) {
        ASSERT_TRUE(fused.report.ok()) << fused.report.error().message;
        ASSERT_LE(next + single.arrays.size(), fused.arrays.size());
        for (std::size_t i = 0; i < single.arrays.size(); ++i, ++next) {
            EXPECT_EQ(fused.plan.outputs[next].role, single.plan.outputs[i].role);
            EXPECT_EQ(fused.plan.outputs[next].type, single.plan.outputs[i].type);
            EXPECT_EQ(fused.report->filled_columns[next], single.report->filled_columns[i]);
            EXPECT_EQ(fused.arrays[next], single.arrays[i]) << "array " << next;
        }
    }
    EXPECT_EQ(next, fused.arrays.size());
}

template <class T>
class FusedOf : public RandomWithPools<77> {};
TYPED_TEST_SUITE(FusedOf, EveryType);

TYPED_TEST(FusedOf, EverySetOfPartsHasTheBitsOfThePartsAlone) {
    SCOPED_TRACE("seed " + std::to_string(this->seed_));
    constexpr ElementType kType = ElementTypeOf<TypeParam>::value;
    TopkParams topk;
    topk.k = 5;
    topk.distinct = true;
    QuantileParams quantile;
    quantile.q = {0.5, 0.25};
    int turn = 0;
    for (const std::size_t n : {5, 64, 1025, 40000})
        for (int set = 1; set < 32; ++set)
            for (const bool ranges : {false, true}) {
                const std::vector<TypeParam> x =
                    elements_of<TypeParam>(this->random_, n, turn % 2 == 0 ? Fill::Small : Fill::Runs);
                std::vector<FusedPart> parts;
                if (set & 1) parts.emplace_back(reduce_part(kType, ranges));
                if (set & 2) parts.emplace_back(histogram_part(ranges));
                if (set & 4) parts.emplace_back(entropy_part(ranges));
                if (set & 8) parts.emplace_back(topk);
                if (set & 16) parts.emplace_back(quantile);
                if (turn % 3 == 0) std::reverse(parts.begin(), parts.end());
                expect_same_bits(counting_job(kType, Axis::Whole, 1, n, {}), parts, x.data(), n,
                                 this->pools_[++turn % 3]);
            }
}

TYPED_TEST(FusedOf, LongSegmentsRowsAndStrides) {
    SCOPED_TRACE("seed " + std::to_string(this->seed_));
    constexpr ElementType kType = ElementTypeOf<TypeParam>::value;
    struct Shape {
        std::uint64_t rows, cols, gap;
    };
    for (const Shape& shape : {Shape{1, 600001, 0}, Shape{3, 300000, 7}, Shape{40, 1500, 0},
                               Shape{200, 33, 5}, Shape{7, 20000, 1}}) {
        const std::uint64_t stride = shape.cols + shape.gap;
        const std::vector<TypeParam> x =
            elements_of<TypeParam>(this->random_, shape.rows * stride, Fill::Small);
        for (const Axis axis : {Axis::Whole, Axis::Rows})
            for (ThreadPool* pool : this->pools_) {
                const Job job = counting_job(kType, axis, shape.rows, shape.cols, {});
                expect_same_bits(job, {reduce_part(kType), histogram_part(true), entropy_part(true)},
                                 x.data(), stride, pool);
                expect_same_bits(job, {histogram_part(false), entropy_part(false, 300), reduce_part(kType)},
                                 x.data(), stride, pool);
            }
    }
}

// Bytes that are not aligned for the type, with NaN and infinities among the values.
TYPED_TEST(FusedOf, AnyBitsAtAnyAddress) {
    SCOPED_TRACE("seed " + std::to_string(this->seed_));
    constexpr ElementType kType = ElementTypeOf<TypeParam>::value;
    const std::vector<TypeParam> x = elements_of<TypeParam>(this->random_, 50000, Fill::Bits);
    std::vector<std::byte> memory(x.size() * sizeof(TypeParam) + 1);
    std::memcpy(memory.data() + 1, x.data(), x.size() * sizeof(TypeParam));
    for (ThreadPool* pool : this->pools_)
        expect_same_bits(counting_job(kType, Axis::Whole, 1, x.size(), {}),
                         {reduce_part(kType), histogram_part(true), entropy_part(true)}, memory.data() + 1,
                         x.size(), pool);
    expect_same_bits(counting_job(kType, Axis::Whole, 1, x.size(), {}),
                     {reduce_part(kType), histogram_part(false)}, memory.data() + 1, x.size(), nullptr);
}

unsigned passes_of(const Job& job, const void* data) {
    const Ran ran = run_counting(job, data);
    EXPECT_TRUE(ran.report.ok());
    return static_cast<unsigned>(std::stoul(std::string(ran.report->policy.find("passes"))));
}

TEST(Fused, StatisticsHistogramAndEntropyAreOneReadWhereTheRangeIsKnown) {
    const std::vector<float> x(100000, 1.5f);
    const std::vector<std::uint8_t> bytes(100000, 3);
    const auto job = [](ElementType type, std::vector<FusedPart> parts) {
        return counting_job(type, Axis::Whole, 1, 100000, FusedParams{std::move(parts)});
    };
    const ReduceParams reduce = reduce_part(ElementType::F32);
    EXPECT_EQ(passes_of(job(ElementType::F32, {reduce, histogram_part(true), entropy_part(true)}), x.data()),
              1u);
    EXPECT_EQ(
        passes_of(job(ElementType::F32, {reduce, histogram_part(false), entropy_part(false)}), x.data()), 2u);
    EXPECT_EQ(
        passes_of(job(ElementType::U8, {reduce, histogram_part(false), entropy_part(false)}), bytes.data()),
        1u);
    TopkParams topk;
    topk.k = 1;
    EXPECT_EQ(passes_of(job(ElementType::U8, {topk, reduce}), bytes.data()), 2u);
    EXPECT_EQ(passes_of(job(ElementType::U8, {topk}), bytes.data()), 1u);

    const Result<JobPlan> one =
        plan_job(job(ElementType::F32, {reduce, histogram_part(true), entropy_part(true)}));
    const Result<JobPlan> two =
        plan_job(job(ElementType::F32, {reduce, histogram_part(false), entropy_part(true)}));
    ASSERT_TRUE(one.ok());
    ASSERT_TRUE(two.ok());
    EXPECT_EQ(one->bytes_read, 400000u);
    EXPECT_EQ(two->bytes_read, 800000u);
    std::uint64_t written = 0;
    for (const ArraySpec& output : one->outputs) written += array_bytes(output);
    EXPECT_EQ(one->bytes_written, written);
    EXPECT_LT(one->scratch_bytes, 4u << 20);
    EXPECT_FALSE(one->in_place);
}

Error error_of(std::vector<FusedPart> parts, std::uint64_t n = 10) {
    const Result<JobPlan> plan =
        plan_job(counting_job(ElementType::F32, Axis::Whole, 1, n, FusedParams{std::move(parts)}));
    EXPECT_FALSE(plan.ok());
    return plan ? Error{} : plan.error();
}

TEST(FusedPlan, RefusesNoPartsAndPartsThatAreThereTwice) {
    const Error none = error_of({});
    EXPECT_EQ(none.status, Status::BadRequest);
    EXPECT_EQ(none.field, "parts");
    EXPECT_NE(none.allowed.find("histogram"), std::string::npos);
    const Error twice = error_of({histogram_part(true), entropy_part(true), histogram_part(false)});
    EXPECT_EQ(twice.status, Status::BadRequest);
    EXPECT_EQ(twice.field, "parts");
    EXPECT_NE(twice.message.find("histogram"), std::string::npos);
}

TEST(FusedPlan, RefusesWhatAPartRefusesAndSaysWhichPart) {
    HistogramParams histogram = histogram_part(true);
    histogram.bins = 0;
    const Error bins = error_of({reduce_part(ElementType::F32), histogram});
    EXPECT_EQ(bins.status, Status::BadRange);
    EXPECT_EQ(bins.field, "bins");
    EXPECT_EQ(bins.message.find("histogram: "), 0u);
    TopkParams topk;
    topk.k = 11;
    EXPECT_EQ(error_of({topk}).field, "k");
    EXPECT_EQ(error_of({entropy_part(true)}, 0).status, Status::EmptyInput);
}

// What only the data shows: a sum that does not fit, elements without a range, of all parts and of those that
// run by themselves.
TEST(Fused, NamesThePartOfAnErrorOfTheData) {
    const std::vector<std::int64_t> large(5000, std::int64_t{1} << 62);
    const std::vector<float> infinite(5000, std::numeric_limits<float>::infinity());
    const std::vector<Half> halves(300000, float_to_half(std::numeric_limits<float>::infinity()));
    ReduceParams sum;
    sum.statistics = statistic_bit(Statistic::Sum);
    const HistogramParams histogram = histogram_part(false);
    const auto refused = [](ElementType type, const void* data, std::uint64_t rows, std::uint64_t cols,
                            std::vector<FusedPart> parts) {
        const Job job =
            counting_job(type, rows == 1 ? Axis::Whole : Axis::Rows, rows, cols, FusedParams{parts});
        const Ran ran = run_counting(job, data);
        EXPECT_FALSE(ran.report.ok());
        return ran.report.ok() ? Error{} : ran.report.error();
    };
    const Error overflow = refused(ElementType::I64, large.data(), 1, 5000, {entropy_part(false), sum});
    EXPECT_EQ(overflow.status, Status::Overflow);
    EXPECT_EQ(overflow.message.rfind("reduce: ", 0), 0u) << overflow.message;
    for (const Error& error :
         {refused(ElementType::F32, infinite.data(), 1, 5000, {reduce_part(ElementType::F32), histogram}),
          refused(ElementType::F32, infinite.data(), 5, 1000, {entropy_part(true), histogram}),
          refused(ElementType::F16, halves.data(), 1, 300000, {histogram})}) {
        EXPECT_EQ(error.status, Status::BadRange);
        EXPECT_EQ(error.field, "range");
        EXPECT_EQ(error.message.rfind("histogram: ", 0), 0u) << error.message;
    }
    const std::vector<double> wide = {-1e300, 1e300};
    const Error entropy = refused(ElementType::F64, wide.data(), 1, 2, {entropy_part(false)});
    EXPECT_EQ(entropy.field, "range");
    EXPECT_EQ(entropy.message.rfind("entropy: ", 0), 0u) << entropy.message;
}

TEST(FusedStop, CancelAndDeadlineEndTheRun) {
    const std::vector<float> x(2'000'000, 1.0f);
    for (const bool rows : {false, true})
        expect_stops(
            counting_job(
                ElementType::F32, rows ? Axis::Rows : Axis::Whole, rows ? 2000 : 1, rows ? 1000 : x.size(),
                FusedParams{{reduce_part(ElementType::F32), histogram_part(false), entropy_part(false)}}),
            x.data());
}

}  // namespace
}  // namespace tegu::test
