// SPDX-License-Identifier: Apache-2.0
// Cuts: from a sample that one block holds in registers, and by counting where a sample misled.
#include "kernels/cuda/kernel_list.h"
#include "kernels/cuda/topk_sample.cuh"

namespace tegu {
namespace cuda {
namespace {

// --- from a sample ----------------------------------------------------------------------------------------------------------

// sample_cut: a cut behind the best `place` pairs of a sample, and not far behind.
// in:    elements [n]                                       out: states, all of it
// grid:  x = sequences, y = cuts                            block: policy.block_threads, fewer for small samples
// shared: 9 KB static                                       result valid in: states, after the launch
// moves: reads `sample` sectors of memory, all at once      order: any
// why:   a second look at memory would cost as much as all else; counting in ranges ends as soon as the cut is good enough
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads)
    sample_cut(Sequences in, std::uint64_t sample, SamplePlaces first, SamplePlaces second, SelectState* states) {
    TEGU_SHARED_ARRAY(std::uint32_t, bins, kSelectBins);
    const HeldSample<U> held(RankedSequence<U>(in, block_x()), sample);
    const SamplePlaces places = block_y() == 0 ? first : second;
    const SelectRange range = block_narrow<U>(held, sample, places.place, places.enough, in.n - 1, bins);
    if (thread_index() == 0)
        states[block_y() * in.count + block_x()] =
            SelectState{range.cut_rank(), range.cut_index(), 0, 0, ~std::uint64_t{0}};
}

LaunchStatus launch_cuts(const Sequences& in, std::uint64_t sample, const SamplePlaces& first,
                         const SamplePlaces& second, unsigned cuts, SelectState* states, const TopkPolicy& policy,
                         Stream stream) {
    const std::uint64_t wanted = (sample + kWarpLanes - 1) / kWarpLanes * kWarpLanes;
    const unsigned threads = wanted < policy.block_threads ? static_cast<unsigned>(wanted) : policy.block_threads;
    const auto kernel = in.width == 1   ? sample_cut<std::uint8_t>
                        : in.width == 2 ? sample_cut<std::uint16_t>
                        : in.width == 4 ? sample_cut<std::uint32_t>
                                        : sample_cut<std::uint64_t>;
    return launch(kernel, LaunchShape{static_cast<unsigned>(in.count), cuts, threads, 0}, stream, in, sample, first,
                  second, states);
}

// --- by counting ------------------------------------------------------------------------------------------------------------

// What launch_exact_cut keeps of a sequence behind its bins.
struct CutProgress {
    SelectRange range;  // low > high: not begun
    std::uint64_t done;
};
static_assert(sizeof(CutProgress) <= 8 * (kCutWords - kSelectBins), "kCutWords is too small");

// count_bins: one step of the search for a cut: counts the elements in the bins of the range, and goes to the bin of the k-th.
// in:    elements [begin, end); bins, tickets and progress, zero at first      out: the same; at the end states[].rank and index
// grid:  x strides over the elements, y = sequences                   block: policy.filter_threads
// shared: 8 KB static                                                 result valid in: states, when all steps are done
// moves: reads n sizeof(U) B                                          order: any
// why:   the last block of a sequence makes the step, so no other launch is needed; bins that a block has not met are not added
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads)
    count_bins(Sequences in, std::uint64_t begin, std::uint64_t end, std::uint64_t k, std::uint64_t most,
               SelectState* states, std::uint64_t* all_bins, std::uint32_t* tickets, bool first) {
    TEGU_SHARED_ARRAY(std::uint32_t, own_bins, kSelectBins);
    const std::uint64_t number = block_y();
    const RankedSequence<U> sequence(in, number);
    std::uint64_t* const bins = all_bins + number * kCutWords;
    CutProgress* const progress = reinterpret_cast<CutProgress*>(bins + kSelectBins);
    if (!first && progress->done != 0) return;
    SelectRange range = progress->range;
    if (first) range = SelectRange{0, static_cast<U>(~U{0}), 0, in.n, 0, false};
    for (unsigned bin = thread_index(); bin < kSelectBins; bin += block_threads()) own_bins[bin] = 0;
    block_barrier();
    const unsigned shift = range.shift();
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = begin + std::uint64_t{block_x()} * block_threads() + thread_index(); i < end; i += stride) {
        const U rank = sequence.rank(i);
        if (range.by_index && rank != range.tie) continue;
        const std::uint64_t value = range.by_index ? i : rank;
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
    bool done = !found || range.before + range.inside <= most;
    if (!done && range.low >= range.high) {
        done = range.by_index;
        if (!done) range.go_by_index(in.n - 1);
    }
    if (thread_index() != 0) return;
    progress->range = range;
    progress->done = done;
    states[number].rank = range.cut_rank();
    states[number].index = range.cut_index();
}

template <class U>
LaunchStatus launch_exact_cut_typed(const Sequences& in, std::uint64_t k, std::uint64_t most, SelectState* states,
                                    std::uint64_t* bins, std::uint32_t* tickets, const TopkPolicy& policy,
                                    const Pieces& pieces, const DeviceLimits& limits, Stream stream) {
    unsigned index_bits = 0;
    while (index_bits < 64 && in.n >> index_bits != 0) ++index_bits;
    const unsigned steps =
        (8 * sizeof(U) + kSelectBinBits - 1) / kSelectBinBits + (index_bits + kSelectBinBits - 1) / kSelectBinBits;
    for (unsigned step = 0; step < steps; ++step) {
        const LaunchStatus status = in_pieces(pieces, in.n, in.count, [&](std::uint64_t begin, std::uint64_t some) {
            const LaunchShape shape{blocks_for(some, policy.filter_threads, policy.waves, limits),
                                    static_cast<unsigned>(in.count), policy.filter_threads, 0};
            return launch(count_bins<U>, shape, stream, in, begin, begin + some, k, most, states, bins, tickets,
                          step == 0);
        });
        if (status != 0) return status;
    }
    return 0;
}

}  // namespace

std::uint64_t sample_size(std::uint64_t n, unsigned width, const TopkPolicy& policy) {
    const std::uint64_t most = std::uint64_t{policy.block_threads} * held_pairs(width);
    const std::uint64_t wanted = n < std::uint64_t{policy.sample} << 12 ? policy.sample : 2 * policy.sample;
    const std::uint64_t sample = wanted < most ? wanted : most;
    return sample < n ? sample : n;
}

LaunchStatus launch_sample_cut(const Sequences& in, std::uint64_t sample, std::uint64_t place, SelectState* states,
                               const TopkPolicy& policy, Stream stream) {
    const std::uint64_t near = place + place / 4;
    const SamplePlaces places{place, near < sample ? near : place};
    return launch_cuts(in, sample, places, places, 1, states, policy, stream);
}

LaunchStatus launch_sample_cuts(const Sequences& in, std::uint64_t sample, const SamplePlaces& first,
                                const SamplePlaces& second, SelectState* states, const TopkPolicy& policy,
                                Stream stream) {
    return launch_cuts(in, sample, first, second, 2, states, policy, stream);
}

LaunchStatus launch_exact_cut(const Sequences& in, std::uint64_t k, std::uint64_t most, SelectState* states,
                              std::uint64_t* bins, std::uint32_t* tickets, const TopkPolicy& policy,
                              const Pieces& pieces, const DeviceLimits& limits, Stream stream) {
    const auto typed = in.width == 1   ? launch_exact_cut_typed<std::uint8_t>
                       : in.width == 2 ? launch_exact_cut_typed<std::uint16_t>
                       : in.width == 4 ? launch_exact_cut_typed<std::uint32_t>
                                       : launch_exact_cut_typed<std::uint64_t>;
    return typed(in, k, most, states, bins, tickets, policy, pieces, limits, stream);
}

namespace {

template <class U>
void list_width(KernelLister& to, const char* word) {
    const TopkPolicy policy = kDefaultTopkPolicy;
    to.add("sample_cut", {word}, sample_cut<U>, policy.block_threads, 0,
           "reads a sector of 32 B an element of the sample");
    to.add("count_bins", {word}, count_bins<U>, policy.filter_threads, 0, "reads n elements");
}

}  // namespace

void list_topk_cut_kernels(KernelLister& to) {
    list_width<std::uint8_t>(to, "u8");
    list_width<std::uint16_t>(to, "u16");
    list_width<std::uint32_t>(to, "u32");
    list_width<std::uint64_t>(to, "u64");
}

}  // namespace cuda
}  // namespace tegu
