// SPDX-License-Identifier: Apache-2.0
#include "kernels/quantile/cuda/tree.h"

#include <algorithm>
#include <cassert>

#include "kernels/quantile/cuda/quantile.h"

namespace tegu::cuda {

QuantileTree::QuantileTree(const std::vector<std::uint64_t>& ranks) {
    for (const std::uint64_t rank : ranks) wanted_.push_back(Wanted{rank, rank, 0, 0});
}

void QuantileTree::descend(const std::uint64_t* counts, unsigned bits, std::uint16_t* children) {
    const std::uint64_t bins = std::uint64_t{1} << bits;
    std::fill(children, children + nodes_ * bins, kNoNode);
    unsigned next = 0;
    std::uint64_t bin = 0;     // of the previous statistic
    std::uint64_t before = 0;  // elements of the same node in bins before that one
    unsigned node = 0;
    for (Wanted& one : wanted_) {
        if (one.node != node) {
            node = one.node;
            bin = before = 0;
        }
        const std::uint64_t* const own = counts + node * bins;
        while (bin + 1 < bins && one.left - std::min(one.left, before) >= own[bin]) before += own[bin++];
        std::uint16_t& child = children[node * bins + bin];
        if (child == kNoNode) child = static_cast<std::uint16_t>(next++);
        one.left -= std::min(one.left, before);
        one.key = one.key << bits | bin;
        one.node = child;
    }
    nodes_ = std::max(next, 1u);
}

std::uint64_t QuantileTree::key_at(std::uint64_t rank) const {
    const auto found =
        std::lower_bound(wanted_.begin(), wanted_.end(), rank,
                         [](const Wanted& one, std::uint64_t wanted) { return one.rank < wanted; });
    assert(found != wanted_.end() && found->rank == rank);
    return found->key;
}

}  // namespace tegu::cuda
