// SPDX-License-Identifier: Apache-2.0
// The leaves of a tile of floats: sums and moments of 32 lanes. Loops run along the 128 columns of a tile, in
// the canonical lane order, so vectorisation changes no result. Rare cases leave the fast loops: a leaf
// recomputed in f64, skipped NaN, a partial tile.
//
// Part of kernels/statistics/cpu/float.cpp, so compiled once per instruction set.
#pragma once

#include <cfloat>
#include <cstring>

#include "kernels/statistics/cpu/chunk.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

constexpr int kCols = 128;
constexpr int kRows = 8;
constexpr int kLanes = 32;

template <class A>
struct Arithmetic;  // A: the type in which leaves are computed
template <>
struct Arithmetic<float> {
    using Counter = std::int32_t;  // as wide as A, so that counting loops vectorise
    static constexpr float kInfinity = __builtin_inff();
    static float abs(float x) { return __builtin_fabsf(x); }
    // Sums of squares outside this range are recomputed in f64, because subnormal rounding or overflow made
    // them inaccurate.
    static bool usable(float q) { return (q >= 0x1p-100f) & (q <= FLT_MAX); }
    static bool finite(float x) { return __builtin_fabsf(x) <= FLT_MAX; }
};
template <>
struct Arithmetic<double> {
    using Counter = std::int64_t;
    static constexpr double kInfinity = __builtin_inf();
    static double abs(double x) { return __builtin_fabs(x); }
    static bool usable(double q) { return q <= DBL_MAX; }
    static bool finite(double) { return true; }  // there is no wider type to recompute in
};

// One value per lane of a tile or of a subtree of tiles.
struct SumLanes {
    alignas(64) double s[kLanes];
};
struct MomentLanes {
    alignas(64) double n[kLanes];
    alignas(64) double s[kLanes];
    alignas(64) double m2[kLanes];
    bool uniform;  // n is the same power of two in all lanes
};

struct Identity {
    template <class A>
    static A of(A x) {
        return x;
    }
};
struct Magnitude {
    template <class A>
    static A of(A x) {
        return Arithmetic<A>::abs(x);
    }
};

// The number of lanes with an element in a tile of n elements: short rows fill only part of the first row.
// Loops over partial tiles run along these lanes.
inline int lanes_in(std::size_t n) {
    return n < kCols ? static_cast<int>((n + 3) / 4) : kLanes;
}

// (a0 + a1) + (a2 + a3) of each lane.
template <class A>
void fold_quads(const A* acc, A* lanes, int count = kLanes) {
    for (int l = 0; l < count; ++l)
        lanes[l] = (acc[4 * l] + acc[4 * l + 1]) + (acc[4 * l + 2] + acc[4 * l + 3]);
}

// The leaves of a tile in A, for lanes_in(n). Missing elements, from n on, count as +0.0, which changes no
// accumulator.
template <class F, class A>
void sum_leaves(const A* x, std::size_t n, A* lanes) {
    alignas(64) A acc[kCols];
    if (n == kTileElements) {
        for (int k = 0; k < kCols; ++k)
            acc[k] =
                (((((((A(0) + F::of(x[k])) + F::of(x[k + 128])) + F::of(x[k + 256])) + F::of(x[k + 384])) +
                   F::of(x[k + 512])) +
                  F::of(x[k + 640])) +
                 F::of(x[k + 768])) +
                F::of(x[k + 896]);
        return fold_quads(acc, lanes);
    }
    const int count = lanes_in(n);
    std::memset(acc, 0, static_cast<std::size_t>(4 * count) * sizeof(A));
    for (std::size_t begin = 0; begin < n; begin += kCols) {
        const std::size_t width = n - begin < kCols ? n - begin : kCols;
        for (std::size_t k = 0; k < width; ++k) acc[k] = acc[k] + F::of(x[begin + k]);
    }
    fold_quads(acc, lanes, count);
}

// One leaf recomputed in f64, from the elements of sum_leaves: skipped NaN are +0.0.
template <class F, class A>
double sum_leaf_f64(const A* x, std::size_t n, int lane) {
    double acc[4] = {0, 0, 0, 0};
    for (std::size_t row = 0; row < kRows; ++row)
        for (std::size_t j = 0; j < 4; ++j) {
            const std::size_t i = row * kCols + 4 * static_cast<std::size_t>(lane) + j;
            if (i < n) acc[j] += static_cast<double>(F::of(x[i]));
        }
    return (acc[0] + acc[1]) + (acc[2] + acc[3]);
}

template <class F, class A>
void widen_leaves(const A* x, std::size_t n, const A* lanes, SumLanes* out) {
    int bad = 0;
    const int count = lanes_in(n);
    for (int l = 0; l < count; ++l) {
        bad += !Arithmetic<A>::finite(lanes[l]);
        out->s[l] = static_cast<double>(lanes[l]);
    }
    for (int l = count; l < kLanes; ++l) out->s[l] = 0;
    if (bad == 0) return;
    for (int l = 0; l < count; ++l)
        if (!Arithmetic<A>::finite(lanes[l])) out->s[l] = sum_leaf_f64<F>(x, n, l);
}

// One leaf of the moments in f64, straight from the definition.
template <class A>
Moments moment_leaf_f64(const A* x, std::size_t n, int lane, bool skip_nans, unsigned* flags) {
    double value[32];
    int slot[32];
    int count = 0;
    double sum[4] = {0, 0, 0, 0};
    unsigned found = 0;
    for (std::size_t row = 0; row < kRows; ++row)
        for (int j = 0; j < 4; ++j) {
            const std::size_t i =
                row * kCols + 4 * static_cast<std::size_t>(lane) + static_cast<std::size_t>(j);
            if (i >= n) continue;
            const double v = static_cast<double>(x[i]);
            if (v != v) {
                if (skip_nans) continue;
                found |= kHasNan;
            } else if (__builtin_fabs(v) > DBL_MAX) {
                found |= kHasInfinity;
            }
            value[count] = v;
            slot[count++] = j;
            sum[j] += v;
        }
    if (found != 0) {  // the flags decide the results
        *flags |= found;
        return Moments{static_cast<double>(count), 0, 0};
    }
    if (count == 0) return Moments{0, 0, 0};
    const double c = count;
    const double m = ((sum[0] + sum[1]) + (sum[2] + sum[3])) / c;
    double dev[4] = {0, 0, 0, 0};
    double sqr[4] = {0, 0, 0, 0};
    for (int i = 0; i < count; ++i) {
        const double d = value[i] - m;
        dev[slot[i]] += d;
        sqr[slot[i]] += d * d;
    }
    const double dd = (dev[0] + dev[1]) + (dev[2] + dev[3]);
    const double q = (sqr[0] + sqr[1]) + (sqr[2] + sqr[3]);
    const double m2 = q - (dd * dd) / c;
    return Moments{c, c * m + dd, m2 < 0 ? 0 : m2};
}

// D and Q of the first `lanes` lanes about `mean` (one per column). REQUIRES: x has `rows` rows of that many
// lanes; of all lanes if there are several rows.
template <class A>
void deviations(const A* x, int rows, int lanes, const A* mean, A* dev_lanes, A* sqr_lanes) {
    alignas(64) A dev[kCols];
    alignas(64) A sqr[kCols];
    if (rows == kRows) {
        for (int k = 0; k < kCols; ++k) {
            const A m = mean[k];
            const A d0 = x[k] - m, d1 = x[k + 128] - m, d2 = x[k + 256] - m, d3 = x[k + 384] - m;
            const A d4 = x[k + 512] - m, d5 = x[k + 640] - m, d6 = x[k + 768] - m, d7 = x[k + 896] - m;
            dev[k] = (((((((A(0) + d0) + d1) + d2) + d3) + d4) + d5) + d6) + d7;
            sqr[k] =
                ((((((d0 * d0 + d1 * d1) + d2 * d2) + d3 * d3) + d4 * d4) + d5 * d5) + d6 * d6) + d7 * d7;
        }
    } else {
        std::memset(dev, 0, sizeof dev);
        std::memset(sqr, 0, sizeof sqr);
        for (int row = 0; row < rows; ++row)
            for (int k = 0; k < 4 * lanes; ++k) {
                const A d = x[row * kCols + k] - mean[k];
                dev[k] = dev[k] + d;
                sqr[k] = sqr[k] + d * d;
            }
    }
    fold_quads(dev, dev_lanes, lanes);
    fold_quads(sqr, sqr_lanes, lanes);
}

// Recomputes the lanes with an unusable Q in f64. Skips lanes whose elements all equal a finite mean: the
// result would be the same.
template <class A>
void mend_moments(const A* x, std::size_t n, const A* filled, int rows, const A* mean, const A* sqr,
                  bool skip_nans, MomentLanes* out, unsigned* flags) {
    const int lanes = lanes_in(n);
    unsigned char differs[kCols];
    std::memset(differs, 0, sizeof differs);
    for (int row = 0; row < rows; ++row)
        for (int k = 0; k < 4 * lanes; ++k)
            differs[k] |= static_cast<unsigned char>(filled[row * kCols + k] != mean[k]);
    for (int l = 0; l < lanes; ++l) {
        if (out->n[l] == 0 || Arithmetic<A>::usable(sqr[l])) continue;
        const bool differ =
            (differs[4 * l] | differs[4 * l + 1] | differs[4 * l + 2] | differs[4 * l + 3]) != 0;
        if (!differ && __builtin_fabs(static_cast<double>(mean[4 * l])) <= DBL_MAX) {
            out->s[l] = out->n[l] * static_cast<double>(mean[4 * l]);
            out->m2[l] = 0;
            continue;
        }
        const Moments leaf = moment_leaf_f64(x, n, l, skip_nans, flags);
        out->n[l] = leaf.n;
        out->s[l] = leaf.s;
        out->m2[l] = leaf.m2;
    }
}

// A leaf of 32 elements from its leaves of x, d and d * d in A.
template <class A>
inline __attribute__((always_inline)) Moments full_leaf(A sum, A dev, A sqr) {
    const double mean = static_cast<double>(sum * A(0.03125));  // exact division by 32
    const double d = static_cast<double>(dev);
    const double m2 = static_cast<double>(sqr) - (d * d) * 0.03125;
    return Moments{32, 32 * mean + d, m2 < 0 ? 0 : m2};
}

template <class A>
bool all_usable(const A* sqr) {
    typename Arithmetic<A>::Counter bad = 0;
    for (int l = 0; l < kLanes; ++l) bad |= !Arithmetic<A>::usable(sqr[l]);
    return bad == 0;
}

// The leaves of a full tile without an element to skip, from its leaves of x, d and d * d in A.
template <class A>
void widen_moments(const A* x, const A* sums, const A* dev, const A* sqr, bool skip_nans, MomentLanes* out,
                   unsigned* flags) {
    for (int l = 0; l < kLanes; ++l) {
        const Moments leaf = full_leaf(sums[l], dev[l], sqr[l]);
        out->n[l] = leaf.n;
        out->s[l] = leaf.s;
        out->m2[l] = leaf.m2;
    }
    out->uniform = true;
    if (all_usable(sqr)) return;
    alignas(64) A mean[kCols];
    for (int k = 0; k < kCols; ++k) mean[k] = sums[k / 4] * A(0.03125);
    mend_moments(x, kTileElements, x, kRows, mean, sqr, skip_nans, out, flags);
}

// The moments of a tile that is full and has no element to skip. `sums` are its leaves in A.
template <class A>
void moments_full(const A* x, const A* sums, bool skip_nans, MomentLanes* out, unsigned* flags) {
    alignas(64) A mean[kCols];
    alignas(64) A dev[kLanes];
    alignas(64) A sqr[kLanes];
    for (int k = 0; k < kCols; ++k) mean[k] = sums[k / 4] * A(0.03125);  // exact division by 32
    deviations(x, kRows, kLanes, mean, dev, sqr);
    widen_moments(x, sums, dev, sqr, skip_nans, out, flags);
}

// The number of counted elements in each of the first `cols` columns of a tile.
template <class A>
void count_columns(const A* x, std::size_t n, std::size_t cols, bool skip_nans, int* count) {
    const std::size_t rows = n / kCols;
    const std::size_t rest = n % kCols;
    for (std::size_t k = 0; k < cols; ++k) count[k] = static_cast<int>(rows) + (k < rest);
    if (skip_nans)
        for (std::size_t i = 0; i < n; ++i) count[i % kCols] -= x[i] != x[i];
}

// The moments of any tile: missing or skipped elements are replaced by the mean of their lane, so that they
// deviate by 0.
template <class A>
void moments_partial(const A* x, std::size_t n, const A* sums, bool skip_nans, MomentLanes* out,
                     unsigned* flags) {
    alignas(64) A filled[kTileElements];
    alignas(64) A mean[kCols];
    alignas(64) A dev[kLanes];
    alignas(64) A sqr[kLanes];
    alignas(64) int count[kCols];
    const int rows = static_cast<int>((n + kCols - 1) / kCols);
    const int lanes = lanes_in(n);
    const auto cols = static_cast<std::size_t>(4 * lanes);
    count_columns(x, n, cols, skip_nans, count);
    for (int l = 0; l < lanes; ++l) {
        const int c = count[4 * l] + count[4 * l + 1] + count[4 * l + 2] + count[4 * l + 3];
        const A m = c == 0 ? A(0) : sums[l] / static_cast<A>(c);
        mean[4 * l] = mean[4 * l + 1] = mean[4 * l + 2] = mean[4 * l + 3] = m;
        out->n[l] = c;
    }
    std::memcpy(filled, x, n * sizeof(A));
    for (std::size_t i = n; i < static_cast<std::size_t>(rows - 1) * kCols + cols; ++i)
        filled[i] = mean[i % kCols];
    if (skip_nans)
        for (std::size_t i = 0; i < n; ++i) filled[i] = filled[i] == filled[i] ? filled[i] : mean[i % kCols];
    deviations(filled, rows, lanes, mean, dev, sqr);
    int bad = 0;
    for (int l = 0; l < lanes; ++l) {
        const double d = static_cast<double>(dev[l]);
        const double c = out->n[l];
        const double m2 = c == 0 ? 0 : static_cast<double>(sqr[l]) - (d * d) / c;
        out->s[l] = c * static_cast<double>(mean[4 * l]) + d;
        out->m2[l] = m2 < 0 ? 0 : m2;
        bad += c != 0 && !Arithmetic<A>::usable(sqr[l]);
    }
    for (int l = lanes; l < kLanes; ++l) out->n[l] = out->s[l] = out->m2[l] = 0;
    out->uniform = false;
    if (bad != 0) mend_moments(x, n, filled, rows, mean, sqr, skip_nans, out, flags);
}

}  // namespace
}  // namespace tegu::kernels::TEGU_ISA
