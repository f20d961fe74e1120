// SPDX-License-Identifier: Apache-2.0
// A dense segment that a block holds in registers, and the bins that a block of few barriers counts keys in.
#pragma once

#include "kernels/selection/cuda/block.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kHeldThreads = 512;  // of a block at most

// Elements that a thread holds: 64 bytes, or 16 bytes of bytes.
constexpr unsigned held_items(std::size_t width) {
    return width == 8 ? 8 : 16;
}
template <class U>
constexpr unsigned kHeldItems = held_items(sizeof(U));
// Threads of a block that takes n elements of a width, at most those of a policy.
constexpr unsigned held_threads(std::uint64_t n, unsigned width, unsigned policy_threads) {
    return whole_warps(ceil_divide(n, held_items(width)),
                       policy_threads < kHeldThreads ? policy_threads : kHeldThreads);
}
// Returns whether so many threads hold all elements of each segment.
inline bool is_held(const KeySegments& in, unsigned threads) {
    return in.cols >= in.n && in.n <= std::uint64_t{threads} * held_items(in.width);
}

// The packs of one thread, as keys. Pack p of a thread is pack p * block_threads() + thread_index() of all.
template <class U, unsigned Items>
struct HeldSegment {
    static constexpr unsigned kWidth = 16 / sizeof(U) < Items ? 16 / sizeof(U) : Items;
    U keys[Items];

    TEGU_DEVICE static unsigned position(unsigned j) {
        return (j / kWidth * block_threads() + thread_index()) * kWidth + j % kWidth;
    }
    TEGU_DEVICE static std::uint64_t index(std::uint64_t i) { return i; }
    // Missing elements get the key of all ones. REQUIRES: a segment without gaps.
    TEGU_DEVICE HeldSegment(const KeyedSegment<U>& segment, unsigned n) {
        const bool aligned = reinterpret_cast<std::uintptr_t>(segment.elements) % (kWidth * sizeof(U)) == 0;
        TEGU_UNROLL
        for (unsigned p = 0; p < Items / kWidth; ++p) {
            const unsigned first = position(p * kWidth);
            if (aligned && first + kWidth <= n) {
                const auto pack = *reinterpret_cast<const Pack<U, kWidth>*>(segment.elements + first);
                TEGU_UNROLL
                for (unsigned e = 0; e < kWidth; ++e) keys[p * kWidth + e] = pack.at[e];
            } else {
                TEGU_UNROLL
                for (unsigned e = 0; e < kWidth; ++e)
                    keys[p * kWidth + e] = segment.elements[first + e < n ? first + e : 0];
            }
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < Items; ++j)
            keys[j] = position(j) < n ? segment.key_of(keys[j]) : static_cast<U>(~U{0});
    }
};
template <class U, unsigned Items, class Body>
TEGU_DEVICE void for_each_pair(const HeldSegment<U, Items>& source, std::uint64_t count, Body body) {
    TEGU_UNROLL
    for (unsigned j = 0; j < Items; ++j) {
        const std::uint64_t i = source.position(j);
        body(i, source.keys[j], i < count);
    }
}

// Bins of a block: four for each thread, so that each thread reads its own at once.
constexpr unsigned kBinsOfThread = 4;
using ThreadBins = Pack<std::uint32_t, kBinsOfThread>;

// Bits to shift distances of up to `span` by, to get one of the block's bins.
template <class U>
TEGU_DEVICE unsigned bin_shift(U span) {
    const unsigned bin_bits = 31 - leading_zeros(kBinsOfThread * block_threads());
    const std::uint32_t upper = static_cast<std::uint32_t>(std::uint64_t{span} >> 32);
    const unsigned bits =
        upper != 0 ? 64 - leading_zeros(upper) : 32 - leading_zeros(static_cast<std::uint32_t>(span));
    return bits > bin_bits ? bits - bin_bits : 0;
}

TEGU_DEVICE std::uint32_t* count_of(ThreadBins* bins, std::uint64_t bin) {
    return reinterpret_cast<std::uint32_t*>(bins) + bin;
}
// Zeroes this thread's bins. A barrier must follow.
TEGU_DEVICE void zero_bins(ThreadBins* bins) {
    bins[thread_index()] = ThreadBins{{0, 0, 0, 0}};
}

// The bins of two ranks, and the pairs from the first one's begin to the last one's end.
struct RankBins {
    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t before;
    std::uint32_t inside;
};
// Gives all threads the bins of the ranks begin <= last, from 0. False if there are fewer pairs. All threads
// call it after a barrier; the bins may be written after it.
TEGU_DEVICE bool block_find_ranks(const ThreadBins* bins, std::uint32_t begin, std::uint32_t last,
                                  RankBins* run) {
    TEGU_SHARED_ARRAY(std::uint32_t, sums, kWarpLanes);
    TEGU_SHARED_ARRAY(std::uint32_t, found, 4);
    const ThreadBins own = bins[thread_index()];
    std::uint32_t total = 0;
    TEGU_UNROLL
    for (unsigned b = 0; b < kBinsOfThread; ++b) total += own.at[b];
    std::uint32_t sum = total;
    TEGU_UNROLL
    for (unsigned delta = 1; delta < kWarpLanes; delta *= 2) {
        const std::uint32_t lower = shuffle_up(sum, delta);
        if (lane_index() >= delta) sum += lower;
    }
    if (lane_index() == kWarpLanes - 1) sums[warp_index()] = sum;
    if (thread_index() < 4) found[thread_index()] = ~std::uint32_t{0};
    block_barrier();
    std::uint32_t before = lane_index() < warp_index() ? sums[lane_index()] : 0;
    TEGU_UNROLL
    for (unsigned mask = kWarpLanes / 2; mask > 0; mask /= 2) before += exchange_word_xor(before, mask);
    before += sum - total;
    if (before <= last && before + total > begin) {
        TEGU_UNROLL
        for (unsigned b = 0; b < kBinsOfThread; ++b) {
            const std::uint32_t upto = before + own.at[b];
            if (before <= begin && begin < upto) {
                found[0] = thread_index() * kBinsOfThread + b;
                found[2] = before;
            }
            if (before <= last && last < upto) {
                found[1] = thread_index() * kBinsOfThread + b;
                found[3] = upto;
            }
            before = upto;
        }
    }
    block_barrier();
    *run = RankBins{found[0], found[1], found[2], found[3] - found[2]};
    return found[0] != ~std::uint32_t{0} && found[1] != ~std::uint32_t{0};
}

// Keys [low, high] of a segment: `before` keys are smaller, `inside` lie in it.
template <class U>
struct KeyRange {
    U low;
    U high;
    std::uint32_t before;
    std::uint32_t inside;

    TEGU_DEVICE bool holds(U key) const { return static_cast<U>(key - low) <= static_cast<U>(high - low); }
    TEGU_DEVICE void enter(const RankBins& run, unsigned shift) {
        const std::uint64_t span =
            (std::uint64_t{run.last - run.first} << shift) + ((std::uint64_t{1} << shift) - 1);
        low = static_cast<U>(low + (std::uint64_t{run.first} << shift));
        if (static_cast<U>(high - low) > span) high = static_cast<U>(low + span);
        before += run.before;
        inside = run.inside;
    }
};

// Gives all threads the smallest and the largest of the threads' keys.
template <class U>
TEGU_DEVICE void block_ends(U own_low, U own_high, U* low, U* high) {
    TEGU_SHARED_ARRAY(U, lows, kWarpLanes);
    TEGU_SHARED_ARRAY(U, highs, kWarpLanes);  // complemented
    own_low = warp_min_key(own_low);
    own_high = warp_min_key(static_cast<U>(~own_high));
    if (lane_index() == 0) {
        lows[warp_index()] = own_low;
        highs[warp_index()] = own_high;
    }
    block_barrier();
    const unsigned warp = lane_index() < block_warps() ? lane_index() : 0;
    *low = warp_min_key(lows[warp]);
    *high = static_cast<U>(~warp_min_key(highs[warp]));
}

}  // namespace cuda
}  // namespace tegu
