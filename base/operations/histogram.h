// SPDX-License-Identifier: Apache-2.0
// histogram: counts of bins of equal width, as in numpy.histogram.
#pragma once

#include "base/parameter.h"

namespace tegu {

inline constexpr std::uint32_t kMaxBins = 1u << 20;

struct HistogramParams {
    std::uint32_t bins = 10;
    bool has_range = false;
    double lo = 0;
    double hi = 0;  // elements outside are not counted
    bool skip_nans = false;

    static constexpr auto parameters() {
        using P = HistogramParams;
        return std::make_tuple(
            Number{"bins", &P::bins, 1, kMaxBins, "1 to 2^20, of equal width",
                   "the last one holds its upper edge"},
            Flag{"has_range", &P::has_range,
                 "`lo` and `hi` count. Without it they are 0, and the range is smallest to largest element "
                 "(of a "
                 "row, with axis 1)"},
            Flag{"skip_nans", &P::skip_nans,
                 "leave NaN out; matters only without a range, where one is else refused"},
            Edge{"lo", &P::lo, &P::has_range, "lower edge of the first bin; finite"},
            Edge{"hi", &P::hi, &P::has_range, "upper edge of the last bin; finite, not below `lo`"});
    }

    template <class Add>
    void outputs(const JobShape& of, Add&& add) const {
        const std::uint64_t count = bins < kMaxBins ? bins : kMaxBins;  // larger counts are rejected
        add(of.segments, 8 * count);
        add(of.segments, 8 * (count + 1));
    }
};

}  // namespace tegu
