// SPDX-License-Identifier: Apache-2.0
#include "kernels/numerics/levels.h"

#include <cmath>
#include <string>

#include "base/number_text.h"

namespace tegu::kernels {
namespace {

// Types whose elements are exact in f32: their edges are rounded to f32; other types keep f64 edges.
bool fits_f32(ElementType type) {
    return element_bytes(type) <= 2 || type == ElementType::F32;
}

// Sets the base, the integer below `lo` limited to the values of the type, as distance from the smallest
// value. Also sets the distance of lo from the base.
void set_base(ElementType type, double lo, LevelScale* scale) {
    const int bits = static_cast<int>(8 * element_bytes(type));
    const double values = std::ldexp(1.0, bits);
    const double smallest = is_signed_integer(type) ? -values / 2 : 0.0;
    const double beyond = smallest + values;
    const double floored = std::floor(lo);
    if (floored >= beyond) {
        scale->base = ~std::uint64_t{0} >> (64 - bits);
        scale->lo = static_cast<float>(lo - (beyond - 1));
        return;
    }
    const double base = std::fmax(floored, smallest);
    // Integer arithmetic: the distance from the smallest value may need more than the 53 bits of an f64.
    const std::uint64_t offset = is_signed_integer(type) ? std::uint64_t{1} << (bits - 1) : 0;
    const std::uint64_t whole = is_signed_integer(type)
                                    ? static_cast<std::uint64_t>(static_cast<std::int64_t>(base))
                                    : static_cast<std::uint64_t>(base);
    scale->base = whole + offset;
    scale->lo = static_cast<float>(lo - base);
}

}  // namespace

Result<LevelScale> level_scale_of_range(ElementType type, double lo, double hi, std::uint32_t levels,
                                        const char* from) {
    // Texts are built only for errors: an array may have a range for each of its rows.
    const char* const word = fits_f32(type) ? "f32" : "f64";
    const double given_lo = lo, given_hi = hi;
    const auto refuse = [&](const std::string& why) {
        const std::string allowed = std::string("two numbers lo < hi, finite in ") + word +
                                    ", whose distance is finite and not too small in f32";
        return bad_range("range", allowed,
                         std::string(from) + ", " + number_text(given_lo) + " to " + number_text(given_hi) +
                             ", is " + why);
    };
    if (fits_f32(type)) {
        lo = static_cast<double>(static_cast<float>(lo));
        hi = static_cast<double>(static_cast<float>(hi));
    }
    if (!std::isfinite(lo) || !std::isfinite(hi)) return refuse(std::string("not finite in ") + word);
    if (!(lo < hi)) return refuse(std::string("empty in ") + word);
    const double distance = hi - lo;
    LevelScale scale;
    scale.by_range = true;
    scale.levels = levels;
    scale.inv = static_cast<float>(static_cast<double>(levels) / distance);
    if (!std::isfinite(static_cast<float>(distance)) || !std::isfinite(scale.inv))
        return refuse("too wide or too narrow for f32");
    scale.lo64 = lo;
    if (fits_f32(type) || is_float(type))
        scale.lo = static_cast<float>(lo);
    else
        set_base(type, lo, &scale);
    return scale;
}

Result<LevelScale> level_scale_of_data(ElementType type, const FiniteRange& found, std::uint32_t levels) {
    if (found.lo < found.hi)
        return level_scale_of_range(type, found.lo, found.hi, levels, "the range of the finite elements");
    LevelScale flat;
    flat.by_range = true;
    flat.levels = levels;
    return flat;
}

LevelScale whole_level_scale(std::uint32_t levels) {
    LevelScale scale;
    scale.levels = levels;
    return scale;
}

}  // namespace tegu::kernels
