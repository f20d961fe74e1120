// SPDX-License-Identifier: Apache-2.0
// An entropy map written straight from docs/numerics.md: every window is counted anew, pixel by pixel. Slow
// and obvious.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "base/job.h"
#include "kernels/numerics/entropy_table.h"
#include "tests/kernels/counting/levels_reference.h"

namespace tegu::testing_support {

struct Image {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::vector<double> pixels;  // each is a value of the element type that it is stored as
    double at(std::int64_t row, std::int64_t col) const {
        return pixels[static_cast<std::size_t>(row * cols + col)];
    }
};

inline std::int64_t mirrored(std::int64_t index, std::int64_t n) {
    while (index < 0 || index >= n) index = index < 0 ? -1 - index : 2 * n - 1 - index;
    return index;
}

inline Half pixel_as(double pixel, Half) {
    return float_to_half(static_cast<float>(pixel));
}
template <class T>
T pixel_as(double pixel, T) {
    return static_cast<T>(pixel);
}

inline std::vector<std::uint32_t> reference_levels(const Image& image, ElementType type,
                                                   const EntropyMapParams& params) {
    LevelRule rule{params.levels, params.has_range, params.lo, params.hi};
    if (!params.has_range && is_float(type)) {
        rule.has_range = true;
        rule.lo = std::numeric_limits<double>::infinity();
        rule.hi = -rule.lo;
        for (const double pixel : image.pixels) {
            if (!std::isfinite(pixel)) continue;
            rule.lo = std::min(rule.lo, pixel);
            rule.hi = std::max(rule.hi, pixel);
        }
    }
    return visit_element_type(type, [&](auto t) {
        std::vector<std::uint32_t> levels;
        for (const double pixel : image.pixels) levels.push_back(reference_level(pixel_as(pixel, t), rule));
        return levels;
    });
}

// The rows (columns) of an image of n that a window of `extent` around `centre` covers, each as often as it
// counts.
inline std::vector<std::int64_t> covered(std::int64_t centre, std::int64_t n, std::int64_t extent,
                                         Border border) {
    std::vector<std::int64_t> places;
    for (std::int64_t place = centre - extent / 2; place <= centre + extent / 2; ++place)
        if (border == Border::Mirror || (place >= 0 && place < n)) places.push_back(mirrored(place, n));
    return places;
}

struct ReferenceMap {
    std::vector<float> map;          // as the document says
    std::vector<long double> exact;  // entropy of the same levels in long double; NaN where the map is
    std::vector<long double> bound;  // what the document promises for |map - exact|
};

inline ReferenceMap reference_map(const Image& image, ElementType type, const EntropyMapParams& params) {
    const std::uint32_t n_max = params.window_rows * params.window_cols;
    const unsigned shift = kernels::entropy_table_shift(params.base, n_max);
    std::vector<std::uint32_t> table(n_max + 1);
    kernels::fill_entropy_table(params.base, shift, table);
    const std::vector<std::uint32_t> levels = reference_levels(image, type, params);
    std::vector<long double> logs(n_max + 1);
    for (std::uint32_t n = 1; n <= n_max; ++n)
        logs[n] = params.base == LogBase::Two ? std::log2(static_cast<long double>(n))
                                              : std::log(static_cast<long double>(n));

    std::vector<std::vector<std::int64_t>> covered_cols;
    for (std::int64_t col = 0; col < image.cols; ++col)
        covered_cols.push_back(covered(col, image.cols, params.window_cols, params.border));

    ReferenceMap result;
    for (std::int64_t row = 0; row < image.rows; ++row) {
        const std::vector<std::int64_t> covered_rows =
            covered(row, image.rows, params.window_rows, params.border);
        for (std::int64_t col = 0; col < image.cols; ++col) {
            std::array<std::uint32_t, 256> counts{};
            std::uint32_t n = 0;
            bool has_nan = false;
            for (const std::int64_t r : covered_rows) {
                for (const std::int64_t c : covered_cols[static_cast<std::size_t>(col)]) {
                    const std::size_t pixel = static_cast<std::size_t>(r * image.cols + c);
                    has_nan = has_nan || std::isnan(image.pixels[pixel]);
                    ++counts[levels[pixel]];
                    ++n;
                }
            }
            std::uint32_t sum = 0;
            long double exact = 0;
            for (const std::uint32_t count : counts) {
                sum += table[count];
                if (count != 0) exact += count * (logs[n] - logs[count]);
            }
            exact /= n;
            float value = static_cast<float>(table[n] - sum) /
                          (static_cast<float>(n) * static_cast<float>(1u << shift));
            const long double rounded_entries = std::min<std::uint32_t>(params.levels, n / 2) + 1;
            const long double bound =
                rounded_entries / (2 * std::ldexp(static_cast<long double>(n), static_cast<int>(shift)));
            if (has_nan) {
                const std::uint32_t quiet_nan = 0x7fc00000;
                std::memcpy(&value, &quiet_nan, sizeof value);
                exact = std::numeric_limits<long double>::quiet_NaN();
            }
            result.map.push_back(value);
            result.exact.push_back(exact);
            result.bound.push_back(bound + 0x1.01p-23L * (exact + bound));
        }
    }
    return result;
}

}  // namespace tegu::testing_support
