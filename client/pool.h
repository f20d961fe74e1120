// SPDX-License-Identifier: Apache-2.0
// Pool: the library's own buffers, for inputs and results that do not fit a message. They are kept and used
// again, so that a stream of large jobs registers a few buffers once; capacities grow in quarters of a power
// of two, so that a stream of slowly growing jobs does not make a new one each time. A region that only the
// pool holds is idle.
#pragma once

#include <vector>

#include "client/region.h"

namespace tegu::clientlib {

class Pool {
  public:
    static constexpr std::size_t kMaxRegions = 16;

    // The idle region that fits best, or null. One more than four times too large is left for jobs that need
    // it.
    RegionPtr find_idle(std::uint64_t bytes) const;
    // Forgets regions until there is room for one more: first idle ones, then those that a result holds
    // (which keeps the memory, while the daemon forgets it). False if jobs use them all.
    bool make_room(std::size_t limit);
    void add(RegionPtr region) { regions_.push_back(std::move(region)); }
    // Forgets the idle regions. True if there were any.
    bool drop_idle();
    // Jobs use at least one.
    bool in_use() const;

    // What a new region for `bytes` should hold.
    static std::uint64_t capacity_for(std::uint64_t bytes);

  private:
    std::vector<RegionPtr> regions_;
};

}  // namespace tegu::clientlib
