// SPDX-License-Identifier: Apache-2.0
// Few results of many short segments: each warp holds one segment in registers and takes its best pairs one
// after the other. That costs a few instructions a result, and no barrier, where a sort in shared memory
// costs dozens of steps.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"
#include "kernels/selection/cuda/sort_key.cuh"
#include "kernels/topk/cuda/topk.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kRowThreads = 256;

// The neighbouring elements of a segment that a lane holds, best first; those of equal key in their order.
template <unsigned Items>
struct LaneItems {
    std::uint32_t keys[Items];
    unsigned places[Items];
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
            places[j] = first + j;
        }
    }
    // Odd and even neighbours in turn: what is equal never changes places, and what is missing stays behind.
    TEGU_DEVICE void sort() {
        TEGU_UNROLL
        for (unsigned step = 0; step < Items; ++step) {
            TEGU_UNROLL
            for (unsigned j = step % 2; j + 1 < Items; j += 2) {
                const bool swap = keys[j + 1] < keys[j];
                const std::uint32_t key = keys[j];
                const unsigned place = places[j];
                keys[j] = swap ? keys[j + 1] : key;
                places[j] = swap ? places[j + 1] : place;
                keys[j + 1] = swap ? key : keys[j + 1];
                places[j + 1] = swap ? place : places[j + 1];
            }
        }
    }
    TEGU_DEVICE void drop_first(bool drop) {
        TEGU_UNROLL
        for (unsigned j = 0; j + 1 < Items; ++j) {
            keys[j] = drop ? keys[j + 1] : keys[j];
            places[j] = drop ? places[j + 1] : places[j];
        }
        if (drop) --left;
    }
};

// select_rows: the best k pairs of each segment, or of its different keys.
// in:    elements [n], n <= 32 * Items                      out: the output
// grid:  x = segments / 8, a warp each                     block: 256
// shared: none                                              result valid in: the output, after the launch
// moves: reads n sizeof(U) B, writes k (sizeof(U) + 8) B    order: any
// why:   the best of all is the best of the lanes' first: one reduction a result
template <class U, unsigned Items>
TEGU_KERNEL TEGU_BOUNDS(kRowThreads) select_rows(Segments in, TopkOutput output) {
    const std::uint64_t number = std::uint64_t{block_x()} * (kRowThreads / kWarpLanes) + warp_index();
    if (number >= in.count) return;
    const KeyedSegment<U> segment(in, number);
    LaneItems<Items> items;
    items.load(segment);
    items.sort();
    U* const values = static_cast<U*>(output.values) + number * output.k;
    std::uint64_t* const places = output.indices + number * output.k;
    std::uint64_t found = 0;
    std::uint32_t last = 0;  // with `distinct`: the key of the result before
    std::uint32_t own_key = 0;
    unsigned own_place = 0;
    for (;;) {
        const std::uint32_t best = warp_min(items.left != 0 ? items.keys[0] : ~std::uint32_t{0});
        const std::uint32_t lanes = warp_ballot(items.left != 0 && items.keys[0] == best);
        if (lanes == 0 || found == output.k) break;
        const unsigned first = trailing_zeros(lanes);
        if (!output.distinct || found == 0 || best != last) {
            const unsigned place = shuffle(items.places[0], first);
            if (found % kWarpLanes == lane_index()) {
                own_key = best;
                own_place = place;
            }
            ++found;
            last = best;
            if (found % kWarpLanes == 0) {
                values[found - kWarpLanes + lane_index()] =
                    decode_key(static_cast<U>(own_key), segment.flip, segment.is_float);
                places[found - kWarpLanes + lane_index()] = own_place;
            }
        }
        items.drop_first(output.distinct ? (lanes >> lane_index() & 1u) != 0 : lane_index() == first);
    }
    if (lane_index() < found % kWarpLanes) {
        const std::uint64_t to = found / kWarpLanes * kWarpLanes + lane_index();
        values[to] = decode_key(static_cast<U>(own_key), segment.flip, segment.is_float);
        places[to] = own_place;
    }
    if (!output.distinct) return;
    for (std::uint64_t i = found + lane_index(); i < output.k; i += kWarpLanes) {
        values[i] = 0;
        places[i] = ~std::uint64_t{0};
    }
    if (lane_index() == 0) output.counts[number] = found;
}

template <class U>
LaunchStatus launch_rows(const Segments& in, const TopkOutput& output, Stream stream) {
    const unsigned warps = kRowThreads / kWarpLanes;
    const LaunchShape shape{static_cast<unsigned>((in.count + warps - 1) / warps), 1, kRowThreads, 0};
    if (in.n <= 4 * kWarpLanes) return launch(select_rows<U, 4>, shape, stream, in, output);
    return launch(select_rows<U, 8>, shape, stream, in, output);
}

}  // namespace

LaunchStatus launch_select_rows(const Segments& in, const TopkOutput& output, Stream stream) {
    switch (in.width) {
        case 1: return launch_rows<std::uint8_t>(in, output, stream);
        case 2: return launch_rows<std::uint16_t>(in, output, stream);
        default: return launch_rows<std::uint32_t>(in, output, stream);
    }
}

namespace {

template <class U>
void list_width(KernelLister& to, const char* word) {
    to.add("select_rows", {word, "4"}, select_rows<U, 4>, kRowThreads, 0,
           "reads n elements, writes k values and indices");
    to.add("select_rows", {word, "8"}, select_rows<U, 8>, kRowThreads, 0,
           "reads n elements, writes k values and indices");
}

}  // namespace

void list_topk_rows_kernels(KernelLister& to) {
    list_width<std::uint8_t>(to, "u8");
    list_width<std::uint16_t>(to, "u16");
    list_width<std::uint32_t>(to, "u32");
}

}  // namespace cuda
}  // namespace tegu
