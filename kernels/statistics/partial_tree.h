// SPDX-License-Identifier: Apache-2.0
// Merges chunks to a whole segment: the perfect binary tree over chunk indices, skipping a missing right
// subtree. Any aligned power-of-two group of chunks is one subtree, so any thread can reduce a group.
#pragma once

#include <cassert>
#include <cstdint>

#include "kernels/statistics/partial.h"

namespace tegu::kernels {

// a = a + b, where b follows a in the segment.
inline void merge_partials(FloatPartial& a, const FloatPartial& b) {
    a.sum += b.sum;
    a.l1 += b.l1;
    a.moments = merge_moments(a.moments, b.moments);
    // Also for equal minima: if a has no element, its infinity may equal that of b, and its min_at is ~0.
    if (b.min < a.min || (b.min == a.min && b.min_at < a.min_at)) {
        a.min = b.min;
        a.min_at = b.min_at;
    }
    if (b.max > a.max || (b.max == a.max && b.max_at < a.max_at)) {
        a.max = b.max;
        a.max_at = b.max_at;
    }
    if (b.nan_at < a.nan_at) a.nan_at = b.nan_at;
    a.nans += b.nans;
    a.zeros += b.zeros;
    a.flags |= b.flags;
}

inline void merge_partials(IntegerPartial& a, const IntegerPartial& b) {
    a.sum += b.sum;
    a.l1 += b.l1;
    Uint128 carry = 0;
    for (int i = 0; i < 3; ++i) {
        carry += static_cast<Uint128>(a.squares[i]) + b.squares[i];
        a.squares[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    if (b.min < a.min) {
        a.min = b.min;
        a.min_at = b.min_at;
    }
    if (b.max > a.max) {
        a.max = b.max;
        a.max_at = b.max_at;
    }
    a.zeros += b.zeros;
}

// Adds the subtrees of consecutive aligned groups in order and closes the tree. The group size is a constant
// power of two of chunks; the last group may be shorter.
template <class Partial>
class PartialTree {
  public:
    void push(const Partial& group) {
        Partial node = group;
        int level = 0;
        for (; (groups_ >> level) & 1u; ++level) {
            merge_partials(nodes_[level], node);
            node = nodes_[level];
        }
        nodes_[level] = node;
        ++groups_;
    }
    // REQUIRES: a group was pushed.
    Partial finish() const {
        assert(groups_ != 0);
        int level = 0;
        while (!((groups_ >> level) & 1u)) ++level;
        Partial root = nodes_[level];
        for (++level; level < kLevels; ++level) {
            if (!((groups_ >> level) & 1u)) continue;
            Partial left = nodes_[level];
            merge_partials(left, root);
            root = left;
        }
        return root;
    }

  private:
    static constexpr int kLevels = 50;  // 2^63 elements have 2^49 chunks
    std::uint64_t groups_ = 0;
    Partial nodes_[kLevels];
};

}  // namespace tegu::kernels
