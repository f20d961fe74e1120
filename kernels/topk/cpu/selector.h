// SPDX-License-Identifier: Apache-2.0
// The state that the methods of top-k share: the segment as tiles, the parts of the working memory, the
// candidates. Each method is a function on a Selector; it leaves the sorted answer in `entries` and `size`,
// possibly with more entries behind it. It returns false after a stop request or out_of_memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/selection/cpu/sort.h"
#include "kernels/topk/cpu/select.h"

namespace tegu::kernels::topk {

using selection::kDigitBits;
using selection::kTask;
using selection::kTile;
using selection::round_up;
using selection::scan_kernels;
using selection::sort_by_key;
using selection::take_sample;
using selection::tasks_of;

constexpr std::uint64_t kMaxSample = 8192;
constexpr std::uint64_t kParts = 32;         // buckets: parts of the segment with separate counts
constexpr std::uint32_t kMaxBuckets = 2560;  // buckets: of them
constexpr std::uint32_t kMaxWantedBuckets = 1024;
constexpr std::uint64_t kBoundary = 65536;  // buckets: entries of the bucket that is cut
constexpr std::uint64_t kAnyKey = ~std::uint64_t{0};

// The result of one task of `threshold` in pass 1, and the destination of its entries.
struct TaskTally {
    std::uint64_t less;
    std::uint64_t equal;
    std::uint64_t begin;    // index of its first entry
    std::uint64_t ordered;  // the same after the entries of pass 1 have been put in order
    std::uint64_t ties;     // the taken part of `equal`
};

// The consecutive parts of the working memory. With null memory it only measures.
struct Layout {
    std::byte* entries = nullptr;         // [method.entries], for `distinct` [workers x entries]
    std::byte* spare = nullptr;           // the same again
    std::byte* order = nullptr;           // [blocks] entries
    std::uint64_t* minima = nullptr;      // [blocks] or [lanes]
    std::uint64_t* sample = nullptr;      // [2 x method.sample]
    TaskTally* tallies = nullptr;         // [tasks]
    std::uint64_t* histograms = nullptr;  // [workers x 2^kDigitBits], for buckets also [parts x kMaxBuckets]
    std::byte* cursors = nullptr;         // [workers x kMaxBuckets] pointers
    std::byte* scratch = nullptr;         // [workers x 2 x method.bucket] entries
    std::byte* seen = nullptr;            // [workers] tables of SeenKeys
    std::byte* dense = nullptr;           // [workers x kTile] elements
    std::uint64_t bytes = 0;

    Layout(std::byte* memory, const Problem& problem, const Method& method);
};

// True if the entries of buckets are stored in the output first. Only the bucket that is cut has entries that
// are not part of the result.
inline bool entries_in_output(const Problem& problem, const Method& method) {
    return method.kind == CpuTopkMethod::Buckets && !method.wide && !problem.distinct;
}

// Bytes of a table of SeenKeys for elements of `width` bytes.
inline std::uint64_t table_bytes(unsigned seen_bits, unsigned width) {
    return (std::uint64_t{2} << seen_bits) * width;
}

template <class Entry>
struct Selector {
    const Segment& segment;
    const Problem& problem;
    const Method& method;
    const WorkerGroup& workers;
    const ScanKernels& kernels;
    const unsigned shift;
    const Layout layout;
    const Target target;
    Entry* entries;
    Entry* spare;
    std::uint64_t size = 0;
    bool written = false;        // buckets: the answer is in the target
    bool out_of_memory = false;  // why a method failed, if not for a stop request

    Selector(const Segment& the_segment, const Problem& the_problem, const Method& the_method,
             Workspace& workspace, const Target& the_target, const WorkerGroup& the_workers);

    // Elements [begin, begin + count), contiguous. REQUIRES: count <= kTile.
    Elements view(std::uint64_t begin, std::uint64_t count, unsigned worker) const {
        if (segment.contiguous())
            return Elements{segment.data + begin * segment.element_bytes, count, problem.flip};
        std::byte* const dense = layout.dense + worker * kTile * segment.element_bytes;
        gather(segment, begin, count, dense);
        return Elements{dense, count, problem.flip};
    }

    // Calls body(begin, count, worker) for the tiles of one task, in order.
    template <class Body>
    void for_each_tile(std::uint64_t task, Body body) const {
        const std::uint64_t end = std::min(problem.n, (task + 1) * kTask);
        for (std::uint64_t begin = task * kTask; begin < end; begin += kTile)
            body(begin, std::min(kTile, end - begin));
    }

    std::uint64_t collect(Elements elements, std::uint64_t first, std::uint64_t bound, Entry* out) const;
    std::uint64_t collect_new(Elements elements, std::uint64_t first, std::uint64_t bound, SeenKeys& seen,
                              Entry* out) const;

    std::uint64_t key_of(Entry entry) const { return static_cast<std::uint64_t>(entry >> shift); }
    std::uint64_t index_of(Entry entry) const { return static_cast<std::uint64_t>(entry & last_index()); }
    Entry entry_of(std::uint64_t key, std::uint64_t index) const {
        return (static_cast<Entry>(key) << shift) | index;
    }
    Entry last_index() const { return (Entry{1} << shift) - 1; }

    // Keeps of each key the entry with the smallest index. REQUIRES: data[0, count) sorted by key. Returns
    // the number of kept entries.
    std::uint64_t first_of_each_key(Entry* data, std::uint64_t count) const;
};

template <class Entry>
const std::uint64_t* take_sample(const Selector<Entry>& selector) {
    return take_sample(selector.segment, selector.kernels, selector.problem.flip, selector.method.sample,
                       selector.layout.sample, selector.workers);
}

// The rank in the sorted sample that most likely bounds the answer; >= method.sample: there is none.
std::uint64_t rank_in_sample(const std::uint64_t* sample, const Problem& problem, const Method& method);

// An estimate, rather too low, of the distinct keys of the segment. `sample` as take_sample() leaves it.
double different_keys(const std::uint64_t* sample, std::uint64_t size, std::uint64_t n);

// Finds the key of the k-th best, digit by digit from the top, in as many passes. Uses layout.histograms.
// False: a stop was requested.
template <class Entry>
bool find_exact_bound(const Selector<Entry>& selector, std::uint64_t& bound);

// The methods.
template <class Entry>
bool select_direct(Selector<Entry>& selector);  // REQUIRES: n <= kTile
template <class Entry>
bool select_blocks(Selector<Entry>& selector);
template <class Entry>
bool select_threshold(Selector<Entry>& selector);
template <class Entry>
bool select_buckets(Selector<Entry>& selector);  // may write the outputs itself
template <class Entry>
bool select_distinct(Selector<Entry>& selector);

// Variants of `distinct`. True with fewer than k entries: the variant does not suit this data. False: a stop
// was requested.

// For small k and values that rarely repeat. `bound` becomes a key that k distinct keys reach, if one was
// found.
template <class Entry>
bool select_distinct_blocks(Selector<Entry>& selector, std::uint64_t& bound);

// For values that rarely repeat, within a bound. No entries if there are more than method.within elements.
template <class Entry>
bool select_distinct_within(Selector<Entry>& selector, std::uint64_t bound);

}  // namespace tegu::kernels::topk
