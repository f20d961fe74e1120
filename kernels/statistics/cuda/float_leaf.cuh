// SPDX-License-Identifier: Apache-2.0
// The leaves of floats. A lane holds the elements of its leaf in registers and passes over them twice: for
// sums and extremes, then for deviations.
//
// Elements that do not count (beyond the end, skipped NaN) get a neutral value, so that one code serves every
// leaf. A rare leaf that needs f64 reads its elements from memory: slower, with few registers.
#pragma once

#include "kernels/statistics/cuda/float_facts.cuh"

namespace tegu {
namespace cuda {

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
struct Square {
    template <class A>
    TEGU_DEVICE static A of(A x) {
        return x * x;
    }
};

template <class A>
TEGU_DEVICE A sum_of_four(const A (&a)[kFloatRun]) {
    return (a[0] + a[1]) + (a[2] + a[3]);
}

// Sets s and q of c elements about `mean`, from the leaf sums of their deviations and squares.
TEGU_DEVICE void set_moments(double mean, double deviations, double squares, std::uint32_t c,
                             LaneNode* node) {
    const double q = squares - spread_between(deviations, c);
    node->n = c;
    node->s = static_cast<double>(c) * mean + deviations;
    node->q = q < 0 ? 0 : q;
}

// --- a leaf in f64

// A leaf of `Runs` runs that needs f64, read from `elements` in each pass: unsigned load(index, T* x). If
// bytes change between two passes, the result is that of some bytes.
template <class T, unsigned Runs, class From>
class WideLeaf {
  public:
    TEGU_DEVICE WideLeaf(const From& elements, std::uint64_t begin) : elements_(elements), begin_(begin) {}

    // The sum over the elements of `mask`: bit 4 r + j.
    template <class F>
    TEGU_DEVICE double sum(std::uint32_t mask) const {
        Sum<F> sum{{0, 0, 0, 0}};
        for_counted(mask, &sum);
        return sum_of_four(sum.a);
    }
    TEGU_DEVICE void moments(std::uint32_t mask, LaneNode* node) const {
        const std::uint32_t c = count_bits(mask);
        const double mean = sum<Identity>(mask) / static_cast<double>(c);
        Deviations each{mean, {0, 0, 0, 0}, {0, 0, 0, 0}};
        for_counted(mask, &each);
        set_moments(mean, sum_of_four(each.dev), sum_of_four(each.sqr), c, node);
    }

  private:
    template <class F>
    struct Sum {
        double a[kFloatRun];
        TEGU_DEVICE void take(unsigned j, double v) { a[j] = a[j] + F::of(v); }
    };
    struct Deviations {
        double mean;
        double dev[kFloatRun];
        double sqr[kFloatRun];
        TEGU_DEVICE void take(unsigned j, double v) {
            const double d = v - mean;
            dev[j] = dev[j] + d;
            sqr[j] = sqr[j] + d * d;
        }
    };
    // Calls each(j, element) for the elements of `mask`, row by row.
    template <class Each>
    TEGU_DEVICE void for_counted(std::uint32_t mask, Each* each) const {
        TEGU_NO_UNROLL
        for (unsigned r = 0; r < Runs; ++r) {
            T x[kFloatRun];
            elements_.load(begin_ + r * kFloatRow, x);
            TEGU_UNROLL
            for (unsigned j = 0; j < kFloatRun; ++j)
                if ((mask >> (r * kFloatRun + j)) & 1u) each->take(j, static_cast<double>(widen(x[j])));
        }
    }

    const From& elements_;
    std::uint64_t begin_;
};

// --- a leaf in registers

// The elements of a leaf of `Runs` runs and the mask of those that count: bit 4 r + j. Missing elements are
// +0.
template <class A, unsigned Runs>
struct Leaf {
    static constexpr unsigned kElements = Runs * kFloatRun;
    static constexpr std::uint32_t kFull = ~std::uint32_t{0} >> (32 - kElements);

    A x[kElements];
    std::uint32_t mask;

    TEGU_DEVICE bool full() const { return mask == kFull; }

    // (a0 + a1) + (a2 + a3) of f(x) down the rows. It starts with the first row instead of +0: the sum of
    // nothing but -0 is -0, a difference that no result shows.
    template <class F>
    TEGU_DEVICE A sum() const {
        A a[kFloatRun];
        TEGU_UNROLL
        for (unsigned i = 0; i < kElements; ++i)
            a[i % kFloatRun] = i < kFloatRun ? F::of(x[i]) : a[i % kFloatRun] + F::of(x[i]);
        return sum_of_four(a);
    }
    // The smallest f(x), and the largest x, in four independent chains to hide latency.
    template <class F>
    TEGU_DEVICE A min() const {
        A a[kFloatRun];
        TEGU_UNROLL
        for (unsigned i = 0; i < kElements; ++i)
            a[i % kFloatRun] = i < kFloatRun ? F::of(x[i]) : smaller(a[i % kFloatRun], F::of(x[i]));
        return smaller(smaller(a[0], a[1]), smaller(a[2], a[3]));
    }
    TEGU_DEVICE A max() const {
        A a[kFloatRun];
        TEGU_UNROLL
        for (unsigned i = 0; i < kElements; ++i)
            a[i % kFloatRun] = i < kFloatRun ? x[i] : larger(a[i % kFloatRun], x[i]);
        return larger(larger(a[0], a[1]), larger(a[2], a[3]));
    }
    // Sets the elements that do not count to a value.
    TEGU_DEVICE void fill(A value) {
        TEGU_UNROLL
        for (unsigned i = 0; i < kElements; ++i)
            if (((mask >> i) & 1u) == 0) x[i] = value;
    }
    // REQUIRES: one element counts.
    TEGU_DEVICE A any_counted() const {
        A value = x[0];
        TEGU_UNROLL
        for (unsigned i = 1; i < kElements; ++i)
            if ((mask >> i) & 1u) value = x[i];
        return value;
    }
    // A mask of the elements for which Is::so(x).
    template <class Is>
    TEGU_DEVICE std::uint32_t which() const {
        std::uint32_t bits = 0;
        TEGU_UNROLL
        for (unsigned i = 0; i < kElements; ++i) bits |= Is::so(x[i]) ? 1u << i : 0u;
        return bits;
    }
};
struct IsNan {
    template <class A>
    TEGU_DEVICE static bool so(A x) {
        return x != x;
    }
};
struct IsZero {
    template <class A>
    TEGU_DEVICE static bool so(A x) {
        return x == A(0);
    }
};
struct IsInfinite {
    template <class A>
    TEGU_DEVICE static bool so(A x) {
        return magnitude(x) > largest_finite(x);
    }
};

// Keeps the extremes of a leaf and its number.
template <class A>
TEGU_DEVICE void note_extremes(A low, A high, std::uint32_t number, LaneFacts<A>* facts) {
    if (low < facts->min || (low == facts->min && number < facts->min_in)) {
        facts->min = low;
        facts->min_in = number;
    }
    if (high > facts->max || (high == facts->max && number < facts->max_in)) {
        facts->max = high;
        facts->max_in = number;
    }
}

// The extremes of a leaf and the first run that has each among its counted elements; the number of run r is
// number + 32 r. REQUIRES: elements that do not count equal one that counts.
template <class A, unsigned Runs>
TEGU_DEVICE void note_runs(const Leaf<A, Runs>& leaf, std::uint32_t number, LaneFacts<A>* facts) {
    A low[Runs];
    A high[Runs];
    TEGU_UNROLL
    for (unsigned r = 0; r < Runs; ++r) {
        const A* const x = leaf.x + r * kFloatRun;
        low[r] = smaller(smaller(x[0], x[1]), smaller(x[2], x[3]));
        high[r] = larger(larger(x[0], x[1]), larger(x[2], x[3]));
    }
    facts->min = low[0];
    facts->max = high[0];
    TEGU_UNROLL
    for (unsigned r = 1; r < Runs; ++r) {
        facts->min = smaller(facts->min, low[r]);
        facts->max = larger(facts->max, high[r]);
    }
    std::uint32_t min_run = 0;
    std::uint32_t max_run = 0;
    if (leaf.full()) {
        TEGU_UNROLL
        for (unsigned r = Runs; r-- > 0;) {
            min_run = low[r] == facts->min ? r : min_run;
            max_run = high[r] == facts->max ? r : max_run;
        }
    } else {
        std::uint32_t mins = 0;
        std::uint32_t maxs = 0;
        TEGU_UNROLL
        for (unsigned i = 0; i < leaf.kElements; ++i) {
            mins |= leaf.x[i] == facts->min ? 1u << i : 0u;
            maxs |= leaf.x[i] == facts->max ? 1u << i : 0u;
        }
        mins &= leaf.mask;
        maxs &= leaf.mask;
        if (mins != 0) min_run = trailing_zeros(mins) / kFloatRun;
        if (maxs != 0) max_run = trailing_zeros(maxs) / kFloatRun;
    }
    facts->min_in = number + kWarpLanes * min_run;
    facts->max_in = number + kWarpLanes * max_run;
}

// Extremes and zeros. REQUIRES: elements that do not count equal one that counts. `nan`: some elements are
// NaN; then extremes do not matter. ByRun: as note_runs(); the lane has no other leaf.
template <bool ByRun, class A, unsigned Runs>
TEGU_DEVICE void take_order(const Leaf<A, Runs>& leaf, bool nan, std::uint32_t number, LaneFacts<A>* facts) {
    A low;
    A high;
    if (ByRun) {
        note_runs(leaf, number, facts);
        low = facts->min;
        high = facts->max;
    } else {
        low = leaf.template min<Identity>();
        high = leaf.max();
        note_extremes(low, high, number, facts);
    }
    if (!nan && (low > A(0) || high < A(0))) return;
    const A min = leaf.template min<Magnitude>();
    if (nan || min == A(0)) facts->zeros += count_bits(leaf.template which<IsZero>() & leaf.mask);
}

// Moments of the leaf from its sum; the leaf then holds the deviations. Returns the sum of their squares.
template <class A, unsigned Runs>
TEGU_DEVICE A center(Leaf<A, Runs>* leaf, A sum, LaneNode* node) {
    const std::uint32_t c = leaf->full() ? leaf->kElements : count_bits(leaf->mask);
    const A mean = leaf->full() ? sum * (A(1) / A(leaf->kElements)) : sum / static_cast<A>(c);
    TEGU_UNROLL
    for (unsigned i = 0; i < leaf->kElements; ++i) leaf->x[i] = leaf->x[i] - mean;
    if (!leaf->full()) leaf->fill(A(0));
    const A squares = leaf->template sum<Square>();
    set_moments(static_cast<double>(mean), static_cast<double>(leaf->template sum<Identity>()),
                static_cast<double>(squares), c, node);
    return squares;
}
// As center(). False: the squares are not usable.
template <class A, unsigned Runs>
TEGU_DEVICE bool take_moments(Leaf<A, Runs>* leaf, A sum, LaneNode* node) {
    const A squares = center(leaf, sum, node);
    // If every element equals the mean, nothing was lost.
    return sizeof(A) == 8 || usable(squares) ||
           (squares == A(0) && leaf->template which<IsZero>() == Leaf<A, Runs>::kFull);
}

// Adds the facts of a lane's leaf and returns the leaf's node. `wide`: the same elements in memory; `number`:
// of the leaf; `position`: of its first element. ByRun: as in take_order().
template <unsigned Parts, bool ByRun = false, class T, unsigned Runs, class From, class A>
TEGU_DEVICE LaneNode take_leaf(Leaf<A, Runs> leaf, const WideLeaf<T, Runs, From>& wide, std::uint32_t number,
                               std::uint32_t position, bool skip_nans, LaneFacts<A>* facts) {
    LaneNode node{0, 0, 0, 0, 0};
    A sum = leaf.template sum<Identity>();
    A l1 = (Parts & kPartL1) ? leaf.template sum<Magnitude>() : sum;
    std::uint32_t found = 0;
    // A finite sum has no NaN and no infinity among its elements.
    if (!finite(sum) || !finite(l1)) {
        const std::uint32_t nans = leaf.template which<IsNan>();
        if (nans != 0) {
            const unsigned first = trailing_zeros(nans);
            const std::uint32_t at = position + first / kFloatRun * kFloatRow + first % kFloatRun;
            facts->rare += count_bits(nans);
            if (at < facts->nan_at) facts->nan_at = at;
        }
        if (nans != 0 && skip_nans) {
            leaf.mask &= ~nans;
            leaf.fill(A(0));
            sum = leaf.template sum<Identity>();
            if (Parts & kPartL1) l1 = leaf.template sum<Magnitude>();
        } else if (nans != 0) {
            found = kSawNan;
        }
        if (leaf.template which<IsInfinite>() != 0) found |= kSawInfinity;
    }
    node.sum =
        sizeof(A) == 8 || finite(sum) ? static_cast<double>(sum) : wide.template sum<Identity>(leaf.mask);
    if (Parts & kPartL1)
        node.l1 =
            sizeof(A) == 8 || finite(l1) ? static_cast<double>(l1) : wide.template sum<Magnitude>(leaf.mask);
    if (leaf.mask == 0 || !(Parts & (kPartOrder | kPartMoments))) return node;
    if (Parts & kPartOrder) {
        if (!leaf.full()) leaf.fill(leaf.any_counted());
        take_order<ByRun>(leaf, (found & kSawNan) != 0, number, facts);
    }
    if (!(Parts & kPartMoments)) return node;
    if (found != 0) {  // this alone decides the result
        if (found & kSawInfinity) facts->rare += kInfiniteLeaf;
        node.n = count_bits(leaf.mask);
    } else if (!take_moments(&leaf, sum, &node)) {
        wide.moments(leaf.mask, &node);
    }
    return node;
}

}  // namespace cuda
}  // namespace tegu
