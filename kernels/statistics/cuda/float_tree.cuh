// SPDX-License-Identifier: Apache-2.0
// The canonical tree and the tree of moments of docs/numerics.md above the leaves: nodes of lanes within a
// chunk, and partial results of one or more chunks.
#pragma once

#include <cfloat>
#include <cmath>

#include "kernels/execution/cuda/words.cuh"
#include "kernels/statistics/cuda/load.cuh"
#include "kernels/statistics/cuda/shape.h"

namespace tegu {
namespace cuda {

constexpr unsigned kFloatRun = 4;    // adjacent elements of a lane in one row of a tile
constexpr unsigned kFloatRow = 128;  // elements of a row of a tile
constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
constexpr std::uint32_t kNotFound = ~std::uint32_t{0};
constexpr double kInfinity = __builtin_huge_val();

enum FloatPart : unsigned { kPartMoments = 1, kPartOrder = 2, kPartL1 = 4 };
constexpr unsigned kAllFloatParts = kPartMoments | kPartOrder | kPartL1;
enum FloatFact : unsigned { kSawNan = 1, kSawInfinity = 2 };  // of counted elements

// The largest finite value of the type.
TEGU_DEVICE float largest_finite(float) {
    return FLT_MAX;
}
TEGU_DEVICE double largest_finite(double) {
    return DBL_MAX;
}
TEGU_DEVICE bool finite(float x) {
    return fabsf(x) <= FLT_MAX;
}
TEGU_DEVICE bool finite(double x) {
    return fabs(x) <= DBL_MAX;
}
TEGU_DEVICE float magnitude(float x) {
    return fabsf(x);
}
TEGU_DEVICE double magnitude(double x) {
    return fabs(x);
}
// Returns whether a leaf of squares in A is accurate: neither subnormal rounding nor overflow affects it.
TEGU_DEVICE bool usable(float q) {
    return q >= 7.888609052210118e-31f && q <= FLT_MAX;
}  // 2^-100
TEGU_DEVICE bool usable(double q) {
    return q <= DBL_MAX;
}
// REQUIRES: no NaN, or an unused result. The sign of a zero is unspecified.
TEGU_DEVICE float smaller(float a, float b) {
    return fminf(a, b);
}
TEGU_DEVICE double smaller(double a, double b) {
    return b < a ? b : a;
}
TEGU_DEVICE float larger(float a, float b) {
    return fmaxf(a, b);
}
TEGU_DEVICE double larger(double a, double b) {
    return b > a ? b : a;
}

// --- nodes of the trees

// t^2 / n with n elements. Division by a power of two is exact, so its reciprocal is used.
TEGU_DEVICE double spread_between(double t, std::uint32_t n) {
    if ((n & (n - 1)) == 0) {
        const std::uint64_t exponent = 1023 - (31 - leading_zeros(n));
        return (t * t) * bit_cast<double>(exponent << 52);
    }
    return (t * t) / static_cast<double>(n);
}

// Returns whether x is zero or far from the ends of the range.
TEGU_DEVICE bool divides_plainly(double x) {
    const auto high = static_cast<std::uint32_t>(bit_cast<std::uint64_t>(x) >> 32) & 0x7fffffffu;
    return high - (123u << 20) < (1900u << 20) || x == 0;
}
// 1 / n, almost, for over_count(). REQUIRES: n from 1 to 2^63.
TEGU_DEVICE double reciprocal_of(double n) {
#if defined(__CUDACC__)
    double reciprocal;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(reciprocal) : "d"(n));  // accurate to 20 bits or more
    double rest = fma(-n, reciprocal, 1.0);
    reciprocal = fma(reciprocal, fma(rest, rest, rest), reciprocal);
    rest = fma(-n, reciprocal, 1.0);
    return fma(reciprocal, rest, reciprocal);
#else
    return 1 / n;
#endif
}
// x / n, rounded once, without a branch, so several divisions overlap. REQUIRES: divides_plainly(x); n from 1
// to 2^63; `reciprocal`: that of n.
TEGU_DEVICE double over_count(double x, double n, double reciprocal) {
#if defined(__CUDACC__)
    const double quotient = x * reciprocal;
    return fma(fma(-n, quotient, x), reciprocal, quotient);
#else
    static_cast<void>(reciprocal);
    return x / n;
#endif
}

// As spread_of(), also near the ends of the range.
TEGU_DEVICE double careful_spread(double sa, double na, double sb, double nb) {
    const bool equal = na == nb;
    const double n = na + nb;
    double t = sa - sb;
    double mean_a = 0;
    double of = equal ? t * t : sa;
    double by = equal ? n : na;
    TEGU_NO_UNROLL
    for (unsigned k = equal ? 2 : 0;; ++k) {
        const double quotient = of / by;
        if (k == 2) return equal ? quotient : (t * t) * quotient;
        if (k == 0) {
            mean_a = quotient;
            of = sb;
            by = nb;
        } else {
            t = mean_a - quotient;
            of = na * nb;
            by = n;
        }
    }
}

// A number of elements that is not 0, with its reciprocal.
struct Count {
    double n;
    double reciprocal;
    // Of no elements: 1, for a result that nothing uses.
    TEGU_DEVICE static Count of(double n) {
        const double some = n == 0 ? 1 : n;
        return Count{some, reciprocal_of(some)};
    }
};

// The increase of q when two sides merge; `all`: elements of both. Symmetric in the sides.
TEGU_DEVICE double spread_of(double sa, const Count& a, double sb, const Count& b, const Count& all) {
    const bool equal = a.n == b.n;
    const double apart = sa - sb;
    const double of = equal ? apart * apart : a.n * b.n;
    if (!(divides_plainly(sa) && divides_plainly(sb) && divides_plainly(of)))
        return careful_spread(sa, a.n, sb, b.n);
    const double t = over_count(sa, a.n, a.reciprocal) - over_count(sb, b.n, b.reciprocal);
    const double quotient = over_count(of, all.n, all.reciprocal);
    return equal ? quotient : (t * t) * quotient;
}
TEGU_DEVICE double spread_of(double sa, double na, double sb, double nb) {
    return spread_of(sa, Count::of(na), sb, Count::of(nb), Count::of(na + nb));
}

// The node of a lane in the tree of a chunk. n <= 16384.
struct LaneNode {
    double sum;
    double l1;
    double s;
    double q;
    std::uint32_t n;
};

template <unsigned Parts>
TEGU_DEVICE LaneNode merge(const LaneNode& a, const LaneNode& b) {
    LaneNode out = a;
    out.sum = a.sum + b.sum;
    if (Parts & kPartL1) out.l1 = a.l1 + b.l1;
    if (!(Parts & kPartMoments) || b.n == 0) return out;
    if (a.n == 0) {
        out.s = b.s;
        out.q = b.q;
        out.n = b.n;
        return out;
    }
    out.n = a.n + b.n;
    const bool exact = a.n == b.n && (out.n & (out.n - 1)) == 0;
    const double between = exact ? spread_between(a.s - b.s, out.n) : spread_of(a.s, a.n, b.s, b.n);
    out.s = a.s + b.s;
    out.q = (a.q + b.q) + between;
    return out;
}

// As merge(), where a.n = b.n is a power of two. scale: 1 / (a.n + b.n).
template <unsigned Parts>
TEGU_DEVICE LaneNode merge_equal(const LaneNode& a, const LaneNode& b, double scale) {
    LaneNode out = a;
    out.sum = a.sum + b.sum;
    if (Parts & kPartL1) out.l1 = a.l1 + b.l1;
    if (Parts & kPartMoments) {
        const double t = a.s - b.s;
        out.n = a.n + b.n;
        out.s = a.s + b.s;
        out.q = (a.q + b.q) + (t * t) * scale;
    }
    return out;
}

// Adds the moments of b to those of *a, by the same operations for all counts.
TEGU_DEVICE void join_moments(double* n, double* s, double* q, double bn, double bs, double bq) {
    const double between = spread_of(*s, *n == 0 ? 1 : *n, bs, bn == 0 ? 1 : bn);
    const double joined = (*q + bq) + between;
    *q = bn == 0 ? *q : *n == 0 ? bq : joined;
    *s = *s + bs;  // +0 where a side is empty
    *n = *n + bn;
}
template <unsigned Parts>
TEGU_DEVICE LaneNode shuffle_xor_node(const LaneNode& node, unsigned mask) {
    LaneNode other = node;
    other.sum = shuffle_xor(node.sum, mask);
    if (Parts & kPartL1) other.l1 = shuffle_xor(node.l1, mask);
    if (Parts & kPartMoments) {
        other.s = shuffle_xor(node.s, mask);
        other.q = shuffle_xor(node.q, mask);
        other.n = shuffle_xor(node.n, mask);
    }
    return other;
}

// Lane l merges lane l + width / 2, then width / 4, ..., 1. All of the `width` lanes get their root.
template <unsigned Parts>
TEGU_DEVICE LaneNode fold_lanes(LaneNode node, unsigned width) {
    TEGU_NO_UNROLL
    for (unsigned mask = width / 2; mask > 0; mask /= 2)
        node = merge<Parts>(node, shuffle_xor_node<Parts>(node, mask));
    return node;
}

// Subtrees above a chunk. The words used by a set of parts come first.
struct FloatSums {
    double sum = 0;
    std::uint64_t nans = 0;
    double n = 0;
    double s = 0;
    double q = 0;
    std::uint64_t facts = 0;
    double l1 = 0;
};
// The facts without a tree of some elements.
struct FloatOrder {
    double min = kInfinity;
    double max = -kInfinity;
    std::uint64_t min_at = kNowhere;  // tiles until the segment is complete, then indices of elements
    std::uint64_t max_at = kNowhere;
    std::uint64_t nan_at = kNowhere;
    std::uint64_t zeros = 0;
    std::uint64_t nans = 0;
};
struct FloatPartial {
    FloatSums sums;
    FloatOrder order;
};

// Commutative to the bit.
template <unsigned Parts>
TEGU_DEVICE void merge_sums(FloatSums* a, const FloatSums& b) {
    a->sum = a->sum + b.sum;
    a->nans += b.nans;
    if (Parts & kPartL1) a->l1 = a->l1 + b.l1;
    if (!(Parts & kPartMoments)) return;
    a->facts |= b.facts;
    join_moments(&a->n, &a->s, &a->q, b.n, b.s, b.q);
}
TEGU_DEVICE void merge_order(FloatOrder* a, const FloatOrder& b) {
    if (b.min < a->min || (b.min == a->min && b.min_at < a->min_at)) {
        a->min = b.min;
        a->min_at = b.min_at;
    }
    if (b.max > a->max || (b.max == a->max && b.max_at < a->max_at)) {
        a->max = b.max;
        a->max_at = b.max_at;
    }
    if (b.nan_at < a->nan_at) a->nan_at = b.nan_at;
    a->zeros += b.zeros;
    a->nans += b.nans;
}

// The moments of a subtree during a fold: 1 / n, almost, stays with them.
struct FoldedMoments {
    double n;
    double s;
    double q;
    double reciprocal;
    bool plain;  // no sum was near the ends of the range

    TEGU_DEVICE FoldedMoments(double elements, double sum, double squares)
        : n(elements), s(sum), q(squares), reciprocal(Count::of(elements).reciprocal), plain(true) {}
    // Joins those of lane l ^ mask, as join_moments() does, but without a branch. A result that is not plain
    // is wrong.
    TEGU_DEVICE void join_lane(unsigned mask) {
        const double mean = over_count(s, n == 0 ? 1 : n, reciprocal);
        const double other_n = shuffle_xor(n, mask);
        const double other_s = shuffle_xor(s, mask);
        const double other_q = shuffle_xor(q, mask);
        const double t = mean - shuffle_xor(mean, mask);
        const Count all = Count::of(n + other_n);
        const bool equal = n == other_n;
        const double apart = s - other_s;
        const double of = equal ? apart * apart : n * other_n;
        const double quotient = over_count(of, all.n, all.reciprocal);
        const double joined = (q + other_q) + (equal ? quotient : (t * t) * quotient);
        const bool both = n != 0 && other_n != 0;
        plain = plain && (!both || (divides_plainly(s) && divides_plainly(other_s) && divides_plainly(of)));
        q = both ? joined : n == 0 ? other_q : q;
        s = s + other_s;  // +0 where a side is empty
        n = n + other_n;
        reciprocal = all.reciprocal;
    }
};

// The tree over the lanes of a warp, whose nodes may have different counts. Lanes l and l ^ 16 merge, then
// l ^ 8, ..., 1. All lanes get the root.
template <unsigned Parts>
TEGU_DEVICE LaneNode fold_warp(const LaneNode& node) {
    if (!(Parts & kPartMoments)) return fold_lanes<Parts>(node, kWarpLanes);
    LaneNode root = node;
    FoldedMoments moments(node.n, node.s, node.q);
    TEGU_NO_UNROLL
    for (unsigned mask = kWarpLanes / 2; mask > 0; mask /= 2) {
        root.sum = root.sum + shuffle_xor(root.sum, mask);
        if (Parts & kPartL1) root.l1 = root.l1 + shuffle_xor(root.l1, mask);
        moments.join_lane(mask);
    }
    if (!warp_all(moments.plain)) return fold_lanes<Parts>(node, kWarpLanes);
    root.n = static_cast<std::uint32_t>(moments.n);
    root.s = moments.s;
    root.q = moments.q;
    return root;
}

}  // namespace cuda
}  // namespace tegu
