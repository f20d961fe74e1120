// SPDX-License-Identifier: Apache-2.0
// The tree over the tiles of a chunk and the fold of its lanes. Part of kernels/statistics/cpu/float.cpp, so
// compiled once per instruction set.
#pragma once

#include "kernels/statistics/cpu/float_leaves.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

constexpr int kLevels = 5;  // a chunk has 2^4 tiles

// b = a + b, lane by lane.
inline void merge(const SumLanes& a, SumLanes* b, int width) {
    for (int l = 0; l < width; ++l) b->s[l] = a.s[l] + b->s[l];
}

inline void merge(const MomentLanes& a, MomentLanes* b, int width) {
    if (a.uniform && b->uniform && a.n[0] == b->n[0]) {
        const double n = a.n[0] + b->n[0];
        const double scale = 1 / n;  // a power of two: multiplying is dividing
        for (int l = 0; l < width; ++l) {
            const double t = a.s[l] - b->s[l];
            b->m2[l] = (a.m2[l] + b->m2[l]) + (t * t) * scale;
            b->s[l] = a.s[l] + b->s[l];
            b->n[l] = n;
        }
        return;
    }
    b->uniform = false;
    for (int l = 0; l < width; ++l) {
        const Moments m =
            merge_moments(Moments{a.n[l], a.s[l], a.m2[l]}, Moments{b->n[l], b->s[l], b->m2[l]});
        b->n[l] = m.n;
        b->s[l] = m.s;
        b->m2[l] = m.m2;
    }
}

// Lane l = lane l + lane (l + width), for the first `width` lanes.
inline void fold_lanes(SumLanes* lanes, int width) {
    for (int l = 0; l < width; ++l) lanes->s[l] = lanes->s[l] + lanes->s[l + width];
}

inline void fold_lanes(MomentLanes* lanes, int width) {
    if (lanes->uniform) {
        const double n = 2 * lanes->n[0];
        const double scale = 1 / n;  // a power of two: multiplying is dividing
        for (int l = 0; l < width; ++l) {
            const double t = lanes->s[l] - lanes->s[l + width];
            lanes->m2[l] = (lanes->m2[l] + lanes->m2[l + width]) + (t * t) * scale;
            lanes->s[l] = lanes->s[l] + lanes->s[l + width];
            lanes->n[l] = n;
        }
        return;
    }
    for (int l = 0; l < width; ++l) {
        const int r = l + width;
        const Moments m = merge_moments(Moments{lanes->n[l], lanes->s[l], lanes->m2[l]},
                                        Moments{lanes->n[r], lanes->s[r], lanes->m2[r]});
        lanes->n[l] = m.n;
        lanes->s[l] = m.s;
        lanes->m2[l] = m.m2;
    }
}

// The tree over the tiles of a chunk, one per lane: tile t merges like a carry in a binary counter.
template <class Lanes>
class TileTree {
  public:
    // Adds the leaves of the next tile; overwrites `leaf`.
    void push(Lanes* leaf) {
        int level = 0;
        for (; (tiles_ >> level) & 1u; ++level) merge(nodes_[level], leaf, kLanes);
        nodes_[level] = *leaf;
        ++tiles_;
    }
    // The same with finite leaves in A: equals widening and pushing them, in one loop.
    template <class A>
    void push_leaves(const A* lanes) {
        switch (__builtin_ctz(~tiles_)) {
            case 0: add_leaves<0>(lanes); break;
            case 1: add_leaves<1>(lanes); break;
            case 2: add_leaves<2>(lanes); break;
            case 3: add_leaves<3>(lanes); break;
            default: add_leaves<4>(lanes); break;
        }
        ++tiles_;
    }
    // The same with the leaves of x, d and d * d of a full tile in A; all leaves of d * d are usable.
    template <class A>
    void push_moments(const A* sums, const A* dev, const A* sqr) {
        switch (__builtin_ctz(~tiles_)) {
            case 0: add_moments<0>(sums, dev, sqr); break;
            case 1: add_moments<1>(sums, dev, sqr); break;
            case 2: add_moments<2>(sums, dev, sqr); break;
            case 3: add_moments<3>(sums, dev, sqr); break;
            default: add_moments<4>(sums, dev, sqr); break;
        }
        ++tiles_;
    }
    // Closes the tree, skipping a missing right subtree, and folds the lanes. `lanes`: the first lanes, which
    // may have elements; folding the others would add nothing. REQUIRES: a tile was pushed.
    void finish(Lanes* root, int lanes = kLanes) {
        int level = 0;
        while (!((tiles_ >> level) & 1u)) ++level;
        *root = nodes_[level];
        for (++level; level < kLevels; ++level)
            if ((tiles_ >> level) & 1u) merge(nodes_[level], root, kLanes);
        for (int width = kLanes / 2; width >= 1; width /= 2)
            if (width < lanes) fold_lanes(root, width);
    }

  private:
    template <int Level, class A>
    void add_leaves(const A* lanes) {
        for (int l = 0; l < kLanes; ++l) {
            double node = static_cast<double>(lanes[l]);
            for (int below = 0; below < Level; ++below) node = nodes_[below].s[l] + node;
            nodes_[Level].s[l] = node;
        }
    }

    template <int Level, class A>
    void add_moments(const A* sums, const A* dev, const A* sqr) {
        Lanes& to = nodes_[Level];
        for (int l = 0; l < kLanes; ++l) {
            const Moments leaf = full_leaf(sums[l], dev[l], sqr[l]);
            double s = leaf.s;
            double m2 = leaf.m2;
            double scale = 1.0 / 64;  // a power of two: multiplying is dividing
            for (int below = 0; below < Level; ++below, scale *= 0.5) {
                const double t = nodes_[below].s[l] - s;
                m2 = (nodes_[below].m2[l] + m2) + (t * t) * scale;
                s = nodes_[below].s[l] + s;
            }
            to.n[l] = 32 << Level;
            to.s[l] = s;
            to.m2[l] = m2;
        }
        to.uniform = true;
    }

    unsigned tiles_ = 0;
    Lanes nodes_[kLevels];
};

}  // namespace
}  // namespace tegu::kernels::TEGU_ISA
