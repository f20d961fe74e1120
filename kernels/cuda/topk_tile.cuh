// SPDX-License-Identifier: Apache-2.0
// How passes over all elements read a dense sequence: in tiles of packs of 16 bytes, several of a thread in flight.
#pragma once

#include "kernels/cuda/select_rank.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kFilterThreads = 512;  // of a block at most
template <class U>
constexpr unsigned kFilterBlocks = sizeof(U) < 4 ? 1
                                                 : 2;  // of so many threads on a multiprocessor: registers for no more
template <class U>
constexpr unsigned kFilterPacks = sizeof(U) == 1 ? 2 : 4;  // in flight per thread

// The packs that a thread has in flight: those of a tile of the block, which lies at pack `base`. Pack p holds elements from p * kWidth - skew on: packs are
// aligned, sequences need not be.
template <class U>
struct FilterTile {
    static constexpr unsigned kWidth = 16 / sizeof(U);
    static constexpr unsigned kPacks = kFilterPacks<U>;
    const U* elements;
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t skew;
    std::uint64_t base;
    Pack<U, kWidth> pack[kPacks];

    TEGU_DEVICE static std::uint64_t size() { return std::uint64_t{block_threads()} * kPacks; }
    // Of the first element of a pack of this thread; wraps for what lies before the sequence.
    TEGU_DEVICE std::uint64_t first(unsigned j) const {
        return (base + j * block_threads() + thread_index()) * kWidth - skew;
    }
    TEGU_DEVICE bool inside() const { return base * kWidth >= begin + skew && (base + size()) * kWidth <= end + skew; }
    TEGU_DEVICE bool holds(std::uint64_t index) const { return index - begin < end - begin; }
    TEGU_DEVICE void load(bool all_inside) {
        if (all_inside) {
            TEGU_UNROLL
            for (unsigned j = 0; j < kPacks; ++j)
                pack[j] = *reinterpret_cast<const Pack<U, kWidth>*>(elements + first(j));
            return;
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kPacks; ++j) TEGU_UNROLL
        for (unsigned e = 0; e < kWidth; ++e) pack[j].at[e] = holds(first(j) + e) ? elements[first(j) + e] : U{0};
    }
    // The packs become ranks, those of what lies outside the worst. Returns the smallest.
    template <bool Float>
    TEGU_DEVICE U encode(U flip, bool all_inside) {
        U least = static_cast<U>(~U{0});
        TEGU_UNROLL
        for (unsigned j = 0; j < kPacks; ++j) {
            TEGU_UNROLL
            for (unsigned e = 0; e < kWidth; ++e) {
                U rank = encode_rank(pack[j].at[e], flip, Float);
                if (!all_inside && !holds(first(j) + e)) rank = static_cast<U>(~U{0});
                pack[j].at[e] = rank;
                least = rank < least ? rank : least;
            }
        }
        return least;
    }
};

}  // namespace cuda
}  // namespace tegu
