// SPDX-License-Identifier: Apache-2.0
// Statistics of floats: the canonical tree and the tree of moments of docs/numerics.md. A lane holds its 32 elements of a tile in registers, goes over
// them once for sums and extremes and once more for deviations. What is rare (NaN, a leaf that has to be computed in f64) leaves this path.
#pragma once

#include <cfloat>
#include <cmath>

#include "kernels/cuda/reduce_load.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kFloatRun = 4;          // neighbours of a lane in one row of a tile
constexpr unsigned kFloatTile = 1024;
constexpr unsigned kFloatRow = 128;        // elements of a row of a tile
constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
constexpr std::uint32_t kNotFound = ~std::uint32_t{0};
constexpr double kInfinity = __builtin_huge_val();

enum FloatPart : unsigned { kPartMoments = 1, kPartOrder = 2, kPartL1 = 4 };
constexpr unsigned kAllFloatParts = kPartMoments | kPartOrder | kPartL1;
enum FloatFact : unsigned { kSawNan = 1, kSawInfinity = 2 };  // of counted elements

TEGU_DEVICE bool finite(float x) { return fabsf(x) <= FLT_MAX; }
TEGU_DEVICE bool finite(double x) { return fabs(x) <= DBL_MAX; }
TEGU_DEVICE float magnitude(float x) { return fabsf(x); }
TEGU_DEVICE double magnitude(double x) { return fabs(x); }
// Whether a leaf of squares in A stands: rounding to subnormals or overflow has not spoilt it.
TEGU_DEVICE bool usable(float q) { return q >= 7.888609052210118e-31f && q <= FLT_MAX; }  // 2^-100
TEGU_DEVICE bool usable(double q) { return q <= DBL_MAX; }
// NaN is passed over; the sign of a zero is either.
TEGU_DEVICE float smaller(float a, float b) { return fminf(a, b); }
TEGU_DEVICE double smaller(double a, double b) { return fmin(a, b); }
TEGU_DEVICE float larger(float a, float b) { return fmaxf(a, b); }
TEGU_DEVICE double larger(double a, double b) { return fmax(a, b); }

// --- nodes of the trees -----------------------------------------------------------------------------------------------------

// t^2 / n of two sides with n / 2 elements each. A power of two is divided by exactly, so its reciprocal serves.
TEGU_DEVICE double spread_between(double t, std::uint32_t n) {
    if ((n & (n - 1)) == 0) {
        const std::uint64_t exponent = 1023 - (31 - leading_zeros(n));
        return (t * t) * bit_cast<double>(exponent << 52);
    }
    return (t * t) / static_cast<double>(n);
}

// What a lane hands up the tree of a chunk. n <= 16384.
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
    double between;
    if (a.n == b.n) {
        between = spread_between(a.s - b.s, out.n);
    } else {
        const double na = a.n;
        const double nb = b.n;
        const double t = a.s / na - b.s / nb;
        between = (t * t) * ((na * nb) / static_cast<double>(out.n));
    }
    out.s = a.s + b.s;
    out.q = (a.q + b.q) + between;
    return out;
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

// Lane l takes in lane l + width / 2, then width / 4, ..., 1: in every one of `width` lanes their root.
template <unsigned Parts>
TEGU_DEVICE LaneNode fold_lanes(LaneNode node, unsigned width) {
    TEGU_NO_UNROLL
    for (unsigned mask = width / 2; mask > 0; mask /= 2) node = merge<Parts>(node, shuffle_xor_node<Parts>(node, mask));
    return node;
}

// Subtrees above a chunk, and the facts that have no order. The words that a set of parts uses come first.
struct FloatPartial {
    double sum = 0;
    std::uint64_t nans = 0;
    double n = 0;
    double s = 0;
    double q = 0;
    std::uint64_t facts = 0;
    double min = kInfinity;
    double max = -kInfinity;
    std::uint64_t min_at = kNowhere;
    std::uint64_t max_at = kNowhere;
    std::uint64_t nan_at = kNowhere;
    std::uint64_t zeros = 0;
    double l1 = 0;
};

template <unsigned Parts>
struct FloatPartialWords {
    static constexpr unsigned kCount = (Parts & kPartL1) ? 13 : (Parts & kPartOrder) ? 12 : (Parts & kPartMoments) ? 6 : 2;
};

// Commutative to the bit.
template <unsigned Parts>
TEGU_DEVICE void merge_into(FloatPartial* a, const FloatPartial& b) {
    a->sum = a->sum + b.sum;
    a->nans += b.nans;
    if (Parts & kPartL1) a->l1 = a->l1 + b.l1;
    if (Parts & kPartMoments) {
        a->facts |= b.facts;
        if (a->n == 0) {
            a->n = b.n;
            a->s = b.s;
            a->q = b.q;
        } else if (b.n != 0) {
            const double n = a->n + b.n;
            double between;
            if (a->n == b.n) {
                const double t = a->s - b.s;
                between = (t * t) / n;
            } else {
                const double t = a->s / a->n - b.s / b.n;
                between = (t * t) * ((a->n * b.n) / n);
            }
            a->s = a->s + b.s;
            a->q = (a->q + b.q) + between;
            a->n = n;
        }
    }
    if (Parts & kPartOrder) {
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
    }
}

// --- one leaf -----------------------------------------------------------------------------------------------------------

// The elements of a lane in `Runs` rows of a tile, and what is known of them.
template <class A, unsigned Runs>
struct Leaf {
    A x[Runs][kFloatRun];
    std::uint32_t mask;  // bit 4 r + j: x[r][j] is an element that counts; the others hold +0
};

template <unsigned Runs>
struct FullMask {
    static constexpr std::uint32_t kBits = Runs == 8 ? 0xffffffffu : (1u << (Runs * kFloatRun % 32)) - 1;
};

// (a0 + a1) + (a2 + a3) of f(x) down the rows.
struct Identity {
    template <class A>
    TEGU_DEVICE static A of(A x) {
        return x;
    }
};
struct Magnitude {
    template <class A>
    TEGU_DEVICE static A of(A x) {
        return magnitude(x);
    }
};
template <class F, class A, unsigned Runs>
TEGU_DEVICE A leaf_sum(const A (&x)[Runs][kFloatRun]) {
    A a[kFloatRun];
    TEGU_UNROLL
    for (unsigned j = 0; j < kFloatRun; ++j) a[j] = A(0) + F::of(x[0][j]);
    TEGU_UNROLL
    for (unsigned r = 1; r < Runs; ++r) {
        TEGU_UNROLL
        for (unsigned j = 0; j < kFloatRun; ++j) a[j] = a[j] + F::of(x[r][j]);
    }
    return (a[0] + a[1]) + (a[2] + a[3]);
}

// A leaf computed in f64 from its definition. The elements are read again, so that no array of registers is indexed by a variable; if their
// bytes have changed since, the result is that of some bytes.
template <class T, class From>
struct WideLeaf {
    const From& elements;
    std::uint64_t begin;  // index of x[0][0]
    std::uint32_t mask;

    TEGU_DEVICE double at(unsigned bit) const {
        return static_cast<double>(widen(elements.at(begin + bit / kFloatRun * kFloatRow + bit % kFloatRun)));
    }
    TEGU_DEVICE void sums(double* sum, double* l1) const {
        double a[kFloatRun] = {0, 0, 0, 0};
        double b[kFloatRun] = {0, 0, 0, 0};
        TEGU_NO_UNROLL
        for (unsigned r = 0; r < 32; r += kFloatRun) {
            TEGU_UNROLL
            for (unsigned j = 0; j < kFloatRun; ++j)
                if ((mask >> (r + j)) & 1u) {
                    const double v = at(r + j);
                    a[j] = a[j] + v;
                    b[j] = b[j] + fabs(v);
                }
        }
        *sum = (a[0] + a[1]) + (a[2] + a[3]);
        *l1 = (b[0] + b[1]) + (b[2] + b[3]);
    }
    // s, q and n of a leaf with at least one element; an infinity or a NaN among them leaves its fact alone.
    TEGU_DEVICE std::uint32_t moments(double* s, double* q) const {
        std::uint32_t facts = 0;
        double total;
        double l1;
        sums(&total, &l1);
        TEGU_NO_UNROLL
        for (unsigned bit = 0; bit < 32; ++bit)
            if ((mask >> bit) & 1u) {
                const double v = at(bit);
                facts |= v != v ? kSawNan : !finite(v) ? kSawInfinity : 0u;
            }
        *s = 0;
        *q = 0;
        if (facts != 0) return facts;
        const double c = count_bits(mask);
        const double m = total / c;
        double dev[kFloatRun] = {0, 0, 0, 0};
        double sqr[kFloatRun] = {0, 0, 0, 0};
        TEGU_NO_UNROLL
        for (unsigned r = 0; r < 32; r += kFloatRun) {
            TEGU_UNROLL
            for (unsigned j = 0; j < kFloatRun; ++j)
                if ((mask >> (r + j)) & 1u) {
                    const double d = at(r + j) - m;
                    dev[j] = dev[j] + d;
                    sqr[j] = sqr[j] + d * d;
                }
        }
        const double d = (dev[0] + dev[1]) + (dev[2] + dev[3]);
        const double squares = (sqr[0] + sqr[1]) + (sqr[2] + sqr[3]);
        const double q2 = squares - (d * d) / c;
        *s = c * m + d;
        *q = q2 < 0 ? 0 : q2;
        return 0;
    }
};

// What a lane keeps over all its tiles, besides the tree. Positions are relative to the warp's first tile.
template <class A>
struct LaneFacts {
    A min = static_cast<A>(kInfinity);
    A max = static_cast<A>(-kInfinity);
    std::uint32_t min_at = kNotFound;
    std::uint32_t max_at = kNotFound;
    std::uint32_t nan_at = kNotFound;
    std::uint32_t nans = 0;
    std::uint32_t zeros = 0;
    std::uint32_t facts = 0;
};

// Gives the first of every `width` lanes (all of them, in fact) the facts of them all.
template <unsigned Parts, class A>
TEGU_DEVICE void fold_facts(LaneFacts<A>* facts, unsigned width) {
    const bool nans = warp_any(facts->nans != 0);
    TEGU_NO_UNROLL
    for (unsigned mask = width / 2; mask > 0; mask /= 2) {
        if (nans) facts->nans += shuffle_xor(facts->nans, mask);
        if (Parts & kPartMoments) facts->facts |= shuffle_xor(facts->facts, mask);
        if (!(Parts & kPartOrder)) continue;
        const A min = shuffle_xor(facts->min, mask);
        const std::uint32_t min_at = shuffle_xor(facts->min_at, mask);
        if (min < facts->min || (min == facts->min && min_at < facts->min_at)) {
            facts->min = min;
            facts->min_at = min_at;
        }
        const A max = shuffle_xor(facts->max, mask);
        const std::uint32_t max_at = shuffle_xor(facts->max_at, mask);
        if (max > facts->max || (max == facts->max && max_at < facts->max_at)) {
            facts->max = max;
            facts->max_at = max_at;
        }
        if (nans) {
            const std::uint32_t nan_at = shuffle_xor(facts->nan_at, mask);
            if (nan_at < facts->nan_at) facts->nan_at = nan_at;
        }
        facts->zeros += shuffle_xor(facts->zeros, mask);
    }
}

// Position of the first element that equals `value`, relative to x[0][0]; kNotFound if there is none.
template <class A, unsigned Runs>
TEGU_DEVICE std::uint32_t first_equal(const A (&x)[Runs][kFloatRun], A value) {
    std::uint32_t at = kNotFound;
    TEGU_UNROLL
    for (unsigned i = Runs * kFloatRun; i-- > 0;)
        if (x[i / kFloatRun][i % kFloatRun] == value) at = i / kFloatRun * kFloatRow + i % kFloatRun;
    return at;
}

// Elements that do not count are NaN here. `position`: of x[0][0], relative to the warp's first tile.
template <class A, unsigned Runs>
TEGU_DEVICE void take_order(const A (&x)[Runs][kFloatRun], std::uint32_t position, LaneFacts<A>* facts) {
    A low = static_cast<A>(kInfinity);
    A high = static_cast<A>(-kInfinity);
    TEGU_UNROLL
    for (unsigned r = 0; r < Runs; ++r) {
        TEGU_UNROLL
        for (unsigned j = 0; j < kFloatRun; ++j) {
            low = smaller(low, x[r][j]);
            high = larger(high, x[r][j]);
            facts->zeros += x[r][j] == A(0) ? 1u : 0u;
        }
    }
    // A lane whose elements were all NaN, or infinite the wrong way, has no place yet.
    if (low < facts->min || facts->min_at == kNotFound) {
        const std::uint32_t at = first_equal(x, low);
        if (at != kNotFound) {
            facts->min = low;
            facts->min_at = position + at;
        }
    }
    if (high > facts->max || facts->max_at == kNotFound) {
        const std::uint32_t at = first_equal(x, high);
        if (at != kNotFound) {
            facts->max = high;
            facts->max_at = position + at;
        }
    }
}

// The bits of the elements that are NaN.
template <class A, unsigned Runs>
TEGU_DEVICE std::uint32_t nan_bits(const A (&x)[Runs][kFloatRun]) {
    std::uint32_t bits = 0;
    TEGU_UNROLL
    for (unsigned i = 0; i < Runs * kFloatRun; ++i)
        if (is_nan(x[i / kFloatRun][i % kFloatRun])) bits |= 1u << i;
    return bits;
}

template <class A, unsigned Runs>
TEGU_DEVICE void fill(A (&x)[Runs][kFloatRun], std::uint32_t missing, A value) {
    TEGU_UNROLL
    for (unsigned i = 0; i < Runs * kFloatRun; ++i)
        if ((missing >> i) & 1u) x[i / kFloatRun][i % kFloatRun] = value;
}

// Whether an element that counts is not `value`. Elements that do not count equal it.
template <class A, unsigned Runs>
TEGU_DEVICE bool any_differs(const A (&x)[Runs][kFloatRun], A value) {
    bool differs = false;
    TEGU_UNROLL
    for (unsigned i = 0; i < Runs * kFloatRun; ++i) differs = differs || !(x[i / kFloatRun][i % kFloatRun] == value);
    return differs;
}

// s and q of a leaf whose sum in A is `sum`; c elements count, and those that do not are filled with `mean`.
template <class T, class A, unsigned Runs, class From>
TEGU_DEVICE void take_moments(const A (&x)[Runs][kFloatRun], A mean, std::uint32_t c, const WideLeaf<T, From>& wide, LaneFacts<A>* facts,
                              LaneNode* node) {
    A dev[kFloatRun];
    A sqr[kFloatRun];
    TEGU_UNROLL
    for (unsigned r = 0; r < Runs; ++r) {
        TEGU_UNROLL
        for (unsigned j = 0; j < kFloatRun; ++j) {
            const A d = x[r][j] - mean;
            dev[j] = (r == 0 ? A(0) : dev[j]) + d;
            sqr[j] = r == 0 ? d * d : sqr[j] + d * d;
        }
    }
    const A squares = (sqr[0] + sqr[1]) + (sqr[2] + sqr[3]);
    const double d = static_cast<double>((dev[0] + dev[1]) + (dev[2] + dev[3]));
    const double count = static_cast<double>(c);
    node->n = c;
    if (usable(squares)) {
        const double between = c == 32 ? (d * d) * 0.03125 : (d * d) / count;
        const double q = static_cast<double>(squares) - between;
        node->s = count * static_cast<double>(mean) + d;
        node->q = q < 0 ? 0 : q;
    } else if (!any_differs(x, mean) && finite(mean)) {
        node->s = count * static_cast<double>(mean);
        node->q = 0;
    } else {
        facts->facts |= wide.moments(&node->s, &node->q);
    }
}

// Takes the elements of a lane in one tile: adds their facts, returns the leaf. `begin`: the index of x[0][0]; `position`: the same, relative to
// the warp's first tile.
template <class T, unsigned Parts, unsigned Runs, class A, class From>
TEGU_DEVICE LaneNode take_leaf(Leaf<A, Runs>* leaf, const From& elements, std::uint64_t begin, std::uint32_t position, bool skip_nans,
                               LaneFacts<A>* facts) {
    constexpr std::uint32_t kFull = FullMask<Runs>::kBits;
    constexpr bool kCanWiden = sizeof(A) == 4;
    LaneNode node{0, 0, 0, 0, 0};
    A sum = leaf_sum<Identity>(leaf->x);
    if (!finite(sum)) {
        const std::uint32_t nans = nan_bits(leaf->x);
        if (nans != 0) {
            facts->nans += count_bits(nans);
            if ((Parts & kPartOrder) && facts->nan_at == kNotFound) {
                const unsigned first = 31 - leading_zeros(nans & (0u - nans));
                facts->nan_at = position + first / kFloatRun * kFloatRow + first % kFloatRun;
            }
            if (skip_nans) {
                leaf->mask &= ~nans;
                fill(leaf->x, nans, A(0));
                sum = leaf_sum<Identity>(leaf->x);
            }
        }
    }
    const WideLeaf<T, From> wide{elements, begin, leaf->mask};
    node.sum = static_cast<double>(sum);
    double wide_l1 = 0;
    if (kCanWiden && !finite(sum)) wide.sums(&node.sum, &wide_l1);
    if (Parts & kPartL1) {
        const A l1 = leaf_sum<Magnitude>(leaf->x);
        node.l1 = static_cast<double>(l1);
        double unused = 0;
        if (kCanWiden && !finite(l1)) wide.sums(&unused, &node.l1);
    }
    const bool full = leaf->mask == kFull;
    if (Parts & kPartOrder) {
        if (!full) fill(leaf->x, ~leaf->mask, static_cast<A>(bit_cast<double>(kDoubleNan)));
        take_order(leaf->x, position, facts);
    }
    if (Parts & kPartMoments) {
        const std::uint32_t c = count_bits(leaf->mask);
        if (c == 0) return node;
        A mean;
        if (Runs == 8 && full) {
            mean = sum * A(0.03125);
        } else {
            mean = sum / static_cast<A>(c);
            if (!full) fill(leaf->x, ~leaf->mask, mean);
        }
        take_moments<T>(leaf->x, mean, c, wide, facts, &node);
    }
    return node;
}

}  // namespace cuda
}  // namespace tegu
