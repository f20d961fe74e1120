// SPDX-License-Identifier: Apache-2.0
// entropy: the Shannon entropy of the levels of an array.
#pragma once

#include "base/operations/log_base.h"

namespace tegu {

inline constexpr std::uint32_t kMaxEntropyLevels = 65536;

struct EntropyParams {
    std::uint32_t levels = 256;
    bool has_range = false;
    double lo = 0;
    double hi = 0;  // elements outside are clamped
    LogBase base = LogBase::Two;
    bool skip_nans = false;
    bool partial = false;  // the counts of the levels instead, for docs/partials.md

    static constexpr auto parameters() {
        using P = EntropyParams;
        return std::make_tuple(
            Number{"levels", &P::levels, 2, kMaxEntropyLevels, "2 to 65536", ""},
            Flag{
                "has_range", &P::has_range,
                "`lo` and `hi` count. Without it they are 0, and the range is that of an integer type, or of "
                "the finite elements of a float type (of a row, with axis 1)"},
            Choice{"base", &P::base, "base of the logarithm"},
            Flag{"skip_nans", &P::skip_nans, "leave NaN out; else one makes the entropy NaN"},
            Flag{"partial", &P::partial,
                 "the result is the counts of the levels, see [partials](partials.md)"},
            Edge{"lo", &P::lo, &P::has_range, "lower edge of level 0; finite"},
            Edge{"hi", &P::hi, &P::has_range, "upper edge of the last level; finite, above `lo`"});
    }

    template <class Add>
    void outputs(const JobShape& of, Add&& add) const {
        const std::uint64_t slots = levels < kMaxEntropyLevels ? levels + 1 : kMaxEntropyLevels + 1;
        add(of.segments, partial ? 8 * slots : 8);
    }
};

}  // namespace tegu
