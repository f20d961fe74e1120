// SPDX-License-Identifier: Apache-2.0
// Selects few results of many short segments. Each warp holds one segment in registers and takes its best
// pairs one by one. A result costs a few instructions and no barrier; a sort in shared memory costs dozens of
// steps.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/selection/cuda/sort_key.cuh"
#include "kernels/topk/cuda/topk.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kRowThreads = 256;

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

// Rows: widths; columns: up to 4 and up to 8 elements in each lane.
constexpr KernelTable<decltype(&select_rows<std::uint8_t, 4>), 6> kSelectRows = {
    "select_rows",
    "reads n elements, writes k values and indices",
    {numbered(select_rows<std::uint8_t, 4>, "u8", 4u), numbered(select_rows<std::uint8_t, 8>, "u8", 8u),
     numbered(select_rows<std::uint16_t, 4>, "u16", 4u), numbered(select_rows<std::uint16_t, 8>, "u16", 8u),
     numbered(select_rows<std::uint32_t, 4>, "u32", 4u), numbered(select_rows<std::uint32_t, 8>, "u32", 8u)}};

}  // namespace

LaunchStatus launch_select_rows(const KeySegments& in, const SelectionOutput& output, Stream stream) {
    const unsigned warps = kRowThreads / kWarpLanes;
    const LaunchShape shape{static_cast<unsigned>((in.count + warps - 1) / warps), 1, kRowThreads, 0};
    return launch(kSelectRows[2 * width_index(in.width) + (in.n <= 4 * kWarpLanes ? 0 : 1)], shape, stream,
                  in, output);
}

void list_topk_rows_kernels(KernelLister& to) {
    to.add(1, listed(kSelectRows, BlockSize{kRowThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
