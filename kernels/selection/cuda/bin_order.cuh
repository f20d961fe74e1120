// SPDX-License-Identifier: Apache-2.0
// Ranks the pairs that a block has collected: puts them into many small bins and compares within each bin.
// Smooth values need a dozen steps where a bitonic network needs a hundred.
#pragma once

#include "kernels/selection/cuda/held.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kCrowdedBin = 48;  // with more pairs in one bin, a network sorts faster

// Bins of keys near [low, low + span]: order-preserving; keys outside go to the first and the last bin.
template <class U>
struct NearBins {
    U low;
    U span;
    unsigned shift;
    TEGU_DEVICE NearBins(U smallest, U largest)
        : low(smallest), span(static_cast<U>(largest - smallest)), shift(bin_shift(span)) {}
    TEGU_DEVICE unsigned operator()(U key) const {
        if (key <= low) return 0;
        const U offset = static_cast<U>(key - low);
        return static_cast<unsigned>((offset < span ? offset : span) >> shift);
    }
};

// Calls write(i, rank) for pairs i < count in shared memory, in any order. Returns false, to all threads, if
// it called nothing because a bin is crowded. All threads call it; its first barrier makes their earlier
// writes to shared memory visible. bins: [block_threads()], order: [count], both shared. REQUIRES: all pairs
// differ; count <= 65536.
template <class U, class Write>
TEGU_DEVICE bool block_order_by_bins(const U* keys, const std::uint64_t* indices, unsigned count,
                                     const NearBins<U>& bin_of, ThreadBins* bins, std::uint16_t* order,
                                     Write write) {
    zero_bins(bins);
    block_barrier();
    for (unsigned i = thread_index(); i < count; i += block_threads())
        atomic_add(count_of(bins, bin_of(keys[i])), 1u);
    block_barrier();
    ThreadBins own = bins[thread_index()];
    std::uint32_t sum = 0, most = 0, total;
    TEGU_UNROLL
    for (unsigned b = 0; b < kBinsOfThread; ++b) {
        sum += own.at[b];
        most = own.at[b] > most ? own.at[b] : most;
    }
    std::uint32_t before = block_sum_before(sum, &total);
    TEGU_UNROLL
    for (unsigned b = 0; b < kBinsOfThread; ++b) {
        const std::uint32_t upto = before + own.at[b];
        own.at[b] = before;
        before = upto;
    }
    bins[thread_index()] = own;
    if (block_any(most > kCrowdedBin)) return false;
    for (unsigned i = thread_index(); i < count; i += block_threads())
        order[atomic_add(count_of(bins, bin_of(keys[i])), 1u)] = static_cast<std::uint16_t>(i);
    block_barrier();
    // Each bin now holds its end, which is the begin of the next one.
    for (unsigned i = thread_index(); i < count; i += block_threads()) {
        const unsigned bin = bin_of(keys[i]);
        const U key = keys[i];
        const std::uint64_t index = indices[i];
        unsigned rank = bin == 0 ? 0 : *count_of(bins, bin - 1);
        const unsigned end = *count_of(bins, bin);
        for (unsigned at = rank; at < end; ++at) {
            const unsigned other = order[at];
            rank += is_behind(key, index, keys[other], indices[other]) ? 1 : 0;
        }
        write(i, rank);
    }
    return true;
}

}  // namespace cuda
}  // namespace tegu
