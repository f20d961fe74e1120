// SPDX-License-Identifier: Apache-2.0
// Lists of distinct keys, for data with repeated values. Each worker appends the first of equal elements to
// its list; a full list is cut to its best keys, which tightens its bound. A worker gets its tiles in
// increasing order, so the first of equal keys has the smallest index.
#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/topk/cpu/selector.h"

namespace tegu::kernels::topk {

// The memory of the lists, and their limits.
template <class Entry>
struct ListMemory {
    Entry* entries;          // [workers x capacity]
    Entry* spare;            // [workers x capacity]
    std::byte* tables;       // [workers] of table_bytes
    std::uint64_t capacity;  // of one list, >= 2 * kTile
    std::uint64_t max_kept;  // maximum keys of a list after a cut: k, or fewer; beyond that the pass gives up
    unsigned seen_bits;      // of SeenKeys
};

template <class Entry>
class Lists {
  public:
    enum class End { Done, Stopped, GaveUp };

    // `hot`: `hot_count` keys that are frequent in the sample. `selector` outlives the lists.
    Lists(Selector<Entry>& selector, const ListMemory<Entry>& memory, const std::uint64_t* hot,
          unsigned hot_count);

    // One pass over the segment for the best k keys within the bound, or fewer if there are fewer. Leaves
    // them in the selector.
    End pass(std::uint64_t bound);

  private:
    struct List {
        Entry* entries = nullptr;
        Entry* spare = nullptr;
        std::uint64_t size = 0;
        std::uint64_t bound = 0;
        bool closed = false;  // no better key can follow, or the pass ends
        SeenKeys seen;
    };

    void open(unsigned worker, std::uint64_t bound);
    void add_tile(List& list, std::uint64_t begin, std::uint64_t count, unsigned worker);
    void cut(List& list);
    bool merge_into_first(const List& other);

    Selector<Entry>& selector_;
    const ListMemory<Entry> memory_;
    const unsigned workers_;
    const std::uint64_t* const hot_;
    const unsigned hot_count_;
    std::atomic<bool> overflown_{false};
    List lists_[kMaxWorkers];
};

// The keys within the bound with at least one in 64 elements of the sorted sample. Returns their number, at
// most SeenKeys::kMaxHot.
unsigned hot_keys(const std::uint64_t* sample, std::uint64_t size, std::uint64_t bound, std::uint64_t* hot);

extern template class Lists<Entry64>;
extern template class Lists<Entry128>;

}  // namespace tegu::kernels::topk
