// SPDX-License-Identifier: Apache-2.0
// Buckets of keys for large k: key ranges with about equally many elements, so that one bucket fits L1. The
// range up to the limit has 4096 cells of equal width, and a sample decides which cells join and which ones
// are divided. A lookup of a key's bucket reads one table of 16 KiB, for any distribution.
#pragma once

#include <cstdint>

#include "kernels/execution/cpu/isa.h"
#include "kernels/selection/cpu/scan.h"

namespace tegu::kernels::topk {

using selection::Elements;
using selection::Entry128;
using selection::Entry64;

constexpr unsigned kCellBits = 12;
constexpr std::uint32_t kCells = 1u << kCellBits;
constexpr std::uint32_t kTieCell = kCells;  // bucket of the one key that many elements have; no range of keys

struct BucketMap {
    std::uint64_t lowest = 0;  // lower keys count as this one
    std::uint64_t limit = 0;   // higher keys belong to no bucket
    std::uint64_t tie = 0;     // with has_tie: this key, the limit, belongs to the bucket of kTieCell
    bool has_tie = false;
    bool flat = true;                      // no cell has several buckets
    unsigned cell_shift = 0;               // log2 of the keys in a cell
    std::uint32_t first[kCells + 1] = {};  // of each cell: its bucket, or its first
    std::uint8_t shift[kCells] = {};  // log2 of the keys in one of its buckets; cell_shift if there is one
};

// The destination of the entries of each bucket.
template <class Entry>
struct BucketCursors {
    Entry** next;            // [buckets]
    const Entry* end;        // entries at or behind this address are dropped
    std::uint32_t boundary;  // the one bucket with its entries in another array
    const Entry* boundary_end;
};

// The digits by which a bucket is sorted: those of the distance of a key from the bucket's lowest possible
// key.
struct BucketDigits {
    static constexpr unsigned kWidest = 11;
    std::uint64_t low;
    unsigned passes;  // 0: all keys are equal
    unsigned bits;    // <= kWidest
};

// The functions of one element type and entry. They stay in bounds for any elements, even if these change
// meanwhile.
template <class Entry>
struct BucketSorting {
    // Appends an entry for each element within the limit to its bucket, in order; element i has the index
    // first + i.
    void (*scatter)(Elements elements, std::uint64_t first, const BucketMap& map,
                    const BucketCursors<Entry>& cursors);
    // Sorts from[0, count) by key, stably. `a` and `b` have the same capacity; returns the one with the
    // result. Reads `from` once.
    Entry* (*sort)(const Entry* from, std::uint64_t count, BucketDigits digits, Entry* a, Entry* b);
    // values[i] and indices[i] of entries[i], values as wide as the element. `indices` may be the memory of
    // the entries.
    void (*write)(const Entry* entries, std::uint64_t count, std::uint64_t flip, std::byte* values,
                  std::byte* indices);
};

struct BucketKernels {
    // Adds 1 to counts[bucket] for each element within the limit. `cells` has capacity for kCells + 65
    // numbers, for the function's own use.
    void (*count)(Elements elements, const BucketMap& map, std::uint32_t* cells, std::uint64_t* counts);
    BucketSorting<Entry64> narrow;  // null where the type has no such entries
    BucketSorting<Entry128> wide;
};

}  // namespace tegu::kernels::topk

namespace tegu::kernels {
// The kernels of a type in the namespace of each instruction set. REQUIRES: a known type.
TEGU_ISA_DECLARE(const topk::BucketKernels& topk_bucket_kernels(ElementType type);)
}  // namespace tegu::kernels
