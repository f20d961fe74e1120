// SPDX-License-Identifier: Apache-2.0
// The one read of the search in ranges from a sample: counts the keys below each range, and lists and counts
// those inside.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/quantile/cuda/bracket_bins.cuh"
#include "kernels/quantile/cuda/nan.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kBracketThreads = 512;  // of a block at most
constexpr unsigned kTileKeys = 8;          // of a thread at a time
constexpr unsigned kKeptKeys = 64;         // above this number a warp writes its keys to the list
constexpr unsigned kKeptCapacity = kKeptKeys + kWarpLanes * kTileKeys;

// A thread's keys of a tile, in any order.
template <class U>
struct KeyTile {
    static constexpr unsigned kWidth = 16 / sizeof(U) < kTileKeys ? 16 / sizeof(U) : kTileKeys;
    U keys[kTileKeys];
    std::uint32_t valid;  // bit j: key j is an element

    TEGU_DEVICE void load(const KeyedSegment<U>& segment, std::uint64_t base, std::uint64_t end,
                          bool packed) {
        valid = 0;
        if (packed && base + kTileKeys * block_threads() <= end) {
            valid = (1u << kTileKeys) - 1;
            const U* const first = segment.elements + base + thread_index() * kWidth;
            TEGU_UNROLL
            for (unsigned p = 0; p < kTileKeys / kWidth; ++p) {
                const auto pack =
                    *reinterpret_cast<const Pack<U, kWidth>*>(first + p * block_threads() * kWidth);
                TEGU_UNROLL
                for (unsigned e = 0; e < kWidth; ++e) keys[p * kWidth + e] = pack.at[e];
            }
            return;
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kTileKeys; ++j) {
            const std::uint64_t i = base + j * block_threads() + thread_index();
            keys[j] = 0;
            if (i >= end) continue;
            keys[j] = segment.bits(i);
            valid |= 1u << j;
        }
    }
};

// The keys that a warp has found for the list.
template <class U>
struct WarpKept {
    U* keys;  // [kKeptCapacity] shared
    std::uint32_t used;

    TEGU_DEVICE void add(U key, bool own) {
        const std::uint32_t lanes = warp_ballot(own);
        if (own) keys[used + count_bits(lanes & lanes_before())] = key;
        used += count_bits(lanes);
    }
    TEGU_DEVICE void flush(const Bracket& bracket) {
        warp_barrier();
        std::uint64_t slot = 0;
        if (lane_index() == 0) slot = atomic_add(&bracket.memory->listed, std::uint64_t{used});
        slot = shuffle(slot, 0) + lane_index();
        for (std::uint32_t i = lane_index(); i < used; i += kWarpLanes, slot += kWarpLanes)
            if (slot < bracket.capacity) static_cast<U*>(bracket.list)[slot] = keys[i];
        used = 0;
        warp_barrier();
    }
};

// The first keys of the classes behind the first one. The class of a key is the number of starts up to it.
template <class U, unsigned Steps>
struct ClassStarts {
    static constexpr unsigned kStarts = (1u << Steps) - 1;
    U* starts;  // [kStarts] shared, ascending; behind `count` they are all ones
    unsigned count;

    // Thread i < kStarts calls it for start i, of group i / 4.
    TEGU_DEVICE static U start_of(const BracketMemory& memory, unsigned i, bool* exists) {
        *exists = i / 4 < memory.groups;
        if (!*exists) return static_cast<U>(~U{0});
        const BracketRange& range = memory.group[i / 4].range;
        const U low = static_cast<U>(range.low), high = static_cast<U>(range.high);
        const U before = i % 4 == 1 || low == high ? low : high;
        if (i % 4 == 0) return low;
        if (i % 4 == 2 && low != high) return high;
        *exists = before != static_cast<U>(~U{0});
        return static_cast<U>(*exists ? before + 1 : before);
    }
    TEGU_DEVICE unsigned operator()(U key) const {
        unsigned number = 0;
        TEGU_UNROLL
        for (unsigned step = 1u << (Steps - 1); step > 0; step /= 2)
            if (starts[number + step - 1] <= key) number += step;
        return number < count ? number : count;
    }
};

// bracket_filter: counts the keys of each class, lists those inside ranges, and counts these in bins.
// in:    elements [begin, end), the groups                  out: list; counts and bins in memory
// grid:  x strides over tiles                               block: policy.count_threads
// shared: 25 KB static at most, 45 KB for 64-bit keys       result valid in: out, after the launch
// moves: reads n sizeof(U) B, writes what is listed         order: any
// why:   a search among the starts takes few steps for any number of quantiles; the lanes of a warp count in
//        different banks
template <class U, unsigned Steps>
TEGU_KERNEL TEGU_BOUNDS2(kBracketThreads, 2)
    bracket_filter(KeySegments in, std::uint64_t begin, std::uint64_t end, Bracket bracket) {
    constexpr unsigned kStarts = ClassStarts<U, Steps>::kStarts;
    constexpr unsigned kClasses = kStarts + 1 < kBracketClasses ? kStarts + 1 : kBracketClasses;
    TEGU_SHARED_ARRAY(U, shared_keys, kBracketThreads / kWarpLanes * kKeptCapacity);
    TEGU_SHARED_ARRAY(BracketBins<U>, bins, kBracketQuantiles);
    TEGU_SHARED_ARRAY(U, starts, kStarts);
    TEGU_SHARED_ARRAY(std::uint32_t, counts, kClasses * kWarpLanes);
    TEGU_SHARED(std::uint32_t, start_count);
    const KeyedSegment<U> segment(in, 0);
    const bool packed =
        in.cols >= in.n && reinterpret_cast<std::uintptr_t>(segment.elements + begin) % 16 == 0;
    const std::uint64_t tile = std::uint64_t{block_threads()} * kTileKeys;
    const std::uint64_t first = begin + block_x() * tile, stride = grid_x() * tile;
    KeyTile<U> next;
    next.load(segment, first, end, packed);
    for (unsigned i = thread_index(); i < kClasses * kWarpLanes; i += block_threads()) counts[i] = 0;
    if (thread_index() == 0) start_count = 0;
    block_barrier();
    pdl_trigger();
    await_launch_before();
    BracketMemory* const memory = bracket.memory;
    if (thread_index() < kStarts) {
        bool exists;
        starts[thread_index()] = ClassStarts<U, Steps>::start_of(*memory, thread_index(), &exists);
        if (exists) atomic_add(&start_count, 1u);
        if (thread_index() < memory->groups) bins[thread_index()].set(memory->group[thread_index()].range);
    }
    block_barrier();
    const ClassStarts<U, Steps> class_of{starts, start_count};
    WarpKept<U> kept{shared_keys + warp_index() * kKeptCapacity, 0};
    U largest = 0;
    TEGU_NO_UNROLL
    for (std::uint64_t base = first; base < end; base += stride) {
        const KeyTile<U> own = next;
        if (base + stride < end) next.load(segment, base + stride, end, packed);
        unsigned classes[kTileKeys];
        U keys[kTileKeys];
        TEGU_UNROLL
        for (unsigned j = 0; j < kTileKeys; ++j) {
            keys[j] = segment.key_of(own.keys[j]);
            classes[j] = class_of(keys[j]);
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kTileKeys; ++j) {
            const bool valid = (own.valid >> j & 1u) != 0;
            if (valid && keys[j] > largest) largest = keys[j];
            if (valid) atomic_add(&counts[classes[j] * kWarpLanes + lane_index()], 1u);
            const bool inside = valid && classes[j] % 4 == 2;
            if (!warp_any(inside)) continue;
            if (inside) {
                const unsigned group = classes[j] / 4;
                atomic_add(&memory->group[group].bins[bins[group].of(keys[j])], 1u);
            }
            kept.add(keys[j], inside);
        }
        if (kept.used > kKeptKeys) kept.flush(bracket);
    }
    if (kept.used != 0) kept.flush(bracket);
    if (warp_any(in.is_float && largest == nan_key(segment)) && lane_index() == 0) memory->nans = 1;
    block_barrier();
    for (unsigned i = thread_index(); i < kClasses; i += block_threads()) {
        std::uint64_t total = 0;
        for (unsigned lane = 0; lane < kWarpLanes; ++lane)
            total += counts[i * kWarpLanes + (lane + i) % kWarpLanes];
        if (total != 0) atomic_add(&memory->counts[i], total);
    }
}

using FilterKernel = void (*)(KeySegments, std::uint64_t, std::uint64_t, Bracket);
// Rows: widths; columns: one quantile, several.
constexpr KernelTable<FilterKernel, 8> kBracketFilter = {"bracket_filter",
                                                         "reads n elements, writes those near the quantiles",
#define TEGU_X(U, word) numbered(bracket_filter<U, 3>, word, 3u), numbered(bracket_filter<U, 5>, word, 5u)
                                                         {TEGU_WIDTHS(TEGU_X)}};
#undef TEGU_X

}  // namespace

LaunchStatus launch_bracket_filter(const KeySegments& in, const ElementRange& range,
                                   const QuantileOutput& output, const Bracket& bracket,
                                   const QuantileConfig& config) {
    const bool one = output.quantiles == 1;
    const unsigned threads =
        config.policy.count_threads < kBracketThreads ? config.policy.count_threads : kBracketThreads;
    const std::uint64_t tiles = (range.end - range.begin) / (std::uint64_t{threads} * kTileKeys) + 1;
    const std::uint64_t max = 2 * std::uint64_t{config.limits.multiprocessors};
    const LaunchShape shape{static_cast<unsigned>(tiles < max ? tiles : max), 1, threads, 0};
    return launch_pdl(kBracketFilter[2 * width_index(in.width) + (one ? 0 : 1)], shape, config.limits,
                      config.stream, in, range.begin, range.end, bracket);
}

void list_quantile_bracket_kernels(KernelLister& to) {
    to.add(4, listed(kBracketFilter, BlockSize{kBracketThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
