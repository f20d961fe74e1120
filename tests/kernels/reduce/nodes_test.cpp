// SPDX-License-Identifier: Apache-2.0
// The nodes of a piece: what each word is, that it is the result of the node as an array of its own, and what
// is refused.
#include <cmath>
#include <random>

#include "base/tree_nodes.h"
#include "kernels/statistics/nodes.h"
#include "tests/kernels/reduce/run.h"

namespace tegu::test {
namespace {

using kernels::kNodeArgmax;
using kernels::kNodeMax;
using kernels::kNodeMoments;
using kernels::kNodeNans;
using kernels::kNodeNonzero;
using kernels::kNodeSum;

constexpr StatisticSet kWithoutSums = kAllStatistics & ~((1u << 1) | (1u << 9));

Job piece_job(ElementType type, std::uint64_t n, StatisticSet set, std::uint32_t offset, bool last) {
    Job job = reduce_job(type, n, set);
    auto& params = std::get<ReduceParams>(job.params);
    params.partial = true;
    params.offset = offset;
    params.last = last;
    return job;
}

template <class V>
V word_of(const ReduceResult& result, std::size_t node, unsigned word) {
    V value;
    std::memcpy(&value, &result.arrays[0][node * kReduceNodeWords + word], sizeof value);
    return value;
}

std::vector<float> floats(std::uint64_t n) {
    std::mt19937 random(5);
    std::vector<float> values(n);
    for (float& value : values) value = static_cast<float>(random() % 1000) / 7;
    return values;
}

TEST(ReduceNodes, AreTheResultsOfTheirElements) {
    const std::uint64_t n = 5 * kNodeChunk + 1000;
    const std::vector<float> values = floats(n);
    kernels::ThreadPool pool(3);
    for (const std::uint32_t offset : {0u, 16384u, 16484u, 3 * 16384u + 1}) {
        const Job job = piece_job(ElementType::F32, n, kAllStatistics, offset, true);
        const ReduceResult nodes = run_reduce_job(job, values.data(), 0, &pool);
        ASSERT_TRUE(nodes.report.ok());
        std::size_t at = 0;
        for_each_node(offset, n, true, [&](std::uint64_t begin, std::uint64_t count) {
            const ReduceResult own =
                run_reduce_job(reduce_job(ElementType::F32, count, kAllStatistics), &values[begin]);
            EXPECT_EQ(word_of<double>(nodes, at, kNodeSum), own.at<double>(Statistic::Sum));
            EXPECT_EQ(word_of<float>(nodes, at, kNodeMax), own.at<float>(Statistic::Max));
            EXPECT_EQ(word_of<std::int64_t>(nodes, at, kNodeArgmax), own.at<std::int64_t>(Statistic::Argmax));
            EXPECT_EQ(word_of<std::uint64_t>(nodes, at, kNodeNonzero),
                      own.at<std::uint64_t>(Statistic::Nonzero));
            const double counted = word_of<double>(nodes, at, kNodeMoments);
            EXPECT_EQ(counted, static_cast<double>(count));
            EXPECT_EQ(word_of<double>(nodes, at, kNodeMoments + 2) / counted, own.at<double>(Statistic::Var));
            EXPECT_EQ(word_of<std::uint64_t>(nodes, at, kNodeMoments + 3), 0u);
            ++at;
        });
        EXPECT_EQ(at, nodes.plan.outputs[0].rows);
    }
}

TEST(ReduceNodes, FlagsStandForMoments) {
    std::vector<float> values(kNodeChunk, 1);
    values[7] = std::nanf("");
    values[9] = INFINITY;
    const ReduceResult nodes = run_reduce_job(
        piece_job(ElementType::F32, values.size(), statistic_bit(Statistic::Std), 0, false), values.data());
    EXPECT_EQ(word_of<std::uint64_t>(nodes, 0, kNodeMoments + 3), 3u);
    for (const unsigned word : {0u, 1u, 2u})
        EXPECT_EQ(word_of<std::uint64_t>(nodes, 0, kNodeMoments + word), 0u);
    EXPECT_EQ(word_of<std::uint64_t>(nodes, 0, kNodeNans), 1u);
    EXPECT_EQ(word_of<std::uint64_t>(nodes, 0, kNodeSum), 0u) << "nobody asked for it";
}

TEST(ReduceNodes, SumsOfIntegersHave128BitsAndMore) {
    const std::vector<std::int64_t> values(3, std::numeric_limits<std::int64_t>::min());
    const ReduceResult nodes = run_reduce_job(
        piece_job(ElementType::I64, 3, (1u << 1) | (1u << 9) | statistic_bit(Statistic::Var), 0, true),
        values.data());
    ASSERT_TRUE(nodes.report.ok());
    const std::uint64_t half = std::uint64_t{1} << 63;
    const std::uint64_t words[7] = {half, ~std::uint64_t{0} - 1, half, 1, 0, 3 * (half >> 1), 0};
    for (unsigned i = 0; i < 7; ++i) EXPECT_EQ(word_of<std::uint64_t>(nodes, 0, i), words[i]) << i;
}

TEST(ReduceNodes, APieceWithoutWholeChunksHasNone) {
    const std::vector<float> values = floats(100);
    const ReduceResult nodes =
        run_reduce_job(piece_job(ElementType::F32, 100, kWithoutSums, 1, false), values.data());
    ASSERT_TRUE(nodes.report.ok());
    EXPECT_EQ(nodes.plan.outputs[0].rows, 0u);
    EXPECT_TRUE(
        run_reduce_job(piece_job(ElementType::F32, 0, kWithoutSums, 0, true), values.data()).report.ok());
}

TEST(ReduceNodes, RefusesAPlaceWithoutPartialAndPiecesOfRows) {
    const auto refused = [](Job job, const char* field, Status status) {
        const Result<kernels::JobPlan> plan = kernels::plan_job(job);
        ASSERT_FALSE(plan.ok()) << field;
        EXPECT_EQ(plan.error().field, field);
        EXPECT_EQ(plan.error().status, status);
    };
    Job job = piece_job(ElementType::F32, 10, kAllStatistics, 5, false);
    std::get<ReduceParams>(job.params).partial = false;
    refused(job, "offset", Status::BadRequest);
    std::get<ReduceParams>(job.params).last = true;
    refused(job, "last", Status::BadRequest);
    job = piece_job(ElementType::F32, 10, kAllStatistics, 5, false);
    job.rows = 2;
    refused(job, "rows", Status::BadRequest);
    job.axis = Axis::Rows;
    refused(job, "axis", Status::BadRequest);
    refused(piece_job(ElementType::U8, kMaxPieceElements + 1, 1, 0, false), "cols", Status::TooLarge);
}

}  // namespace
}  // namespace tegu::test
