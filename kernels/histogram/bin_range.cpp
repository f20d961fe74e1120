// SPDX-License-Identifier: Apache-2.0
#include "kernels/histogram/bin_range.h"

#include <cmath>
#include <string>

#include "base/number_text.h"

namespace tegu::kernels {
namespace {

constexpr std::uint32_t kFewBins = 4096;  // whose edges are compared one by one

// The spacing of f64 numbers at the larger end of a range: the maximum within the range.
double spacing_of(const BinRange& range) {
    const double largest = std::fmax(std::fabs(range.lo), std::fabs(range.hi));
    return largest - std::nextafter(largest, 0.0);
}

// True if each edge is above the one before it. With steps of two spacings or more, exact edges differ by
// more than one spacing and round to different numbers. Then only the last step is checked, as a rounded step
// can pass hi (a subnormal one does). Smaller steps are checked one by one, if they are few: the check runs
// before admission and must be short.
bool edges_increase(const BinRange& range, std::uint32_t bins) {
    const double step = range.step(bins);
    const auto edge = [&](std::uint32_t i) { return range.lo + static_cast<double>(i) * step; };
    if (!(edge(bins - 1) < range.hi)) return false;
    if (step >= 2 * spacing_of(range)) return true;
    if (bins > kFewBins) return false;
    for (std::uint32_t i = 1; i < bins; ++i)
        if (!(edge(i - 1) < edge(i))) return false;
    return true;
}

}  // namespace

bool BinRange::is_wide(std::uint32_t bins) const {
    return step(bins) >= 32 * spacing_of(*this) && step(bins) > 1e-290;
}

Result<BinRange> usable_bin_range(double lo, double hi, std::uint32_t bins, const char* from) {
    const auto refuse = [&](const char* allowed, const std::string& what) {
        return bad_range("range", allowed,
                         std::string(from) + ", " + number_text(lo) + " to " + number_text(hi) + ", " + what);
    };
    const char* const allowed = "two finite numbers lo <= hi whose difference is finite";
    if (!std::isfinite(lo) || !std::isfinite(hi)) return refuse(allowed, "is not finite");
    if (lo > hi) return refuse(allowed, "is reversed");
    BinRange range{lo + 0.0, hi + 0.0};
    if (lo == hi) range = BinRange{lo - 0.5, hi + 0.5};
    if (!std::isfinite(range.hi - range.lo)) return refuse(allowed, "is too wide for f64");
    if (!edges_increase(range, bins))
        return refuse(bins <= kFewBins ? "wide enough for strictly increasing edges in f64"
                                       : "wide enough for bins of two f64 numbers each at its larger end",
                      "is too narrow for " + std::to_string(bins) + " bins");
    return range;
}

}  // namespace tegu::kernels
