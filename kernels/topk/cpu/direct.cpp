// SPDX-License-Identifier: Apache-2.0
// Method `direct`: for a short row, which stays in the cache. The bound is the k-th best of the minima of
// about 4 k interleaved lanes; at least k elements reach it, usually few more. These elements are collected
// and sorted; if `distinct` leaves too few keys, the whole row is sorted.
#include <utility>

#include "kernels/selection/cpu/sort.h"
#include "kernels/topk/cpu/selector.h"

namespace tegu::kernels::topk {
namespace {

// Leaves the elements within the bound, in order. False: a stop was requested.
template <class Entry>
bool sort_within(Selector<Entry>& selector, Elements elements, std::uint64_t bound) {
    selector.size = selector.collect(elements, 0, bound, selector.entries);
    Entry* sorted = sort_by_key(selector.entries, selector.spare, selector.size, selector.shift,
                                selector.workers.alone(0));
    if (sorted == nullptr) return false;
    if (sorted != selector.entries) std::swap(selector.entries, selector.spare);
    if (selector.problem.distinct)
        selector.size = selector.first_of_each_key(selector.entries, selector.size);
    return true;
}

}  // namespace

template <class Entry>
bool select_direct(Selector<Entry>& selector) {
    const Problem& problem = selector.problem;
    if (selector.workers.stop().stop_requested()) return false;
    const Elements elements = selector.view(0, problem.n, 0);
    const std::uint64_t lanes = selector.method.lanes;
    if (lanes == 0) return sort_within(selector, elements, kAnyKey);
    selector.kernels.lane_minima(elements, lanes, selector.layout.minima);
    const std::uint64_t bound = selector.kernels.bound_of(selector.layout.minima, lanes, problem.k);
    if (!sort_within(selector, elements, bound)) return false;
    return !problem.distinct || selector.size >= problem.k || sort_within(selector, elements, kAnyKey);
}

template bool select_direct(Selector<Entry64>&);
template bool select_direct(Selector<Entry128>&);

}  // namespace tegu::kernels::topk
