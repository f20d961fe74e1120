// SPDX-License-Identifier: Apache-2.0
// Method `buckets`. Bytes decide for large k: the input is read twice, first to count each bucket (topk_buckets.h) and then to put an
// entry for each element within the limit into it; each bucket is then sorted in the cache, and its last pass decodes the entries
// to where the result wants them. For elements of up to four bytes the entries wait in the output for indices itself, so there
// is nearly no working memory. The counts are exact, so every bucket lies at its final place and the k-th best falls into a known one.
//
// Counts are per part of the sequence, in order: that makes buckets stable on any number of threads. Elements, and entries that wait in
// an output, may be changed by another process: what sorts works on a private copy, places are compared with their ends.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/cpu/topk_buckets.h"
#include "kernels/cpu/topk_rank.h"
#include "kernels/cpu/topk_selector.h"
#include "kernels/cpu/topk_sort.h"

namespace tegu::kernels::topk {
namespace {

constexpr std::uint64_t kSmall =
    1536;  // entries: below, counting the values of wide digits takes longer than an extra pass
constexpr unsigned kNarrowDigit = 8;
constexpr std::uint64_t kPiece = 1u << 18;  // elements between two looks at the stop token
constexpr std::uint64_t kAtOnce = 65536;    // entries that a thread writes at a time

const BucketKernels& bucket_kernels(ElementType type) {
    using namespace ::tegu::kernels;
    static const auto of = TEGU_ISA_SELECT(topk_bucket_kernels);
    return of(type);
}

unsigned width_of(std::uint64_t value) {
    return value == 0 ? 0 : 64 - static_cast<unsigned>(__builtin_clzll(value));
}

// The map for the ranks up to `limit`, of which the first `covered` of the sorted sample are an image. Writes the last rank of each
// bucket to `uppers`. Returns how many buckets there are, at most kMaxBuckets.
std::uint32_t build_map(const std::uint64_t* sample, std::uint64_t covered, std::uint64_t limit, std::uint64_t wanted,
                        BucketMap& map, std::uint64_t* uppers) {
    map.lowest = std::min(sample[0], limit);
    map.limit = limit;
    map.has_tie = false;
    map.flat = true;
    const unsigned bits = width_of(limit - map.lowest);
    map.cell_shift = bits > kCellBits ? bits - kCellBits : 0;
    const std::uint64_t each = std::max<std::uint64_t>(1, (covered + wanted - 1) / wanted);
    const std::uint64_t last_cell = (limit - map.lowest) >> map.cell_shift;
    // Cells beyond the limit make one bucket, too: if elements change, a limit that is found later may let ranks into them.
    std::fill(map.first, map.first + kCells + 1, 0);
    std::fill(map.shift, map.shift + kCells, static_cast<std::uint8_t>(map.cell_shift));
    std::uint32_t bucket = 0;
    std::uint64_t weight = 0;  // of the open bucket
    std::uint64_t next = 0;    // in the sample
    bool open = false;
    for (std::uint64_t cell = 0; cell <= last_cell; ++cell) {
        const std::uint64_t begin = map.lowest + (cell << map.cell_shift);
        const std::uint64_t end = cell == last_cell ? limit : begin + ((std::uint64_t{1} << map.cell_shift) - 1);
        const std::uint64_t before = next;
        while (next < covered && sample[next] <= end) ++next;
        const std::uint64_t mine = next - before;
        unsigned parts = 0;  // log2; more would not help a single value
        const bool single = mine > 0 && sample[before] == sample[next - 1];
        while (!single && parts < map.cell_shift && mine >> (parts + 1) >= each) ++parts;
        if (open && (parts > 0 || weight + mine > each + each / 2)) {
            uppers[bucket++] = begin - 1;
            weight = 0;
        }
        map.first[cell] = bucket;
        map.shift[cell] = static_cast<std::uint8_t>(map.cell_shift - parts);
        map.flat = map.flat && parts == 0;
        for (std::uint64_t part = 1; part < std::uint64_t{1} << parts; ++part) {
            const std::uint64_t ranks = part
                                        << (map.cell_shift - parts);  // of the cell so far; it may end beyond the limit
            uppers[bucket++] = ranks > limit - begin ? limit : begin + ranks - 1;
        }
        weight += mine >> parts;
        open = true;
        if (parts == 0 && weight < each) continue;
        uppers[bucket++] = end;
        weight = 0;
        open = false;
    }
    if (!open) --bucket;
    uppers[bucket] = limit;
    map.first[kTieCell] = 0;
    return bucket + 1;
}

const BucketSorting<Entry64>& sorting_of(const BucketKernels& kernels, const Entry64*) {
    return kernels.narrow;
}
const BucketSorting<Entry128>& sorting_of(const BucketKernels& kernels, const Entry128*) {
    return kernels.wide;
}

template <class Entry>
class Buckets {
  public:
    explicit Buckets(Selector<Entry>& selector)
        : selector_(selector),
          kernels_(bucket_kernels(selector.question.type)),
          sorting_(sorting_of(kernels_, static_cast<const Entry*>(nullptr))),
          distinct_(selector.question.distinct),
          tasks_(tasks_of(selector.question.n)),
          parts_(std::min<std::uint64_t>(kParts, tasks_)),
          store_(selector.layout.entries != nullptr ? selector.entries
                                                    : reinterpret_cast<Entry*>(selector.target.indices)) {}

    bool run() {
        const std::uint64_t* sample = take_sample(selector_);
        if (sample == nullptr) return false;
        const std::uint64_t size = selector_.method.sample;
        const std::uint64_t place = place_in_sample(sample, selector_.question, selector_.method);
        bool complete = place >= size;
        if (!distinct_) {
            bool found = false;
            if (!guess_tie(sample, found)) return false;
            if (found) return cut() && scatter() && sort_plain();
        }
        if (!count(sample, complete ? size : place + 1, complete ? worst_rank() : sample[place])) return false;
        if (!complete && total_ < selector_.question.k) {
            complete = true;
            if (!count(sample, size, worst_rank())) return false;
        }
        if (!distinct_) return find_boundary() && scatter() && sort_plain();
        if (!(scatter() && sort_distinct())) return false;
        if (complete || selector_.size >= selector_.question.k) return write_distinct();
        return count(sample, size, worst_rank()) && scatter() && sort_distinct() && write_distinct();
    }

  private:
    struct Bucket {
        std::uint64_t begin;  // its place in the store, and in the result
        std::uint64_t count;  // entries
        std::uint64_t taken;  // of them, those in the result; with `distinct`, different ranks
    };

    std::uint64_t worst_rank() const { return kAnyRank >> (64 - 8 * selector_.sequence.bytes); }
    std::uint64_t* counts_of(std::uint64_t part) const { return selector_.layout.histograms + part * kMaxBuckets; }

    std::uint32_t* cells_of(unsigned slot) const {
        return reinterpret_cast<std::uint32_t*>(selector_.layout.places) + slot * 2 * kMaxBuckets;
    }

    // Calls body(elements, begin) for pieces of one part, in order: as long as a look at the stop token allows, or tiles where they
    // have to be copied. Counting pays for each piece.
    template <class Body>
    void for_each_piece(std::uint64_t part, unsigned slot, Body body) const {
        const std::uint64_t length = selector_.sequence.dense() ? kPiece : kTile;
        const std::uint64_t end = std::min(selector_.question.n, tasks_ * (part + 1) / parts_ * kTask);
        for (std::uint64_t begin = tasks_ * part / parts_ * kTask; begin < end; begin += length) {
            if (selector_.team.stop().stop_requested()) return;
            body(selector_.view(begin, std::min(length, end - begin), slot), begin);
        }
    }

    bool count(const std::uint64_t* sample, std::uint64_t covered, std::uint64_t limit) {
        used_ = build_map(sample, covered, limit, selector_.method.buckets, map_, uppers_);
        return recount();
    }

    // Counts of each part and bucket, and their sums.
    bool recount() {
        const bool done = selector_.team.run(parts_, [&](std::uint64_t part, unsigned slot) {
            std::uint64_t* mine = counts_of(part);
            std::fill(mine, mine + used_, 0);
            for_each_piece(part, slot, [&](Elements elements, std::uint64_t) {
                kernels_.count(elements, map_, cells_of(slot), mine);
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

    // If the sample says that many elements equal the k-th best, counts with a bucket for them alone, which can be cut by index.
    bool guess_tie(const std::uint64_t* sample, bool& found) {
        const std::uint64_t k = selector_.question.k;
        const std::uint64_t size = selector_.method.sample;
        const double part = static_cast<double>(k) / static_cast<double>(selector_.question.n);
        const std::uint64_t* const end = sample + size;
        std::uint64_t bound = sample[std::min(size - 1, static_cast<std::uint64_t>(part * static_cast<double>(size)))];
        for (int attempt = 0; attempt < 2 && !found; ++attempt) {
            const auto equal = std::equal_range(sample, end, bound);
            const auto many = static_cast<std::uint64_t>(equal.second - equal.first);
            if (many * (selector_.question.n / size) <= kBoundary / 2 || many < 8) return true;
            used_ = build_map(sample, static_cast<std::uint64_t>(equal.second - sample), bound,
                              selector_.method.buckets, map_, uppers_);
            if (!count_tie(bound)) return false;
            const bool too_good = total_ < k;
            found = !too_good && buckets_[used_ - 1].begin < k;
            // The k-th best may equal the neighbour of the one at its place in the sample.
            if (too_good ? equal.second == end : equal.first == sample) return true;
            bound = too_good ? *equal.second : *(equal.first - 1);
        }
        return true;
    }

    // Counts what is better than the bound, and what equals it in a last bucket of its own.
    bool count_tie(std::uint64_t bound) {
        const auto last = static_cast<std::uint32_t>(std::lower_bound(uppers_, uppers_ + used_ - 1, bound) - uppers_);
        map_.limit = map_.tie = bound;
        map_.has_tie = true;
        map_.first[kTieCell] = last + 1;
        used_ = last + 2;
        assert(used_ <= kMaxBuckets);
        return recount();
    }

    // Finds the bucket of the k-th best and drops those behind it. Where it has too many entries for the room beside the store, the exact
    // rank of the k-th best is looked for.
    bool find_boundary() {
        const std::uint64_t k = selector_.question.k;
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

    // What each bucket has of the best k.
    bool cut() {
        const std::uint64_t k = selector_.question.k;
        selector_.size = 0;
        for (std::uint32_t b = 0; b < used_; ++b) {
            buckets_[b].taken = std::min(buckets_[b].count, k - std::min(k, buckets_[b].begin));
            if (b != boundary_) buckets_[b].count = buckets_[b].taken;
            selector_.size += buckets_[b].taken;  // k, unless elements changed
        }
        return true;
    }

    // Puts the entries into their buckets. Each part has places of its own; if the elements changed, those left over get an entry too.
    bool scatter() {
        const std::uint64_t room = selector_.method.entries;
        for (std::uint32_t b = 0; b < used_; ++b) {
            std::uint64_t place = b == boundary_ ? 0 : buckets_[b].begin;
            for (std::uint64_t part = 0; part < parts_; ++part) place += std::exchange(counts_of(part)[b], place);
        }
        return selector_.team.run(parts_, [&](std::uint64_t part, unsigned slot) {
            Entry** next = reinterpret_cast<Entry**>(selector_.layout.places) + slot * kMaxBuckets;
            const std::uint64_t* places = counts_of(part);
            for (std::uint32_t b = 0; b < used_; ++b) next[b] = base_of(b) + places[b];
            std::fill(next + used_, next + kMaxBuckets,
                      store_ + room);  // what the map still knows of buckets behind is dropped
            const BucketPlaces<Entry> to{next, store_ + room, boundary_, selector_.spare + kBoundary};
            for_each_piece(part, slot, [&](Elements elements, std::uint64_t begin) {
                sorting_.scatter(elements, begin, map_, to);
            });
            for (std::uint32_t b = 0; b < used_; ++b) fill(next[b], end_of(part, b));
        });
    }

    Entry* base_of(std::uint32_t bucket) const { return bucket == boundary_ ? selector_.spare : store_; }

    Entry* end_of(std::uint64_t part, std::uint32_t b) const {
        Entry* const base = base_of(b);
        const std::uint64_t room = b == boundary_ ? kBoundary : selector_.method.entries;
        const std::uint64_t end =
            part + 1 < parts_ ? counts_of(part + 1)[b] : (b == boundary_ ? 0 : buckets_[b].begin) + buckets_[b].count;
        return base + std::min(end, room);
    }

    void fill(Entry* from, Entry* end) const {
        for (; from < end; ++from) *from = selector_.entry_of(worst_rank(), 0);
    }

    BucketDigits digits_of(std::uint32_t b) const {
        const bool tie = map_.has_tie && b + 1 == used_;
        const std::uint64_t low = tie ? map_.tie : b == 0 ? 0 : uppers_[b - 1] + 1;
        const unsigned width = tie ? 0 : width_of(uppers_[b] - low);
        const unsigned widest = buckets_[b].count < kSmall ? kNarrowDigit : BucketDigits::kWidest;
        const unsigned passes = (width + widest - 1) / widest;
        return BucketDigits{low, passes, passes == 0 ? 0 : (width + passes - 1) / passes};
    }

    Entry* sort_bucket(std::uint32_t b, unsigned slot) const {
        Entry* const a = scratch_of(slot);
        return sorting_.sort(entries_of(b), buckets_[b].count, digits_of(b), a, a + selector_.method.bucket);
    }

    void write(const Entry* entries, std::uint64_t count, std::uint64_t place) const {
        sorting_.write(entries, count, selector_.question.flip,
                       selector_.target.values + place * selector_.sequence.bytes,
                       selector_.target.indices + place * sizeof(std::int64_t));
    }

    Entry* scratch_of(unsigned slot) const {
        return reinterpret_cast<Entry*>(selector_.layout.scratch) + slot * 2 * selector_.method.bucket;
    }

    // Every bucket from the store to the outputs.
    bool sort_plain() {
        const bool done = selector_.team.run(used_, [&](std::uint64_t number, unsigned slot) {
            const auto b = static_cast<std::uint32_t>(number);
            const Bucket& bucket = buckets_[b];
            if (bucket.taken == 0 || bucket.count > selector_.method.bucket) return;
            write(sort_bucket(b, slot), bucket.taken, bucket.begin);
        });
        for (std::uint32_t b = 0; b < used_ && done; ++b)
            if (buckets_[b].taken > 0 && buckets_[b].count > selector_.method.bucket && !write_large(b)) return false;
        return done;
    }

    const Entry* entries_of(std::uint32_t b) const {
        return b == boundary_ ? selector_.spare : store_ + buckets_[b].begin;
    }

    // A bucket that does not fit the scratch: many equal elements, which need no sort, or ranks that the sample knew nothing of.
    bool write_large(std::uint32_t b) {
        Workspace workspace;
        const Entry* sorted = sort_large(b, workspace);
        if (sorted == nullptr) return false;
        const Bucket& bucket = buckets_[b];
        return selector_.team.run((bucket.taken + kAtOnce - 1) / kAtOnce, [&](std::uint64_t task, unsigned) {
            const std::uint64_t end = std::min(bucket.taken, (task + 1) * kAtOnce);
            write(sorted + task * kAtOnce, end - task * kAtOnce, bucket.begin + task * kAtOnce);
        });
    }

    // Returns where the sorted entries of the bucket lie: in the store, if all ranks are equal, else in `workspace`.
    const Entry* sort_large(std::uint32_t b, Workspace& workspace) {
        const Entry* from = entries_of(b);
        const std::uint64_t count = buckets_[b].count;
        const std::uint64_t tasks = (count + kAtOnce - 1) / kAtOnce;
        std::atomic<bool> equal{true};
        const std::uint64_t first = selector_.rank_of(from[0]);
        const auto chunk = [&](std::uint64_t task, auto body) {
            const std::uint64_t end = std::min(count, (task + 1) * kAtOnce);
            for (std::uint64_t i = task * kAtOnce; i < end; ++i) body(i);
        };
        const bool looked = selector_.team.run(tasks, [&](std::uint64_t task, unsigned) {
            std::uint64_t differ = 0;
            chunk(task, [&](std::uint64_t i) { differ |= selector_.rank_of(from[i]) ^ first; });
            if (differ != 0) equal.store(false, std::memory_order_relaxed);
        });
        if (!looked) return nullptr;
        if (equal.load()) return from;
        Result<Workspace> made = Workspace::create(2 * count * sizeof(Entry));
        if (!made) {
            selector_.out_of_memory = true;
            return nullptr;
        }
        workspace = std::move(*made);
        Entry* const data = reinterpret_cast<Entry*>(workspace.memory());
        const bool copied = selector_.team.run(
            tasks, [&](std::uint64_t task, unsigned) { chunk(task, [&](std::uint64_t i) { data[i] = from[i]; }); });
        return copied ? sort_by_rank(data, data + count, count, selector_.shift, selector_.team) : nullptr;
    }

    // Every bucket sorted in the store, the first of each rank in front.
    bool sort_distinct() {
        const bool done = selector_.team.run(used_, [&](std::uint64_t number, unsigned slot) {
            const auto b = static_cast<std::uint32_t>(number);
            Bucket& bucket = buckets_[b];
            if (bucket.count == 0 || bucket.count > selector_.method.bucket) return;
            Entry* const to = store_ + bucket.begin;
            Entry* const sorted = sort_bucket(b, slot);
            bucket.taken = selector_.first_of_each_rank(sorted, bucket.count);
            std::copy(sorted, sorted + bucket.taken, to);
        });
        selector_.size = 0;
        for (std::uint32_t b = 0; b < used_ && done; ++b) {
            Workspace workspace;
            if (buckets_[b].count > selector_.method.bucket) {
                const Entry* sorted = sort_large(b, workspace);
                if (sorted == nullptr) return false;
                Entry* const to = store_ + buckets_[b].begin;
                if (sorted != to) std::copy(sorted, sorted + buckets_[b].count, to);
                buckets_[b].taken = selector_.first_of_each_rank(to, buckets_[b].count);
            }
            selector_.size += buckets_[b].taken;
        }
        return done;
    }

    bool write_distinct() {
        std::uint64_t place = 0;
        for (std::uint32_t b = 0; b < used_; ++b) {
            buckets_[b].taken = std::min(buckets_[b].taken, selector_.question.k - place);
            buckets_[b].count =
                std::exchange(place, place + buckets_[b].taken);  // its place in the result, from here on
        }
        selector_.size = place;
        return selector_.team.run(used_, [&](std::uint64_t b, unsigned) {
            const Bucket& bucket = buckets_[b];
            write(store_ + bucket.begin, bucket.taken, bucket.count);
        });
    }

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
};

}  // namespace

template <class Entry>
bool select_buckets(Selector<Entry>& selector) {
    return Buckets<Entry>(selector).run();
}

template bool select_buckets(Selector<Entry64>&);
template bool select_buckets(Selector<Entry128>&);

}  // namespace tegu::kernels::topk
