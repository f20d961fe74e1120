// SPDX-License-Identifier: Apache-2.0
// Stable sort by key of the entries of top-k (kernels/selection/cpu/scan.h): entries in index order end in
// the order of the result.
#pragma once

#include <cstdint>

#include "kernels/execution/cpu/worker_group.h"
#include "kernels/selection/cpu/scan.h"

namespace tegu::kernels::selection {

// Sorts data[0, count) by key (entry >> shift), keeping the order of equal keys; short arrays are sorted by
// whole entries. `spare` has the same capacity. Returns the array with the result, `data` or `spare`; null if
// a stop was requested.
template <class Entry>
Entry* sort_by_key(Entry* data, Entry* spare, std::uint64_t count, unsigned shift,
                   const WorkerGroup& workers);

extern template std::uint32_t* sort_by_key(std::uint32_t*, std::uint32_t*, std::uint64_t, unsigned,
                                           const WorkerGroup&);  // bare keys
extern template Entry64* sort_by_key(Entry64*, Entry64*, std::uint64_t, unsigned, const WorkerGroup&);
extern template Entry128* sort_by_key(Entry128*, Entry128*, std::uint64_t, unsigned, const WorkerGroup&);

}  // namespace tegu::kernels::selection
