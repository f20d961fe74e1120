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

// Elements [begin, end) of a segment as packs. Positions of 32 bits count elements from the start of the
// first pack. It is aligned, so it may begin before the range. A block takes every grid_x()-th run of
// block_threads() packs, so several blocks share a range with many survivors. REQUIRES: end - begin <= 2^31.
template <class U>
struct FilterPacks {
    static constexpr unsigned kWidth = 16 / sizeof(U);
    const U* origin;      // position 0
    std::uint64_t index;  // of position 0; wraps where that lies before the segment
    std::uint32_t begin;  // the positions of the range
    std::uint32_t end;

    TEGU_DEVICE FilterPacks(const U* segment, std::uint64_t first, std::uint64_t last) {
        const U* const start = segment + first;
        begin = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(start) % 16 / sizeof(U));
        end = begin + static_cast<std::uint32_t>(last - first);
        origin = start - begin;
        index = first - begin;
    }
    // The number of packs.
    TEGU_DEVICE std::uint32_t count() const { return (end + kWidth - 1) / kWidth; }
    // The first pack of the block's first run.
    TEGU_DEVICE static std::uint32_t first() { return block_x() * block_threads(); }
    // The first pack of the block's run that is `later` runs after the run starting at pack `base`.
    TEGU_DEVICE static std::uint32_t run(std::uint32_t base, unsigned later) {
        return base + grid_x() * block_threads() * later;
    }
    TEGU_DEVICE bool holds(std::uint32_t position) const { return position >= begin && position < end; }
    // Whether all elements of the pack lie in the range.
    TEGU_DEVICE bool is_whole(std::uint32_t pack) const {
        return pack * kWidth >= begin && (pack + 1) * kWidth <= end;
    }
    // The first position behind an index, at most `end`.
    TEGU_DEVICE std::uint32_t behind(std::uint64_t cut_index) const {
        const std::uint64_t range_begin = index + begin;
        if (cut_index < range_begin) return 0;
        const std::uint64_t kept = cut_index - range_begin;
        return kept < end - begin ? begin + static_cast<std::uint32_t>(kept) + 1 : end;
    }
};

// The packs of a thread in consecutive runs of its block, from the run starting at pack `base`.
template <class U>
struct FilterTile {
    static constexpr unsigned kWidth = FilterPacks<U>::kWidth;
    static constexpr unsigned kPacks = filter_tile_packs(sizeof(U));
    Pack<U, kWidth> pack[kPacks];

    TEGU_DEVICE static bool is_whole(const FilterPacks<U>& from, std::uint32_t base) {
        return from.is_whole(base) && from.is_whole(from.run(base, kPacks - 1) + block_threads() - 1);
    }
    // Missing elements become `filler`.
    TEGU_DEVICE void load(const FilterPacks<U>& from, std::uint32_t base, U filler) {
        const U* const own = from.origin + std::size_t{thread_index()} * kWidth;
        if (is_whole(from, base)) {
            TEGU_UNROLL
            for (unsigned j = 0; j < kPacks; ++j)
                pack[j] =
                    *reinterpret_cast<const Pack<U, kWidth>*>(own + std::size_t{from.run(base, j)} * kWidth);
            return;
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kPacks; ++j) {
            const std::uint32_t number = from.run(base, j) + thread_index();
            if (from.is_whole(number)) {
                pack[j] =
                    *reinterpret_cast<const Pack<U, kWidth>*>(own + std::size_t{from.run(base, j)} * kWidth);
            } else if (number * kWidth >= from.end) {  // all of few packs, so without a test of each element
                TEGU_UNROLL
                for (unsigned e = 0; e < kWidth; ++e) pack[j].at[e] = filler;
            } else {
                TEGU_UNROLL
                for (unsigned e = 0; e < kWidth; ++e)
                    pack[j].at[e] =
                        from.holds(number * kWidth + e) ? from.origin[number * kWidth + e] : filler;
            }
        }
    }
    // The position of an element from its bit in a mask of the packs: element e of pack j is bit j * kWidth +
    // e.
    TEGU_DEVICE static std::uint32_t position_of(const FilterPacks<U>& from, std::uint32_t base,
                                                 unsigned bit) {
        return (from.run(base, bit / kWidth) + thread_index()) * kWidth + bit % kWidth;
    }
};

}  // namespace cuda
}  // namespace tegu
