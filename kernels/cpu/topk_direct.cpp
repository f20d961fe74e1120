// SPDX-License-Identifier: Apache-2.0
// Method `direct`: a short row, which stays in the cache. The k-th best of the minima of about 4 k interleaved lanes is a rank that
// k elements reach for sure, and that little more than k elements reach as a rule: these are collected and sorted.
#include "kernels/cpu/topk_selector.h"
#include "kernels/cpu/topk_sort.h"

namespace tegu::kernels::topk {
namespace {

// A rank within which k elements lie, or k different ranks if that is asked for.
std::uint64_t bound_from(std::uint64_t* minima, std::uint64_t lanes, const Question& question) {
    std::uint64_t* const end = minima + lanes;
    if (question.distinct) {
        std::sort(minima, end);
        const auto ranks = static_cast<std::uint64_t>(std::unique(minima, end) - minima);
        return ranks < question.k ? kAnyRank : minima[question.k - 1];
    }
    std::nth_element(minima, minima + (question.k - 1), end);
    return minima[question.k - 1];
}

}  // namespace

template <class Entry>
bool select_direct(Selector<Entry>& selector) {
    const Question& question = selector.question;
    if (selector.team.stop().stop_requested()) return false;
    const Elements elements = selector.view(0, question.n, 0);
    std::uint64_t bound = kAnyRank;
    if (selector.method.lanes > 0) {
        selector.kernels.lane_minima(elements, selector.method.lanes, selector.layout.minima);
        bound = bound_from(selector.layout.minima, selector.method.lanes, question);
    }
    selector.size = selector.collect(elements, 0, bound, selector.entries);
    if (!question.distinct && selector.size > 2 * question.k) {
        std::nth_element(selector.entries, selector.entries + (question.k - 1), selector.entries + selector.size);
        selector.size = question.k;
    }
    selector.entries =
        sort_by_rank(selector.entries, selector.spare, selector.size, selector.shift, selector.team.alone());
    if (selector.entries != nullptr && question.distinct)
        selector.size = selector.first_of_each_rank(selector.entries, selector.size);
    return selector.entries != nullptr;
}

template bool select_direct(Selector<Entry64>&);
template bool select_direct(Selector<Entry128>&);

}  // namespace tegu::kernels::topk
