// SPDX-License-Identifier: Apache-2.0
// Finds few quantiles of a segment in one block: narrows the range of keys until few are left. A segment that
// fits the registers of a block is read once.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/quantile/cuda/finish.cuh"
#include "kernels/quantile/cuda/window.cuh"

namespace tegu {
namespace cuda {
namespace {

// Writes all quantiles of a segment.
template <class U, class Source>
TEGU_DEVICE void block_quantiles(const Source& source, const KeyedSegment<U>& segment,
                                 const QuantileResults<U>& results) {
    TEGU_SHARED_ARRAY(ThreadBins, bins, kHeldThreads);
    TEGU_SHARED_ARRAY(U, keys, kWindow);
    TEGU_SHARED(std::uint32_t, used);
    const std::uint32_t n = static_cast<std::uint32_t>(segment.n);
    const U nan = nan_key(segment);
    const KeyRange<U> whole = block_range<U>(source, n);
    std::uint32_t nans = 0;
    if (segment.is_float && whole.high == nan) {
        std::uint32_t own = 0;
        for_each_pair<U>(source, n,
                         [&](std::uint64_t, U key, bool valid) { own += valid && key == nan ? 1 : 0; });
        block_sum_before(own, &nans);
    }
    if (!results.are_numbers(n, nans)) {
        for (std::uint64_t i = thread_index(); i < results.output.quantiles; i += block_threads())
            results.write_nan(i);
        return;
    }
    const WindowSearch<U, Source> search{source, n, whole, bins, keys, &used};
    for (std::uint64_t i = 0; i < results.output.quantiles; ++i) {
        const QuantilePosition position = results.position(i, n - nans);
        const std::uint32_t rank = static_cast<std::uint32_t>(position.rank);
        const std::uint32_t next = position.last || rank + 1 >= n ? rank : rank + 1;
        const auto found = search.find(rank, next);
        U next_key = found.next;
        if (!found.has_next) next_key = search.find(next, next).key;
        if (thread_index() == 0) results.write(i, position, found.key, next_key);
    }
}

// quantile_windows: finds each quantile of a segment from the few keys around it.
// in:    elements [n]                                out: the output
// grid:  x = segments                               block: enough to hold a segment, at most 512
// shared: up to 10 KB static                         result valid in: the output, after the launch
// moves: reads n sizeof(U) B, writes the quantiles; a segment that is not held is read again 2 to 3 times for
//        each quantile, from L2 where it fits
// order: any
// why:   a sort moves every element dozens of times; registers are searched again at no cost in memory
template <class U, bool Held>
TEGU_KERNEL TEGU_BOUNDS2(kHeldThreads, 2) quantile_windows(KeySegments in, QuantileOutput output) {
    const KeyedSegment<U> segment(in, block_x());
    const QuantileResults<U> results(output, segment, block_x());
    if (Held) {
        const HeldSegment<U, kHeldItems<U>> held(segment, static_cast<unsigned>(in.n));
        block_quantiles(held, segment, results);
    } else {
        block_quantiles(segment, segment, results);
    }
}

constexpr KernelTable<void (*)(KeySegments, QuantileOutput), 8> kQuantileWindows = {
    "quantile_windows",
    "reads n elements, and 2 to 3 times for each quantile if they are not held; writes the quantiles",
#define TEGU_X(U, word) \
    variant(quantile_windows<U, false>, word), variant(quantile_windows<U, true>, word, "held")
    {TEGU_WIDTHS(TEGU_X)}};
#undef TEGU_X

}  // namespace

LaunchStatus launch_quantile_windows(const KeySegments& in, const QuantileOutput& output,
                                     const QuantileConfig& config) {
    const unsigned threads = held_threads(in.n, in.width, config.policy.block_threads);
    const bool held = is_held(in, threads);
    return launch(kQuantileWindows[2 * width_index(in.width) + (held ? 1 : 0)],
                  LaunchShape{static_cast<unsigned>(in.count), 1, threads, 0}, config.stream, in, output);
}

void list_quantile_windows_kernels(KernelLister& to) {
    to.add(4, listed(kQuantileWindows, BlockSize{kHeldThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
