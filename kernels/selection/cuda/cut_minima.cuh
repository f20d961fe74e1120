// SPDX-License-Identifier: Apache-2.0
// Finds a cut among the entries of a sample in groups. A block narrows the range of keys and counts at a
// barrier. Each step takes 0.1 us on an H100, and most cuts need two to five.
#pragma once

#include "kernels/selection/cuda/block.cuh"
#include "kernels/selection/cuda/cut_minima.h"
#include "kernels/selection/cuda/sample_position.cuh"
#include "kernels/selection/cuda/sort_key.cuh"

namespace tegu {
namespace cuda {

// The index of a pair of the sample. Increases with its number.
TEGU_DEVICE std::uint64_t sampled_index(const GroupMinima& minima, std::uint32_t number) {
    return std::uint64_t{number} * minima.part + (number < minima.longer ? number : minima.longer) +
           position_in_part(number, minima.part);
}

// The smallest and the largest value of the threads that have one. All threads call it.
template <class T>
TEGU_DEVICE void block_extremes(T value, bool valid, T* smallest, T* largest) {
    TEGU_SHARED_ARRAY(T, lows, kWarpLanes);
    TEGU_SHARED_ARRAY(T, highs, kWarpLanes);  // complemented
    const T low = warp_min_key(valid ? value : static_cast<T>(~T{0}));
    const T high = warp_min_key(valid ? static_cast<T>(~value) : static_cast<T>(~T{0}));
    if (lane_index() == 0) {
        lows[warp_index()] = low;
        highs[warp_index()] = high;
    }
    block_barrier();
    const unsigned warp = lane_index() < block_warps() ? lane_index() : 0;
    *smallest = warp_min_key(lows[warp]);
    *largest = static_cast<T>(~warp_min_key(highs[warp]));
}

// A value with at least `rank` values up to it: those of the threads, and `before` others. They are
// `enough` at most, or there is no smaller such value. *upto: how many there are in all, and then up to the
// result. valid: the thread has a value.
template <class T>
TEGU_DEVICE T block_bisect(T value, bool valid, const GroupedSample& sample, std::uint32_t before,
                           std::uint32_t* upto) {
    T low, high;
    block_extremes(value, valid, &low, &high);
    const std::uint32_t wanted = (sample.rank + sample.enough) / 2;
    std::uint32_t below = before;  // values below `low`
    TEGU_NO_UNROLL
    for (unsigned step = 1; low<high&& * upto> sample.enough; ++step) {
        // Values lie as evenly as the counts at both ends say; every third step halves the range, for others.
        const T span = static_cast<T>(high - low);
        const float part = static_cast<float>(wanted - below) / static_cast<float>(*upto - below);
        const T guess =
            step % 3 == 0 ? static_cast<T>(span / 2) : static_cast<T>(static_cast<float>(span) * part);
        const T middle = static_cast<T>(low + (guess < span ? guess : static_cast<T>(span - 1)));
        const std::uint32_t count =
            before + static_cast<std::uint32_t>(block_count(valid && value <= middle));
        if (count >= sample.rank) {
            high = middle;
            *upto = count;
        } else {
            low = static_cast<T>(middle + 1);
            below = count;
        }
    }
    return high;
}

// Gives all threads the cut: at least `rank` entries are not behind it. Where keys repeat, it lies among the
// indices of one key. own, number: the thread's entry, if there are as many groups. REQUIRES: block_threads()
// >= groups.
template <class U>
TEGU_DEVICE void block_cut_among(const GroupMinima& minima, U own, std::uint32_t number, U* key,
                                 std::uint64_t* index) {
    const GroupedSample& sample = minima.sample;
    *key = static_cast<U>(~U{0});
    *index = ~std::uint64_t{0};
    if (sample.rank > sample.groups) return;
    const bool valid = thread_index() < sample.groups;
    std::uint32_t upto = sample.groups;
    *key = block_bisect(own, valid, sample, 0, &upto);
    if (upto <= sample.enough) return;
    const bool tied = valid && own == *key;
    const std::uint32_t before = upto - static_cast<std::uint32_t>(block_count(tied));
    *index = sampled_index(minima, block_bisect(number, tied, sample, before, &upto));
}

// The entry of this thread that a launch before has completed.
template <class U>
struct MinimaEntry {
    U key;
    std::uint32_t number;

    TEGU_DEVICE MinimaEntry() : key(0), number(0) {}
    TEGU_DEVICE MinimaEntry(const GroupMinima& minima, std::uint64_t segment) {
        const std::uint32_t groups = minima.sample.groups;
        const std::uint64_t entry = segment * groups + (thread_index() < groups ? thread_index() : 0);
        key = static_cast<const U*>(minima.keys)[entry];
        number = minima.numbers[entry];
    }
};

// --- boards: blocks that sample, and read the entries of all. U has at most 32 bits.

constexpr unsigned kBoardPolls = 64;  // some twenty microseconds

TEGU_DEVICE std::uint64_t board_entry(std::uint32_t key, std::uint32_t number) {
    return std::uint64_t{key} << 32 | (number + 1);
}

// The pair that a thread samples in a share of the groups.
struct ShareSpot {
    std::uint32_t group;
    std::uint32_t number;
    bool valid;

    TEGU_DEVICE ShareSpot() : group(0), number(0), valid(false) {}
    // REQUIRES: sample.each <= block_threads().
    TEGU_DEVICE ShareSpot(const GroupedSample& sample, std::uint32_t share) {
        const std::uint32_t groups = block_threads() / sample.each, own = thread_index() / sample.each;
        group = share * groups + own;
        number = group + thread_index() % sample.each * sample.groups;
        valid = own < groups && group < sample.groups;
    }
};

// Writes the entries of a share. entry: that of the thread's pair; all ones where its spot is not valid.
// scratch: [block_warps()] shared. All threads call it.
TEGU_DEVICE void block_post_share(std::uint64_t* board, const GroupedSample& sample, std::uint32_t share,
                                  std::uint64_t entry, std::uint64_t* scratch) {
    const std::uint32_t lanes = sample.each < kWarpLanes ? sample.each : kWarpLanes;
    TEGU_NO_UNROLL
    for (unsigned mask = 1; mask < lanes; mask *= 2) {
        const std::uint64_t other = shuffle_xor(entry, mask);
        entry = other < entry ? other : entry;
    }
    std::uint32_t own = thread_index() / lanes;  // of the groups
    bool posts = thread_index() % lanes == 0;
    if (sample.each > kWarpLanes) {
        if (lane_index() == 0) scratch[warp_index()] = entry;
        block_barrier();
        const std::uint32_t warps = sample.each / kWarpLanes;
        own = thread_index();
        posts = own < block_warps() / warps;
        if (posts) {
            entry = scratch[own * warps];
            for (std::uint32_t w = 1; w < warps; ++w) {
                const std::uint64_t other = scratch[own * warps + w];
                entry = other < entry ? other : entry;
            }
        }
    }
    const std::uint32_t groups = block_threads() / sample.each, group = share * groups + own;
    if (!posts || own >= groups || group >= sample.groups) return;
    *const_cast<volatile std::uint64_t*>(board + kBoardEntries + group) = entry;
}

// The entry of this thread's group. A thread that waits in vain, because the block that samples the group has
// not begun, samples it by itself: so no block needs another one. REQUIRES: thread_index() < groups.
template <class U>
TEGU_DEVICE std::uint64_t wait_for_entry(const GroupMinima& minima, std::uint64_t* board, const U* elements,
                                         U flip, bool is_float) {
    volatile std::uint64_t* const at = board + kBoardEntries + thread_index();
    std::uint64_t entry = 0;
    TEGU_NO_UNROLL
    for (unsigned polls = 0; polls < kBoardPolls && entry == 0; ++polls) entry = *at;
    if (entry != 0) return entry;
    entry = ~entry;
    TEGU_NO_UNROLL
    for (std::uint32_t j = 0; j < minima.sample.each; ++j) {
        const std::uint32_t number = thread_index() + j * minima.sample.groups;
        const U bits = elements[sampled_index(minima, number)];
        const std::uint64_t other = board_entry(encode_key(bits, flip, is_float), number);
        entry = other < entry ? other : entry;
    }
    *at = entry;
    return entry;
}

}  // namespace cuda
}  // namespace tegu
