// SPDX-License-Identifier: Apache-2.0
// Finds cuts in one of three ways: near the best of a sample that several blocks take, anywhere in a sample
// that one block holds in registers, or by counting.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/selection/cuda/sample.cuh"

namespace tegu {
namespace cuda {
namespace {

// --- from a sample

// sample_cut: a cut behind the best `rank` pairs of a sample, and not far behind.
// in:    elements [n]                                       out: states, all of it
// grid:  x = segments, y = cuts
// block: policy.block_threads, fewer for small samples
// shared: 9 KB static                                       result valid in: states, after the launch
// moves: reads `sample` sectors of memory, all at once      order: any
// why:   a second read of memory would cost as much as all else; counting in ranges ends as soon as the cut
//        is good enough
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) sample_cut(KeySegments in, std::uint64_t sample, SampleRanks first,
                                                SampleRanks second, SelectState* states) {
    TEGU_SHARED_ARRAY(std::uint32_t, bins, kSelectBins);
    const HeldSample<U> held(KeyedSegment<U>(in, block_x()), sample);
    const SampleRanks ranks = block_y() == 0 ? first : second;
    const SelectRange range = block_narrow<U>(held, sample, ranks.rank, ranks.enough, in.n - 1, bins);
    if (thread_index() == 0)
        states[block_y() * in.count + block_x()] =
            SelectState{static_cast<U>(range.cut_key()), range.cut_index(), 0, 0, ~std::uint64_t{0}};
}

constexpr const char* kSectors = "reads a sector of 32 B an element of the sample";
constexpr KernelTable<decltype(&sample_cut<std::uint8_t>), 4> kSampleCut = {
    "sample_cut", kSectors, {TEGU_BY_WIDTH(sample_cut)}};

LaunchStatus launch_cuts(const KeySegments& in, const SampleCuts& cuts, unsigned count,
                         const SelectionConfig& config) {
    const unsigned threads = whole_warps(cuts.sample, config.policy.block_threads);
    return launch(kSampleCut[width_index(in.width)],
                  LaunchShape{static_cast<unsigned>(in.count), count, threads, 0}, config.stream, in,
                  cuts.sample, cuts.first, cuts.second, cuts.states);
}

// --- near the best of a sample

constexpr unsigned kBestPairs = 1024;

// The positions of a sample's pairs in the segment, and the pairs that each thread takes. Adjacent pairs
// belong to different warps, and so do pairs whose distance is the number of warps. So for any order of the
// elements, each warp has a share of the best.
struct SampleParts {
    std::uint32_t sample;  // a multiple of the threads of a block
    std::uint32_t part;    // elements of a part
    std::uint32_t longer;  // parts with one element more

    TEGU_DEVICE std::uint64_t index(std::uint32_t number) const {
        return std::uint64_t{number} * part + (number < longer ? number : longer) +
               position_in_part(number, part);
    }
    // The first pair of this thread, among as many pairs as there are threads.
    TEGU_DEVICE static std::uint32_t first() {
        unsigned turned = warp_index() + lane_index();
        while (turned >= block_warps()) turned -= block_warps();
        return lane_index() * block_warps() + turned;
    }
};

template <class U>
struct SampledPair {
    U key;
    std::uint32_t number;
    TEGU_DEVICE bool is_behind(const SampledPair& other) const {
        return cuda::is_behind(key, number, other.key, other.number);
    }
};

// The best pair of this thread. gathered: keys in the order of the threads that read them.
template <class U>
TEGU_DEVICE SampledPair<U> best_of_thread(const SampleParts& parts, const U* gathered) {
    SampledPair<U> best{static_cast<U>(~U{0}), ~std::uint32_t{0}};
    TEGU_NO_UNROLL
    for (std::uint32_t base = 0; base < parts.sample; base += kSelectBatch * block_threads()) {
        U keys[kSelectBatch];
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j) {
            const std::uint32_t run = base + j * block_threads();
            keys[j] = gathered[(run < parts.sample ? run : base) + thread_index()];
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j) {
            const std::uint32_t run = base + j * block_threads();
            if (run < parts.sample && (keys[j] < best.key || best.number == ~std::uint32_t{0}))
                best = SampledPair<U>{keys[j], run + parts.first()};
        }
    }
    return best;
}

// Sorts the best pair of each warp and gives all threads the one with this rank, from 1. At least `rank`
// pairs of the sample are not behind it. pairs: [block_warps()] shared.
template <class U>
TEGU_DEVICE SampledPair<U> best_of_warps(const SampledPair<U>& own, unsigned rank, SampledPair<U>* pairs) {
    TEGU_SHARED(SampledPair<U>, found);
    const U min = warp_min_key(own.key);
    const std::uint32_t number = warp_min(own.key == min ? own.number : ~std::uint32_t{0});
    if (lane_index() == 0) pairs[warp_index()] = SampledPair<U>{min, number};
    block_barrier();
    if (thread_index() < block_warps()) {
        const SampledPair<U> pair = pairs[thread_index()];
        unsigned before = 0;
        TEGU_NO_UNROLL
        for (unsigned w = 0; w < block_warps(); ++w) before += pair.is_behind(pairs[w]) ? 1 : 0;
        if (before + 1 == rank) found = pair;
    }
    block_barrier();
    return found;
}

// sample_best: a cut at pair `rank` of a sample of a dense segment.
// in:    elements [n]
// out:   states, all of it; gathered [segments, sample] as work space
// grid:  x = sample / threads, y = segments                block: policy.block_threads
// shared: 8 or 16 KB static                                 result valid in: states, after the launch
// moves: reads `sample` sectors of memory, all at once      order: any
// why:   one multiprocessor would take longer for so many sectors than all take for all elements. The last
//        block takes the best pair of each warp, and compares only the pairs up to the `rank`-th of these.
//        If the best pairs lie in few warps, these may be too many, and the cut is looser than necessary
template <class U, bool Float>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads)
    sample_best(KeySegments in, SampleParts parts, unsigned rank, SelectState* states, SampleMemory memory) {
    TEGU_SHARED_ARRAY(SampledPair<U>, pairs, kBestPairs);
    TEGU_SHARED(std::uint32_t, used);
    pdl_trigger();
    const std::uint64_t segment = block_y();
    const U* const elements = static_cast<const U*>(in.data) + segment * in.step;
    U* const gathered = static_cast<U*>(memory.keys) + segment * parts.sample;
    const std::uint32_t run = block_x() * block_threads();
    gathered[run + thread_index()] =
        encode_key(elements[parts.index(run + parts.first())], static_cast<U>(in.flip), Float);
    if (thread_index() == 0) used = 0;
    if (!last_block(memory.tickets + segment, grid_x())) return;
    const SampledPair<U> own = best_of_thread(parts, gathered);
    const SampledPair<U> bound = best_of_warps(own, rank, pairs);
    if (!own.is_behind(bound)) {
        TEGU_NO_UNROLL
        for (std::uint32_t base = 0; base < parts.sample; base += block_threads()) {
            const SampledPair<U> pair{gathered[base + thread_index()], base + parts.first()};
            if (pair.is_behind(bound)) continue;
            const std::uint32_t slot = atomic_add(&used, 1u);
            if (slot < kBestPairs) pairs[slot] = pair;
        }
    }
    block_barrier();
    const std::uint32_t count = used;
    if (count > kBestPairs) {
        if (thread_index() == 0)
            states[segment] = SelectState{bound.key, parts.index(bound.number), 0, 0, ~std::uint64_t{0}};
        return;
    }
    TEGU_NO_UNROLL
    for (std::uint32_t i = thread_index(); i < count; i += block_threads()) {
        unsigned before = 0;
        TEGU_NO_UNROLL
        for (std::uint32_t other = 0; other < count; ++other)
            before += pairs[i].is_behind(pairs[other]) ? 1 : 0;
        if (before + 1 == rank)
            states[segment] =
                SelectState{pairs[i].key, parts.index(pairs[i].number), 0, 0, ~std::uint64_t{0}};
    }
}

// Rows: widths; columns: integers, floats.
constexpr KernelTable<decltype(&sample_best<std::uint8_t, false>), 8> kSampleBest = {
    "sample_best",
    kSectors,
    {variant(sample_best<std::uint8_t, false>, "u8", "integer"),
     {},
     variant(sample_best<std::uint16_t, false>, "u16", "integer"),
     variant(sample_best<std::uint16_t, true>, "u16", "float"),
     variant(sample_best<std::uint32_t, false>, "u32", "integer"),
     variant(sample_best<std::uint32_t, true>, "u32", "float"),
     variant(sample_best<std::uint64_t, false>, "u64", "integer"),
     variant(sample_best<std::uint64_t, true>, "u64", "float")}};

bool is_near_the_best(const KeySegments& in, const SampleCut& cut, const SelectionPolicy& policy) {
    return in.cols >= in.n && cut.rank <= policy.block_threads / kWarpLanes &&
           cut.sample % policy.block_threads == 0 && in.n / cut.sample < 0xffffffffu;
}

LaunchStatus launch_best(const KeySegments& in, const SampleCut& cut, const SelectionConfig& config) {
    const auto kernel = kSampleBest[2 * width_index(in.width) + (in.is_float ? 1 : 0)];
    const std::uint64_t part = in.n / cut.sample;
    const unsigned threads = config.policy.block_threads;
    return launch(
        kernel,
        LaunchShape{static_cast<unsigned>(cut.sample / threads), static_cast<unsigned>(in.count), threads, 0},
        config.stream, in,
        SampleParts{static_cast<std::uint32_t>(cut.sample), static_cast<std::uint32_t>(part),
                    static_cast<std::uint32_t>(in.n - part * cut.sample)},
        static_cast<unsigned>(cut.rank), cut.states, cut.memory);
}

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
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads)
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

std::uint64_t sample_size(std::uint64_t n, unsigned width, const SelectionPolicy& policy) {
    const std::uint64_t max = std::uint64_t{policy.block_threads} * held_pairs(width);
    const std::uint64_t wanted = n < std::uint64_t{policy.sample} << 12 ? policy.sample : 2 * policy.sample;
    const std::uint64_t sample = wanted < max ? wanted : max;
    return sample < n ? sample : n;
}

LaunchStatus launch_sample_cut(const KeySegments& in, const SampleCut& cut, const SelectionConfig& config) {
    if (cut.memory.tickets != nullptr && is_near_the_best(in, cut, config.policy))
        return launch_best(in, cut, config);
    const SampleRanks ranks{cut.rank, loosest_rank(cut.rank, cut.sample)};
    return launch_cuts(in, SampleCuts{cut.sample, ranks, ranks, cut.states}, 1, config);
}

LaunchStatus launch_sample_cuts(const KeySegments& in, const SampleCuts& cuts,
                                const SelectionConfig& config) {
    return launch_cuts(in, cuts, 2, config);
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
    const BlockSize block{kDefaultSelectionPolicy.block_threads, 0};
    to.add(4, listed(kSampleCut, block), listed(kSampleBest, block),
           listed(kCountBins, BlockSize{kDefaultSelectionPolicy.filter_threads, 0}));
}

}  // namespace cuda
}  // namespace tegu
