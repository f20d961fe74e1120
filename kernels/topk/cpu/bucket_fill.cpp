// SPDX-License-Identifier: Apache-2.0
// Counts and fills the buckets of top-k, with two reads of the elements.
#include <cassert>
#include <utility>

#include "kernels/topk/cpu/bucket_run.h"
#include "kernels/topk/cpu/lists.h"

namespace tegu::kernels::topk {
namespace {

constexpr double kOften = 8;  // elements per key from which listing keys is faster than sorting elements
// limits the tables of these lists, so that they stay in L2 or near it
constexpr unsigned kMaxSeenBits = 18;

}  // namespace

template <class Entry>
bool Buckets<Entry>::list_keys(const std::uint64_t* sample, bool& found) {
    const double keys = different_keys(sample, selector_.method.sample, selector_.problem.n);
    const std::uint64_t workers = std::min(selector_.workers.size(), selector_.method.workers);
    const std::uint64_t entries = selector_.problem.n / workers;  // of a worker
    const unsigned width = selector_.segment.element_bytes;
    unsigned bits = 11;
    while (bits < kMaxSeenBits && static_cast<double>(std::uint64_t{1} << bits) < 2 * keys) ++bits;
    bits = std::min(bits, 8 * width - 1);
    const std::uint64_t table = round_up(table_bytes(bits, width)) / sizeof(Entry);
    if (keys * kOften > static_cast<double>(selector_.problem.n) || entries < table + 8 * kTile) return true;
    const std::uint64_t capacity = (entries - table) / 2 / kTile * kTile;
    if (keys > static_cast<double>(capacity / 2)) return true;
    std::uint64_t hot[SeenKeys::kMaxHot];
    const unsigned hot_count = hot_keys(sample, selector_.method.sample, kAnyKey, hot);
    Entry* const lists = store_ + workers * table;
    Lists<Entry> pass(
        selector_,
        ListMemory<Entry>{lists, lists + workers * capacity, reinterpret_cast<std::byte*>(store_), capacity,
                          capacity - 2 * kTile, bits},
        hot, hot_count);
    const typename Lists<Entry>::End end = pass.pass(kAnyKey);
    found = end == Lists<Entry>::End::Done;
    return end != Lists<Entry>::End::Stopped;
}

template <class Entry>
bool Buckets<Entry>::count(const std::uint64_t* sample, std::uint64_t covered, std::uint64_t limit) {
    used_ = build_map(sample, covered, limit, selector_.method.buckets, map_, uppers_);
    return recount();
}

template <class Entry>
bool Buckets<Entry>::recount() {
    const bool done = selector_.workers.run(parts_, [&](std::uint64_t part, unsigned worker) {
        std::uint64_t* mine = counts_of(part);
        std::fill(mine, mine + used_, 0);
        for_each_piece(part, worker, [&](Elements elements, std::uint64_t) {
            kernels_.count(elements, map_, cells_of(worker), mine);
        });
    });
    total_ = 0;
    for (std::uint32_t b = 0; b < used_ && done; ++b) {
        buckets_[b] = Bucket{total_, 0, 0};
        for (std::uint64_t part = 0; part < parts_; ++part) buckets_[b].count += counts_of(part)[b];
        buckets_[b].taken = buckets_[b].count;
        total_ += buckets_[b].count;
    }
    boundary_ = kMaxBuckets;
    return done;
}

template <class Entry>
bool Buckets<Entry>::guess_tie(const std::uint64_t* sample, bool& found) {
    const std::uint64_t k = selector_.problem.k;
    const std::uint64_t size = selector_.method.sample;
    const double part = static_cast<double>(k) / static_cast<double>(selector_.problem.n);
    const std::uint64_t* const end = sample + size;
    std::uint64_t bound =
        sample[std::min(size - 1, static_cast<std::uint64_t>(part * static_cast<double>(size)))];
    for (int attempt = 0; attempt < 2 && !found; ++attempt) {
        const auto equal = std::equal_range(sample, end, bound);
        const auto many = static_cast<std::uint64_t>(equal.second - equal.first);
        if (many * (selector_.problem.n / size) <= kBoundary / 2 || many < 8) return true;
        used_ = build_map(sample, static_cast<std::uint64_t>(equal.second - sample), bound,
                          selector_.method.buckets, map_, uppers_);
        if (!count_tie(bound)) return false;
        const bool too_good = total_ < k;
        found = !too_good && buckets_[used_ - 1].begin < k;
        // The k-th best may equal the neighbour of the sample key at its rank.
        if (too_good ? equal.second == end : equal.first == sample) return true;
        bound = too_good ? *equal.second : *(equal.first - 1);
    }
    return true;
}

template <class Entry>
bool Buckets<Entry>::count_tie(std::uint64_t bound) {
    const auto last =
        static_cast<std::uint32_t>(std::lower_bound(uppers_, uppers_ + used_ - 1, bound) - uppers_);
    map_.limit = map_.tie = bound;
    map_.has_tie = true;
    map_.first[kTieCell] = last + 1;
    used_ = last + 2;
    assert(used_ <= kMaxBuckets);
    return recount();
}

template <class Entry>
bool Buckets<Entry>::find_boundary() {
    const std::uint64_t k = selector_.problem.k;
    std::uint32_t last = 0;
    while (last + 1 < used_ && buckets_[last].begin + buckets_[last].count < k) ++last;
    const bool single = last > 0 ? uppers_[last] == uppers_[last - 1] + 1 : uppers_[0] == 0;
    if (buckets_[last].count > kBoundary && buckets_[last].begin + buckets_[last].count > k && !single) {
        std::uint64_t bound = 0;
        if (!(find_exact_bound(selector_, bound) && count_tie(bound))) return false;
    } else {
        used_ = last + 1;
        map_.limit = uppers_[last];
        if (buckets_[last].count <= kBoundary) boundary_ = last;
    }
    return cut();
}

template <class Entry>
bool Buckets<Entry>::cut() {
    const std::uint64_t k = selector_.problem.k;
    selector_.size = 0;
    for (std::uint32_t b = 0; b < used_; ++b) {
        buckets_[b].taken = std::min(buckets_[b].count, k - std::min(k, buckets_[b].begin));
        if (b != boundary_) buckets_[b].count = buckets_[b].taken;
        selector_.size += buckets_[b].taken;  // k, unless elements changed
    }
    return true;
}

template <class Entry>
bool Buckets<Entry>::scatter() {
    const std::uint64_t capacity = selector_.method.entries;
    for (std::uint32_t b = 0; b < used_; ++b) {
        std::uint64_t begin = b == boundary_ ? 0 : buckets_[b].begin;
        for (std::uint64_t part = 0; part < parts_; ++part) begin += std::exchange(counts_of(part)[b], begin);
    }
    return selector_.workers.run(parts_, [&](std::uint64_t part, unsigned worker) {
        Entry** next = reinterpret_cast<Entry**>(selector_.layout.cursors) + worker * kMaxBuckets;
        const std::uint64_t* begins = counts_of(part);
        for (std::uint32_t b = 0; b < used_; ++b) next[b] = base_of(b) + begins[b];
        std::fill(next + used_, next + kMaxBuckets,
                  store_ + capacity);  // drops the buckets behind it that the map still contains
        const BucketCursors<Entry> to{next, store_ + capacity, boundary_, selector_.spare + kBoundary};
        for_each_piece(part, worker, [&](Elements elements, std::uint64_t begin) {
            sorting_.scatter(elements, begin, map_, to);
        });
        for (std::uint32_t b = 0; b < used_; ++b) fill(next[b], end_of(part, b));
    });
}

template <class Entry>
Entry* Buckets<Entry>::end_of(std::uint64_t part, std::uint32_t b) const {
    Entry* const base = base_of(b);
    const std::uint64_t capacity = b == boundary_ ? kBoundary : selector_.method.entries;
    const std::uint64_t end = part + 1 < parts_
                                  ? counts_of(part + 1)[b]
                                  : (b == boundary_ ? 0 : buckets_[b].begin) + buckets_[b].count;
    return base + std::min(end, capacity);
}

template bool Buckets<Entry64>::list_keys(const std::uint64_t* sample, bool& found);
template bool Buckets<Entry128>::list_keys(const std::uint64_t* sample, bool& found);
template bool Buckets<Entry64>::count(const std::uint64_t* sample, std::uint64_t covered,
                                      std::uint64_t limit);
template bool Buckets<Entry128>::count(const std::uint64_t* sample, std::uint64_t covered,
                                       std::uint64_t limit);
template bool Buckets<Entry64>::recount();
template bool Buckets<Entry128>::recount();
template bool Buckets<Entry64>::guess_tie(const std::uint64_t* sample, bool& found);
template bool Buckets<Entry128>::guess_tie(const std::uint64_t* sample, bool& found);
template bool Buckets<Entry64>::count_tie(std::uint64_t bound);
template bool Buckets<Entry128>::count_tie(std::uint64_t bound);
template bool Buckets<Entry64>::find_boundary();
template bool Buckets<Entry128>::find_boundary();
template bool Buckets<Entry64>::cut();
template bool Buckets<Entry128>::cut();
template bool Buckets<Entry64>::scatter();
template bool Buckets<Entry128>::scatter();
template Entry64* Buckets<Entry64>::end_of(std::uint64_t part, std::uint32_t b) const;
template Entry128* Buckets<Entry128>::end_of(std::uint64_t part, std::uint32_t b) const;

}  // namespace tegu::kernels::topk
