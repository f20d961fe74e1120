// SPDX-License-Identifier: Apache-2.0
// Sorting entries of top-k (kernels/selection/cpu/scan.h): by rank, stable, so entries that come in index
// order end in the order of the result.
#pragma once

#include <cstdint>

#include "kernels/selection/cpu/scan.h"
#include "kernels/selection/cpu/team.h"

namespace tegu::kernels::selection {

// Sorts data[0, count) by rank (entry >> shift), keeping the order of equal ranks; short arrays are sorted by
// whole entries. `spare` has room for as many. Returns where the result lies, `data` or `spare`; null if a
// stop was requested.
template <class Entry>
Entry* sort_by_rank(Entry* data, Entry* spare, std::uint64_t count, unsigned shift, const Team& team);

extern template std::uint32_t* sort_by_rank(std::uint32_t*, std::uint32_t*, std::uint64_t, unsigned,
                                            const Team&);  // bare ranks
extern template topk::Entry64* sort_by_rank(topk::Entry64*, topk::Entry64*, std::uint64_t, unsigned,
                                            const Team&);
extern template topk::Entry128* sort_by_rank(topk::Entry128*, topk::Entry128*, std::uint64_t, unsigned,
                                             const Team&);

}  // namespace tegu::kernels::selection
