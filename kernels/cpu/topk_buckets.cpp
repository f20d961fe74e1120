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
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/cpu/topk_buckets.h"
#include "kernels/cpu/topk_rank.h"
#include "kernels/cpu/topk_selector.h"
#include "kernels/cpu/topk_sort.h"

namespace tegu::kernels::topk {
namespace {

constexpr std::uint64_t kShort = 48;    // entries: below, a comparison sort is faster
constexpr std::uint64_t kSmall = 1536;  // below, counting the values of wide digits takes longer than an extra pass
constexpr unsigned kWideDigit = 11;
constexpr unsigned kNarrowDigit = 8;
constexpr std::uint64_t kAtOnce = 65536;  // entries that a thread writes at a time

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
    map.tie_step = 0;
    const unsigned bits = width_of(limit - map.lowest);
    map.cell_shift = bits > kCellBits ? bits - kCellBits : 0;
    const std::uint64_t each = std::max<std::uint64_t>(1, (covered + wanted - 1) / wanted);
    const std::uint64_t last_cell = (limit - map.lowest) >> map.cell_shift;
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
        unsigned parts = 0;  // log2
        while (parts < map.cell_shift && mine >> (parts + 1) >= each) ++parts;
        if (open && (parts > 0 || weight + mine > each + each / 2)) {
            uppers[bucket++] = begin - 1;
            weight = 0;
        }
        map.cells[cell] = bucket << 8 | (map.cell_shift - parts);
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
    return bucket + 1;
}

template <class Entry, class U, bool Float>
class Buckets {
  public:
    explicit Buckets(Selector<Entry>& selector)
        : selector_(selector),
          kernels_(bucket_kernels(selector.question.type)),
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

    std::uint64_t worst_rank() const { return kAnyRank >> (64 - 8 * sizeof(U)); }
    std::uint64_t* counts_of(std::uint64_t part) const { return selector_.layout.histograms + part * kMaxBuckets; }
    std::uint64_t rank_of(Entry entry) const { return static_cast<U>(entry >> selector_.shift); }

    // Calls body(begin, count, slot) for the tiles of one part, in order.
    template <class Body>
    void for_each_tile(std::uint64_t part, Body body) const {
        for (std::uint64_t task = tasks_ * part / parts_; task < tasks_ * (part + 1) / parts_; ++task) {
            if (selector_.team.stop().stop_requested()) return;
            selector_.for_each_tile(task, body);
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
            for_each_tile(part, [&](std::uint64_t begin, std::uint64_t count) {
                kernels_.count(selector_.view(begin, count, slot), map_, mine);
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

    // Finds the bucket of the k-th best and drops those behind it. Where it has too many entries for the room beside the store, the exact
    // rank of the k-th best is looked for, and its ties make a bucket that can be cut.
    bool find_boundary() {
        const std::uint64_t k = selector_.question.k;
        std::uint32_t last = 0;
        while (last + 1 < used_ && buckets_[last].begin + buckets_[last].count < k) ++last;
        const bool single = last > 0 ? uppers_[last] == uppers_[last - 1] + 1 : uppers_[0] == 0;
        if (buckets_[last].count > kBoundary && buckets_[last].begin + buckets_[last].count > k && !single) {
            std::uint64_t bound = 0;
            if (!find_exact_bound(selector_, bound)) return false;
            // The sequence may have changed: the rank may belong to another bucket now.
            last = static_cast<std::uint32_t>(std::lower_bound(uppers_, uppers_ + used_ - 1, bound) - uppers_);
            map_.limit = map_.tie = bound;
            map_.tie_step = 1;
            used_ = last + 2;
            if (!recount()) return false;
            ++last;
        } else {
            used_ = last + 1;
            map_.limit = uppers_[last];
            if (buckets_[last].count <= kBoundary) boundary_ = last;
        }
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
            const BucketPlaces<Entry> to{next, store_ + room, boundary_, selector_.spare + kBoundary};
            for_each_tile(part, [&](std::uint64_t begin, std::uint64_t count) {
                scatter_tile(selector_.view(begin, count, slot), begin, to);
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

    void scatter_tile(Elements elements, std::uint64_t begin, const BucketPlaces<Entry>& to) const {
        if constexpr (std::is_same<Entry, Entry64>::value)
            kernels_.scatter64(elements, begin, map_, selector_.shift, to);
        else
            kernels_.scatter128(elements, begin, map_, to);
    }

    // How the entries of a bucket are sorted: digits of the distance of their ranks from the lowest that it can have.
    struct Digits {
        std::uint64_t low;
        unsigned passes;
        unsigned bits;

        std::uint64_t mask() const { return (std::uint64_t{1} << bits) - 1; }
        std::uint64_t of(std::uint64_t rank, unsigned pass) const { return (rank - low) >> (pass * bits) & mask(); }
    };

    Digits digits_of(std::uint32_t b) const {
        const bool tie = map_.tie_step != 0 && b + 1 == used_;
        const std::uint64_t low = tie ? map_.tie : b == 0 ? 0 : uppers_[b - 1] + 1;
        const unsigned width = tie ? 0 : width_of(uppers_[b] - low);
        const unsigned widest = buckets_[b].count < kSmall ? kNarrowDigit : kWideDigit;
        const unsigned passes = (width + widest - 1) / widest;
        return Digits{low, passes, passes == 0 ? 0 : (width + passes - 1) / passes};
    }

    using Counts = std::uint32_t[1u << kWideDigit];

    static void to_places(Counts& counts, std::uint64_t mask) {
        std::uint32_t place = 0;
        for (std::uint64_t value = 0; value <= mask; ++value) place += std::exchange(counts[value], place);
    }

    // Sorts from[0, count) and calls emit(place, entry) for each entry, in no order. `a` and `b` have room for them; from may be `a`.
    template <class Emit>
    void sort_and_emit(const Entry* from, std::uint64_t count, Digits digits, Entry* a, Entry* b, Emit emit) const {
        if (count <= kShort || digits.passes == 0) {
            if (a != from) std::copy(from, from + count, a);
            if (digits.passes != 0) std::sort(a, a + count);
            for (std::uint64_t i = 0; i < count; ++i) emit(i, a[i]);
            return;
        }
        Counts counts[2];
        for (unsigned pass = 0; pass < digits.passes; ++pass) {
            if (pass % 2 == 0) {
                const unsigned both = pass + 1 < digits.passes ? pass + 1 : pass;
                std::fill(counts[0], counts[0] + digits.mask() + 1, 0);
                std::fill(counts[1], counts[1] + digits.mask() + 1, 0);
                for (std::uint64_t i = 0; i < count; ++i) {
                    const Entry entry = pass == 0 ? from[i] : a[i];
                    if (pass == 0) a[i] = entry;
                    ++counts[0][digits.of(rank_of(entry), pass)];
                    ++counts[1][digits.of(rank_of(entry), both)];
                }
            }
            Counts& places = counts[pass % 2];
            to_places(places, digits.mask());
            if (pass + 1 < digits.passes) {
                for (std::uint64_t i = 0; i < count; ++i) b[places[digits.of(rank_of(a[i]), pass)]++] = a[i];
                std::swap(a, b);
            } else {
                for (std::uint64_t i = 0; i < count; ++i) emit(places[digits.of(rank_of(a[i]), pass)]++, a[i]);
            }
        }
    }

    void write(std::uint64_t place, Entry entry) const {
        const U bits = rank::decode<U, Float>(static_cast<U>(rank_of(entry)), static_cast<U>(selector_.question.flip));
        const std::uint64_t index = selector_.index_of(entry);
        __builtin_memcpy(selector_.target.values + place * sizeof(U), &bits, sizeof bits);
        __builtin_memcpy(selector_.target.indices + place * sizeof index, &index, sizeof index);
    }

    Entry* scratch_of(unsigned slot) const {
        return reinterpret_cast<Entry*>(selector_.layout.scratch) + slot * 2 * selector_.method.bucket;
    }

    // Every bucket from the store to the outputs.
    bool sort_plain() {
        const bool done = selector_.team.run(used_, [&](std::uint64_t number, unsigned slot) {
            const auto b = static_cast<std::uint32_t>(number);
            const Bucket bucket = buckets_[b];
            if (bucket.taken == 0 || bucket.count > selector_.method.bucket) return;
            Entry* const a = scratch_of(slot);
            sort_and_emit(entries_of(b), bucket.count, digits_of(b), a, a + selector_.method.bucket,
                          [&](std::uint64_t place, Entry entry) {
                              if (place < bucket.taken) write(bucket.begin + place, entry);
                          });
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
            for (std::uint64_t i = task * kAtOnce; i < end; ++i) write(bucket.begin + i, sorted[i]);
        });
    }

    // Returns where the sorted entries of the bucket lie: in the store, if all ranks are equal, else in `workspace`.
    const Entry* sort_large(std::uint32_t b, Workspace& workspace) {
        const Entry* from = entries_of(b);
        const std::uint64_t count = buckets_[b].count;
        const std::uint64_t tasks = (count + kAtOnce - 1) / kAtOnce;
        std::atomic<bool> equal{true};
        const std::uint64_t first = rank_of(from[0]);
        const auto chunk = [&](std::uint64_t task, auto body) {
            const std::uint64_t end = std::min(count, (task + 1) * kAtOnce);
            for (std::uint64_t i = task * kAtOnce; i < end; ++i) body(i);
        };
        const bool looked = selector_.team.run(tasks, [&](std::uint64_t task, unsigned) {
            std::uint64_t differ = 0;
            chunk(task, [&](std::uint64_t i) { differ |= rank_of(from[i]) ^ first; });
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
            Entry* const a = scratch_of(slot);
            sort_and_emit(to, bucket.count, digits_of(b), a, a + selector_.method.bucket,
                          [&](std::uint64_t place, Entry entry) { to[place] = entry; });
            bucket.taken = selector_.first_of_each_rank(to, bucket.count);
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
            for (std::uint64_t i = 0; i < bucket.taken; ++i) write(bucket.count + i, store_[bucket.begin + i]);
        });
    }

    Selector<Entry>& selector_;
    const BucketKernels& kernels_;
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

template <class Entry, class U, bool Float>
bool run_buckets(Selector<Entry>& selector) {
    return Buckets<Entry, U, Float>(selector).run();
}

}  // namespace

template <>
bool select_buckets(Selector<Entry64>& selector) {
    const ElementType type = selector.question.type;
    switch (element_bytes(type)) {
        case 1: return run_buckets<Entry64, std::uint8_t, false>(selector);
        case 2:
            return is_float(type) ? run_buckets<Entry64, std::uint16_t, true>(selector)
                                  : run_buckets<Entry64, std::uint16_t, false>(selector);
        default:
            return is_float(type) ? run_buckets<Entry64, std::uint32_t, true>(selector)
                                  : run_buckets<Entry64, std::uint32_t, false>(selector);
    }
}

template <>
bool select_buckets(Selector<Entry128>& selector) {
    const ElementType type = selector.question.type;
    if (element_bytes(type) == 4)
        return is_float(type) ? run_buckets<Entry128, std::uint32_t, true>(selector)
                              : run_buckets<Entry128, std::uint32_t, false>(selector);
    return is_float(type) ? run_buckets<Entry128, std::uint64_t, true>(selector)
                          : run_buckets<Entry128, std::uint64_t, false>(selector);
}

}  // namespace tegu::kernels::topk
