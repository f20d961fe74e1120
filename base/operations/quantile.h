// SPDX-License-Identifier: Apache-2.0
// quantile: exact quantiles.
#pragma once

#include "base/parameter.h"

namespace tegu {

// Interpolation between two order statistics, with numpy's names.
enum class QuantileMethod : std::uint8_t {
    Linear = 0,    // interpolated
    Lower = 1,     // the smaller neighbour
    Higher = 2,    // the larger neighbour
    Nearest = 3,   // the nearer neighbour, the even one of two
    Midpoint = 4,  // the mean of both
};

inline constexpr const char* kQuantileMethodWords[] = {"linear", "lower", "higher", "nearest", "midpoint"};
constexpr Words words_of(QuantileMethod) {
    return words(kQuantileMethodWords);
}

inline constexpr std::uint32_t kMaxQuantiles = 1024;

struct QuantileParams {
    std::vector<double> q;
    QuantileMethod method = QuantileMethod::Linear;
    bool skip_nans = false;

    static constexpr auto parameters() {
        using P = QuantileParams;
        return std::make_tuple(
            List{"q", &P::q, kMaxQuantiles, "1..1024 quantiles", "there are too many quantiles", "count",
                 "of the quantiles: 1 to 1024", "`count` numbers in [0, 1], in any order"},
            Choice{"method", &P::method, "what lies between two elements"},
            Flag{"skip_nans", &P::skip_nans, "leave NaN out; else one makes every quantile NaN"});
    }

    template <class Add>
    void outputs(const JobShape& of, Add&& add) const {
        add(of.segments, 8 * std::uint64_t{q.size()});
    }
};

}  // namespace tegu
