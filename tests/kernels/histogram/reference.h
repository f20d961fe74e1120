// SPDX-License-Identifier: Apache-2.0
// Histograms straight from docs/numerics.md: edges in f64, and for each element a search among them with
// exact comparisons. Slow and obvious.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/counting/counting_run.h"

namespace tegu::test {

__extension__ typedef __int128 Wide;

// edge <= value, exactly. NaN: false.
template <class T>
bool at_or_above(T value, double edge) {
    if constexpr (std::is_integral<T>::value) {
        if (edge >= 0x1p100) return false;
        if (edge <= -0x1p100) return true;
        return static_cast<Wide>(value) >= static_cast<Wide>(std::ceil(edge));
    } else {
        return as_f64(value) >= edge;
    }
}
template <class T>
bool above(T value, double edge) {
    if constexpr (std::is_integral<T>::value) {
        if (edge >= 0x1p100) return false;
        if (edge <= -0x1p100) return true;
        return static_cast<Wide>(value) > static_cast<Wide>(std::floor(edge));
    } else {
        return as_f64(value) > edge;
    }
}

// The nearest f64 not above (below) an integer.
inline double outward(Wide value, bool down) {
    double d = static_cast<double>(value);
    const double away =
        down ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    if (down ? static_cast<Wide>(d) > value : static_cast<Wide>(d) < value) d = std::nextafter(d, away);
    return d;
}

struct ReferenceHistogram {
    bool usable = true;  // false: a BadRange is due
    std::vector<std::uint64_t> counts;
    std::vector<double> edges;
};

template <class T>
bool is_nan(T value) {
    if constexpr (std::is_integral<T>::value)
        return false;
    else
        return std::isnan(as_f64(value));
}

// The range of the elements; false if they have none that can be used.
template <class T>
bool reference_range(const std::vector<T>& x, bool skip_nans, double* lo, double* hi) {
    bool any = false;
    *lo = 0;
    *hi = 1;
    for (const T value : x) {
        if (is_nan(value)) {
            if (!skip_nans) return false;
            continue;
        }
        double low, high;
        if constexpr (std::is_integral<T>::value) {
            low = outward(value, true);
            high = outward(value, false);
        } else {
            low = high = as_f64(value);
        }
        *lo = any ? std::fmin(*lo, low) : low;
        *hi = any ? std::fmax(*hi, high) : high;
        any = true;
    }
    return true;
}

template <class T>
ReferenceHistogram reference_histogram(const std::vector<T>& x, const HistogramParams& params) {
    ReferenceHistogram result;
    double lo = params.lo, hi = params.hi;
    if (!params.has_range) result.usable = reference_range(x, params.skip_nans, &lo, &hi);
    if (!std::isfinite(lo) || !std::isfinite(hi)) result.usable = false;
    if (!result.usable) return result;
    if (lo == hi) {
        lo -= 0.5;
        hi += 0.5;
    }
    if (!std::isfinite(hi - lo)) result.usable = false;
    const volatile double step = (hi - lo) / params.bins;
    for (std::uint32_t i = 0; i < params.bins; ++i) {
        const volatile double above_lo = i * step;
        result.edges.push_back(lo + above_lo);
    }
    result.edges.push_back(hi);
    for (std::uint32_t i = 0; i < params.bins; ++i)
        if (!(result.edges[i] < result.edges[i + 1])) result.usable = false;
    if (!result.usable) return result;
    result.counts.assign(params.bins, 0);
    for (const T value : x) {
        if (!at_or_above(value, lo) || above(value, hi)) continue;
        std::size_t begin = 0, end = params.bins - 1;  // the last bin whose lower edge is not above the value
        while (begin < end) {
            const std::size_t middle = (begin + end + 1) / 2;
            if (at_or_above(value, result.edges[middle]))
                begin = middle;
            else
                end = middle - 1;
        }
        ++result.counts[begin];
    }
    return result;
}

}  // namespace tegu::test
