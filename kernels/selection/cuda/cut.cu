// SPDX-License-Identifier: Apache-2.0
// Finds cuts in one of two ways: anywhere in a sample that one block holds in registers, or by counting.
// cut_minima.cu has a third.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch.cuh"
#include "kernels/selection/cuda/sample.cuh"

namespace tegu {
namespace cuda {
namespace {

// --- from a sample

// sample_cut: a cut behind the best `rank` pairs of a sample, and not far behind.
// in:    elements [n]                                       out: states, all of it
// grid:  x = segments
// block: policy.block_threads, fewer for small samples
// shared: 9 KB static                                       result valid in: states, after the launch
// moves: reads `sample` sectors of memory, all at once      order: any
// why:   a second read of memory would cost as much as all else; counting in ranges ends as soon as the cut
//        is good enough
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters)
    sample_cut(KeySegments in, std::uint64_t sample, std::uint64_t rank, std::uint64_t enough,
               SelectState* states) {
    TEGU_SHARED_ARRAY(std::uint32_t, bins, kSelectBins);
    const HeldSample<U> held(KeyedSegment<U>(in, block_x()), sample);
    const SelectRange range = block_narrow<U>(held, sample, rank, enough, in.n - 1, bins);
    if (thread_index() == 0)
        states[block_x()] =
            SelectState{static_cast<U>(range.cut_key()), range.cut_index(), 0, 0, ~std::uint64_t{0}};
}

constexpr const char* kSectors = "reads a sector of 32 B an element of the sample";
constexpr KernelTable<decltype(&sample_cut<std::uint8_t>), 4> kSampleCut = {
    "sample_cut", kSectors, {TEGU_BY_WIDTH(sample_cut)}};

// --- by counting

// The progress of launch_exact_cut for a segment, stored behind its bins.
struct CutProgress {
    SelectRange range;  // low > high: not started
    std::uint64_t done;
};
static_assert(sizeof(CutProgress) <= 8 * (kCutWords - kSelectBins), "kCutWords is too small");

// count_bins: one step of the search for a cut: counts the elements in the bins of the range, and continues
// in the bin of the k-th.
// in:    elements [begin, end); bins, tickets and progress, zero at first
// out:   the same; at the end states[].key and index
// grid:  x strides over the elements, y = segments                   block: policy.filter_threads
// shared: 8 KB static
// result valid in: states, when all steps are done
// moves: reads n sizeof(U) B                                          order: any
// why:   the last block of a segment does the step, so no other launch is needed; a block does not add empty
//        bins
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads / kBlocksForRegisters)
    count_bins(KeySegments in, std::uint64_t begin, std::uint64_t end, std::uint64_t k, std::uint64_t max,
               SelectState* states, std::uint64_t* all_bins, std::uint32_t* tickets, bool first) {
    TEGU_SHARED_ARRAY(std::uint32_t, own_bins, kSelectBins);
    const std::uint64_t number = block_y();
    const KeyedSegment<U> segment(in, number);
    std::uint64_t* const bins = all_bins + number * kCutWords;
    CutProgress* const progress = reinterpret_cast<CutProgress*>(bins + kSelectBins);
    if (!first && progress->done != 0) return;
    SelectRange range = progress->range;
    if (first) range = SelectRange{0, static_cast<U>(~U{0}), 0, in.n, 0, false};
    for (unsigned bin = thread_index(); bin < kSelectBins; bin += block_threads()) own_bins[bin] = 0;
    block_barrier();
    const unsigned shift = range.shift();
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = begin + std::uint64_t{block_x()} * block_threads() + thread_index(); i < end;
         i += stride) {
        const U key = segment.key(i);
        if (range.by_index && key != range.tie) continue;
        const std::uint64_t value = range.by_index ? i : key;
        if (range.holds(value)) atomic_add(&own_bins[(value - range.low) >> shift], 1u);
    }
    block_barrier();
    for (unsigned bin = thread_index(); bin < kSelectBins; bin += block_threads())
        if (own_bins[bin] != 0) atomic_add(&bins[bin], std::uint64_t{own_bins[bin]});
    if (end < in.n || !last_block(&tickets[number], grid_x())) return;
    BinRun run;
    const bool found = block_find_run(bins, k - range.before, 0, 0, &run);
    for (unsigned b = thread_index(); b < kSelectBins; b += block_threads()) bins[b] = 0;
    if (found) range.enter(run.first, run.last, run.before, run.inside);
    bool done = !found || range.before + range.inside <= max;
    if (!done && range.low >= range.high) {
        done = range.by_index;
        if (!done) range.go_by_index(in.n - 1);
    }
    if (thread_index() != 0) return;
    progress->range = range;
    progress->done = done;
    states[number].key = range.cut_key();
    states[number].index = range.cut_index();
}

constexpr KernelTable<decltype(&count_bins<std::uint8_t>), 4> kCountBins = {
    "count_bins", "reads n elements", {TEGU_BY_WIDTH(count_bins)}};

}  // namespace

std::uint64_t sample_size(std::uint64_t n, unsigned width, const SelectionPolicy& policy,
                          const DeviceLimits& limits) {
    const unsigned threads = block_threads_of(policy.block_threads, limits);
    const std::uint64_t max = std::uint64_t{threads} * held_pairs(width);
    const std::uint64_t wanted = n < std::uint64_t{policy.sample} << 12 ? policy.sample : 2 * policy.sample;
    const std::uint64_t sample = wanted < max ? wanted : max;
    return sample < n ? sample : n;
}

LaunchStatus launch_sample_cut(const KeySegments& in, const SampleCut& cut, const SelectionConfig& config) {
    const unsigned threads =
        whole_warps(cut.sample, block_threads_of(config.policy.block_threads, config.limits));
    return launch(kSampleCut[width_index(in.width)],
                  LaunchShape{static_cast<unsigned>(in.count), 1, threads, 0}, config.stream, in, cut.sample,
                  cut.rank, loosest_rank(cut.rank, cut.sample), cut.states);
}

LaunchStatus launch_exact_cut(const KeySegments& in, const ExactCut& cut, const Pieces& pieces,
                              const SelectionConfig& config) {
    const unsigned threads = config.policy.filter_threads;
    unsigned index_bits = 0;
    while (index_bits < 64 && in.n >> index_bits != 0) ++index_bits;
    const unsigned steps = (8 * in.width + kSelectBinBits - 1) / kSelectBinBits +
                           (index_bits + kSelectBinBits - 1) / kSelectBinBits;
    for (unsigned step = 0; step < steps; ++step) {
        const LaunchStatus status =
            in_pieces(pieces, in.n, in.count, [&](std::uint64_t begin, std::uint64_t some) {
                const LaunchShape shape{blocks_for(some, threads, config.policy.waves, config.limits),
                                        static_cast<unsigned>(in.count), threads, 0};
                return launch(kCountBins[width_index(in.width)], shape, config.stream, in, begin,
                              begin + some, cut.k, cut.max, cut.states, cut.bins, cut.tickets, step == 0);
            });
        if (status != 0) return status;
    }
    return 0;
}

void list_selection_cut_kernels(KernelLister& to) {
    const BlockSize block{block_threads_of(kDefaultSelectionPolicy.block_threads, to.limits()), 0};
    to.add(4, listed(kSampleCut, block),
           listed(kCountBins, BlockSize{kDefaultSelectionPolicy.filter_threads, 0}));
}

}  // namespace cuda
}  // namespace tegu
