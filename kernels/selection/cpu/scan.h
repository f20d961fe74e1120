// SPDX-License-Identifier: Apache-2.0
// The loops of top-k that touch every element, compiled once per instruction set: minima of blocks, and
// collecting within a bound. They work on keys (kernels/numerics/sort_key.h) of dense elements at any
// alignment. An entry is a key and its index in one unsigned integer; entries compare in result order: by
// key, then index.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/element_type.h"
#include "kernels/execution/cpu/isa.h"

namespace tegu::kernels::selection {

using Entry64 = std::uint64_t;  // key << 32 or << 48 | index
// key << 64 | index: 64-bit elements, and more than 2^32 of 32 bits
__extension__ typedef unsigned __int128 Entry128;

struct Tally {
    std::uint64_t less = 0;
    std::uint64_t equal = 0;
};

struct Elements {
    const std::byte* data;
    std::uint64_t count;
    std::uint64_t flip;  // key::flip_of
};

// Keys seen so far: a hash table of 2^bits pairs, where a full pair drops its older key. Known frequent keys
// are found faster once seen: in a list that one vector compare searches, or in slots that fit its registers.
struct SeenKeys {
    static constexpr unsigned kMaxHot = 24;
    static constexpr unsigned kSlots = 64;
    std::byte* table = nullptr;          // (2 << bits) keys as wide as an element, aligned for it
    unsigned bits = 2;                   // 2..width of an element - 1
    const std::uint64_t* hot = nullptr;  // [hot_count] distinct frequent keys
    unsigned hot_count = 0;              // <= kMaxHot
    unsigned met_count = 0;
    std::uint64_t met[kMaxHot] = {};  // keys of `hot` seen so far
    std::uint32_t factor = 0;         // maps each key of `hot` to a separate slot; 0: slots are not used
    alignas(64) std::uint32_t slots[kSlots] = {};  // the same keys; an empty slot has a key of another
};

// The functions of one element type. They stay in bounds for any elements, even if these change meanwhile.
struct ScanKernels {
    // out[b] = the smallest key of elements [b * block, (b + 1) * block), the last block may be short.
    // REQUIRES: block >= 1.
    void (*minima)(Elements elements, std::uint64_t block, std::uint64_t* out);
    // out[l] = the smallest key of elements l, l + lanes, l + 2 * lanes, ... REQUIRES: lanes a multiple of
    // 64, <= elements.count.
    void (*lane_minima)(Elements elements, std::uint64_t lanes, std::uint64_t* out);
    // A key that at least k of the values reach, and few more unless many are equal. REQUIRES: 1 <= k <=
    // count.
    std::uint64_t (*bound_of)(const std::uint64_t* keys, std::uint64_t count, std::uint64_t k);
    // out[i] = the key of the element at positions[i]. REQUIRES: positions < elements.count.
    void (*gather)(Elements elements, const std::uint64_t* positions, std::uint64_t count,
                   std::uint64_t* out);
    // The number of keys below the bound, and of keys equal to it.
    Tally (*tally)(Elements elements, std::uint64_t bound);
    // Adds 1 to counts[digit] for each element whose key equals `prefix` above the digit: the `bits` bits
    // from `shift` up.
    void (*histogram)(Elements elements, std::uint64_t prefix, unsigned shift, unsigned bits,
                      std::uint64_t* counts);
    // Appends an entry for each element whose key is <= bound, in order; element i has the index first + i.
    // Returns how many.
    // REQUIRES: out has capacity for elements.count entries. Null where the type never uses such entries.
    std::uint64_t (*collect64)(Elements elements, std::uint64_t first, std::uint64_t bound, unsigned shift,
                               Entry64* out);
    std::uint64_t (*collect128)(Elements elements, std::uint64_t first, std::uint64_t bound, Entry128* out);
    // The same for keys that `seen` does not hold, and adds them to it. Never skips a key that was not
    // collected before; collects a key again if `seen` has dropped it.
    void (*forget)(SeenKeys& seen);
    std::uint64_t (*collect_new64)(Elements elements, std::uint64_t first, std::uint64_t bound,
                                   unsigned shift, SeenKeys& seen, Entry64* out);
    std::uint64_t (*collect_new128)(Elements elements, std::uint64_t first, std::uint64_t bound,
                                    SeenKeys& seen, Entry128* out);
};

}  // namespace tegu::kernels::selection

namespace tegu::kernels {
// The kernels of a type in the namespace of each instruction set. REQUIRES: a known type.
TEGU_ISA_DECLARE(const selection::ScanKernels& selection_scan_kernels(ElementType type);)
}  // namespace tegu::kernels
