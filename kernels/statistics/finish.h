// SPDX-License-Identifier: Apache-2.0
// Converts the partial result of a whole segment to its statistics: final rounding, NaN and reply types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/job.h"
#include "base/result.h"
#include "kernels/statistics/partial.h"

namespace tegu::kernels {

// The inputs of a segment's statistics besides its partial result.
struct FinishContext {
    ElementType type;
    std::uint64_t n;  // elements, NaN included
    bool skip_nans;
    std::uint32_t ddof;
    std::int64_t argmin;  // -1: none; only with these statistics
    std::int64_t argmax;
    double var;  // only with var and std
};

// ReduceNeed bits of a set of statistics.
unsigned reduce_needs(const ReduceParams& params, ElementType type);

// The type in the reply.
ElementType statistic_type(Statistic statistic, ElementType element);

// True for the statistics that are defined for an empty segment.
constexpr bool defined_for_empty(Statistic statistic) {
    return statistic == Statistic::Count || statistic == Statistic::Sum || statistic == Statistic::Nonzero ||
           statistic == Statistic::Nans;
}

// The variance from `partial` with kNeedMoments; context.var need not be set.
double variance(const FinishContext& context, const FloatPartial& partial);
double variance(const FinishContext& context, const IntegerPartial& partial);

// Writes the values of one statistic of one segment to `out`. Floats cannot fail. An integer sum or l1 beyond
// its reply type gives Overflow; the message contains the value.
Result<void> write_statistic(Statistic statistic, const FinishContext& context, const FloatPartial& partial,
                             std::byte* out);
Result<void> write_statistic(Statistic statistic, const FinishContext& context, const IntegerPartial& partial,
                             std::byte* out);

}  // namespace tegu::kernels
