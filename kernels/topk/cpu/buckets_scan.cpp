// SPDX-License-Identifier: Apache-2.0
// The sweeps of top-k by buckets: counting, filling, sorting and writing the result. To a compiler, any store
// may change positions and counters, so loops keep all other values in local variables.
#include "kernels/topk/cpu/buckets.h"

#include "kernels/numerics/sort_key.h"
#include "kernels/selection/cpu/group.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

using group::Group;
using group::kGroup;
using topk::BucketCursors;
using topk::BucketDigits;
using topk::BucketKernels;
using topk::BucketMap;
using topk::BucketSorting;
using topk::Elements;
using topk::Entry128;
using topk::Entry64;
using topk::kCells;
using topk::kTieCell;

constexpr std::uint64_t kShort = 32;  // entries: below this, insertion is faster than counting

// Bits of an entry below its key.
template <class U, class Entry>
constexpr unsigned kShift = sizeof(Entry) == 16 ? 64
                            : sizeof(U) == 4    ? 32
                                                : 48;

template <class U, class Entry>
[[gnu::always_inline]] inline U key_of(Entry entry) {
    return static_cast<U>(entry >> kShift<U, Entry>);
}

template <class U>
[[gnu::always_inline]] inline std::uint32_t cell_of(U key, U lowest, unsigned cell_shift) {
    const U offset = static_cast<U>((key < lowest ? lowest : key) - lowest);
    return static_cast<std::uint32_t>(offset >> cell_shift) & (kCells - 1);
}

// The cells of a group of keys.
template <class U>
[[gnu::always_inline]] inline void look_up_cells(const U* keys, const BucketMap& map, std::uint32_t* cells) {
    const U lowest = static_cast<U>(map.lowest);
    const unsigned cell_shift = map.cell_shift;
    for (unsigned i = 0; i < kGroup; ++i) cells[i] = cell_of(keys[i], lowest, cell_shift);
    if (!map.has_tie) return;
    const U tie = static_cast<U>(map.tie);
    for (unsigned i = 0; i < kGroup; ++i) cells[i] = keys[i] == tie ? kTieCell : cells[i];
}

// The bucket of a key within its cell.
[[gnu::always_inline]] inline std::uint32_t bucket_of(const BucketMap& map, std::uint32_t cell,
                                                      std::uint64_t key) {
    if (cell == kTieCell) return map.first[kTieCell];
    const std::uint64_t offset = (key < map.lowest ? map.lowest : key) - map.lowest;
    const std::uint64_t within = offset & ((std::uint64_t{1} << map.cell_shift) - 1);
    return map.first[cell] + static_cast<std::uint32_t>(within >> map.shift[cell]);
}

// Counts the cells, which needs no map, and sums up those of a bucket at the end. Elements beyond the limit
// go to 64 private cells, so that their updates do not depend on each other; so does a group of equal cells.
template <class U, bool Float>
[[gnu::always_inline]] inline void count_flat(Elements elements, const BucketMap& map, std::uint32_t* cells,
                                              std::uint64_t* counts) {
    constexpr std::uint32_t kBeyond = kTieCell + 1;
    const U limit = static_cast<U>(map.limit);
    for (std::uint32_t cell = 0; cell < kBeyond + kGroup; ++cell) cells[cell] = 0;
    Group<U> group;
    alignas(64) std::uint32_t mine[kGroup];
    for (std::uint64_t begin = 0; begin < elements.count; begin += kGroup) {
        group::read_group<U, Float>(elements, begin, limit, group);
        const std::uint64_t left = elements.count - begin;
        look_up_cells(group.keys, map, mine);
        for (unsigned i = 0; i < kGroup; ++i) mine[i] = group.keys[i] <= limit ? mine[i] : kBeyond + i;
        std::uint32_t differ = 0;
        for (unsigned i = 0; i < kGroup; ++i) differ |= mine[i] ^ mine[0];
        if (left < kGroup) {
            for (unsigned i = 0; i < left; ++i) ++cells[mine[i]];
        } else if (differ == 0) {
            cells[mine[0]] += kGroup;
        } else {
            for (unsigned i = 0; i < kGroup; ++i) ++cells[mine[i]];
        }
    }
    for (std::uint32_t cell = 0; cell < kCells; ++cell) counts[map.first[cell]] += cells[cell];
    if (map.has_tie) counts[map.first[kTieCell]] += cells[kTieCell];
}

template <class U, bool Float>
void count(Elements elements, const BucketMap& map, std::uint32_t* cells, std::uint64_t* counts) {
    if (map.flat) return count_flat<U, Float>(elements, map, cells, counts);
    const U limit = static_cast<U>(map.limit);
    Group<U> group;
    alignas(64) std::uint32_t mine[kGroup];
    for (std::uint64_t begin = 0; begin < elements.count; begin += kGroup) {
        group::read_group<U, Float>(elements, begin, limit, group);
        look_up_cells(group.keys, map, mine);
        for (std::uint64_t left = group.within; left != 0; left &= left - 1) {
            const int i = __builtin_ctzll(left);
            ++counts[bucket_of(map, mine[i], group.keys[i])];
        }
    }
}

template <class U, bool Float, class Entry, bool Flat>
[[gnu::always_inline]] inline void scatter_with(Elements elements, std::uint64_t first, const BucketMap& map,
                                                const BucketCursors<Entry>& cursors) {
    const U limit = static_cast<U>(map.limit);
    const std::uint32_t boundary = cursors.boundary;
    const Entry* const end = cursors.end;
    const Entry* const boundary_end = cursors.boundary_end;
    Entry** const next = cursors.next;
    Group<U> group;
    alignas(64) Entry found[2 * kGroup] = {};
    alignas(64) U keys[kGroup];
    alignas(64) std::uint32_t cells[kGroup];
    for (std::uint64_t begin = 0; begin < elements.count; begin += kGroup) {
        group::read_group<U, Float>(elements, begin, limit, group);
        const std::uint64_t size = group::compress_entries(group, first + begin, kShift<U, Entry>, found);
        for (unsigned i = 0; i < kGroup; ++i) keys[i] = key_of<U>(found[i]);
        look_up_cells(keys, map, cells);
        for (std::uint64_t i = 0; i < size; ++i) {
            const std::uint32_t bucket = Flat ? map.first[cells[i]] : bucket_of(map, cells[i], keys[i]);
            Entry* const slot = next[bucket];
            if (slot >= (bucket == boundary ? boundary_end : end)) continue;
            *slot = found[i];
            next[bucket] = slot + 1;
        }
    }
}

template <class U, bool Float, class Entry>
void scatter(Elements elements, std::uint64_t first, const BucketMap& map,
             const BucketCursors<Entry>& cursors) {
    if (map.flat) return scatter_with<U, Float, Entry, true>(elements, first, map, cursors);
    scatter_with<U, Float, Entry, false>(elements, first, map, cursors);
}

template <class U, class Entry>
[[gnu::always_inline]] inline void insert_sorted(const Entry* from, std::uint64_t count, Entry* to) {
    for (std::uint64_t i = 0; i < count; ++i) {
        const Entry entry = from[i];
        std::uint64_t at = i;
        for (; at > 0 && key_of<U>(entry) < key_of<U>(to[at - 1]); --at) to[at] = to[at - 1];
        to[at] = entry;
    }
}

// Converts counts to the indices at which each digit begins.
[[gnu::always_inline]] inline void to_begins(std::uint32_t* counts, std::uint32_t values) {
    std::uint32_t next = 0;
    for (std::uint32_t value = 0; value < values; ++value) {
        const std::uint32_t mine = counts[value];
        counts[value] = next;
        next += mine;
    }
}

template <class U, class Entry>
Entry* sort(const Entry* from, std::uint64_t count, BucketDigits digits, Entry* a, Entry* b) {
    if (count <= kShort) {
        insert_sorted<U>(from, count, a);
        return a;
    }
    const U low = static_cast<U>(digits.low);
    const U mask = static_cast<U>((std::uint64_t{1} << digits.bits) - 1);
    std::uint32_t counts[2][1u << BucketDigits::kWidest];
    for (unsigned pass = 0; pass < digits.passes; ++pass) {
        const unsigned one = pass * digits.bits;
        if (pass % 2 == 0) {
            const unsigned two = pass + 1 < digits.passes ? one + digits.bits : one;
            for (std::uint32_t value = 0; value <= mask; ++value) counts[0][value] = counts[1][value] = 0;
            for (std::uint64_t i = 0; i < count; ++i) {
                const Entry entry = pass == 0 ? from[i] : a[i];
                if (pass == 0) a[i] = entry;
                const U distance = static_cast<U>(key_of<U>(entry) - low);
                ++counts[0][static_cast<U>(distance >> one) & mask];
                ++counts[1][static_cast<U>(distance >> two) & mask];
            }
        }
        std::uint32_t* const begins = counts[pass % 2];
        to_begins(begins, static_cast<std::uint32_t>(mask) + 1);
        for (std::uint64_t i = 0; i < count; ++i) {
            const Entry entry = a[i];
            const U distance = static_cast<U>(key_of<U>(entry) - low);
            b[begins[static_cast<U>(distance >> one) & mask]++] = entry;
        }
        Entry* const sorted = b;
        b = a;
        a = sorted;
    }
    if (digits.passes == 0)
        for (std::uint64_t i = 0; i < count; ++i) a[i] = from[i];
    return a;
}

// Processes one run at a time, so that `indices` may be the memory of the entries.
template <class U, bool Float, class Entry>
void write(const Entry* entries, std::uint64_t count, std::uint64_t flip64, std::byte* values,
           std::byte* indices) {
    const U flip = static_cast<U>(flip64);
    constexpr Entry kIndex = (Entry{1} << kShift<U, Entry>)-1;
    alignas(64) U value[kGroup];
    alignas(64) std::uint64_t index[kGroup];
    for (std::uint64_t begin = 0; begin < count; begin += kGroup) {
        const std::uint64_t size = count - begin < kGroup ? count - begin : kGroup;
        for (std::uint64_t i = 0; i < size; ++i) {
            const Entry entry = entries[begin + i];
            value[i] = key::decode<U, Float>(key_of<U>(entry), flip);
            index[i] = static_cast<std::uint64_t>(entry & kIndex);
        }
        __builtin_memcpy(values + begin * sizeof(U), value, size * sizeof(U));
        __builtin_memcpy(indices + begin * sizeof(std::uint64_t), index, size * sizeof(std::uint64_t));
    }
}

template <class U, bool Float, class Entry, bool Has>
constexpr BucketSorting<Entry> sorting() {
    if constexpr (Has) return {&scatter<U, Float, Entry>, &sort<U, Entry>, &write<U, Float, Entry>};
    return {nullptr, nullptr, nullptr};
}

template <class U, bool Float>
struct BucketKernelsOf {
    static constexpr BucketKernels value = {&count<U, Float>, sorting<U, Float, Entry64, sizeof(U) < 8>(),
                                            sorting<U, Float, Entry128, sizeof(U) >= 4>()};
};

}  // namespace

const BucketKernels& topk_bucket_kernels(ElementType type) {
    return *key::of_type<BucketKernels, BucketKernelsOf>(type);
}

}  // namespace tegu::kernels::TEGU_ISA
