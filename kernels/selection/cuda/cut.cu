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

// sample_cut: a cut behind the best `place` pairs of a sample, and not far behind.
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
    const SampleRanks places = block_y() == 0 ? first : second;
    const SelectRange range = block_narrow<U>(held, sample, places.place, places.enough, in.n - 1, bins);
    if (thread_index() == 0)
        states[block_y() * in.count + block_x()] =
            SelectState{static_cast<U>(range.cut_key()), range.cut_index(), 0, 0, ~std::uint64_t{0}};
}

constexpr const char* kSectors = "reads a sector of 32 B an element of the sample";
constexpr KernelTable<decltype(&sample_cut<std::uint8_t>), 4> kSampleCut = {
    "sample_cut", kSectors, {TEGU_BY_WIDTH(sample_cut)}};

LaunchStatus launch_cuts(const KeySegments& in, std::uint64_t sample, const SampleRanks& first,
                         const SampleRanks& second, unsigned cuts, SelectState* states,
                         const SelectionPolicy& policy, Stream stream) {
    const std::uint64_t wanted = (sample + kWarpLanes - 1) / kWarpLanes * kWarpLanes;
    const unsigned threads =
        wanted < policy.block_threads ? static_cast<unsigned>(wanted) : policy.block_threads;
    return launch(kSampleCut[width_index(in.width)],
                  LaunchShape{static_cast<unsigned>(in.count), cuts, threads, 0}, stream, in, sample, first,
                  second, states);
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
               place_in_part(number, part);
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

// Sorts the best pair of each warp and gives all threads the one at `place` (from 1). At least `place` pairs
// of the sample are not behind it. pairs: [block_warps()] shared.
template <class U>
TEGU_DEVICE SampledPair<U> best_of_warps(const SampledPair<U>& own, unsigned place, SampledPair<U>* pairs) {
    TEGU_SHARED(SampledPair<U>, found);
    const U least = warp_least(own.key);
    const std::uint32_t number = warp_min(own.key == least ? own.number : ~std::uint32_t{0});
    if (lane_index() == 0) pairs[warp_index()] = SampledPair<U>{least, number};
    block_barrier();
    if (thread_index() < block_warps()) {
        const SampledPair<U> pair = pairs[thread_index()];
        unsigned before = 0;
        TEGU_NO_UNROLL
        for (unsigned w = 0; w < block_warps(); ++w) before += pair.is_behind(pairs[w]) ? 1 : 0;
        if (before + 1 == place) found = pair;
    }
    block_barrier();
    return found;
}

// sample_best: a cut at pair `place` of a sample of a dense segment.
// in:    elements [n]
// out:   states, all of it; gathered [segments, sample] as work space
// grid:  x = sample / threads, y = segments                block: policy.block_threads
// shared: 8 or 16 KB static                                 result valid in: states, after the launch
// moves: reads `sample` sectors of memory, all at once      order: any
// why:   one multiprocessor would take longer for so many sectors than all take for all elements. The last
//        block takes the best pair of each warp, and compares only the pairs up to the `place`-th of these.
//        If the best pairs lie in few warps, these may be too many, and the cut is looser than necessary
template <class U, bool Float>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads)
    sample_best(KeySegments in, SampleParts parts, unsigned place, SelectState* states, SampleMemory memory) {
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
    const SampledPair<U> bound = best_of_warps(own, place, pairs);
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
        if (before + 1 == place)
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

bool is_near_the_best(const KeySegments& in, std::uint64_t sample, std::uint64_t place,
                      const SelectionPolicy& policy) {
    return in.cols >= in.n && place <= policy.block_threads / kWarpLanes &&
           sample % policy.block_threads == 0 && in.n / sample < 0xffffffffu;
}

LaunchStatus launch_best(const KeySegments& in, std::uint64_t sample, std::uint64_t place,
                         SelectState* states, const SampleMemory& memory, const SelectionPolicy& policy,
                         Stream stream) {
    const auto kernel = kSampleBest[2 * width_index(in.width) + (in.is_float ? 1 : 0)];
    const std::uint64_t part = in.n / sample;
    return launch(kernel,
                  LaunchShape{static_cast<unsigned>(sample / policy.block_threads),
                              static_cast<unsigned>(in.count), policy.block_threads, 0},
                  stream, in,
                  SampleParts{static_cast<std::uint32_t>(sample), static_cast<std::uint32_t>(part),
                              static_cast<std::uint32_t>(in.n - part * sample)},
                  static_cast<unsigned>(place), states, memory);
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

LaunchStatus launch_sample_cut(const KeySegments& in, std::uint64_t sample, std::uint64_t place,
                               SelectState* states, const SampleMemory& memory, const SelectionPolicy& policy,
                               Stream stream) {
    if (memory.tickets != nullptr && is_near_the_best(in, sample, place, policy))
        return launch_best(in, sample, place, states, memory, policy, stream);
    const SampleRanks places{place, loosest_rank(place, sample)};
    return launch_cuts(in, sample, places, places, 1, states, policy, stream);
}

LaunchStatus launch_sample_cuts(const KeySegments& in, std::uint64_t sample, const SampleRanks& first,
                                const SampleRanks& second, SelectState* states, const SelectionPolicy& policy,
                                Stream stream) {
    return launch_cuts(in, sample, first, second, 2, states, policy, stream);
}

LaunchStatus launch_exact_cut(const KeySegments& in, std::uint64_t k, std::uint64_t max, SelectState* states,
                              std::uint64_t* bins, std::uint32_t* tickets, const SelectionPolicy& policy,
                              const Pieces& pieces, const DeviceLimits& limits, Stream stream) {
    const unsigned filter_threads = policy.filter_threads;
    unsigned index_bits = 0;
    while (index_bits < 64 && in.n >> index_bits != 0) ++index_bits;
    const unsigned steps = (8 * in.width + kSelectBinBits - 1) / kSelectBinBits +
                           (index_bits + kSelectBinBits - 1) / kSelectBinBits;
    for (unsigned step = 0; step < steps; ++step) {
        const LaunchStatus status =
            in_pieces(pieces, in.n, in.count, [&](std::uint64_t begin, std::uint64_t some) {
                const LaunchShape shape{blocks_for(some, filter_threads, policy.waves, limits),
                                        static_cast<unsigned>(in.count), filter_threads, 0};
                return launch(kCountBins[width_index(in.width)], shape, stream, in, begin, begin + some, k,
                              max, states, bins, tickets, step == 0);
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
