// SPDX-License-Identifier: Apache-2.0
// Buckets of ranks for large k: stretches of the range of ranks that hold about as many elements each, so that one fits the first
// cache. The range up to the limit is cut into 4096 cells of equal width; a sample tells which neighbours make one bucket and which cell
// makes several. Finding the bucket of a rank takes one look into a table of 16 KiB, whatever the distribution.
#pragma once

#include <cstdint>

#include "kernels/cpu/topk_scan.h"
#include "kernels/cpu_isa.h"

namespace tegu::kernels::topk {

constexpr unsigned kCellBits = 12;

struct BucketMap {
    std::uint64_t lowest = 0;    // ranks below count as this one
    std::uint64_t limit = 0;     // ranks above belong to no bucket
    std::uint64_t tie = 0;       // this rank belongs to a bucket of its own, tie_step behind the one of its cell
    std::uint32_t tie_step = 0;  // 0: no such rank
    unsigned cell_shift = 0;     // log2 of the ranks in a cell
    std::uint32_t cells[1u << kCellBits] =
        {};  // first bucket << 8 | log2 of the ranks in a bucket, where there are several
};

// Where the entries of each bucket go.
template <class Entry>
struct BucketPlaces {
    Entry** next;            // [buckets]
    const Entry* end;        // entries that would go here or behind are dropped
    std::uint32_t boundary;  // the one bucket whose entries stand elsewhere
    const Entry* boundary_end;
};

// The functions for one element type. They write in bounds whatever the elements are, even if these change meanwhile.
struct BucketKernels {
    // Adds 1 to counts[bucket] for each element within the limit.
    void (*count)(Elements elements, const BucketMap& map, std::uint64_t* counts);
    // Appends an entry for each of them to its bucket, in order; element i has the index first + i. Null where the type has no such entries.
    void (*scatter64)(Elements elements, std::uint64_t first, const BucketMap& map, unsigned shift,
                      const BucketPlaces<Entry64>& places);
    void (*scatter128)(Elements elements, std::uint64_t first, const BucketMap& map,
                       const BucketPlaces<Entry128>& places);
};

}  // namespace tegu::kernels::topk

namespace tegu::kernels {
// The kernels of a type in the namespace of each instruction set. REQUIRES: a known type.
TEGU_ISA_DECLARE(const topk::BucketKernels& topk_bucket_kernels(ElementType type);)
}  // namespace tegu::kernels
