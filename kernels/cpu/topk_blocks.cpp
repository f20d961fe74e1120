// SPDX-License-Identifier: Apache-2.0
// Method `blocks`. Why the k best blocks are enough: order blocks by their smallest rank, then by position. If an element stands in
// a block that is not among the first k, then each of these k blocks holds an element that is better, or as good and earlier. So
// the answer lies in k blocks, whatever the data, and taking them best first tightens the bound as fast as it can be.
#include "kernels/cpu/topk_selector.h"

namespace tegu::kernels::topk {
namespace {

// Drops all candidates but the best k. Returns the worst of them: what comes later must beat it.
template <class Entry>
Entry keep_best(Selector<Entry>& selector) {
    const std::uint64_t k = selector.question.k;
    std::nth_element(selector.entries, selector.entries + (k - 1), selector.entries + selector.size);
    selector.size = k;
    return selector.entries[k - 1];
}

// The best k blocks in order, as entries of (smallest rank, number of the block). Returns how many; 0 if a stop was requested.
template <class Entry>
std::uint64_t order_blocks(const Selector<Entry>& selector, Entry* order) {
    const std::uint64_t block = selector.method.block;
    const std::uint64_t blocks = selector.method.blocks;
    std::uint64_t* minima = selector.layout.minima;
    const bool scanned = selector.team.run(tasks_of(selector.question.n), [&](std::uint64_t task, unsigned slot) {
        selector.for_each_tile(task, [&](std::uint64_t begin, std::uint64_t count) {
            selector.kernels.minima(selector.view(begin, count, slot), block, minima + begin / block);
        });
    });
    if (!scanned) return 0;
    for (std::uint64_t b = 0; b < blocks; ++b) order[b] = selector.entry_of(minima[b], b);
    const std::uint64_t best = std::min(selector.question.k, blocks);
    std::nth_element(order, order + (best - 1), order + blocks);
    std::sort(order, order + best);
    return best;
}

}  // namespace

template <class Entry>
bool select_blocks(Selector<Entry>& selector) {
    const std::uint64_t block = selector.method.block;
    Entry* order = reinterpret_cast<Entry*>(selector.layout.order);
    const std::uint64_t blocks = order_blocks(selector, order);
    if (blocks == 0) return false;
    Entry worst = selector.entry_of(selector.rank_of(order[blocks - 1]), 0) | selector.last_index();
    for (std::uint64_t i = 0; i < blocks; ++i) {
        if (i % 64 == 0 && selector.team.stop().stop_requested()) return false;
        const std::uint64_t begin = selector.index_of(order[i]) * block;
        if (selector.entry_of(selector.rank_of(order[i]), begin) > worst) break;
        if (selector.size + block > selector.method.entries) worst = keep_best(selector);
        const std::uint64_t count = std::min(block, selector.question.n - begin);
        selector.size += selector.collect(selector.view(begin, count, 0), begin, selector.rank_of(worst),
                                          selector.entries + selector.size);
    }
    if (selector.size > selector.question.k) keep_best(selector);
    std::sort(selector.entries, selector.entries + selector.size);
    return true;
}

template bool select_blocks(Selector<Entry64>&);
template bool select_blocks(Selector<Entry128>&);

}  // namespace tegu::kernels::topk
