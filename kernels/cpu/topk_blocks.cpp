// SPDX-License-Identifier: Apache-2.0
// Method `blocks`. Why the k best blocks are enough: order blocks by their smallest rank, then by position. If an element stands in
// a block that is not among the first k, then each of these k blocks holds an element that is better, or as good and earlier. So
// the answer lies in k blocks, whatever the data, and taking them best first tightens the bound as fast as it can be.
#include <cmath>

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

// A rank that most likely `wanted` of the minima are within, from every 16th of them.
std::uint64_t guess_bound(const std::uint64_t* minima, std::uint64_t blocks, std::uint64_t wanted,
                          std::uint64_t* scratch) {
    constexpr std::uint64_t kStep = 16;
    const std::uint64_t size = blocks / kStep;
    const std::uint64_t place =
        wanted / kStep + 4 * static_cast<std::uint64_t>(std::sqrt(static_cast<double>(wanted / kStep))) + 8;
    if (place >= size / 2) return kAnyRank;
    for (std::uint64_t i = 0; i < size; ++i) scratch[i] = minima[i * kStep];
    std::nth_element(scratch, scratch + place, scratch + size);
    return scratch[place];
}

// The blocks whose minimum is within the bound, as entries of (minimum, number of the block). Returns how many.
template <class Entry>
std::uint64_t list_blocks(const Selector<Entry>& selector, std::uint64_t bound, Entry* order) {
    std::uint64_t size = 0;
    for (std::uint64_t b = 0; b < selector.method.blocks; ++b) {
        order[size] = selector.entry_of(selector.layout.minima[b], b);
        size += selector.layout.minima[b] <= bound;
    }
    return size;
}

// Leaves the best k blocks in order in `order`. Returns how many there are; 0 if a stop was requested.
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
    const std::uint64_t best = std::min(selector.question.k, blocks);
    auto* scratch = reinterpret_cast<std::uint64_t*>(order);  // `order` is not in use yet
    std::uint64_t listed = list_blocks(selector, guess_bound(minima, blocks, best, scratch), order);
    if (listed < best) listed = list_blocks(selector, kAnyRank, order);
    std::nth_element(order, order + (best - 1), order + listed);
    std::sort(order, order + best);
    return best;
}

constexpr std::uint64_t kAhead = 8;  // blocks between asking for one and reading it: they lie anywhere in the input

template <class Entry>
void prefetch(const Selector<Entry>& selector, std::uint64_t begin) {
    if (!selector.sequence.dense()) return;
    const std::byte* data = selector.sequence.data + begin * selector.sequence.bytes;
    const std::uint64_t bytes = std::min(selector.method.block, selector.question.n - begin) * selector.sequence.bytes;
    for (std::uint64_t line = 0; line < std::min<std::uint64_t>(bytes, 1024); line += 64)
        __builtin_prefetch(data + line);
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
        if (i + kAhead < blocks) prefetch(selector, selector.index_of(order[i + kAhead]) * block);
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
