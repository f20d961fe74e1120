// SPDX-License-Identifier: Apache-2.0
// Selects few results of many short segments. Each warp holds one segment in registers. It ranks the few
// pairs that pass a bound, or takes the best pairs one by one.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/selection/cuda/sort_key.cuh"
#include "kernels/topk/cuda/topk.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kRowThreads = 256;
// Blocks for which the registers of select_best_rows() leave room. Where a block has half of the registers,
// three would spill.
constexpr unsigned kBestRowBlocks = kBlocksForRegisters == 1 ? 3 : 2;

// The adjacent elements of a segment that a lane holds, best first; equal keys stay in order.
template <unsigned Items>
struct LaneItems {
    std::uint32_t keys[Items];
    unsigned indices[Items];
    unsigned left;

    template <class U>
    TEGU_DEVICE void load(const KeyedSegment<U>& segment) {
        const unsigned first = lane_index() * Items;
        const unsigned n = static_cast<unsigned>(segment.n);
        left = first < n ? (n - first < Items ? n - first : Items) : 0;
        TEGU_UNROLL
        for (unsigned j = 0; j < Items; ++j) keys[j] = segment.bits(first + j < n ? first + j : 0);
        TEGU_UNROLL
        for (unsigned j = 0; j < Items; ++j) {
            keys[j] = j < left ? std::uint32_t{segment.key_of(static_cast<U>(keys[j]))} : ~std::uint32_t{0};
            indices[j] = first + j;
        }
    }
    // Compares odd and even neighbours in turn. Equal keys never swap, and missing elements stay behind.
    TEGU_DEVICE void sort() {
        TEGU_UNROLL
        for (unsigned step = 0; step < Items; ++step) {
            TEGU_UNROLL
            for (unsigned j = step % 2; j + 1 < Items; j += 2) {
                const bool swap = keys[j + 1] < keys[j];
                const std::uint32_t key = keys[j];
                const unsigned index = indices[j];
                keys[j] = swap ? keys[j + 1] : key;
                indices[j] = swap ? indices[j + 1] : index;
                keys[j + 1] = swap ? key : keys[j + 1];
                indices[j + 1] = swap ? index : indices[j + 1];
            }
        }
    }
    TEGU_DEVICE void drop_first(bool drop) {
        TEGU_UNROLL
        for (unsigned j = 0; j + 1 < Items; ++j) {
            keys[j] = drop ? keys[j + 1] : keys[j];
            indices[j] = drop ? indices[j + 1] : indices[j];
        }
        if (drop) --left;
    }
};

// select_rows: the best k pairs of each segment, or of its different keys.
// in:    elements [n], n <= 32 * Items                      out: the output
// grid:  x = segments / 8, a warp each                     block: 256
// shared: none                                              result valid in: the output, after the launch
// moves: reads n sizeof(U) B, writes k (sizeof(U) + 8) B    order: any
// why:   the best of all is the best of the lanes' first elements: one reduction for each result
template <class U, unsigned Items>
TEGU_KERNEL TEGU_BOUNDS(kRowThreads) select_rows(KeySegments in, SelectionOutput output) {
    const std::uint64_t number = std::uint64_t{block_x()} * (kRowThreads / kWarpLanes) + warp_index();
    if (number >= in.count) return;
    const KeyedSegment<U> segment(in, number);
    LaneItems<Items> items;
    items.load(segment);
    items.sort();
    U* const values = static_cast<U*>(output.values) + number * output.k;
    std::uint64_t* const out_indices = output.indices + number * output.k;
    std::uint64_t found = 0;
    std::uint32_t last = 0;  // with `distinct`: the key of the previous result
    std::uint32_t own_key = 0;
    unsigned own_index = 0;
    for (;;) {
        const std::uint32_t best = warp_min(items.left != 0 ? items.keys[0] : ~std::uint32_t{0});
        const std::uint32_t lanes = warp_ballot(items.left != 0 && items.keys[0] == best);
        if (lanes == 0 || found == output.k) break;
        const unsigned first = trailing_zeros(lanes);
        if (!output.distinct || found == 0 || best != last) {
            const unsigned index = shuffle(items.indices[0], first);
            if (found % kWarpLanes == lane_index()) {
                own_key = best;
                own_index = index;
            }
            ++found;
            last = best;
            if (found % kWarpLanes == 0) {
                values[found - kWarpLanes + lane_index()] =
                    decode_key(static_cast<U>(own_key), segment.flip, segment.is_float);
                out_indices[found - kWarpLanes + lane_index()] = own_index;
            }
        }
        items.drop_first(output.distinct ? (lanes >> lane_index() & 1u) != 0 : lane_index() == first);
    }
    if (lane_index() < found % kWarpLanes) {
        const std::uint64_t to = found / kWarpLanes * kWarpLanes + lane_index();
        values[to] = decode_key(static_cast<U>(own_key), segment.flip, segment.is_float);
        out_indices[to] = own_index;
    }
    if (!output.distinct) return;
    for (std::uint64_t i = found + lane_index(); i < output.k; i += kWarpLanes) {
        values[i] = 0;
        out_indices[i] = ~std::uint64_t{0};
    }
    if (lane_index() == 0) output.counts[number] = found;
}

// The elements of a dense segment that a lane holds, as keys: packs of 16 bytes, 32 packs apart.
template <class U, unsigned Items>
struct LanePacks {
    static constexpr unsigned kWidth = 16 / sizeof(U) < Items ? 16 / sizeof(U) : Items;
    std::uint32_t keys[Items];

    TEGU_DEVICE static unsigned position(unsigned j) {
        return (j / kWidth * kWarpLanes + lane_index()) * kWidth + j % kWidth;
    }
    // Missing elements get the key of all ones.
    TEGU_DEVICE LanePacks(const KeyedSegment<U>& segment, unsigned n) {
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
            keys[j] =
                position(j) < n ? std::uint32_t{segment.key_of(static_cast<U>(keys[j]))} : ~std::uint32_t{0};
    }
};

// Sorts a word of each lane, by a bitonic network.
TEGU_DEVICE std::uint32_t sort_lanes(std::uint32_t word) {
    TEGU_UNROLL
    for (unsigned run = 2; run <= kWarpLanes; run *= 2) {
        TEGU_UNROLL
        for (unsigned stride = run / 2; stride > 0; stride /= 2) {
            const std::uint32_t other = shuffle_xor(word, stride);
            const bool smaller = ((lane_index() & stride) == 0) == ((lane_index() & run) == 0);
            word = (other < word) == smaller ? other : word;
        }
    }
    return word;
}

// select_best_rows: the best k pairs of each segment.
// in:    elements [n], dense, n <= 32 * Items; k <= 16      out: the output
// grid:  x = segments / 8, a warp each                     block: 256
// shared: 2 KB static                                       result valid in: the output, after the launch
// moves: reads n sizeof(U) B, writes k (sizeof(U) + 8) B    order: any
// why:   the k-th of the lanes' best keys is a bound; mostly less than 32 pairs pass it, and each lane ranks
//        one of them
template <class U, unsigned Items>
TEGU_KERNEL TEGU_BOUNDS2(kRowThreads, kBestRowBlocks)
    select_best_rows(KeySegments in, SelectionOutput output) {
    TEGU_SHARED_ARRAY(std::uint64_t, shared, kRowThreads);
    const std::uint64_t number = std::uint64_t{block_x()} * (kRowThreads / kWarpLanes) + warp_index();
    if (number >= in.count) return;
    const KeyedSegment<U> segment(in, number);
    const unsigned n = static_cast<unsigned>(in.n), k = static_cast<unsigned>(output.k);
    const LanePacks<U, Items> held(segment, n);
    std::uint64_t* const pairs = shared + warp_index() * kWarpLanes;
    U* const values = static_cast<U*>(output.values) + number * k;
    std::uint64_t* const indices = output.indices + number * k;
    const auto write = [&](unsigned rank, std::uint64_t pair) {
        values[rank] = decode_key(static_cast<U>(pair >> 32), segment.flip, segment.is_float);
        indices[rank] = pair & 0xffffffffu;
    };
    std::uint32_t best = ~std::uint32_t{0};
    TEGU_UNROLL
    for (unsigned j = 0; j < Items; ++j) best = held.keys[j] < best ? held.keys[j] : best;
    const std::uint32_t bound = shuffle(sort_lanes(best), k - 1);
    std::uint32_t mask = 0;
    TEGU_UNROLL
    for (unsigned j = 0; j < Items; ++j)
        if (held.keys[j] <= bound && held.position(j) < n) mask |= 1u << j;
    const unsigned own = count_bits(mask);
    unsigned sum = own;
    TEGU_UNROLL
    for (unsigned delta = 1; delta < kWarpLanes; delta *= 2) {
        const unsigned lower = shuffle_up(sum, delta);
        if (lane_index() >= delta) sum += lower;
    }
    const unsigned total = shuffle(sum, kWarpLanes - 1);
    if (total <= kWarpLanes) {
        unsigned slot = sum - own;
        TEGU_UNROLL
        for (unsigned j = 0; j < Items; ++j)
            if ((mask >> j & 1u) != 0) pairs[slot++] = std::uint64_t{held.keys[j]} << 32 | held.position(j);
        warp_barrier();
        const std::uint64_t pair = pairs[lane_index() < total ? lane_index() : 0];
        unsigned rank = 0;
        for (unsigned other = 0; other < total; ++other) rank += pairs[other] < pair ? 1 : 0;
        if (lane_index() < total && rank < k) write(rank, pair);
        return;
    }
    // Many equal keys, or much of the best in few lanes: one pair after the other.
    for (unsigned rank = 0; rank < k; ++rank) {
        std::uint64_t pair = ~std::uint64_t{0};
        TEGU_UNROLL
        for (unsigned j = 0; j < Items; ++j) {
            const std::uint64_t other = std::uint64_t{held.keys[j]} << 32 | held.position(j);
            if ((mask >> j & 1u) != 0 && other < pair) pair = other;
        }
        const std::uint32_t key = warp_min(static_cast<std::uint32_t>(pair >> 32));
        const bool ties = pair >> 32 == key;
        const std::uint32_t index = warp_min(ties ? static_cast<std::uint32_t>(pair) : ~std::uint32_t{0});
        TEGU_UNROLL
        for (unsigned j = 0; j < Items; ++j)
            if (held.position(j) == index) mask &= ~(1u << j);
        if (lane_index() == 0) write(rank, std::uint64_t{key} << 32 | index);
    }
}

// Rows: widths; columns: up to 4 and up to 8 elements in each lane.
constexpr KernelTable<decltype(&select_rows<std::uint8_t, 4>), 6> kSelectRows = {
    "select_rows",
    "reads n elements, writes k values and indices",
    {numbered(select_rows<std::uint8_t, 4>, "u8", 4u), numbered(select_rows<std::uint8_t, 8>, "u8", 8u),
     numbered(select_rows<std::uint16_t, 4>, "u16", 4u), numbered(select_rows<std::uint16_t, 8>, "u16", 8u),
     numbered(select_rows<std::uint32_t, 4>, "u32", 4u), numbered(select_rows<std::uint32_t, 8>, "u32", 8u)}};

// Rows: widths; columns: up to 4, 8, 16 and 32 elements in each lane.
constexpr unsigned kLaneColumns = 4;
#define TEGU_X(U, word)                                                                     \
    numbered(select_best_rows<U, 4>, word, 4u), numbered(select_best_rows<U, 8>, word, 8u), \
        numbered(select_best_rows<U, 16>, word, 16u), numbered(select_best_rows<U, 32>, word, 32u)
constexpr KernelTable<decltype(&select_best_rows<std::uint8_t, 4>), 3 * kLaneColumns> kSelectBestRows = {
    "select_best_rows",
    "reads n elements, writes k values and indices",
    {TEGU_X(std::uint8_t, "u8"), TEGU_X(std::uint16_t, "u16"), TEGU_X(std::uint32_t, "u32")}};
#undef TEGU_X

}  // namespace

bool can_select_best_rows(const KeySegments& in, std::uint64_t k) {
    return in.width <= 4 && in.cols >= in.n && in.n <= 32 * kWarpLanes && k <= 16 && 2 * k <= in.n / 8;
}

LaunchStatus launch_select_best_rows(const KeySegments& in, const SelectionOutput& output, Stream stream) {
    unsigned column = 0;
    while (in.n > (std::uint64_t{4} << column) * kWarpLanes) ++column;
    const unsigned warps = kRowThreads / kWarpLanes;
    const LaunchShape shape{static_cast<unsigned>((in.count + warps - 1) / warps), 1, kRowThreads, 0};
    return launch(kSelectBestRows[kLaneColumns * width_index(in.width) + column], shape, stream, in, output);
}

LaunchStatus launch_select_rows(const KeySegments& in, const SelectionOutput& output, Stream stream) {
    const unsigned warps = kRowThreads / kWarpLanes;
    const LaunchShape shape{static_cast<unsigned>((in.count + warps - 1) / warps), 1, kRowThreads, 0};
    return launch(kSelectRows[2 * width_index(in.width) + (in.n <= 4 * kWarpLanes ? 0 : 1)], shape, stream,
                  in, output);
}

void list_topk_rows_kernels(KernelLister& to) {
    to.add(1, listed(kSelectRows, BlockSize{kRowThreads, 0}),
           listed(kSelectBestRows, BlockSize{kRowThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
