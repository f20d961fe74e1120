// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/digests/cases.h"

#include <algorithm>

namespace tegu::testing_support {
namespace {

constexpr ElementType kTypes[] = {
#define TEGU_X(number, Name, word, type) ElementType::Name,
    TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
};

using Params = std::function<JobParams(ElementType type, std::uint64_t n)>;

class Cases {
  public:
    // One case for each type, of the whole array and, if asked, of each row.
    void add(const std::string& name, bool by_rows, const Params& params) {
        for (const Axis axis : {Axis::Whole, Axis::Rows}) {
            if (axis == Axis::Rows && !by_rows) continue;
            for (const ElementType type : kTypes) {
                const std::string full =
                    name + (axis == Axis::Whole ? ".whole." : ".rows.") + std::string(element_word(type));
                cases_.push_back(
                    {full, type, axis, [params, type](std::uint64_t n) { return params(type, n); }});
            }
        }
    }
    std::vector<DigestCase> take() { return std::move(cases_); }

  private:
    std::vector<DigestCase> cases_;
};

// A range that cuts plain elements of the type in the middle.
template <class P>
P with_middle_range(P params, ElementType type) {
    params.has_range = true;
    const double half = is_float(type) ? 3.3 : element_bytes(type) == 1 ? 40.3 : 20000.3;
    params.lo = is_float(type) || is_signed_integer(type) ? -half : half / 7;
    params.hi = half;
    return params;
}

void add_reduce(Cases& cases) {
    for (const bool skip_nans : {false, true}) {
        for (const std::uint32_t ddof : {0u, 1u}) {
            const std::string name =
                std::string("reduce.all") + (skip_nans ? ".skip_nans" : "") + ".ddof" + std::to_string(ddof);
            cases.add(name, true, [=](ElementType, std::uint64_t) {
                return ReduceParams{kAllStatistics, skip_nans, ddof};
            });
        }
    }
    // Without the sums, which may overflow: what is left must be right for integers of every size.
    const StatisticSet orders = statistic_bit(Statistic::Min) | statistic_bit(Statistic::Max) |
                                statistic_bit(Statistic::Argmin) | statistic_bit(Statistic::Argmax) |
                                statistic_bit(Statistic::Absmax) | statistic_bit(Statistic::Var);
    cases.add("reduce.orders", true, [=](ElementType, std::uint64_t) {
        return ReduceParams{orders, false, 0};
    });
    cases.add("reduce.sum", true, [](ElementType, std::uint64_t) {
        return ReduceParams{statistic_bit(Statistic::Sum), false, 0};
    });
}

void add_topk(Cases& cases) {
    for (const bool largest : {true, false}) {
        for (const bool distinct : {false, true}) {
            const std::string tail =
                std::string(largest ? ".largest" : ".smallest") + (distinct ? ".distinct" : "");
            cases.add("topk.k1" + tail, true, [=](ElementType, std::uint64_t) {
                return TopkParams{1, largest, distinct};
            });
            cases.add("topk.k37" + tail, true, [=](ElementType, std::uint64_t n) {
                return TopkParams{std::min<std::uint64_t>(n, 37), largest, distinct};
            });
            cases.add("topk.half" + tail, true, [=](ElementType, std::uint64_t n) {
                return TopkParams{(n + 1) / 2, largest, distinct};
            });
            cases.add("topk.all" + tail, false, [=](ElementType, std::uint64_t n) {
                return TopkParams{n, largest, distinct};
            });
        }
    }
}

void add_entropy_map(Cases& cases) {
    struct {
        std::uint32_t rows, cols, levels;
        bool range;
        LogBase base;
        Border border;
    } const maps[] = {
        {3, 3, 2, false, LogBase::Two, Border::Clip},    {5, 5, 16, false, LogBase::Two, Border::Clip},
        {5, 5, 16, true, LogBase::E, Border::Mirror},    {7, 9, 100, true, LogBase::Two, Border::Clip},
        {15, 15, 64, false, LogBase::E, Border::Clip},   {31, 31, 256, false, LogBase::Two, Border::Mirror},
        {63, 63, 256, true, LogBase::Two, Border::Clip}, {63, 3, 4, true, LogBase::Two, Border::Mirror},
        {3, 63, 200, false, LogBase::Two, Border::Clip}, {63, 63, 2, false, LogBase::E, Border::Mirror}};
    for (const auto& map : maps) {
        const std::string name = "entropy_map." + std::to_string(map.rows) + "x" + std::to_string(map.cols) +
                                 ".levels" + std::to_string(map.levels) + (map.range ? ".range" : "") +
                                 (map.base == LogBase::Two ? ".base2" : ".base_e") +
                                 (map.border == Border::Clip ? ".clip" : ".mirror");
        cases.add(name, false, [=](ElementType type, std::uint64_t) {
            EntropyMapParams params;
            params.window_rows = map.rows;
            params.window_cols = map.cols;
            params.levels = map.levels;
            params.base = map.base;
            params.border = map.border;
            return map.range ? with_middle_range(params, type) : params;
        });
    }
}

void add_element_wise(Cases& cases) {
    cases.add("add", false, [](ElementType, std::uint64_t) { return AddParams{}; });
    for (const bool skip_nans : {false, true}) {
        const std::string tail = skip_nans ? ".skip_nans" : "";
        cases.add("dot" + tail, true, [=](ElementType, std::uint64_t) { return DotParams{skip_nans}; });
        cases.add("rowscale" + tail, true,
                  [=](ElementType, std::uint64_t) { return RowscaleParams{skip_nans}; });
    }
}

void add_quantile(Cases& cases) {
    const char* const words[] = {"linear", "lower", "higher", "nearest", "midpoint"};
    for (unsigned method = 0; method < 5; ++method) {
        for (const bool skip_nans : {false, true}) {
            cases.add(std::string("quantile.") + words[method] + (skip_nans ? ".skip_nans" : ""), true,
                      [=](ElementType, std::uint64_t) {
                          QuantileParams params;
                          params.q = {0.5, 0, 1, 0.25, 0.9, 0.999, 0.1};
                          params.method = static_cast<QuantileMethod>(method);
                          params.skip_nans = skip_nans;
                          return params;
                      });
        }
    }
}

void add_histogram(Cases& cases) {
    for (const std::uint32_t bins : {1u, 10u, 256u, 5000u}) {
        for (const bool range : {false, true}) {
            for (const bool skip_nans : {false, true}) {
                cases.add("histogram.bins" + std::to_string(bins) + (range ? ".range" : "") +
                              (skip_nans ? ".skip_nans" : ""),
                          true, [=](ElementType type, std::uint64_t) {
                              HistogramParams params;
                              params.bins = bins;
                              params.skip_nans = skip_nans;
                              return range ? with_middle_range(params, type) : params;
                          });
            }
        }
    }
}

void add_entropy(Cases& cases) {
    for (const std::uint32_t levels : {2u, 16u, 256u, 1000u, 65536u}) {
        for (const bool range : {false, true}) {
            for (const bool skip_nans : {false, true}) {
                const LogBase base = (levels == 16) == skip_nans ? LogBase::Two : LogBase::E;
                cases.add("entropy.levels" + std::to_string(levels) + (range ? ".range" : "") +
                              (skip_nans ? ".skip_nans" : "") + (base == LogBase::Two ? ".base2" : ".base_e"),
                          true, [=](ElementType type, std::uint64_t) {
                              EntropyParams params;
                              params.levels = levels;
                              params.base = base;
                              params.skip_nans = skip_nans;
                              return range ? with_middle_range(params, type) : params;
                          });
            }
        }
    }
}

void add_fused(Cases& cases) {
    cases.add("fused.all", true, [](ElementType type, std::uint64_t n) {
        FusedParams params;
        params.parts.push_back(ReduceParams{kAllStatistics, true, 0});
        HistogramParams histogram;
        histogram.bins = 100;
        params.parts.push_back(with_middle_range(histogram, type));
        EntropyParams entropy;
        entropy.levels = 32;
        params.parts.push_back(with_middle_range(entropy, type));
        params.parts.push_back(TopkParams{std::min<std::uint64_t>(n, 5), true, false});
        QuantileParams quantile;
        quantile.q = {0.5};
        params.parts.push_back(quantile);
        return params;
    });
    cases.add("fused.no_range", true, [](ElementType, std::uint64_t) {
        FusedParams params;
        HistogramParams histogram;
        histogram.skip_nans = true;
        params.parts.push_back(histogram);
        params.parts.push_back(EntropyParams());
        params.parts.push_back(
            ReduceParams{statistic_bit(Statistic::Mean) | statistic_bit(Statistic::Std), false, 1});
        return params;
    });
}

}  // namespace

std::vector<DigestCase> digest_cases() {
    Cases cases;
    add_reduce(cases);
    add_topk(cases);
    add_entropy_map(cases);
    add_element_wise(cases);
    add_quantile(cases);
    add_histogram(cases);
    add_entropy(cases);
    add_fused(cases);
    return cases.take();
}

const std::vector<DigestShape>& digest_shapes(Operation operation) {
    static const std::vector<DigestShape> images = {
        {1, 1, 0, 0}, {33, 70, 3, 1}, {1, 150, 0, 5}, {70, 9, 0, 0}};
    static const std::vector<DigestShape> arrays = {{1, 1, 0, 0},    {1, 1000, 0, 0}, {5, 1025, 5, 1},
                                                    {0, 7, 0, 0},    {64, 128, 0, 0}, {1, 40000, 0, 3},
                                                    {3, 17000, 1, 0}};
    return operation == Operation::EntropyMap ? images : arrays;
}

bool uses_content(const DigestShape& shape, Content content) {
    return shape.rows * shape.cols < 6000 || content == Content::Plain || content == Content::Special;
}

}  // namespace tegu::testing_support
