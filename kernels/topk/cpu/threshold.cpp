// SPDX-License-Identifier: Apache-2.0
// Method `threshold`: pass 1 counts the keys of each task that are better than the bound, or equal to it.
// Pass 2 stores the entries at the positions from the counts; for small k pass 1 stores them while the
// elements are in the cache. A bound with too few or too many elements is replaced by an exact one.
//
// Elements that change meanwhile never cause access out of bounds: tasks store what fits and pad the rest.
#include <atomic>
#include <utility>

#include "kernels/selection/cpu/sort.h"
#include "kernels/topk/cpu/selector.h"

namespace tegu::kernels::topk {
namespace {

template <class Entry>
class Threshold {
  public:
    // `capacity`: of the entries, and of the spare array.
    Threshold(Selector<Entry>& selector, std::uint64_t capacity)
        : selector_(selector), tasks_(tasks_of(selector.problem.n)), capacity_(capacity) {}

    bool run() {
        const std::uint64_t* sample = take_sample(selector_);
        if (sample == nullptr) return false;
        const std::uint64_t rank = rank_in_sample(sample, selector_.problem, selector_.method);
        bound_ = rank < selector_.method.sample ? sample[rank] : worst_key();
        return select() && sort();
    }

    // The first entry of each key within the bound in order, if there is capacity for all; else no entries.
    bool within(std::uint64_t bound) {
        bound_ = bound;
        selector_.size = 0;
        if (!tally(true)) return false;
        if (total_.less + total_.equal > capacity_) return true;
        if (!(put_in_order() && sort())) return false;
        selector_.size = selector_.first_of_each_key(selector_.entries, selector_.size);
        return true;
    }

  private:
    std::uint64_t worst_key() const { return kAnyKey >> (64 - 8 * selector_.segment.element_bytes); }

    // The best k, in the order of the tasks, possibly with others.
    bool select() {
        const std::uint64_t k = selector_.problem.k;
        const bool at_once = k <= selector_.problem.n / kStoreAtOnce;
        if (!tally(at_once)) return false;
        const bool enough = total_.less + total_.equal >= k;
        if (at_once && enough && total_.less + total_.equal <= capacity_) return put_in_order();
        const bool too_many = total_.less > k && total_.less + total_.equal > capacity_;
        if ((!enough || too_many) && !(find_exact_bound(selector_, bound_) && tally(false))) return false;
        assign_ranges();
        return store();
    }

    // Pass 1. With `at_once`, stores the tasks' entries in `spare`, one task after another in any order, as
    // long as they fit.
    bool tally(bool at_once) {
        TaskTally* tallies = selector_.layout.tallies;
        std::atomic<std::uint64_t> used{0};
        const bool done = selector_.workers.run(tasks_, [&](std::uint64_t task, unsigned worker) {
            TaskTally& mine = tallies[task];
            mine = TaskTally{};
            selector_.for_each_tile(task, [&](std::uint64_t begin, std::uint64_t count) {
                const Tally tile = selector_.kernels.tally(selector_.view(begin, count, worker), bound_);
                mine.less += tile.less;
                mine.equal += tile.equal;
            });
            if (!at_once) return;
            const std::uint64_t size = mine.less + mine.equal;
            mine.ties = mine.equal;
            mine.begin = used.fetch_add(size, std::memory_order_relaxed);
            if (mine.begin + size <= capacity_) store_task(task, worker, selector_.spare);
        });
        total_ = Tally{};
        for (std::uint64_t task = 0; task < tasks_ && done; ++task) {
            total_.less += tallies[task].less;
            total_.equal += tallies[task].equal;
        }
        return done;
    }

    // Copies the entries of pass 1 from `spare` to `entries` in the order of the tasks.
    bool put_in_order() {
        TaskTally* tallies = selector_.layout.tallies;
        selector_.size = 0;
        for (std::uint64_t task = 0; task < tasks_; ++task) {
            tallies[task].ordered = selector_.size;
            selector_.size += tallies[task].less + tallies[task].equal;
        }
        return selector_.workers.run(tasks_, [&](std::uint64_t task, unsigned) {
            const Entry* from = selector_.spare + tallies[task].begin;
            std::copy(from, from + tallies[task].less + tallies[task].equal,
                      selector_.entries + tallies[task].ordered);
        });
    }

    // Takes all elements within the bound if there is capacity; else all better ones and the first ties up to
    // k.
    void assign_ranges() {
        const std::uint64_t k = selector_.problem.k;
        std::uint64_t ties = total_.equal;
        if (total_.less + total_.equal > capacity_) ties = total_.less < k ? k - total_.less : 0;
        std::uint64_t next = 0;
        for (std::uint64_t task = 0; task < tasks_; ++task) {
            TaskTally& mine = selector_.layout.tallies[task];
            mine.begin = next;
            mine.less = std::min(mine.less, capacity_ - next);
            mine.ties = std::min({mine.equal, ties, capacity_ - next - mine.less});
            ties -= mine.ties;
            next += mine.less + mine.ties;
        }
        selector_.size = next;
    }

    // Pass 2.
    bool store() {
        return selector_.workers.run(tasks_, [&](std::uint64_t task, unsigned worker) {
            store_task(task, worker, selector_.entries);
        });
    }

    void store_task(std::uint64_t task, unsigned worker, Entry* entries) {
        const TaskTally& mine = selector_.layout.tallies[task];
        std::uint64_t ties = mine.ties;
        Entry* out = entries + mine.begin;
        Entry* const end = out + mine.less + mine.ties;
        selector_.for_each_tile(task, [&](std::uint64_t begin, std::uint64_t count) {
            if (out < end) out = store_tile(begin, count, worker, mine.ties == mine.equal, &ties, out, end);
        });
        std::fill(out, end, selector_.entry_of(bound_, task * kTask));
    }

    // Returns the end of the stored entries. The kernel writes directly to its rank if even a whole tile
    // would fit.
    Entry* store_tile(std::uint64_t begin, std::uint64_t count, unsigned worker, bool all_ties,
                      std::uint64_t* ties, Entry* out, Entry* end) {
        const Elements elements = selector_.view(begin, count, worker);
        if (all_ties && static_cast<std::uint64_t>(end - out) >= count)
            return out + selector_.collect(elements, begin, bound_, out);
        Entry found[kPiece];
        for (std::uint64_t done = 0; done < count && out < end; done += kPiece) {
            const Elements piece{elements.data + done * selector_.segment.element_bytes,
                                 std::min(kPiece, count - done), elements.flip};
            const std::uint64_t size = selector_.collect(piece, begin + done, bound_, found);
            for (std::uint64_t i = 0; i < size && out < end; ++i) {
                const bool tie = selector_.key_of(found[i]) == bound_;
                if (tie && *ties == 0) continue;
                if (tie) --*ties;
                *out++ = found[i];
            }
        }
        return out;
    }

    bool sort() {
        if (selector_.size == 0) return true;
        Entry* sorted = sort_by_key(selector_.entries, selector_.spare, selector_.size, selector_.shift,
                                    selector_.workers);
        if (sorted == nullptr) return false;
        if (sorted != selector_.entries) std::swap(selector_.entries, selector_.spare);
        return true;
    }

    static constexpr std::uint64_t kPiece = 512;  // elements whose entries fit the stack
    // n / k from which copying entries costs less than reading the input again
    static constexpr std::uint64_t kStoreAtOnce = 16;

    Selector<Entry>& selector_;
    const std::uint64_t tasks_;
    const std::uint64_t capacity_;
    std::uint64_t bound_ = 0;
    Tally total_;
};

}  // namespace

template <class Entry>
bool select_threshold(Selector<Entry>& selector) {
    return Threshold<Entry>(selector, selector.method.entries).run();
}

template <class Entry>
bool select_distinct_within(Selector<Entry>& selector, std::uint64_t bound) {
    return Threshold<Entry>(selector, selector.method.within).within(bound);
}

template bool select_distinct_within(Selector<Entry64>&, std::uint64_t);
template bool select_distinct_within(Selector<Entry128>&, std::uint64_t);

template bool select_threshold(Selector<Entry64>&);
template bool select_threshold(Selector<Entry128>&);

}  // namespace tegu::kernels::topk
