// SPDX-License-Identifier: Apache-2.0
// Pieces of a job, run on the CPU backend, and joined: the bytes of the whole.
#include "kernels/split/split_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "base/half.h"

namespace tegu::split {
namespace {

using kernels::InputView;
using kernels::JobPlan;
using kernels::OutputView;

constexpr unsigned kSeed = 77;

struct Image {
    Job job;
    std::vector<std::byte> bytes;
    InputView view;
    std::uint64_t elements() const { return job.rows * view.row_stride; }
};

enum class Content { Noise, Ties, Nans, Infinities, AllNan, Flat, Large };

double value_of(Content content, std::mt19937& random, std::uint64_t i) {
    const double noise = static_cast<double>(static_cast<int>(random() % 20001) - 10000) * 0.013;
    switch (content) {
        case Content::Noise: return noise;
        case Content::Ties: return static_cast<double>(random() % 3);
        case Content::Nans: return random() % 977 == 0 ? std::nan("") : noise;
        case Content::Infinities: return random() % 5000 == 0 ? (random() % 2 ? INFINITY : -INFINITY) : noise;
        case Content::AllNan: return i % 40000 < 39990 ? std::nan("") : INFINITY;
        case Content::Flat: return 2.5;
        case Content::Large: return noise * 1e17;
    }
    return 0;
}

template <class T>
T stored(double value) {
    if constexpr (std::is_same_v<T, Half>) return float_to_half(static_cast<float>(value));
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::int64_t>(std::isfinite(value) ? value * 100 : 7));
}

Image image(ElementType type, std::uint64_t rows, std::uint64_t cols, std::uint64_t stride, Content content) {
    Image made;
    made.job.type = type;
    made.job.rows = rows;
    made.job.cols = cols;
    made.view.row_stride = stride;
    made.bytes.resize(rows * stride * element_bytes(type));
    std::mt19937 random(kSeed);
    visit_element_type(type, [&](auto element) {
        using T = decltype(element);
        for (std::uint64_t i = 0; i < rows * stride; ++i) {
            const T value = stored<T>(value_of(content, random, i));
            std::memcpy(made.bytes.data() + i * sizeof(T), &value, sizeof value);
        }
    });
    made.view.data = made.bytes.data();
    return made;
}

// The arrays of a job.
struct Arrays {
    explicit Arrays(const JobPlan& plan) {
        for (const ArraySpec& spec : plan.outputs) arrays.emplace_back(array_bytes(spec), std::byte{0x55});
        for (std::vector<std::byte>& array : arrays) views.push_back({array.data()});
    }
    std::vector<std::vector<std::byte>> arrays;
    std::vector<OutputView> views;
};

Result<Arrays> run(const Job& job, const InputView& input) {
    const Result<JobPlan> plan = kernels::plan_job(job);
    if (!plan) return plan.error();
    Arrays arrays(*plan);
    Result<kernels::RunReport> report = kernels::run_job(job, {&input, 1}, arrays.views, nullptr, {});
    if (!report) return std::move(report).error();
    return arrays;
}

// As the contract has it: by rows, or from states.
Result<void> join(const Job& job, const JobSplit& split, std::vector<Arrays>& pieces, const JobPlan& plan,
                  Arrays& whole) {
    if (!split.by_rows) {
        std::vector<std::vector<OutputView>> states;
        for (Arrays& each : pieces) states.push_back(each.views);
        return join_states(job, split, states, whole.views);
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const JobPiece& piece = split.pieces[i];
        for (std::size_t a = 0; a < plan.outputs.size(); ++a) {
            const std::uint64_t row = plan.outputs[a].cols * element_bytes(plan.outputs[a].type);
            std::memcpy(whole.arrays[a].data() + piece.output_row * row,
                        pieces[i].arrays[a].data() + piece.skip_rows * row, piece.output_rows * row);
        }
    }
    return {};
}

// Runs the pieces on what they may read and nothing else. None: there are no pieces.
std::optional<Result<Arrays>> run_split(const Image& image, unsigned parts) {
    const std::optional<JobSplit> split = split_job(image.job, image.view, parts);
    if (!split) return std::nullopt;
    EXPECT_GE(split->pieces.size(), 2u);
    EXPECT_LE(split->pieces.size(), parts);
    std::vector<Arrays> outputs;
    for (const JobPiece& piece : split->pieces) {
        const std::uint64_t begin = piece.input_begin(image.view.row_stride);
        const std::uint64_t end = piece.input_end(image.view.row_stride);
        EXPECT_LE(end, image.bytes.size());
        const std::vector<std::byte> part(image.bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                                          image.bytes.begin() + static_cast<std::ptrdiff_t>(end));
        Result<Arrays> done = run(piece.job, {part.data(), std::max(image.view.row_stride, piece.job.cols)});
        if (!done) return Result<Arrays>(std::move(done).error());
        outputs.push_back(std::move(done).value());
    }
    const JobPlan plan = kernels::plan_job(image.job).value();
    Arrays whole(plan);
    Result<void> joined = join(image.job, *split, outputs, plan, whole);
    if (!joined) return Result<Arrays>(joined.error());
    return Result<Arrays>(std::move(whole));
}

// True if it was split; then the bytes are those of the whole.
bool expect_same(const Image& image, unsigned parts) {
    const Result<Arrays> whole = run(image.job, image.view);
    const std::optional<Result<Arrays>> split = run_split(image, parts);
    if (!split) return false;
    const std::string what = std::string(element_word(image.job.type)) + " " +
                             std::to_string(image.job.rows) + "x" + std::to_string(image.job.cols) + " in " +
                             std::to_string(parts) + " parts, seed " + std::to_string(kSeed);
    if (!split->ok()) {
        EXPECT_EQ(Status::Overflow, split->error().status) << what << ": " << split->error().message;
        return true;  // the whole job is run then, and says what is the case
    }
    EXPECT_TRUE(whole.ok()) << what << ": " << whole.error().message;
    if (!whole) return true;
    for (std::size_t a = 0; a < whole->arrays.size(); ++a)
        EXPECT_EQ(whole->arrays[a], (*split)->arrays[a]) << what << ", array " << a;
    return true;
}

constexpr ElementType kTypes[] = {
#define TEGU_X(number, Name, word, ctype) ElementType::Name,
    TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
};
constexpr StatisticSet kWithState =
    kAllStatistics &
    ~(statistic_bit(Statistic::L2) | statistic_bit(Statistic::Var) | statistic_bit(Statistic::Std));

TEST(SplitReduce, RowsGiveTheBytesOfTheWhole) {
    for (const ElementType type : kTypes) {
        for (const std::uint64_t rows : {2u, 3u, 17u}) {
            Image data = image(type, rows, 1001, 1003, Content::Nans);
            data.job.axis = Axis::Rows;
            ReduceParams params;
            params.statistics = kAllStatistics;
            for (const bool skip : {false, true}) {
                params.skip_nans = skip;
                data.job.params = params;
                for (const unsigned parts : {2u, 3u, 8u, 100u}) EXPECT_TRUE(expect_same(data, parts));
            }
        }
    }
}

TEST(SplitReduce, WholeArraysGiveTheBytesOfTheWhole) {
    for (const ElementType type : kTypes) {
        for (const Content content : {Content::Noise, Content::Ties, Content::Nans, Content::Infinities,
                                      Content::Flat, Content::Large}) {
            for (const std::uint64_t n : {16385u, 40000u, 131072u, 300001u}) {
                Image data = image(type, 1, n, n, content);
                ReduceParams params;
                for (const bool skip : {false, true}) {
                    params.skip_nans = skip;
                    params.statistics = kWithState;
                    data.job.params = params;
                    for (const unsigned parts : {2u, 3u, 16u}) EXPECT_TRUE(expect_same(data, parts)) << n;
                }
            }
        }
    }
}

TEST(SplitReduce, EachStatisticAlone) {
    for (const ElementType type : kTypes) {
        for (const Content content : {Content::Nans, Content::Noise}) {
            Image data = image(type, 1, 100001, 100001, content);
            for (const StatisticInfo& info : kStatisticInfos) {
                ReduceParams params;
                params.statistics = statistic_bit(info.statistic);
                for (const bool skip : {false, true}) {
                    params.skip_nans = skip;
                    data.job.params = params;
                    const bool has_state = (kWithState & params.statistics) != 0;
                    EXPECT_EQ(has_state, expect_same(data, 4)) << info.word;
                }
            }
        }
    }
}

// Runs without an element that counts, before some that are infinite.
TEST(SplitReduce, RunsThatAreSkippedDoNotCount) {
    for (const ElementType type : {ElementType::F16, ElementType::F32, ElementType::F64}) {
        Image data = image(type, 1, 160000, 160000, Content::AllNan);
        ReduceParams params;
        params.statistics = kWithState;
        params.skip_nans = true;
        data.job.params = params;
        EXPECT_TRUE(expect_same(data, 10));
        std::fill(data.bytes.begin(), data.bytes.end(), std::byte{0xff});
        EXPECT_TRUE(expect_same(data, 10)) << "no element counts";
    }
}

TEST(SplitReduce, SeveralRowsWithoutGapsAreOneSegment) {
    Image data = image(ElementType::F32, 321, 333, 333, Content::Noise);
    ReduceParams params;
    params.statistics = kWithState;
    data.job.params = params;
    EXPECT_TRUE(expect_same(data, 5));
    Image gaps = image(ElementType::F32, 321, 333, 334, Content::Noise);
    gaps.job.params = params;
    EXPECT_FALSE(expect_same(gaps, 5)) << "gaps would be inside of pieces";
}

TEST(SplitReduce, AStateThatOverflowsIsAnErrorThatAsksForTheWhole) {
    constexpr std::uint64_t kCount = 40000;
    Image data = image(ElementType::I64, 1, kCount, kCount, Content::Flat);
    for (std::uint64_t i = 0; i < kCount; ++i) {
        const std::int64_t value = i < kCount / 2 ? std::numeric_limits<std::int64_t>::max() / 8
                                                  : -std::numeric_limits<std::int64_t>::max() / 8;
        std::memcpy(data.bytes.data() + i * 8, &value, 8);
    }
    ReduceParams params;
    params.statistics = statistic_bit(Statistic::Sum);
    data.job.params = params;
    EXPECT_TRUE(run(data.job, data.view).ok());
    const std::optional<Result<Arrays>> split = run_split(data, 2);
    ASSERT_TRUE(split.has_value());
    EXPECT_EQ(Status::Overflow, split->error().status);
}

TEST(SplitReduce, WhatIsSmallStaysWhole) {
    Image data = image(ElementType::F32, 1, 16384, 16384, Content::Noise);
    ReduceParams params;
    params.statistics = statistic_bit(Statistic::Sum);
    data.job.params = params;
    EXPECT_FALSE(split_job(data.job, data.view, 8).has_value());
    data.job.cols = 0;
    EXPECT_FALSE(split_job(data.job, data.view, 8).has_value());
    data.job.cols = 16384;
    data.job.params = DotParams();
    EXPECT_FALSE(split_job(data.job, data.view, 8).has_value());
}

// Windows beyond a piece, beyond the image, and odd sizes.
TEST(SplitEntropyMap, GivesTheBytesOfTheWhole) {
    struct Case {
        std::uint32_t window_rows, window_cols, levels;
        std::uint64_t rows, cols;
    };
    const Case cases[] = {
        {3, 3, 2, 2, 9}, {5, 5, 16, 37, 41}, {63, 3, 16, 50, 33}, {63, 63, 256, 20, 70}, {9, 31, 7, 7, 65}};
    for (const ElementType type : kTypes) {
        for (const Case& each : cases) {
            Image data = image(type, each.rows, each.cols, each.cols + 3, Content::Nans);
            EntropyMapParams params;
            params.window_rows = each.window_rows;
            params.window_cols = each.window_cols;
            params.levels = each.levels;
            for (const Border border : {Border::Clip, Border::Mirror}) {
                for (const bool has_range : {false, true}) {
                    params.border = border;
                    params.has_range = has_range;
                    params.lo = 3;
                    params.hi = 90;
                    data.job.params = params;
                    for (const unsigned parts : {2u, 3u, 8u, 100u})
                        EXPECT_EQ(has_range || !is_float(type), expect_same(data, parts));
                }
            }
        }
    }
}

TEST(SplitEntropyMap, StaysWholeWhereItIsScaledByItsData) {
    for (const ElementType type : kTypes) {
        Image data = image(type, 60, 100, 100, Content::Noise);
        data.job.params = EntropyMapParams();
        EXPECT_EQ(!is_float(type), expect_same(data, 4)) << element_word(type);
    }
}

TEST(SplitEntropyMap, ReadsNoMoreThanTheHalo) {
    Image data = image(ElementType::U8, 1000, 100, 128, Content::Noise);
    EntropyMapParams params;
    params.window_rows = 11;
    data.job.params = params;
    const JobSplit split = split_job(data.job, data.view, 4).value();
    ASSERT_EQ(4u, split.pieces.size());
    EXPECT_TRUE(split.by_rows);
    EXPECT_EQ(245u, split.pieces[1].input_row);
    EXPECT_EQ(260u, split.pieces[1].job.rows);
    EXPECT_EQ(5u, split.pieces[1].skip_rows);
    EXPECT_EQ(250u, split.pieces[1].output_row);
    EXPECT_EQ(250u, split.pieces[1].output_rows);
    EXPECT_EQ(245u * 128, split.pieces[1].input_begin(128));
    EXPECT_EQ(245u * 128 + 259 * 128 + 100, split.pieces[1].input_end(128));
    EXPECT_EQ(0u, split.pieces[0].skip_rows);
    EXPECT_EQ(255u, split.pieces[3].job.rows);
}

}  // namespace
}  // namespace tegu::split
