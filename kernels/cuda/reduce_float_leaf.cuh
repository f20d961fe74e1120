// SPDX-License-Identifier: Apache-2.0
// The leaves of a tile of floats. A lane holds its 32 elements in registers, goes over them once for sums and extremes and once more for deviations. What
// is rare (a tile that is not full, NaN, a leaf that has to be computed in f64) goes row by row over the elements in memory: slower, with few registers.
#pragma once

#include "kernels/cuda/reduce_float_tree.cuh"

namespace tegu {
namespace cuda {

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

template <class A>
TEGU_DEVICE A sum_of_four(const A (&a)[kFloatRun]) {
    return (a[0] + a[1]) + (a[2] + a[3]);
}

// s and q of c elements about `mean`, from the leaves of their deviations and squares.
TEGU_DEVICE void set_moments(double mean, double deviations, double squares, std::uint32_t c, LaneNode* node) {
    const double count = static_cast<double>(c);
    const double between = c == 32 ? (deviations * deviations) * 0.03125 : (deviations * deviations) / count;
    const double q = squares - between;
    node->n = c;
    node->s = count * mean + deviations;
    node->q = q < 0 ? 0 : q;
}

// --- any leaf -----------------------------------------------------------------------------------------------------------

// A leaf of `Runs` runs, whatever its elements are, read from `elements` as often as needed: unsigned load(index, T* x) gives how many of a
// run's elements there are. If bytes change between two looks the result is that of some bytes.
template <class T, unsigned Runs, class From>
class CarefulLeaf {
  public:
    using A = typename Arithmetic<T>::type;

    TEGU_DEVICE CarefulLeaf(const From& elements, std::uint64_t begin) : elements_(elements), begin_(begin) {}

    // Adds the facts, returns the whole leaf. `position`: of the first element, relative to the warp's.
    template <unsigned Parts>
    TEGU_DEVICE LaneNode take(std::uint32_t position, bool skip_nans, LaneFacts<A>* facts) const {
        A a[kFloatRun] = {0, 0, 0, 0};
        A b[kFloatRun] = {0, 0, 0, 0};
        std::uint32_t mask = 0;  // bit 4 r + j: the element counts
        TEGU_NO_UNROLL
        for (unsigned r = 0; r < Runs; ++r) {
            T x[kFloatRun];
            const unsigned count = elements_.load(begin_ + r * kFloatRow, x);
            TEGU_UNROLL
            for (unsigned j = 0; j < kFloatRun; ++j) {
                if (j >= count) continue;
                const A v = widen(x[j]);
                if (is_nan(v)) {
                    facts->nans += 1;
                    if (facts->nan_at == kNotFound) facts->nan_at = position + r * kFloatRow + j;
                    if (skip_nans) continue;
                }
                mask |= 1u << (r * kFloatRun + j);
                a[j] = a[j] + v;
                if (Parts & kPartL1) b[j] = b[j] + magnitude(v);
                if (Parts & kPartOrder) take_one(v, position + r * kFloatRow + j, facts);
            }
        }
        LaneNode node{0, 0, 0, 0, 0};
        const A sum = sum_of_four(a);
        node.sum = widened<Identity>(sum, mask);
        if (Parts & kPartL1) node.l1 = widened<Magnitude>(sum_of_four(b), mask);
        if ((Parts & kPartMoments) && mask != 0) moments(sum, mask, &facts->facts, &node);
        return node;
    }

    // s, q and n of the elements of `mask`, whose leaf in A is `sum`. An infinity or a NaN among them leaves its fact alone.
    TEGU_DEVICE void moments(A sum, std::uint32_t mask, std::uint32_t* facts, LaneNode* node) const {
        const std::uint32_t c = count_bits(mask);
        const A mean = sum / static_cast<A>(c);
        A dev[kFloatRun];
        A sqr[kFloatRun];
        std::uint32_t found = 0;
        const bool differs = deviations(mask, mean, dev, sqr, &found);
        const A squares = sum_of_four(sqr);
        if (sizeof(A) == 8 || usable(squares)) {
            set_moments(static_cast<double>(mean), static_cast<double>(sum_of_four(dev)), static_cast<double>(squares),
                        c, node);
        } else if (!differs && finite(mean)) {
            set_moments(static_cast<double>(mean), 0, 0, c, node);
        } else {
            const double wide_mean = wide_sum<Identity>(mask) / static_cast<double>(c);
            double wide_dev[kFloatRun];
            double wide_sqr[kFloatRun];
            deviations(mask, wide_mean, wide_dev, wide_sqr, &found);
            set_moments(wide_mean, sum_of_four(wide_dev), sum_of_four(wide_sqr), c, node);
        }
        if (found == 0) return;
        *facts |= found;
        node->s = 0;
        node->q = 0;
    }

  private:
    TEGU_DEVICE static void take_one(A v, std::uint32_t position, LaneFacts<A>* facts) {
        facts->zeros += v == A(0) ? 1u : 0u;
        if (v < facts->min || (facts->min_at == kNotFound && v == v)) {
            facts->min = v;
            facts->min_at = position;
        }
        if (v > facts->max || (facts->max_at == kNotFound && v == v)) {
            facts->max = v;
            facts->max_at = position;
        }
    }
    // Calls each(j, element) for the elements of `mask`, row by row.
    template <class Each>
    TEGU_DEVICE void for_counted(std::uint32_t mask, Each* each) const {
        TEGU_NO_UNROLL
        for (unsigned r = 0; r < Runs; ++r) {
            T x[kFloatRun];
            elements_.load(begin_ + r * kFloatRow, x);
            TEGU_UNROLL
            for (unsigned j = 0; j < kFloatRun; ++j)
                if ((mask >> (r * kFloatRun + j)) & 1u) each->take(j, widen(x[j]));
        }
    }
    template <class F>
    struct Sum {
        double a[kFloatRun];
        TEGU_DEVICE void take(unsigned j, A v) { a[j] = a[j] + F::of(static_cast<double>(v)); }
    };
    template <class F>
    TEGU_DEVICE double wide_sum(std::uint32_t mask) const {
        Sum<F> sum{{0, 0, 0, 0}};
        for_counted(mask, &sum);
        return sum_of_four(sum.a);
    }
    // A leaf in A, or, where A is not f64 and that is not finite, the leaf in f64.
    template <class F>
    TEGU_DEVICE double widened(A leaf, std::uint32_t mask) const {
        return sizeof(A) == 8 || finite(leaf) ? static_cast<double>(leaf) : wide_sum<F>(mask);
    }
    template <class B>
    struct Deviations {
        B mean;
        B* dev;
        B* sqr;
        std::uint32_t found;
        bool differs;
        TEGU_DEVICE void take(unsigned j, A element) {
            const B v = static_cast<B>(element);
            const B d = v - mean;
            dev[j] = dev[j] + d;
            sqr[j] = sqr[j] + d * d;
            differs = differs || !(v == mean);
            found |= v != v ? kSawNan : !finite(v) ? kSawInfinity : 0u;
        }
    };
    // Whether an element is not the mean.
    template <class B>
    TEGU_DEVICE bool deviations(std::uint32_t mask, B mean, B (&dev)[kFloatRun], B (&sqr)[kFloatRun],
                                std::uint32_t* found) const {
        TEGU_UNROLL
        for (unsigned j = 0; j < kFloatRun; ++j) dev[j] = sqr[j] = 0;
        Deviations<B> each{mean, dev, sqr, 0, false};
        for_counted(mask, &each);
        *found |= each.found;
        return each.differs;
    }

    const From& elements_;
    std::uint64_t begin_;
};

// --- the leaf of a full tile, in registers --------------------------------------------------------------------------------

template <class A>
using LeafElements = A[kTileRuns][kFloatRun];

// (a0 + a1) + (a2 + a3) of f(x) down the rows.
template <class F, class A>
TEGU_DEVICE A leaf_sum(const LeafElements<A>& x) {
    A a[kFloatRun];
    TEGU_UNROLL
    for (unsigned j = 0; j < kFloatRun; ++j) a[j] = A(0) + F::of(x[0][j]);
    TEGU_UNROLL
    for (unsigned r = 1; r < kTileRuns; ++r) {
        TEGU_UNROLL
        for (unsigned j = 0; j < kFloatRun; ++j) a[j] = a[j] + F::of(x[r][j]);
    }
    return sum_of_four(a);
}

// Position of the first element that equals `value`, relative to x[0][0].
template <class A>
TEGU_DEVICE std::uint32_t first_equal(const LeafElements<A>& x, A value) {
    std::uint32_t at = 0;
    TEGU_UNROLL
    for (unsigned i = kTileRuns * kFloatRun; i-- > 0;)
        if (x[i / kFloatRun][i % kFloatRun] == value) at = i / kFloatRun * kFloatRow + i % kFloatRun;
    return at;
}

// The first `runs` runs of finite elements, one at least. Full: all of them.
template <bool Full, class A>
TEGU_DEVICE void take_order(const LeafElements<A>& x, unsigned runs, std::uint32_t position, LaneFacts<A>* facts) {
    A low = x[0][0];
    A high = x[0][0];
    TEGU_UNROLL
    for (unsigned i = 0; i < kTileRuns * kFloatRun; ++i) {
        if (!Full && i / kFloatRun >= runs) continue;
        const A v = x[i / kFloatRun][i % kFloatRun];
        low = smaller(low, v);
        high = larger(high, v);
        facts->zeros += v == A(0) ? 1u : 0u;
    }
    if (low < facts->min) {
        facts->min = low;
        facts->min_at = position + first_equal(x, low);
    }
    if (high > facts->max) {
        facts->max = high;
        facts->max_at = position + first_equal(x, high);
    }
}

// The same of the moments; `sum` is their leaf in A. False: the squares cannot be used.
template <bool Full, class A>
TEGU_DEVICE bool take_moments(const LeafElements<A>& x, unsigned runs, A sum, LaneNode* node) {
    const std::uint32_t c = kFloatRun * runs;
    const A mean = Full ? sum * A(0.03125) : sum / static_cast<A>(c);
    A dev[kFloatRun];
    A sqr[kFloatRun];
    TEGU_UNROLL
    for (unsigned r = 0; r < kTileRuns; ++r) {
        if (!Full && r >= runs) continue;
        TEGU_UNROLL
        for (unsigned j = 0; j < kFloatRun; ++j) {
            const A d = x[r][j] - mean;
            dev[j] = (r == 0 ? A(0) : dev[j]) + d;
            sqr[j] = r == 0 ? d * d : sqr[j] + d * d;
        }
    }
    const A squares = sum_of_four(sqr);
    set_moments(static_cast<double>(mean), static_cast<double>(sum_of_four(dev)), static_cast<double>(squares), c,
                node);
    return usable(squares);
}

// Which elements a lane has in a tile: whole runs, and perhaps some of one more.
struct LaneShare {
    unsigned runs;
    bool torn;

    // `left`: elements from the tile's first one to the end of the sequence.
    TEGU_DEVICE explicit LaneShare(std::uint64_t left) {
        runs = kTileRuns;
        torn = false;
        if (left >= kTileRuns * kFloatRow) return;
        const unsigned mine = kFloatRun * lane_index();
        const unsigned from_mine = static_cast<unsigned>(left) > mine ? static_cast<unsigned>(left) - mine : 0;
        runs = (from_mine + kFloatRow - kFloatRun) / kFloatRow;
        torn = from_mine % kFloatRow != 0 && from_mine % kFloatRow < kFloatRun;
    }
};

// Order and moments of the lane's whole runs; true if all could be used.
template <unsigned Parts, bool Full, class A>
TEGU_DEVICE bool take_runs(const LeafElements<A>& x, unsigned runs, A sum, std::uint32_t position, LaneFacts<A>* facts,
                           LaneNode* node) {
    if (Parts & kPartOrder) take_order<Full>(x, runs, position, facts);
    return !(Parts & kPartMoments) || take_moments<Full>(x, runs, sum, node);
}

// Takes the elements of a lane in one tile: adds their facts, returns the leaf. Those of x that are not there hold +0.
template <class T, unsigned Parts, class From, class A>
TEGU_DEVICE LaneNode take_leaf(const LeafElements<A>& x, const LaneShare& share,
                               const CarefulLeaf<T, kTileRuns, From>& careful, std::uint32_t position, bool skip_nans,
                               LaneFacts<A>* facts) {
    LaneNode node{0, 0, 0, 0, 0};
    const A sum = leaf_sum<Identity>(x);
    const A l1 = (Parts & kPartL1) ? leaf_sum<Magnitude>(x) : sum;
    // A finite sum has neither a NaN nor an infinity among its elements.
    if (!finite(sum) || !finite(l1) || (Parts != 0 && share.torn))
        return careful.template take<Parts>(position, skip_nans, facts);
    node.sum = static_cast<double>(sum);
    if (Parts & kPartL1) node.l1 = static_cast<double>(l1);
    if (Parts == 0 || share.runs == 0) return node;
    const bool usable_squares = share.runs == kTileRuns
                                    ? take_runs<Parts, true>(x, kTileRuns, sum, position, facts, &node)
                                    : take_runs<Parts, false>(x, share.runs, sum, position, facts, &node);
    if (!usable_squares) careful.moments(sum, 0xffffffffu >> (32 - kFloatRun * share.runs), &facts->facts, &node);
    return node;
}

}  // namespace cuda
}  // namespace tegu
