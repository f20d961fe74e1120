// SPDX-License-Identifier: Apache-2.0
// reduce: any set of statistics in one pass.
#pragma once

#include "base/parameter.h"
#include "base/statistic.h"
#include "base/tree_nodes.h"

namespace tegu {

struct ReduceParams {
    StatisticSet statistics = 0;  // at least one
    bool skip_nans = false;       // NaN elements are left out of every statistic but `nans`
    std::uint32_t ddof = 0;       // var and std divide by count - ddof
    bool partial = false;         // the nodes of the canonical tree instead, for docs/partials.md
    bool last = false;            // the next two: only with partial
    std::uint32_t offset = 0;

    static constexpr auto parameters() {
        return std::make_tuple(
            Set{"statistics", &ReduceParams::statistics, kAllStatistics, "a statistic is not known",
                "a set: bit *s* asks for [statistic](#statistics) *s*; not empty"},
            Number{"ddof", &ReduceParams::ddof, 0, 1, "0 or 1", "var and std divide by count - ddof"},
            Flag{"skip_nans", &ReduceParams::skip_nans, "leave NaN out of everything but `nans`"},
            Flag{"partial", &ReduceParams::partial,
                 "the input is a piece of a longer array; the result is its [nodes](partials.md)"},
            Flag{"last", &ReduceParams::last, "with `partial`: the piece ends the longer array"},
            Number{"offset", &ReduceParams::offset, 0, UINT32_MAX, "0 to 2^32 - 1",
                   "with `partial`: the place of the piece in the longer array, modulo 2^32"});
    }

    template <class Add>
    void outputs(const JobShape& of, Add&& add) const {
        if (partial) return add(node_count(offset, of.elements(), last), 8 * kReduceNodeWords);
        for (const StatisticInfo& info : kStatisticInfos)
            if ((statistics & statistic_bit(info.statistic)) != 0)
                add(of.segments, 8 * static_cast<std::uint64_t>(info.values_per_row));
    }
};

}  // namespace tegu
