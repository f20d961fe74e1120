// SPDX-License-Identifier: Apache-2.0
// Pool: the library's own buffers, for inputs and results that do not fit a message. They are reused, so that
// a stream of large jobs registers a few buffers once.
#pragma once

#include <vector>

#include "client/region.h"

namespace tegu::clientlib {

// A region that only the pool holds is idle. Capacities grow in quarters of a power of two, so that slowly
// growing jobs do not need a new buffer each.
class Pool {
  public:
    static constexpr std::size_t kMaxRegions = 16;

    // The idle region with the best fit, or null. A region more than four times too large is left for jobs
    // that need it.
    RegionPtr find_idle(std::uint64_t bytes) const;
    // Forgets regions until one more fits below `limit`: first idle ones, then those that a result holds. The
    // result keeps the memory, while the daemon releases it. False if jobs use them all.
    bool make_room(std::size_t limit);
    void add(RegionPtr region) { regions_.push_back(std::move(region)); }
    // Forgets the idle regions. True if there were any.
    bool drop_idle();
    // True if jobs use at least one region.
    bool in_use() const;

    // The capacity of a new region for `bytes`.
    static std::uint64_t capacity_for(std::uint64_t bytes);

  private:
    std::vector<RegionPtr> regions_;
};

}  // namespace tegu::clientlib
