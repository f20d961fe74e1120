// SPDX-License-Identifier: Apache-2.0
// Method `blocks`: reads only the k best blocks, ordered by their smallest key, then by position. They
// suffice: for an element in any other block, each of these k blocks holds a better one, or an equal and
// earlier one. Reading the best block first tightens the bound as fast as possible.
#include <cmath>
#include <utility>

#include "kernels/selection/cpu/sort.h"
#include "kernels/topk/cpu/selector.h"

namespace tegu::kernels::topk {
namespace {

// Drops all candidates but the best k. Returns the worst of them: later candidates must be better.
template <class Entry>
Entry keep_best(Selector<Entry>& selector) {
    const std::uint64_t k = selector.problem.k;
    std::nth_element(selector.entries, selector.entries + (k - 1), selector.entries + selector.size);
    selector.size = k;
    return selector.entries[k - 1];
}

// Keeps the first candidate of each of the best k keys, in order. `worst` becomes the key that later
// candidates must reach. False: a stop was requested; all candidates remain, and there is no capacity for
// more.
template <class Entry>
bool keep_best_distinct(Selector<Entry>& selector, std::uint64_t* worst) {
    Entry* sorted = sort_by_key(selector.entries, selector.spare, selector.size, selector.shift,
                                selector.workers.alone(0));
    if (sorted == nullptr) return false;
    if (sorted != selector.entries) std::swap(selector.entries, selector.spare);
    selector.size = selector.first_of_each_key(selector.entries, selector.size);
    if (selector.size < selector.problem.k) return true;
    selector.size = selector.problem.k;
    *worst = selector.key_of(selector.entries[selector.size - 1]);
    return true;
}

// A key that bounds, most likely, `wanted` of the minima; estimated from every 16th of them.
std::uint64_t guess_bound(const std::uint64_t* minima, std::uint64_t blocks, std::uint64_t wanted,
                          std::uint64_t* scratch) {
    constexpr std::uint64_t kStep = 16;
    const std::uint64_t size = blocks / kStep;
    const std::uint64_t rank =
        wanted / kStep + 4 * static_cast<std::uint64_t>(std::sqrt(static_cast<double>(wanted / kStep))) + 8;
    if (rank >= size / 2) return kAnyKey;
    for (std::uint64_t i = 0; i < size; ++i) scratch[i] = minima[i * kStep];
    std::nth_element(scratch, scratch + rank, scratch + size);
    return scratch[rank];
}

// The blocks whose minimum is within the bound, as entries of (minimum, block number). Returns their number.
template <class Entry>
std::uint64_t list_blocks(const Selector<Entry>& selector, std::uint64_t bound, Entry* order) {
    std::uint64_t size = 0;
    for (std::uint64_t b = 0; b < selector.method.blocks; ++b) {
        order[size] = selector.entry_of(selector.layout.minima[b], b);
        size += selector.layout.minima[b] <= bound;
    }
    return size;
}

// The smallest key of every block. False: a stop was requested.
template <class Entry>
bool find_minima(const Selector<Entry>& selector) {
    const std::uint64_t block = selector.method.block;
    return selector.workers.run(tasks_of(selector.problem.n), [&](std::uint64_t task, unsigned worker) {
        selector.for_each_tile(task, [&](std::uint64_t begin, std::uint64_t count) {
            selector.kernels.minima(selector.view(begin, count, worker), block,
                                    selector.layout.minima + begin / block);
        });
    });
}

// Leaves the best k blocks in order in `order`. Returns their number; 0 if a stop was requested.
template <class Entry>
std::uint64_t order_blocks(const Selector<Entry>& selector, Entry* order) {
    const std::uint64_t blocks = selector.method.blocks;
    const std::uint64_t* minima = selector.layout.minima;
    if (!find_minima(selector)) return 0;
    const std::uint64_t best = std::min(selector.problem.k, blocks);
    auto* scratch = reinterpret_cast<std::uint64_t*>(order);  // `order` is not in use yet
    std::uint64_t listed = list_blocks(selector, guess_bound(minima, blocks, best, scratch), order);
    if (listed < best) listed = list_blocks(selector, kAnyKey, order);
    std::nth_element(order, order + (best - 1), order + listed);
    std::sort(order, order + best);
    return best;
}

// Leaves in `order` the sorted blocks with a minimum within the k-th best distinct minimum, which becomes the
// bound. Returns their number; 0 if the examined minima have fewer than k distinct values.
template <class Entry>
std::uint64_t order_distinct_blocks(const Selector<Entry>& selector, Entry* order, std::uint64_t& bound) {
    const std::uint64_t k = selector.problem.k;
    const std::uint64_t blocks = selector.method.blocks;
    if (blocks < k) return 0;
    auto* scratch = reinterpret_cast<std::uint64_t*>(order);  // `order` is not in use yet
    const std::uint64_t guess = guess_bound(selector.layout.minima, blocks, k, scratch);
    const std::uint64_t listed = list_blocks(selector, guess, order);
    std::sort(order, order + listed);
    std::uint64_t different = 0;
    std::uint64_t last = 0;
    while (last < listed && different < k) {
        const std::uint64_t key = selector.key_of(order[last]);
        while (last < listed && selector.key_of(order[last]) == key) ++last;
        ++different;
        bound = key;
    }
    if (different < k) {
        bound = kAnyKey;
        return 0;
    }
    return last;
}

// prefetch distance in blocks: they lie anywhere in the input
constexpr std::uint64_t kAhead = 8;

template <class Entry>
void prefetch(const Selector<Entry>& selector, std::uint64_t begin) {
    if (!selector.segment.contiguous()) return;
    const std::byte* data = selector.segment.data + begin * selector.segment.element_bytes;
    const std::uint64_t bytes =
        std::min(selector.method.block, selector.problem.n - begin) * selector.segment.element_bytes;
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
    Entry worst = selector.entry_of(selector.key_of(order[blocks - 1]), 0) | selector.last_index();
    for (std::uint64_t i = 0; i < blocks; ++i) {
        if (i % 64 == 0 && selector.workers.stop().stop_requested()) return false;
        const std::uint64_t begin = selector.index_of(order[i]) * block;
        if (i + kAhead < blocks) prefetch(selector, selector.index_of(order[i + kAhead]) * block);
        if (selector.entry_of(selector.key_of(order[i]), begin) > worst) break;
        if (selector.size + block > selector.method.entries) worst = keep_best(selector);
        const std::uint64_t count = std::min(block, selector.problem.n - begin);
        selector.size += selector.collect(selector.view(begin, count, 0), begin, selector.key_of(worst),
                                          selector.entries + selector.size);
    }
    if (selector.size > selector.problem.k) keep_best(selector);
    std::sort(selector.entries, selector.entries + selector.size);
    return true;
}

template <class Entry>
bool select_distinct_blocks(Selector<Entry>& selector, std::uint64_t& bound) {
    const std::uint64_t block = selector.method.block;
    Entry* order = reinterpret_cast<Entry*>(selector.layout.order);
    selector.size = 0;
    if (!find_minima(selector)) return false;
    const std::uint64_t blocks = order_distinct_blocks(selector, order, bound);
    if (blocks * block > selector.problem.n / 8) return true;
    std::uint64_t worst = bound;
    for (std::uint64_t i = 0; i < blocks && selector.key_of(order[i]) <= worst; ++i) {
        if (i % 64 == 0 && selector.workers.stop().stop_requested()) return false;
        const std::uint64_t begin = selector.index_of(order[i]) * block;
        if (i + kAhead < blocks) prefetch(selector, selector.index_of(order[i + kAhead]) * block);
        const std::uint64_t count = std::min(block, selector.problem.n - begin);
        selector.size +=
            selector.collect(selector.view(begin, count, 0), begin, worst, selector.entries + selector.size);
        if (selector.size > 2 * selector.problem.k + block && !keep_best_distinct(selector, &worst))
            return false;
    }
    return keep_best_distinct(selector, &worst);
}

template bool select_distinct_blocks(Selector<Entry64>&, std::uint64_t&);
template bool select_distinct_blocks(Selector<Entry128>&, std::uint64_t&);
template bool select_blocks(Selector<Entry64>&);
template bool select_blocks(Selector<Entry128>&);

}  // namespace tegu::kernels::topk
