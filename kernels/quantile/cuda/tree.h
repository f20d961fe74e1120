// SPDX-License-Identifier: Apache-2.0
// The host's part of counting digit by digit: which statistics of a segment are wanted, in which bin of
// which node each lies, and the nodes that are counted next. Whatever counts it is given, nodes and places
// stay in their bounds.
#pragma once

#include <cstdint>
#include <vector>

namespace tegu::cuda {

class QuantileTree {
  public:
    // REQUIRES: places ascend, without repetition.
    explicit QuantileTree(const std::vector<std::uint64_t>& places);

    unsigned nodes() const { return nodes_; }  // of the level that is counted now
    // Goes a level down: counts [nodes, 2^bits]; children [nodes, 2^bits] are all written.
    void descend(const std::uint64_t* counts, unsigned bits, std::uint16_t* children);
    // The key of a wanted statistic, when all its digits are counted. REQUIRES: `place` was given.
    std::uint64_t key_at(std::uint64_t place) const;

  private:
    struct Wanted {
        std::uint64_t place;
        std::uint64_t left;  // places within the node
        std::uint64_t key;   // its digits so far
        unsigned node;
    };
    std::vector<Wanted> wanted_;  // ascend in place, key and node
    unsigned nodes_ = 1;
};

}  // namespace tegu::cuda
