// SPDX-License-Identifier: Apache-2.0
#include "kernels/topk/cpu/lists.h"

#include <utility>

#include "kernels/selection/cpu/sort.h"

namespace tegu::kernels::topk {

unsigned hot_keys(const std::uint64_t* sample, std::uint64_t size, std::uint64_t bound, std::uint64_t* hot) {
    // lanes of a group: a rarer key is in fewer than every second group
    constexpr std::uint64_t kHotShare = 64;
    constexpr std::uint64_t kSure = 4;  // minimum occurrences in the sample that are no coincidence
    unsigned count = 0;
    for (std::uint64_t begin = 0, end = 0;
         begin < size && sample[begin] <= bound && count < SeenKeys::kMaxHot; begin = end) {
        while (end < size && sample[end] == sample[begin]) ++end;
        if ((end - begin) * kHotShare >= size && end - begin >= kSure) hot[count++] = sample[begin];
    }
    return count;
}

constexpr std::uint64_t kSmall = 4096;         // maximum results for which a list is cut early
constexpr std::uint64_t kPollEvery = 1 << 16;  // entries between two polls of the stop token

template <class Entry>
Lists<Entry>::Lists(Selector<Entry>& selector, const ListMemory<Entry>& memory, const std::uint64_t* hot,
                    unsigned hot_count)
    : selector_(selector),
      memory_(memory),
      workers_(std::min(selector.workers.size(), selector.method.workers)),
      hot_(hot),
      hot_count_(hot_count) {}

template <class Entry>
void Lists<Entry>::open(unsigned worker, std::uint64_t bound) {
    List& list = lists_[worker];
    list.entries = memory_.entries + worker * memory_.capacity;
    list.spare = memory_.spare + worker * memory_.capacity;
    list.size = 0;
    list.bound = bound;
    list.closed = false;
    list.seen.table =
        memory_.tables + worker * table_bytes(memory_.seen_bits, selector_.segment.element_bytes);
    list.seen.bits = memory_.seen_bits;
    list.seen.hot = hot_;
    list.seen.hot_count = hot_count_;
    selector_.kernels.forget(list.seen);
}

template <class Entry>
void Lists<Entry>::add_tile(List& list, std::uint64_t begin, std::uint64_t count, unsigned worker) {
    if (list.closed) return;
    // Cuts a list long before it is full where that costs little: its bound rejects most elements.
    if (list.size + count > memory_.capacity ||
        (selector_.problem.k <= kSmall && list.size > 3 * selector_.problem.k + 512))
        cut(list);
    if (list.closed) return;
    list.size += selector_.collect_new(selector_.view(begin, count, worker), begin, list.bound, list.seen,
                                       list.entries + list.size);
}

// Sorts the list, keeps the first entry of each key, and of these the best k.
template <class Entry>
void Lists<Entry>::cut(List& list) {
    Entry* sorted =
        sort_by_key(list.entries, list.spare, list.size, selector_.shift, selector_.workers.alone(0));
    list.closed = sorted == nullptr || overflown_.load(std::memory_order_relaxed);
    if (list.closed) return;  // a stop was requested; the group detects it
    if (sorted != list.entries) std::swap(list.entries, list.spare);
    list.size = selector_.first_of_each_key(list.entries, list.size);
    if (list.size >= selector_.problem.k) {
        list.size = selector_.problem.k;
        const std::uint64_t worst = selector_.key_of(list.entries[list.size - 1]);
        list.closed = worst == 0;
        list.bound = worst - 1;
    }
    if (list.size <= memory_.max_kept) return;
    overflown_.store(true, std::memory_order_relaxed);
    list.closed = true;
}

// The best k distinct keys of the first list and another; of equal keys, the entry with the smaller index.
template <class Entry>
bool Lists<Entry>::merge_into_first(const List& other) {
    List& first = lists_[0];
    const Entry* a = first.entries;
    const Entry* const a_end = a + first.size;
    const Entry* b = other.entries;
    const Entry* const b_end = b + other.size;
    Entry* out = first.spare;
    for (std::uint64_t left = std::min(selector_.problem.k, memory_.capacity);
         left > 0 && (a < a_end || b < b_end); --left) {
        if (left % kPollEvery == 0 && selector_.workers.stop().stop_requested())
            break;  // the caller polls, too
        const bool same = a < a_end && b < b_end && selector_.key_of(*a) == selector_.key_of(*b);
        const bool from_a = b == b_end || (a < a_end && *a < *b);
        *out++ = from_a ? *a : *b;
        if (from_a || same) ++a;
        if (!from_a || same) ++b;
    }
    std::swap(first.entries, first.spare);
    first.size = static_cast<std::uint64_t>(out - first.entries);
    return first.size == selector_.problem.k || (a == a_end && b == b_end);
}

template <class Entry>
typename Lists<Entry>::End Lists<Entry>::pass(std::uint64_t bound) {
    for (unsigned worker = 0; worker < workers_; ++worker) open(worker, bound);
    overflown_.store(false);
    const bool done =
        selector_.workers.run(tasks_of(selector_.problem.n), [&](std::uint64_t task, unsigned worker) {
            selector_.for_each_tile(task, [&](std::uint64_t begin, std::uint64_t count) {
                add_tile(lists_[worker], begin, count, worker);
            });
        });
    if (!done ||
        !selector_.workers.run(workers_, [&](std::uint64_t worker, unsigned) { cut(lists_[worker]); }))
        return End::Stopped;
    if (overflown_.load()) return End::GaveUp;
    for (unsigned worker = 1; worker < workers_; ++worker)
        if (!merge_into_first(lists_[worker]))
            return selector_.workers.stop().stop_requested() ? End::Stopped : End::GaveUp;
    if (selector_.workers.stop().stop_requested()) return End::Stopped;
    selector_.entries = lists_[0].entries;
    selector_.size = lists_[0].size;
    return End::Done;
}

template class Lists<Entry64>;
template class Lists<Entry128>;

}  // namespace tegu::kernels::topk
