// SPDX-License-Identifier: Apache-2.0
// Reads a dense segment in passes over all elements: in packs of 16 bytes, several in flight for each thread.
#pragma once

#include "kernels/selection/cuda/sort_key.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kFilterMaxThreads = 512;
constexpr unsigned kFilterThreads = kFilterMaxThreads / kBlocksForRegisters;  // of a block at most
// Blocks of kFilterMaxThreads for which a multiprocessor has registers.
constexpr unsigned filter_blocks(std::size_t width) {
    return width < 4 ? 1 : 2;
}
template <class U>
constexpr unsigned kFilterBlocks = filter_blocks(sizeof(U));
// Packs of each thread in a tile.
constexpr unsigned filter_tile_packs(std::size_t width) {
    return width == 1 ? 2 : 4;
}
// Whether the next packs are loaded before the current ones are tested: the registers suffice.
template <class U>
constexpr bool kFilterAhead = sizeof(U) >= 4;

// Elements [begin, end) as packs: pack p holds elements from p * kWidth - skew on, because packs are aligned
// and segments may not be. A block takes every grid_x()-th run of block_threads() packs. So a range with many
// survivors is shared by several blocks.
template <class U>
struct FilterPacks {
    static constexpr unsigned kWidth = 16 / sizeof(U);
    const U* elements;
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t skew;
    std::uint64_t last;         // the index behind the last pack
    std::uint64_t whole_begin;  // packs [whole_begin, whole_end) are complete
    std::uint64_t whole_end;

    TEGU_DEVICE FilterPacks(const U* segment, std::uint64_t first_element, std::uint64_t end_element)
        : elements(segment), begin(first_element), end(end_element) {
        skew = reinterpret_cast<std::uintptr_t>(elements) % 16 / sizeof(U);
        last = (end + skew + kWidth - 1) / kWidth;
        whole_begin = (begin + skew + kWidth - 1) / kWidth;
        whole_end = (end + skew) / kWidth;
    }
    // The first pack of the block's first run.
    TEGU_DEVICE std::uint64_t first() const { return (begin + skew) / kWidth + block_x() * block_threads(); }
    // The first pack of the block's run that is `later` runs after the run starting at pack `base`.
    TEGU_DEVICE static std::uint64_t run(std::uint64_t base, unsigned later) {
        return base + std::uint64_t{grid_x() * block_threads()} * later;
    }
    TEGU_DEVICE bool holds(std::uint64_t index) const { return index >= begin && index < end; }
    // Index of the first element of a pack; wraps for positions before the segment.
    TEGU_DEVICE std::uint64_t index(std::uint64_t pack) const { return pack * kWidth - skew; }
    // is_behind(): all elements of a run are behind an index. is_before(): none is.
    TEGU_DEVICE bool is_behind(std::uint64_t run, std::uint64_t cut_index) const {
        return run * kWidth > cut_index && run * kWidth - cut_index > skew;
    }
    TEGU_DEVICE bool is_before(std::uint64_t run, std::uint64_t cut_index) const {
        return (run + block_threads()) * kWidth - skew <= cut_index;
    }
};

// The packs of a thread in consecutive runs of its block, from the run starting at pack `base`.
template <class U>
struct FilterTile {
    static constexpr unsigned kWidth = FilterPacks<U>::kWidth;
    static constexpr unsigned kPacks = filter_tile_packs(sizeof(U));
    Pack<U, kWidth> pack[kPacks];

    TEGU_DEVICE static bool is_whole(const FilterPacks<U>& from, std::uint64_t base) {
        return base >= from.whole_begin && from.run(base, kPacks - 1) + block_threads() <= from.whole_end;
    }
    // Missing elements become `filler`.
    TEGU_DEVICE void load(const FilterPacks<U>& from, std::uint64_t base, U filler) {
        if (is_whole(from, base)) {
            const U* const first = from.elements + from.index(thread_index());
            TEGU_UNROLL
            for (unsigned j = 0; j < kPacks; ++j)
                pack[j] = *reinterpret_cast<const Pack<U, kWidth>*>(first + from.run(base, j) * kWidth);
            return;
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kPacks; ++j) {
            const std::uint64_t number = from.run(base, j) + thread_index();
            if (number >= from.whole_begin && number < from.whole_end) {
                pack[j] = *reinterpret_cast<const Pack<U, kWidth>*>(from.elements + from.index(number));
            } else {
                TEGU_UNROLL
                for (unsigned e = 0; e < kWidth; ++e)
                    pack[j].at[e] =
                        from.holds(from.index(number) + e) ? from.elements[from.index(number) + e] : filler;
            }
        }
    }
    // The index of an element from its bit in a mask of the packs: element e of pack j is bit j * kWidth + e.
    TEGU_DEVICE static std::uint64_t index_of(const FilterPacks<U>& from, std::uint64_t base, unsigned bit) {
        return from.index(from.run(base, bit / kWidth) + thread_index()) + bit % kWidth;
    }
};

}  // namespace cuda
}  // namespace tegu
