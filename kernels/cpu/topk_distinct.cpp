// SPDX-License-Identifier: Apache-2.0
// Method `distinct`. Each slot remembers the ranks that it met in a small hash table, so that of many equal elements only the
// first reaches its list of candidates, and cuts the list to its best k distinct ranks when it is full, which tightens its bound.
// A slot gets its tiles in increasing order: of equal ranks in its list the first has the smallest index. The lists are merged at
// the end. The bound from the sample is a guess where the sample says that values rarely repeat; if it held too few, the pass
// is done again without one.
#include "kernels/cpu/topk_selector.h"
#include "kernels/cpu/topk_sort.h"

namespace tegu::kernels::topk {
namespace {

// The smaller of a rank that most likely and one that certainly has k distinct ranks within it.
std::uint64_t bound_from(const std::uint64_t* sample, const Question& question, const Method& method) {
    const std::uint64_t place = place_in_sample(sample, question, method);
    std::uint64_t ranks = 0;
    for (std::uint64_t i = 0; i < method.sample; ++i) {
        ranks += i == 0 || sample[i] != sample[i - 1];
        if (ranks == question.k || i == place) return sample[i];
    }
    return kAnyRank;
}

template <class Entry>
class Distinct {
  public:
    explicit Distinct(Selector<Entry>& selector)
        : selector_(selector), slots_(std::min(selector.team.slots(), selector.method.slots)) {}

    bool run() {
        const std::uint64_t* sample = take_sample(selector_);
        if (sample == nullptr) return false;
        const std::uint64_t bound = bound_from(sample, selector_.question, selector_.method);
        if (!pass(bound)) return false;
        return bound == kAnyRank || selector_.size >= selector_.question.k || pass(kAnyRank);
    }

  private:
    struct List {
        Entry* entries = nullptr;
        Entry* spare = nullptr;
        std::uint64_t size = 0;
        std::uint64_t bound = 0;
        bool closed = false;  // nothing can be better any more
        SeenRanks seen;
    };

    bool pass(std::uint64_t bound) {
        for (unsigned slot = 0; slot < slots_; ++slot) open(slot, bound);
        const bool done = selector_.team.run(tasks_of(selector_.question.n), [&](std::uint64_t task, unsigned slot) {
            List& list = lists_[slot];
            selector_.for_each_tile(task, [&](std::uint64_t begin, std::uint64_t count) {
                if (list.closed) return;
                if (list.size + count > selector_.method.entries) cut(list);
                list.size += selector_.collect_new(selector_.view(begin, count, slot), begin, list.bound, list.seen,
                                                   list.entries + list.size);
            });
        });
        return done && merge();
    }

    void open(unsigned slot, std::uint64_t bound) {
        List& list = lists_[slot];
        list.entries = reinterpret_cast<Entry*>(selector_.layout.entries) + slot * selector_.method.entries;
        list.spare = reinterpret_cast<Entry*>(selector_.layout.spare) + slot * selector_.method.entries;
        list.size = 0;
        list.bound = bound;
        list.closed = false;
        list.seen.table = selector_.layout.seen + slot * seen_bytes(selector_.question, selector_.method);
        list.seen.bits = selector_.method.seen_bits;
        selector_.kernels.forget(list.seen);
    }

    // Sorts the list, leaves the first of each rank, and of these the best k.
    void cut(List& list) {
        Entry* sorted = sort_by_rank(list.entries, list.spare, list.size, selector_.shift, selector_.team.alone());
        list.closed = sorted == nullptr;  // a stop was requested, and the team finds out
        if (list.closed) return;
        if (sorted != list.entries) std::swap(list.entries, list.spare);
        list.size = selector_.first_of_each_rank(list.entries, list.size);
        if (list.size < selector_.question.k) return;
        list.size = selector_.question.k;
        const std::uint64_t worst = selector_.rank_of(list.entries[list.size - 1]);
        list.closed = worst == 0;
        list.bound = worst - 1;
    }

    bool merge() {
        if (!selector_.team.run(slots_, [&](std::uint64_t slot, unsigned) { cut(lists_[slot]); })) return false;
        for (unsigned slot = 1; slot < slots_; ++slot) merge_into_first(lists_[slot]);
        selector_.entries = lists_[0].entries;
        selector_.size = lists_[0].size;
        return true;
    }

    // The best k distinct ranks of the first list and another; of equal ranks, the entry with the smaller index.
    void merge_into_first(const List& other) {
        List& first = lists_[0];
        const Entry* a = first.entries;
        const Entry* const a_end = a + first.size;
        const Entry* b = other.entries;
        const Entry* const b_end = b + other.size;
        Entry* out = first.spare;
        for (std::uint64_t left = selector_.question.k; left > 0 && (a < a_end || b < b_end); --left) {
            const bool same = a < a_end && b < b_end && selector_.rank_of(*a) == selector_.rank_of(*b);
            const bool from_a = b == b_end || (a < a_end && *a < *b);
            *out++ = from_a ? *a : *b;
            if (from_a || same) ++a;
            if (!from_a || same) ++b;
        }
        std::swap(first.entries, first.spare);
        first.size = static_cast<std::uint64_t>(out - first.entries);
    }

    Selector<Entry>& selector_;
    const unsigned slots_;
    List lists_[kMaxSlots];
};

}  // namespace

template <class Entry>
bool select_distinct(Selector<Entry>& selector) {
    return Distinct<Entry>(selector).run();
}

template bool select_distinct(Selector<Entry64>&);
template bool select_distinct(Selector<Entry128>&);

}  // namespace tegu::kernels::topk
