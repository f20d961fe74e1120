// SPDX-License-Identifier: Apache-2.0
// Counts all digits of the keys before a sort, in one pass, and plans the passes of the sort.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/selection/cuda/block.cuh"
#include "kernels/selection/cuda/sort_data.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kCountThreads = 512;
constexpr unsigned kCountTile = kCountThreads * kSelectBatch;  // pairs that a block loads at once

// Makes the plan of a segment from the counts of all its digits, and leaves them zero. All threads of a block
// call it.
TEGU_DEVICE void block_plan(const SortData& data, unsigned digits, std::uint64_t size) {
    SortPlan* const plan = data.plan();
    std::uint32_t* const counts = data.counts();
    std::uint32_t passes = 0;
    for (unsigned digit = 0; digit < digits; ++digit) {
        std::uint32_t* const count = counts + digit * kSortDigits + thread_index();
        const bool counts_here = thread_index() < kSortDigits;
        const std::uint32_t own = counts_here ? *count : 0;
        std::uint32_t total;
        const std::uint32_t start = block_sum_before<std::uint32_t>(own, &total);
        if (counts_here) {
            plan->starts[digit * kSortDigits + thread_index()] = start;
            *count = 0;
        }
        const bool all_agree = block_any(counts_here && own == size);
        if (all_agree && (passes != 0 || digit + 1 != digits)) continue;
        if (thread_index() == 0) plan->digits[passes] = digit;
        ++passes;
    }
    if (thread_index() == 0) plan->passes = passes;
}

// sort_count: the counts of all digits, and the plan of the passes.
// in:    elements [begin, end), or the survivors in keys[0]
// out:   keys[0] of all elements; counts, and after the last piece the plan; the words of tiles, zero
// grid:  x strides over the pairs, y = segments    block: 512
// shared: sizeof(U) KB static                       result valid in: the plan, after the last launch
// moves: reads n sizeof(U) B; of all elements, writes as much; writes 2 KB a tile      order: any
// why:   elements may change meanwhile, so the passes sort a copy; the last block makes the plan without
//        another launch
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kCountThreads)
    sort_count(SortData data, std::uint64_t begin, std::uint64_t end, bool is_last) {
    TEGU_SHARED_ARRAY(std::uint32_t, bins, sizeof(U) * kSortDigits);
    pdl_trigger();
    for (unsigned bin = thread_index(); bin < sizeof(U) * kSortDigits; bin += block_threads()) bins[bin] = 0;
    await_launch_before();
    const std::uint64_t number = block_y(), size = data.size();
    const std::uint64_t first = std::uint64_t{block_x()} * block_threads() + thread_index();
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    if (begin == 0) {
        const std::uint64_t words = std::uint64_t{data.tiles} * kSortDigits;
        for (std::uint64_t i = first; i < words; i += stride) data.buffers.tiles[number * words + i] = 0;
        for (std::uint64_t i = first; data.of_survivors() && i < data.survivors.blocks; i += stride)
            data.survivors.counts[number * data.survivors.blocks + i] = 0;
    }
    if (end > size) end = size;
    const KeyedSegment<U> segment(data.in, number);
    U* const kept = data.keys<U>(0);
    const bool is_dense = data.of_survivors() || segment.reciprocal == 0;
    const U* const source = data.of_survivors() ? kept : segment.elements;
    block_barrier();
    for (std::uint64_t base = begin + std::uint64_t{block_x()} * kCountTile; base < end;
         base += std::uint64_t{grid_x()} * kCountTile) {
        const unsigned count = end - base < kCountTile ? static_cast<unsigned>(end - base) : kCountTile;
        U keys[kSelectBatch];
        if (is_dense && count == kCountTile) {
            TEGU_UNROLL
            for (unsigned j = 0; j < kSelectBatch; ++j)
                keys[j] = source[base + thread_index() + j * kCountThreads];
        } else {
            TEGU_UNROLL
            for (unsigned j = 0; j < kSelectBatch; ++j) {
                const unsigned i = thread_index() + j * kCountThreads;
                const std::uint64_t at = base + (i < count ? i : 0);
                keys[j] = is_dense ? source[at] : segment.bits(at);
            }
        }
        if (!data.of_survivors()) {
            TEGU_UNROLL
            for (unsigned j = 0; j < kSelectBatch; ++j) {
                const unsigned i = thread_index() + j * kCountThreads;
                keys[j] = segment.key_of(keys[j]);
                if (i < count) (kept + base)[i] = keys[j];
            }
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j) {
            if (thread_index() + j * kCountThreads >= count) continue;
            TEGU_UNROLL
            for (unsigned digit = 0; digit < sizeof(U); ++digit)
                atomic_add(&bins[digit * kSortDigits + digit_of(keys[j], digit)], 1u);
        }
    }
    block_barrier();
    std::uint32_t* const counts = data.counts();
    for (unsigned bin = thread_index(); bin < sizeof(U) * kSortDigits; bin += block_threads())
        if (bins[bin] != 0) atomic_add(&counts[bin], bins[bin]);
    if (is_last && last_block(data.tickets() + sizeof(U), grid_x())) block_plan(data, sizeof(U), size);
}

constexpr KernelTable<void (*)(SortData, std::uint64_t, std::uint64_t, bool), 4> kSortCount = {
    "sort_count", "reads n elements, writes their ranks", {TEGU_BY_WIDTH(sort_count)}};

}  // namespace

LaunchStatus launch_sort_count(const SortJob& job, const SortData& data, const SelectionConfig& config) {
    const std::uint64_t capacity = job.buffers.capacity;
    return in_pieces(job.pieces, capacity, job.in.count, [&](std::uint64_t begin, std::uint64_t some) {
        const unsigned blocks = blocks_for(ceil_divide(some, kSelectBatch), kCountThreads, 1, config.limits);
        const LaunchShape shape{blocks, static_cast<unsigned>(job.in.count), kCountThreads, 0};
        return launch_pdl(kSortCount[width_index(job.in.width)], shape, config.limits, config.stream, data,
                          begin, begin + some, begin + some == capacity);
    });
}

void list_selection_sort_count_kernels(KernelLister& to) {
    to.add(4, listed(kSortCount, BlockSize{kCountThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
