// SPDX-License-Identifier: Apache-2.0
// From the partial result of a whole segment to its statistics: the last roundings, NaN and the reply types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/job.h"
#include "base/result.h"
#include "kernels/statistics/partial.h"

namespace tegu::kernels {

// What the values of a segment depend on besides its partial result.
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

// True for the statistics that an empty segment has.
constexpr bool defined_for_empty(Statistic statistic) {
    return statistic == Statistic::Count || statistic == Statistic::Sum || statistic == Statistic::Nonzero ||
           statistic == Statistic::Nans;
}

// Of `partial` with kNeedMoments; context.var need not be set.
double variance(const FinishContext& context, const FloatPartial& partial);
double variance(const FinishContext& context, const IntegerPartial& partial);

// Writes the values of one statistic of one segment to `out`. Floats cannot fail; an integer sum or l1 that
// does not fit its reply type gives Overflow, whose message has the value.
Result<void> write_statistic(Statistic statistic, const FinishContext& context, const FloatPartial& partial,
                             std::byte* out);
Result<void> write_statistic(Statistic statistic, const FinishContext& context, const IntegerPartial& partial,
                             std::byte* out);

}  // namespace tegu::kernels
