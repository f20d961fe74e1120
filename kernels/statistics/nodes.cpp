// SPDX-License-Identifier: Apache-2.0
#include "kernels/statistics/nodes.h"

#include <cstring>
#include <limits>
#include <string>

#include "base/tree_nodes.h"

namespace tegu::kernels {
namespace {

constexpr StatisticSet bit(Statistic statistic) {
    return statistic_bit(statistic);
}

StatisticSet states_of(Statistic statistic) {
    switch (statistic) {
        case Statistic::Count: return 0;
        case Statistic::Mean: return bit(Statistic::Sum);
        case Statistic::Minmax:
        case Statistic::Absmax: return bit(Statistic::Min) | bit(Statistic::Max);
        case Statistic::Argmin: return bit(Statistic::Min) | bit(Statistic::Argmin);
        case Statistic::Argmax: return bit(Statistic::Max) | bit(Statistic::Argmax);
        case Statistic::L2:
        case Statistic::Std: return bit(Statistic::Var);
        case Statistic::Sum:
        case Statistic::Min:
        case Statistic::Max:
        case Statistic::L1:
        case Statistic::Var:
        case Statistic::Nonzero:
        case Statistic::Nans: break;
    }
    return bit(statistic);
}

double canonical(double value) {
    return value == value ? value + 0.0 : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

ReduceParams node_params(const ReduceParams& params, ElementType type) {
    ReduceParams nodes = params;
    nodes.statistics = 0;
    for (const StatisticInfo& info : kStatisticInfos)
        if ((params.statistics & bit(info.statistic)) != 0) nodes.statistics |= states_of(info.statistic);
    const StatisticSet plain = bit(Statistic::Sum) | bit(Statistic::Count);
    if (is_float(type) && (params.skip_nans || (params.statistics & ~plain) != 0))
        nodes.statistics |= bit(Statistic::Nans);
    return nodes;
}

Result<void> check_piece(const Job& job, const PieceParams& params) {
    if (!params.partial) {
        if (!params.last && params.offset == 0) return {};
        const char* const field = params.last ? "last" : "offset";
        return field_error(Status::BadRequest, field, "0 without partial",
                           std::string(field) + " is set, but partial is not");
    }
    if (job.axis != Axis::Whole)
        return field_error(Status::BadRequest, "axis", "0", "a partial is that of a whole array");
    if (job.rows != 1)
        return field_error(Status::BadRequest, "rows", "1",
                           "a partial takes one row without gaps, not " + std::to_string(job.rows) + " rows");
    if (job.cols > kMaxPieceElements)
        return field_error(Status::TooLarge, "cols", "up to 2^40",
                           "a piece of " + std::to_string(job.cols) + " elements is too large");
    return {};
}

void write_moments(const FloatPartial& partial, std::byte* to) {
    const bool plain = partial.flags == 0;
    const Moments moments = plain ? partial.moments : Moments{0, 0, 0};
    const double values[3] = {moments.n, canonical(moments.s), canonical(moments.m2)};
    const std::uint64_t flags = partial.flags;
    std::memcpy(to, values, sizeof values);
    std::memcpy(to + sizeof values, &flags, sizeof flags);
}

void write_wide(const IntegerPartial& partial, unsigned needs, std::byte* to) {
    std::uint64_t words[7] = {};
    if ((needs & (kNeedSum | kNeedMoments)) != 0) std::memcpy(words, &partial.sum, sizeof partial.sum);
    if ((needs & kNeedL1) != 0) std::memcpy(words + 2, &partial.l1, sizeof partial.l1);
    if ((needs & kNeedMoments) != 0) std::memcpy(words + 4, partial.squares, sizeof partial.squares);
    std::memcpy(to, words, sizeof words);
}

}  // namespace tegu::kernels
