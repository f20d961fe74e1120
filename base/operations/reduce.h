// SPDX-License-Identifier: Apache-2.0
// reduce: any set of statistics in one pass.
#pragma once

#include "base/parameter.h"
#include "base/statistic.h"

namespace tegu {

struct ReduceParams {
    StatisticSet statistics = 0;  // at least one
    bool skip_nans = false;       // NaN elements are left out of every statistic but `nans`
    std::uint32_t ddof = 0;       // var and std divide by count - ddof

    static constexpr auto parameters() {
        return std::make_tuple(
            Set{"statistics", &ReduceParams::statistics, kAllStatistics, "a statistic is not known",
                "a set: bit *s* asks for [statistic](#statistics) *s*; not empty"},
            Number{"ddof", &ReduceParams::ddof, 0, 1, "0 or 1", "var and std divide by count - ddof"},
            Flag{"skip_nans", &ReduceParams::skip_nans, "leave NaN out of everything but `nans`"});
    }

    template <class Add>
    void outputs(const JobShape& of, Add&& add) const {
        for (const StatisticInfo& info : kStatisticInfos)
            if ((statistics & statistic_bit(info.statistic)) != 0)
                add(of.segments, 8 * static_cast<std::uint64_t>(info.values_per_row));
    }
};

}  // namespace tegu
