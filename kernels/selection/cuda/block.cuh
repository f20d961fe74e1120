// SPDX-License-Identifier: Apache-2.0
// Selection within one block: sums over its threads, a cut that leaves few pairs, and the pairs up to the cut
// in shared memory. Pairs come from a Source, in any order of indices:
//   U bits(i), U key_of(bits), std::uint64_t index(i)   of pair i < count
// A source is read several times. If its elements change in between, cuts are wrong, but every access stays
// in bounds.
// stays in its bounds.
#pragma once

#include "kernels/execution/cuda/words.cuh"
#include "kernels/selection/cuda/sort_key.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kSelectBins = 2048;
constexpr unsigned kSelectBinBits = 11;
constexpr unsigned kSelectBatch = 8;  // loads in flight per thread
// The same in a block that selects by itself: it holds more beside them, and some devices give it half of the
// registers.
constexpr unsigned kBlockBatch = kSelectBatch / kBlocksForRegisters;

// The sum of the values of the previous threads; *total gets the sum of all. All threads call it. Their
// earlier writes to shared memory are then visible to all of them.
template <class T>
TEGU_DEVICE T block_sum_before(T value, T* total) {
    TEGU_SHARED_ARRAY(T, sums, kWarpLanes);
    T inclusive = value;
    TEGU_UNROLL
    for (unsigned delta = 1; delta < kWarpLanes; delta *= 2) {
        const T lower = shuffle_up(inclusive, delta);
        if (lane_index() >= delta) inclusive += lower;
    }
    if (block_warps() == 1) {
        *total = shuffle(inclusive, kWarpLanes - 1);
        block_barrier();  // shuffles order no memory
        return inclusive - value;
    }
    if (lane_index() == kWarpLanes - 1) sums[warp_index()] = inclusive;
    block_barrier();
    if (warp_index() == 0) {
        T sum = lane_index() < block_warps() ? sums[lane_index()] : T{0};
        TEGU_UNROLL
        for (unsigned delta = 1; delta < kWarpLanes; delta *= 2) {
            const T lower = shuffle_up(sum, delta);
            if (lane_index() >= delta) sum += lower;
        }
        sums[lane_index()] = sum;
    }
    block_barrier();
    const T before = warp_index() == 0 ? T{0} : sums[warp_index() - 1];
    *total = sums[block_warps() - 1];
    block_barrier();  // before `sums` is used again
    return before + inclusive - value;
}

// Calls body(i, key, valid) for every pair, in all lanes of a warp at once: body may use warp collectives.
// All loads of a batch are issued before the first one is used.
template <class U, class Source, class Body>
TEGU_DEVICE void for_each_pair(const Source& source, std::uint64_t count, Body body) {
    const std::uint64_t step = std::uint64_t{block_threads()} * kBlockBatch;
    for (std::uint64_t base = thread_index(); base < count + thread_index(); base += step) {
        U bits[kBlockBatch];
        TEGU_UNROLL
        for (unsigned j = 0; j < kBlockBatch; ++j) {
            const std::uint64_t i = base + std::uint64_t{j} * block_threads();
            bits[j] = source.bits(i < count ? i : 0);
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kBlockBatch; ++j) {
            const std::uint64_t i = base + std::uint64_t{j} * block_threads();
            body(i, source.key_of(bits[j]), i < count);
        }
    }
}

// A range of keys, or of the indices of one key, that contains the wanted pair.
struct SelectRange {
    std::uint64_t low;
    std::uint64_t high;
    std::uint64_t before;  // pairs below the range
    std::uint64_t inside;
    std::uint64_t tie;  // by_index: the key
    bool by_index;

    // Bits to shift a value by, to get one of kSelectBins bins.
    TEGU_DEVICE unsigned shift() const {
        const std::uint64_t width = high - low;
        const std::uint32_t upper = static_cast<std::uint32_t>(width >> 32);
        const unsigned bits =
            upper != 0 ? 64 - leading_zeros(upper) : 32 - leading_zeros(static_cast<std::uint32_t>(width));
        return bits > kSelectBinBits ? bits - kSelectBinBits : 0;
    }
    TEGU_DEVICE bool holds(std::uint64_t value) const { return value >= low && value <= high; }
    // Narrows the range to the bins [first, last]. REQUIRES: low < high.
    TEGU_DEVICE void enter(std::uint64_t first, std::uint64_t last, std::uint64_t in_bins_before,
                           std::uint64_t in_bins) {
        const unsigned bits = shift();
        const std::uint64_t span = ((last - first) << bits) + ((std::uint64_t{1} << bits) - 1);
        low += first << bits;
        if (high - low > span) high = low + span;
        before += in_bins_before;
        inside = in_bins;
    }
    // Changes from one key with many elements to a range of their indices.
    TEGU_DEVICE void go_by_index(std::uint64_t last_index) {
        tie = low;
        low = 0;
        high = last_index;
        by_index = true;
    }
    // Returns whether the range contains pair i of a source.
    template <class Source>
    TEGU_DEVICE bool takes(const Source& source, std::uint64_t i, std::uint64_t key) const {
        return by_index ? key == tie && holds(source.index(i)) : holds(key);
    }
    // Returns whether a pair is not behind the end of the range.
    template <class Source>
    TEGU_DEVICE bool reaches(const Source& source, std::uint64_t i, std::uint64_t key) const {
        return key < cut_key() || (key == cut_key() && (!by_index || source.index(i) <= high));
    }
    TEGU_DEVICE std::uint64_t cut_key() const { return by_index ? tie : high; }
    TEGU_DEVICE std::uint64_t cut_index() const { return by_index ? high : ~std::uint64_t{0}; }
};

// The smallest key of the lanes.
template <class U>
TEGU_DEVICE U warp_min_key(U key) {
    if (sizeof(U) <= 4) return static_cast<U>(warp_min(static_cast<std::uint32_t>(key)));
    std::uint64_t min = key;
    for (unsigned mask = kWarpLanes / 2; mask > 0; mask /= 2) {
        const std::uint64_t other = shuffle_xor(min, mask);
        min = other < min ? other : min;
    }
    return static_cast<U>(min);
}

// Gives all threads the smallest and the largest key of a source. Calls visit(key) for each key.
template <class U, class Source, class Visit>
TEGU_DEVICE void block_extent(const Source& source, std::uint64_t count, std::uint64_t* smallest,
                              std::uint64_t* largest, Visit visit) {
    TEGU_SHARED_ARRAY(U, lows, kWarpLanes);
    TEGU_SHARED_ARRAY(U, highs, kWarpLanes);  // complemented, so that the minimum gives the largest
    U low = static_cast<U>(~U{0});
    U high = static_cast<U>(~U{0});
    for_each_pair<U>(source, count, [&](std::uint64_t, U key, bool valid) {
        const U turned = static_cast<U>(~key);
        low = valid && key < low ? key : low;
        high = valid && turned < high ? turned : high;
        if (valid) visit(key);
    });
    low = warp_min_key(low);
    high = warp_min_key(high);
    if (lane_index() == 0) {
        lows[warp_index()] = low;
        highs[warp_index()] = high;
    }
    block_barrier();
    const unsigned warp = lane_index() < block_warps() ? lane_index() : 0;
    *smallest = warp_min_key(lows[warp]);
    *largest = static_cast<U>(~warp_min_key(highs[warp]));
    block_barrier();  // before the arrays are used again
}
template <class U, class Source>
TEGU_DEVICE void block_extent(const Source& source, std::uint64_t count, std::uint64_t* smallest,
                              std::uint64_t* largest) {
    block_extent<U>(source, count, smallest, largest, [](U) {});
}

// Adjacent bins.
struct BinRun {
    std::uint64_t first;
    std::uint64_t last;
    std::uint64_t before;  // pairs in the previous bins
    std::uint64_t inside;
};

// Gives all threads the bin where the sum of the bins reaches `wanted` (>= 1). Adds the following bins that
// begin before the sum reaches `stop`, while all have at most `max` pairs. False if the sum never reaches
// `wanted`. REQUIRES: the sum of the bins fits their type.
template <class T>
TEGU_DEVICE bool block_find_run(const T* bins, std::uint64_t wanted, std::uint64_t stop, std::uint64_t max,
                                BinRun* run) {
    TEGU_SHARED_ARRAY(std::uint64_t, found, 3);
    TEGU_SHARED(std::uint64_t, longest);  // the last bin and, in the lower half, the pairs up to it
    const unsigned share = (kSelectBins + block_threads() - 1) / block_threads();
    const unsigned begin = thread_index() * share < kSelectBins ? thread_index() * share : kSelectBins;
    const unsigned end = begin + share < kSelectBins ? begin + share : kSelectBins;
    T own = 0;
    for (unsigned b = begin; b < end; ++b) own += bins[b];
    if (thread_index() == 0) {
        found[0] = kSelectBins;
        longest = 0;
    }
    T total;
    const std::uint64_t start = block_sum_before<T>(own, &total);
    if (start < wanted && start + own >= wanted) {
        std::uint64_t sum = start;
        unsigned b = begin;
        while (b + 1 < end && sum + bins[b] < wanted) sum += bins[b++];
        found[0] = b;
        found[1] = sum;
        found[2] = bins[b];
    }
    block_barrier();
    *run = BinRun{found[0], found[0], found[1], found[2]};
    if (max != 0) {
        std::uint64_t sum = start;
        for (unsigned b = begin; b < end; ++b) {
            const bool begins = sum < stop;
            sum += bins[b];
            if (b > run->first && begins && sum - run->before <= max)
                atomic_max(&longest, std::uint64_t{b} << 32 | (sum - run->before));
        }
        block_barrier();
    }
    if (longest >> 32 > run->first) {
        run->last = longest >> 32;
        run->inside = longest & 0xffffffffu;
    }
    block_barrier();  // before `found` and `longest` are used again
    return run->first < kSelectBins;
}

// Counts the pairs in the bins of a range. All threads call it.
template <class U, class Source>
TEGU_DEVICE void block_count_bins(const Source& source, std::uint64_t count, const SelectRange& range,
                                  std::uint32_t* bins) {
    for (unsigned bin = thread_index(); bin < kSelectBins; bin += block_threads()) bins[bin] = 0;
    block_barrier();
    const unsigned shift = range.shift();
    for_each_pair<U>(source, count, [&](std::uint64_t i, U key, bool valid) {
        if (!valid || !range.takes(source, i, key)) return;
        const std::uint64_t value = range.by_index ? source.index(i) : key;
        atomic_add(&bins[(value - range.low) >> shift], 1u);
    });
    block_barrier();
}

// Finds a range whose end has between k and `enough` pairs up to it; each pass over the source narrows it.
// bins: [kSelectBins] shared. REQUIRES: 1 <= k <= count, k <= enough; indices up to last_index.
template <class U, class Source>
TEGU_DEVICE SelectRange block_narrow(const Source& source, std::uint64_t count, std::uint64_t k,
                                     std::uint64_t enough, std::uint64_t last_index, std::uint32_t* bins) {
    SelectRange range{0, ~std::uint64_t{0}, 0, count, 0, false};
    if (count <= enough) return range;
    block_extent<U>(source, count, &range.low, &range.high);
    while (range.before + range.inside > enough) {
        if (range.low >= range.high) {
            if (range.by_index) break;
            range.go_by_index(last_index);
        }
        block_count_bins<U>(source, count, range, bins);
        BinRun run;
        if (!block_find_run(bins, k - range.before, 0, 0, &run)) break;
        range.enter(run.first, run.last, run.before, run.inside);
    }
    return range;
}

// Narrows a range to at most `max` pairs: pair `first` (from 0) in sorted order, and as many of the following
// up to `end` as fit. bins: [kSelectBins] shared. False if the source has no such pair, because it has
// changed. REQUIRES: range.before <= first < end, max >= 1.
template <class U, class Source>
TEGU_DEVICE bool block_window(const Source& source, std::uint64_t count, std::uint64_t first,
                              std::uint64_t end, std::uint64_t max, std::uint64_t last_index,
                              std::uint32_t* bins, SelectRange* range) {
    while (range->inside > max) {
        if (range->low >= range->high) {
            if (range->by_index) return false;
            range->go_by_index(last_index);
        }
        block_count_bins<U>(source, count, *range, bins);
        BinRun run;
        if (!block_find_run(bins, first + 1 - range->before, end - range->before, max, &run)) return false;
        range->enter(run.first, run.last, run.before, run.inside);
    }
    return true;
}

// Collects the pairs with takes(i, key) in shared memory, in any order. Returns their number, at most
// `capacity`.
template <class U, class Source, class Takes>
TEGU_DEVICE unsigned block_collect(const Source& source, std::uint64_t count, U* keys, std::uint64_t* indices,
                                   unsigned capacity, Takes takes) {
    TEGU_SHARED(std::uint32_t, used);
    if (thread_index() == 0) used = 0;
    block_barrier();
    for_each_pair<U>(source, count, [&](std::uint64_t i, U key, bool valid) {
        const bool taken = valid && takes(i, key);
        const std::uint32_t lanes = warp_ballot(taken);
        if (lanes == 0) return;
        const unsigned first = trailing_zeros(lanes);
        std::uint32_t slot = 0;
        if (lane_index() == first) slot = atomic_add(&used, count_bits(lanes));
        slot = shuffle(slot, first) + count_bits(lanes & lanes_before());
        if (taken && slot < capacity) {
            keys[slot] = key;
            indices[slot] = source.index(i);
        }
    });
    block_barrier();
    const unsigned collected = used < capacity ? used : capacity;
    block_barrier();  // before `used` is used again
    return collected;
}

}  // namespace cuda
}  // namespace tegu
