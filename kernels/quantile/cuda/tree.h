// SPDX-License-Identifier: Apache-2.0
// The host's part of counting digit by digit: the wanted statistics of a segment, the bin and node of each,
// and the nodes to count next. For any counts, nodes and indices stay within bounds.
#pragma once

#include <cstdint>
#include <vector>

namespace tegu::cuda {

class QuantileTree {
  public:
    // REQUIRES: ranks ascend, without repetition.
    explicit QuantileTree(const std::vector<std::uint64_t>& ranks);

    unsigned nodes() const { return nodes_; }  // of the current level
    // Moves down one level: counts [nodes, 2^bits]; writes all children [nodes, 2^bits].
    void descend(const std::uint64_t* counts, unsigned bits, std::uint16_t* children);
    // The key of a wanted statistic, after all its digits are counted. REQUIRES: `rank` was given to the
    // constructor.
    std::uint64_t key_at(std::uint64_t rank) const;

  private:
    struct Wanted {
        std::uint64_t rank;
        std::uint64_t left;  // index within the node
        std::uint64_t key;   // its digits so far
        unsigned node;
    };
    std::vector<Wanted> wanted_;  // ascend in rank, key and node
    unsigned nodes_ = 1;
};

}  // namespace tegu::cuda
