// SPDX-License-Identifier: Apache-2.0
// Method `buckets`: reads the elements twice, to count each bucket and to fill it, then sorts each bucket in
// the cache. Counts are exact per part of the segment, so buckets lie at their final positions and stay
// stable for any number of threads. Elements and entries may change meanwhile: a sort uses a private copy,
// and positions are checked against their ends.
#pragma once

#include <algorithm>
#include <mutex>

#include "kernels/topk/cpu/bucket_map.h"
#include "kernels/topk/cpu/buckets.h"
#include "kernels/topk/cpu/selector.h"

namespace tegu::kernels::topk {

const BucketKernels& bucket_kernels(ElementType type);

inline const BucketSorting<Entry64>& sorting_of(const BucketKernels& kernels, const Entry64*) {
    return kernels.narrow;
}
inline const BucketSorting<Entry128>& sorting_of(const BucketKernels& kernels, const Entry128*) {
    return kernels.wide;
}

template <class Entry>
class Buckets {
  public:
    explicit Buckets(Selector<Entry>& selector)
        : selector_(selector),
          kernels_(bucket_kernels(selector.problem.type)),
          sorting_(sorting_of(kernels_, static_cast<const Entry*>(nullptr))),
          distinct_(selector.problem.distinct),
          tasks_(tasks_of(selector.problem.n)),
          parts_(std::min<std::uint64_t>(kParts, tasks_)),
          store_(selector.layout.entries != nullptr ? selector.entries
                                                    : reinterpret_cast<Entry*>(selector.target.indices)) {}

    // Functions that return bool: false if a stop was requested, or out of memory.
    bool run();

  private:
    static constexpr std::uint64_t kPiece = 1u << 18;  // elements between two polls of the stop token
    static constexpr std::uint64_t kAtOnce = 65536;    // entries that a thread writes at a time

    struct Bucket {
        std::uint64_t begin = 0;   // its start in the store, and in the result except for `distinct`
        std::uint64_t count = 0;   // entries
        std::uint64_t taken = 0;   // of them in the result; with `distinct`, distinct keys
        std::uint64_t result = 0;  // with `distinct`: its start in the result
        bool sorted = false;       // with `distinct`: `taken` is known
        bool written = false;      // with `distinct`: to the outputs
    };

    std::uint64_t worst_key() const { return kAnyKey >> (64 - 8 * selector_.segment.element_bytes); }
    std::uint64_t* counts_of(std::uint64_t part) const {
        return selector_.layout.histograms + part * kMaxBuckets;
    }

    std::uint32_t* cells_of(unsigned worker) const {
        return reinterpret_cast<std::uint32_t*>(selector_.layout.cursors) + worker * 2 * kMaxBuckets;
    }

    // Calls body(elements, begin) for pieces of one part, in order. A piece ends at the next poll of the stop
    // token, or is a tile if elements have to be copied. Counting has a fixed cost per piece.
    template <class Body>
    void for_each_piece(std::uint64_t part, unsigned worker, Body body) const {
        const std::uint64_t length = selector_.segment.contiguous() ? kPiece : kTile;
        const std::uint64_t end = std::min(selector_.problem.n, tasks_ * (part + 1) / parts_ * kTask);
        for (std::uint64_t begin = tasks_ * part / parts_ * kTask; begin < end; begin += length) {
            if (selector_.workers.stop().stop_requested()) return;
            body(selector_.view(begin, std::min(length, end - begin), worker), begin);
        }
    }

    Entry* base_of(std::uint32_t bucket) const { return bucket == boundary_ ? selector_.spare : store_; }

    void fill(Entry* from, Entry* end) const {
        for (; from < end; ++from) *from = selector_.entry_of(worst_key(), 0);
    }

    Entry* scratch_of(unsigned worker) const {
        return reinterpret_cast<Entry*>(selector_.layout.scratch) + worker * 2 * selector_.method.bucket;
    }

    Entry* entries_of(std::uint32_t b) const {
        return b == boundary_ ? selector_.spare : store_ + buckets_[b].begin;
    }

    // Counting and filling.

    // If the sample shows few distinct keys, lists find all of them in one read. The lists use the store.
    bool list_keys(const std::uint64_t* sample, bool& found);
    bool count(const std::uint64_t* sample, std::uint64_t covered, std::uint64_t limit);
    // Counts per part and bucket, and their sums.
    bool recount();
    // If many elements of the sample equal the k-th best, counts with a separate bucket for them, which can
    // be cut by index.
    bool guess_tie(const std::uint64_t* sample, bool& found);
    // Counts the keys better than the bound, and the equal keys in a separate last bucket.
    bool count_tie(std::uint64_t bound);
    // Finds the bucket of the k-th best and drops those behind it. If it has too many entries for the memory
    // beside the store, searches the exact key of the k-th best.
    bool find_boundary();
    // The entries of each bucket that belong to the best k.
    bool cut();
    // Writes the entries into their buckets. Each part has its own positions; if the elements changed, unused
    // positions get an entry too.
    bool scatter();
    Entry* end_of(std::uint64_t part, std::uint32_t b) const;

    // Sorting and writing.

    BucketDigits digits_of(std::uint32_t b) const;
    Entry* sort_bucket(std::uint32_t b, unsigned worker) const;
    void write(const Entry* entries, std::uint64_t count, std::uint64_t result) const;
    // Sorts every bucket from the store to the outputs.
    bool sort_plain();
    // Writes a bucket that does not fit the scratch: many equal elements, which need no sort, or keys that
    // the sample missed.
    bool write_large(std::uint32_t b);
    // Returns the sorted entries of the bucket: in the store if all keys are equal, else in `workspace`.
    Entry* sort_large(std::uint32_t b, Workspace& workspace);
    // Sorts every bucket. The first entry of each key goes to its place in the outputs if that is known. Else
    // it goes to the front of the bucket in the store.
    bool sort_distinct();
    void sort_distinct(std::uint32_t b, unsigned worker);
    // Notes the distinct keys of a sorted bucket. True if all buckets before it are sorted, too: its place in
    // the result is known.
    bool place(std::uint32_t b, std::uint64_t taken);
    // Moves the first entry of each key of a long sorted bucket to its position in the store; it may be there
    // already.
    bool keep_first_of_each(const Entry* sorted, std::uint32_t b);
    bool write_distinct();

    Selector<Entry>& selector_;
    const BucketKernels& kernels_;
    const BucketSorting<Entry>& sorting_;
    const bool distinct_;
    const std::uint64_t tasks_;
    const std::uint64_t parts_;
    Entry* const store_;
    BucketMap map_;
    std::uint32_t used_ = 0;  // buckets
    std::uint32_t boundary_ = kMaxBuckets;
    std::uint64_t total_ = 0;
    std::uint64_t uppers_[kMaxBuckets];
    Bucket buckets_[kMaxBuckets];
    std::mutex placing_;
    std::uint32_t placed_ = 0;      // with `distinct`: the buckets before it have their place in the result
    std::uint64_t next_place_ = 0;  // and this is the place of this bucket
};

extern template class Buckets<Entry64>;
extern template class Buckets<Entry128>;

}  // namespace tegu::kernels::topk
