// SPDX-License-Identifier: Apache-2.0
// The one read of the search in ranges from a sample: counts the keys below each range, and lists and counts
// those inside.
#include <type_traits>

#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/execution/cuda/streaming.cuh"
#include "kernels/quantile/cuda/bracket_bins.cuh"
#include "kernels/quantile/cuda/nan.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kBracketThreads = 512;  // of a block at most
// Keys of a thread at a time.
template <class U>
constexpr unsigned kTileKeys = sizeof(U) == 8 ? 4 : 8;
// Keys for the list that a lane holds in shared memory. A tile may add kTileKeys.
template <class U>
constexpr unsigned kStackKeys = sizeof(U) == 8 ? 7 : 14;

// The ascending key of an element; a NaN has one behind that of infinity.
template <class U, bool Float>
TEGU_DEVICE U ascending_key(U bits, U flip) {
    using Signed = typename std::make_signed<U>::type;
    if (!Float || sizeof(U) != 4) return encode_key(bits, flip, Float);
    const auto word = bit_cast<std::uint32_t>(plus_zero(bit_cast<float>(static_cast<std::uint32_t>(bits))));
    const U sign = static_cast<U>(static_cast<Signed>(word) >> (8 * sizeof(U) - 1));
    return static_cast<U>(word ^ (sign | FloatBits<U>::kSign));
}

// A thread's elements of a tile, in any order.
template <class U>
struct KeyTile {
    static constexpr unsigned kKeys = kTileKeys<U>;
    static constexpr unsigned kWidth = 16 / sizeof(U) < kKeys ? 16 / sizeof(U) : kKeys;
    U bits[kKeys];
    std::uint32_t valid;  // bit j: element j is there

    // from: the thread's first pack. REQUIRES: a whole tile, aligned to packs.
    TEGU_DEVICE void load_packs(const U* from) {
        TEGU_UNROLL
        for (unsigned p = 0; p < kKeys / kWidth; ++p) {
            const auto pack =
                load_last(reinterpret_cast<const Pack<U, kWidth>*>(from + p * block_threads() * kWidth));
            TEGU_UNROLL
            for (unsigned e = 0; e < kWidth; ++e) bits[p * kWidth + e] = pack.at[e];
        }
    }
    TEGU_DEVICE void load(const KeyedSegment<U>& segment, std::uint64_t base, std::uint64_t end) {
        valid = 0;
        TEGU_UNROLL
        for (unsigned j = 0; j < kKeys; ++j) {
            const std::uint64_t i = base + j * block_threads() + thread_index();
            bits[j] = 0;
            if (i >= end) continue;
            bits[j] = segment.bits(i);
            valid |= 1u << j;
        }
    }
};

// A range of keys, both ends included, and the keys strictly between them.
template <class U>
struct alignas(2 * sizeof(U)) KeyEnds {
    U low;
    U span;  // from low to high
    TEGU_DEVICE U between() const { return static_cast<U>(span - (span != 0 ? 1 : 0)); }
};

// The groups in shared memory. Each has a slot; the last one has all that are left.
template <class U, bool One>
struct SharedGroups {
    static constexpr unsigned kSlots = One ? 1 : kBracketQuantiles;
    KeyEnds<U> ends[kSlots + 1];  // of the slot before; the first one twice
    BracketBins<U> bins[kSlots];
    unsigned count;

    TEGU_DEVICE unsigned group_of(unsigned slot) const { return slot < count ? slot : count - 1; }
    // Thread i calls it for slot i.
    TEGU_DEVICE void set(const BracketMemory& memory, unsigned slot) {
        const unsigned there = One || memory.groups > kSlots ? kSlots : memory.groups;
        const BracketRange& range = memory.group[slot < there ? slot : there - 1].range;
        const KeyEnds<U> own{static_cast<U>(range.low), static_cast<U>(range.high - range.low)};
        ends[slot + 1] = own;
        if (slot == 0) ends[0] = own;
        if (slot == 0) count = there;
        bins[slot].set(range, kBracketBinBits<One>);
    }
};

// The number of slots that begin up to a key.
template <class U, bool One>
struct SlotSearch {
    static constexpr unsigned kSlots = SharedGroups<U, One>::kSlots;
    U starts[kSlots];

    TEGU_DEVICE explicit SlotSearch(const SharedGroups<U, One>& groups) {
        TEGU_UNROLL
        for (unsigned i = 0; i < kSlots; ++i) starts[i] = groups.ends[i + 1].low;
    }
    TEGU_DEVICE unsigned operator()(U key) const {
        if (One) return key >= starts[0] ? 1 : 0;
        const bool upper = key >= starts[kSlots / 2];
        const U middle = upper ? starts[kSlots * 3 / 4] : starts[kSlots / 4];
        const bool second = key >= middle;
        const U left = second ? starts[kSlots / 2 - 1] : starts[0];
        const U right = second ? starts[kSlots - 1] : starts[kSlots / 2 + 1];
        return (upper ? 4u : 0u) + (second ? 2u : 0u) + (key >= (upper ? right : left) ? 1u : 0u);
    }
};
static_assert(kBracketQuantiles == 7, "the search takes three steps");

// The state of a thread that reads tiles.
template <class U, bool Float, bool One>
struct BracketFilter {
    static constexpr unsigned kKeys = kTileKeys<U>;
    using Wide = typename UnsignedOf<(sizeof(U) < 4 ? 4 : sizeof(U))>::type;
    const Bracket& bracket;
    U flip;
    const SharedGroups<U, One>& groups;  // shared
    SlotSearch<U, One> search;
    std::uint32_t* columns;  // several groups: keys of each class, [kBracketClasses][kWarpLanes] shared
    std::uint32_t* bins;     // [slots][kBracketBins<One>] shared
    U* bottom;               // of this lane's stack of keys for the list: every kWarpLanes-th key, shared
    U* top;
    KeyEnds<U> only;          // one group: its range
    std::uint32_t taken;      // one group: keys in all,
    std::uint32_t not_below;  // less those below its range; modulo 2^32, from 0
    std::uint32_t at_low;     // less those not at its lower end
    std::uint32_t from_low;   // less those not in it
    std::uint32_t listed;     // keys in the list
    U largest;

    template <bool Full>
    TEGU_DEVICE void take(const KeyTile<U>& tile) {
        TEGU_UNROLL
        for (unsigned j = 0; j < kKeys; ++j) {
            if (!Full && (tile.valid >> j & 1u) == 0) continue;
            const U key = ascending_key<U, Float>(tile.bits[j], flip);
            if (Float) largest = key > largest ? key : largest;
            if (is_inside(key)) {
                *top = key;
                top += kWarpLanes;
            }
        }
        taken += Full ? kKeys : count_bits(tile.valid);
        if (warp_any(top > bottom + kWarpLanes * (kStackKeys<U> - kKeys))) flush();
    }
    // Counts a key by its class. Returns whether it lies between the ends of a range.
    TEGU_DEVICE bool is_inside(U key) {
        if (One) {
            const Wide distance = subtract_counted(Wide{key}, Wide{only.low}, &not_below);
            subtract_counted(Wide{0}, distance, &at_low);
            subtract_counted(Wide{only.span}, distance, &from_low);
            return static_cast<Wide>(distance - 1) < only.between();
        }
        const unsigned number = search(key);
        const KeyEnds<U> range = groups.ends[number];
        const Wide distance = Wide{key} - range.low;
        // The class behind the range of a slot is 4 * number; those in it come before.
        std::uint32_t left = 3 - 4 * number;
        subtract_counted(Wide{0}, distance, &left);
        subtract_counted(Wide{range.between()}, distance, &left);
        subtract_counted(Wide{range.span}, distance, &left);
        atomic_add(&columns[(0 - left) * kWarpLanes + lane_index()], 1u);
        return static_cast<Wide>(distance - 1) < range.between();
    }
    // Writes the keys of all lanes to the list, and counts them in bins.
    TEGU_DEVICE void flush() {
        std::uint32_t total = 0;
        for (const U* at = bottom; warp_any(at < top); at += kWarpLanes)
            total += count_bits(warp_ballot(at < top));
        if (total == 0) return;
        std::uint64_t first = 0;
        if (lane_index() == 0) first = atomic_add(&bracket.memory->listed, std::uint64_t{total});
        first = shuffle(first, 0);
        TEGU_NO_UNROLL
        for (const U* at = bottom; warp_any(at < top); at += kWarpLanes) {
            const std::uint32_t lanes = warp_ballot(at < top);
            const std::uint64_t own = first + count_bits(lanes & lanes_before());
            first += count_bits(lanes);
            if (at >= top) continue;
            const U key = *at;
            const unsigned slot = One ? 0 : search(key) - 1;
            atomic_add(&bins[slot * kBracketBins<One> + groups.bins[slot].of(key)], 1u);
            if (own < bracket.capacity) static_cast<U*>(bracket.list)[own] = key;
        }
        listed += total;
        top = bottom;
    }
    // Adds this warp's numbers of one group to counters [4] in shared memory.
    TEGU_DEVICE void add_counts(std::uint32_t* counters) const {
        const std::uint32_t inside = lane_index() == 0 ? listed : 0;
        std::uint32_t own[4] = {0 - not_below, taken + at_low, inside, from_low - at_low - inside};
        TEGU_UNROLL
        for (unsigned k = 0; k < 4; ++k) {
            TEGU_UNROLL
            for (unsigned mask = kWarpLanes / 2; mask > 0; mask /= 2)
                own[k] += exchange_word_xor(own[k], mask);
            if (lane_index() == 0) atomic_add(&counters[k], own[k]);
        }
    }
};

// bracket_filter: counts the keys of each class, lists those inside ranges, and counts these in bins.
// in:    elements [begin, end), the groups                  out: list; counts and bins in memory
// grid:  x strides over tiles                               block: policy.count_threads
// shared: 47 KB static at most                              result valid in: out, after the launch
// moves: reads n sizeof(U) B, writes what is listed         order: any
// why:   a key takes 20 instructions for one quantile and 38 for several, on sm_90: a lane keeps the few keys
//        inside ranges in a stack of its own, so lanes seldom wait for one another
template <class U, bool Float, bool One>
TEGU_KERNEL TEGU_BOUNDS2(kBracketThreads, 2)
    bracket_filter(KeySegments in, std::uint64_t begin, std::uint64_t end, Bracket bracket) {
    constexpr unsigned kSlots = SharedGroups<U, One>::kSlots;
    constexpr unsigned kClasses = One ? 4 : kBracketClasses, kCounters = kClasses * (One ? 1 : kWarpLanes);
    TEGU_SHARED_ARRAY(U, stacks, kBracketThreads * kStackKeys<U>);
    using Groups = SharedGroups<U, One>;
    TEGU_SHARED(Groups, groups);
    TEGU_SHARED_ARRAY(std::uint32_t, bins, kSlots * kBracketBins<One>);
    TEGU_SHARED_ARRAY(std::uint32_t, counters, kCounters);
    const KeyedSegment<U> segment(in, 0);
    const bool packed =
        in.cols >= in.n && reinterpret_cast<std::uintptr_t>(segment.elements + begin) % 16 == 0;
    const std::uint64_t tile = std::uint64_t{block_threads()} * kTileKeys<U>;
    const std::uint64_t whole = packed ? (end - begin) / tile : 0;
    const U* packs = segment.elements + begin + block_x() * tile + thread_index() * KeyTile<U>::kWidth;
    KeyTile<U> next;
    if (block_x() < whole) next.load_packs(packs);
    for (unsigned i = thread_index(); i < kCounters; i += block_threads()) counters[i] = 0;
    for (unsigned i = thread_index(); i < kSlots * kBracketBins<One>; i += block_threads()) bins[i] = 0;
    pdl_trigger();
    await_launch_before();
    BracketMemory* const memory = bracket.memory;
    if (thread_index() < kSlots) groups.set(*memory, thread_index());
    block_barrier();
    U* const bottom = stacks + (warp_index() * kWarpLanes * kStackKeys<U> + lane_index());
    BracketFilter<U, Float, One> filter{bracket,
                                        static_cast<U>(in.flip),
                                        groups,
                                        SlotSearch<U, One>(groups),
                                        counters,
                                        bins,
                                        bottom,
                                        bottom,
                                        groups.ends[0],
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0};
    TEGU_NO_UNROLL
    for (std::uint64_t t = block_x(); t < whole; t += grid_x()) {
        const KeyTile<U> own = next;
        packs += grid_x() * tile;
        if (t + grid_x() < whole) next.load_packs(packs);
        filter.template take<true>(own);
    }
    TEGU_NO_UNROLL
    for (std::uint64_t base = begin + (whole + block_x()) * tile; base < end; base += grid_x() * tile) {
        KeyTile<U> rest;
        rest.load(segment, base, end);
        filter.template take<false>(rest);
    }
    filter.flush();
    constexpr U kInfinityKey = static_cast<U>(FloatBits<U>::kInfinity ^ FloatBits<U>::kSign);
    if (warp_any(Float && filter.largest > kInfinityKey) && lane_index() == 0) memory->nans = 1;
    if (One) filter.add_counts(counters);
    block_barrier();
    for (unsigned i = thread_index(); i < kClasses; i += block_threads()) {
        std::uint64_t total = One ? counters[i] : 0;
        for (unsigned lane = 0; !One && lane < kWarpLanes; ++lane)
            total += counters[i * kWarpLanes + (lane + i) % kWarpLanes];
        const unsigned number = One || i == 0 ? i : 4 * groups.group_of((i - 1) / 4) + (i - 1) % 4 + 1;
        if (total != 0) atomic_add(&memory->counts[number], total);
    }
    for (unsigned i = thread_index(); i < kSlots * kBracketBins<One>; i += block_threads()) {
        const unsigned group = groups.group_of(i >> kBracketBinBits<One>);
        if (bins[i] != 0) atomic_add(&memory->group[group].bins[i % kBracketBins<One>], bins[i]);
    }
}

using FilterKernel = void (*)(KeySegments, std::uint64_t, std::uint64_t, Bracket);
// Rows: widths; columns: integers, floats, each of one quantile and of several.
#define TEGU_X(U, Float, word, kind)                            \
    variant(bracket_filter<U, Float, true>, word, kind, "one"), \
        variant(bracket_filter<U, Float, false>, word, kind, "several")
constexpr KernelTable<FilterKernel, 16> kBracketFilter = {"bracket_filter",
                                                          "reads n elements, writes those near the quantiles",
                                                          {TEGU_X(std::uint8_t, false, "u8", "integer"),
                                                           {},
                                                           {},
                                                           TEGU_X(std::uint16_t, false, "u16", "integer"),
                                                           TEGU_X(std::uint16_t, true, "u16", "float"),
                                                           TEGU_X(std::uint32_t, false, "u32", "integer"),
                                                           TEGU_X(std::uint32_t, true, "u32", "float"),
                                                           TEGU_X(std::uint64_t, false, "u64", "integer"),
                                                           TEGU_X(std::uint64_t, true, "u64", "float")}};
#undef TEGU_X

}  // namespace

LaunchStatus launch_bracket_filter(const KeySegments& in, const ElementRange& range,
                                   const QuantileOutput& output, const Bracket& bracket,
                                   const QuantileConfig& config) {
    const bool one = output.quantiles == 1;
    const unsigned threads =
        config.policy.count_threads < kBracketThreads ? config.policy.count_threads : kBracketThreads;
    const std::uint64_t tiles =
        (range.end - range.begin) /
            (std::uint64_t{threads} * (in.width == 8 ? kTileKeys<std::uint64_t> : kTileKeys<std::uint32_t>)) +
        1;
    const std::uint64_t max = 2 * std::uint64_t{config.limits.multiprocessors};
    const LaunchShape shape{static_cast<unsigned>(tiles < max ? tiles : max), 1, threads, 0};
    return launch_pdl(kBracketFilter[4 * width_index(in.width) + (in.is_float ? 2 : 0) + (one ? 0 : 1)],
                      shape, config.limits, config.stream, in, range.begin, range.end, bracket);
}

void list_quantile_bracket_kernels(KernelLister& to) {
    to.add(4, listed(kBracketFilter, BlockSize{kBracketThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
