// SPDX-License-Identifier: Apache-2.0
// Selects from many segments, one block each, with one read of memory. A bound lets little more than the k
// best pass; these are ranked in shared memory. If too many or too few pass, the block counts keys instead.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/selection/cuda/bin_order.cuh"
#include "kernels/selection/cuda/block_sort.cuh"
#include "kernels/selection/cuda/order.cuh"
#include "kernels/selection/cuda/sample_position.cuh"
#include "kernels/topk/cuda/segment_packs.cuh"
#include "kernels/topk/cuda/topk.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kFewCollected = 512;
// Shared memory besides the pairs: bins, sums, ends.
constexpr std::size_t kSegmentFixed = sizeof(ThreadBins) * kHeldThreads + 2048;

struct SegmentJob {
    KeySegments in;
    SelectionOutput output;
    unsigned capacity;  // pairs in shared memory: a power of two, at least k
    unsigned rank;      // of the bound in the sample of a segment that is not held
};

constexpr std::size_t collected_bytes(unsigned width) {
    return pair_bytes(width) + sizeof(std::uint16_t);
}

// The end of the bin where the number of visited keys reaches k, or `high`. visit(body) calls body(key) for
// keys of this thread in [low, high].
template <class U, class Visit>
TEGU_DEVICE U block_bound(U low, U high, std::uint32_t k, ThreadBins* bins, Visit visit) {
    const unsigned shift = bin_shift(static_cast<U>(high - low));
    zero_bins(bins);
    block_barrier();
    visit([&](U key) { atomic_add(count_of(bins, static_cast<U>(key - low) >> shift), 1u); });
    block_barrier();
    RankBins run;
    if (!block_find_ranks(bins, k - 1, k - 1, &run)) return high;
    KeyRange<U> range{low, high, 0, 0};
    range.enter(run, shift);
    return range.high;
}

// A bound behind at least k of the held keys, mostly. Few results: the best key of each thread decides, so
// one key of each thread is counted. *low gets the best key.
template <class U, unsigned Items>
TEGU_DEVICE U bound_of_held(const HeldSegment<U, Items>& held, unsigned n, std::uint32_t k, ThreadBins* bins,
                            U* low) {
    U best = static_cast<U>(~U{0}), worst = 0;
    TEGU_UNROLL
    for (unsigned j = 0; j < Items; ++j) best = held.keys[j] < best ? held.keys[j] : best;
    U high;
    if (2 * k <= block_threads()) {
        const bool any = held.position(0) < n;
        block_ends(best, any ? best : U{0}, low, &high);
        return block_bound(*low, high, k, bins, [&](auto count) {
            if (any) count(best);
        });
    }
    for_each_pair<U>(held, n,
                     [&](std::uint64_t, U key, bool valid) { worst = valid && key > worst ? key : worst; });
    block_ends(best, worst, low, &high);
    return block_bound(*low, high, k, bins, [&](auto count) {
        for_each_pair<U>(held, n, [&](std::uint64_t, U key, bool valid) {
            if (valid) count(key);
        });
    });
}

// A bound from a sample of packs that lie evenly in the segment: behind `rank` of its keys, mostly.
template <class U>
TEGU_DEVICE U bound_of_sample(const KeyedSegment<U>& segment, const SegmentPacks<U>& from, std::uint32_t rank,
                              ThreadBins* bins, U* low) {
    constexpr unsigned kWidth = SegmentPacks<U>::kWidth, kPacks = SegmentPacks<U>::kPacks;
    const std::uint32_t sampled = from.packs / (kPacks * block_threads());
    const std::uint32_t part = sampled != 0 ? sampled : 1;
    Pack<U, kWidth> held[kPacks];
    TEGU_UNROLL
    for (unsigned p = 0; p < kPacks; ++p) {
        const std::uint32_t number = p * block_threads() + thread_index();
        const auto at = number * part + static_cast<std::uint32_t>(position_in_part(number, part));
        held[p] = from.load(at < from.packs ? at : from.packs - 1);
    }
    U best = static_cast<U>(~U{0}), worst = 0;
    TEGU_UNROLL
    for (unsigned p = 0; p < kPacks; ++p) {
        TEGU_UNROLL
        for (unsigned e = 0; e < kWidth; ++e) {
            const U key = segment.key_of(held[p].at[e]);
            held[p].at[e] = key;
            best = key < best ? key : best;
            worst = key > worst ? key : worst;
        }
    }
    // The best keys of the threads give a range in which the bins are narrow.
    const bool few = rank <= block_threads();
    U high;
    block_ends(best, few ? best : worst, low, &high);
    if (few) high = block_bound(*low, high, rank, bins, [&](auto count) { count(best); });
    const U first = *low, last = high;
    return block_bound(first, last, rank, bins, [&](auto count) {
        TEGU_UNROLL
        for (unsigned p = 0; p < kPacks; ++p) {
            TEGU_UNROLL
            for (unsigned e = 0; e < kWidth; ++e)
                if (held[p].at[e] <= last) count(held[p].at[e]);
        }
    });
}

// Calls write(i, rank) for pair i of this thread. A key of up to 4 bytes and its index are one word.
// words: [count] shared. REQUIRES: count <= block_threads(). All threads call it after a barrier.
template <class U, class Write>
TEGU_DEVICE void rank_few(const Collected<U>& of, unsigned count, std::uint64_t* words, Write write) {
    const unsigned own = thread_index();
    if (sizeof(U) == 8)
        return block_order(of.keys, of.indices, count, reinterpret_cast<std::uint32_t*>(words), write);
    if (own < count) words[own] = std::uint64_t{of.keys[own]} << 32 | of.indices[own];
    block_barrier();
    if (own >= count) return;
    const std::uint64_t word = words[own];
    unsigned before = 0, other = 0;
    for (; other + 4 <= count; other += 4) {
        TEGU_UNROLL
        for (unsigned j = 0; j < 4; ++j) before += words[other + j] < word ? 1 : 0;
    }
    for (; other < count; ++other) before += words[other] < word ? 1 : 0;
    write(own, before);
}

// Writes the best k of the collected pairs.
template <class U>
TEGU_DEVICE void write_collected(const SegmentJob& job, const KeyedSegment<U>& segment, std::uint64_t number,
                                 const Collected<U>& of, unsigned count, U bound, bool counted,
                                 ThreadBins* bins) {
    U* const values = static_cast<U*>(job.output.values) + number * job.output.k;
    std::uint64_t* const indices = job.output.indices + number * job.output.k;
    const auto write = [&](unsigned i, unsigned rank) {
        if (rank >= job.output.k) return;
        values[rank] = decode_key(of.keys[i], segment.flip, segment.is_float);
        indices[rank] = of.indices[i];
    };
    if (count <= kCountedPairs && count <= block_threads()) {
        rank_few(of, count, reinterpret_cast<std::uint64_t*>(bins), write);
    } else {
        // A sample's best key would leave too many keys in the first bin.
        U best = static_cast<U>(~U{0}), low, high;
        for (unsigned i = thread_index(); i < count; i += block_threads())
            best = of.keys[i] < best ? of.keys[i] : best;
        block_ends(best, best, &low, &high);
        if (counted || !block_order_by_bins(of.keys, of.indices, count, NearBins<U>(low, bound), bins,
                                            of.order, write)) {
            block_sort<U, true>(of.keys, of.indices, block_fill(of.keys, of.indices, count));
            for (unsigned i = thread_index(); i < count; i += block_threads()) write(i, i);
        }
    }
    // Entries without a pair, because the elements have changed.
    for (std::uint64_t i = count + thread_index(); i < job.output.k; i += block_threads()) {
        values[i] = 0;
        indices[i] = ~std::uint64_t{0};
    }
}

// select_segments: the best k pairs of each segment.
// in:    elements [n], dense                                out: the output
// grid:  x = segments
// block: up to 512, fewer for short segments that are held
// shared: capacity * (10 + sizeof(U)) B dynamic, 9 KB static    result valid in: the output, after the launch
// moves: reads n sizeof(U) B, and a sample of packs where a segment is not held; writes k (sizeof(U) + 8) B
// order: any
// why:   one read; only pairs near the best k reach shared memory, and they are few
template <class U, bool Held>
TEGU_KERNEL TEGU_BOUNDS2(kHeldThreads, 2) select_segments(SegmentJob job) {
    TEGU_DYNAMIC_SHARED(shared);
    TEGU_SHARED_ARRAY(ThreadBins, bins, kHeldThreads);
    TEGU_SHARED(std::uint32_t, used);
    std::uint64_t* const indices = reinterpret_cast<std::uint64_t*>(shared);
    U* const keys = reinterpret_cast<U*>(indices + job.capacity);
    const Collected<U> collected{keys, indices, reinterpret_cast<std::uint16_t*>(keys + job.capacity), &used,
                                 job.capacity};
    const std::uint64_t number = block_x();
    const KeyedSegment<U> segment(job.in, number);
    const std::uint32_t n = static_cast<std::uint32_t>(job.in.n);
    const std::uint32_t k = static_cast<std::uint32_t>(job.output.k);
    if (thread_index() == 0) used = 0;
    U low, bound;
    if (Held) {
        const HeldSegment<U, kHeldItems<U>> held(segment, n);
        bound = bound_of_held(held, n, k, bins, &low);
        for_each_pair<U>(held, n, [&](std::uint64_t i, U key, bool valid) {
            if (valid && key <= bound) collected.add(key, i);
        });
    } else {
        const SegmentPacks<U> packs(segment.elements, n);
        bound = bound_of_sample(segment, packs, job.rank, bins, &low);
        collect_segment(segment, packs, bound, collected);
    }
    block_barrier();
    unsigned count = used;
    const bool counted = count < k || count > job.capacity;
    if (counted) {
        const SelectRange range = block_narrow<U>(segment, n, k, job.capacity, n - 1, count_of(bins, 0));
        block_barrier();
        count = block_collect(segment, n, keys, indices, job.capacity,
                              [&](std::uint64_t i, U key) { return range.reaches(segment, i, key); });
    }
    write_collected(job, segment, number, collected, count, bound, counted, bins);
}

constexpr KernelTable<void (*)(SegmentJob), 8> kSelectSegments = {
    "select_segments",
    "reads n elements, writes k values and indices",
#define TEGU_X(U, word) \
    variant(select_segments<U, false>, word), variant(select_segments<U, true>, word, "held")
    {TEGU_WIDTHS(TEGU_X)}};
#undef TEGU_X

// The job's shape; capacity 0 if shared memory does not suffice.
struct SegmentShape {
    unsigned threads;
    bool held;
    unsigned rank;
    unsigned capacity;

    SegmentShape(const KeySegments& in, std::uint64_t k, std::uint64_t safe_rank,
                 const SelectionConfig& config)
        : threads(held_threads(in.n, in.width, config.policy.block_threads)),
          held(is_held(in, threads)),
          rank(0),
          capacity(0) {
        std::uint64_t wanted = 2 * k < in.n ? 2 * k : in.n;
        if (!held) {
            const std::uint64_t sample = segment_sample(in.width, config.policy);
            rank = static_cast<unsigned>(safe_rank < sample ? safe_rank : sample);
            const std::uint64_t expected = in.n * rank / sample + k / 8;
            wanted = expected + expected / 4;
            if (wanted < k) wanted = k;
        }
        if (wanted < kFewCollected) wanted = kFewCollected;
        if (wanted > 65536) return;
        const std::uint64_t pairs = up_to_power_of_two(wanted);
        if (pairs * collected_bytes(in.width) + kSegmentFixed <= config.limits.shared_bytes_per_block)
            capacity = static_cast<unsigned>(pairs);
    }
};

}  // namespace

std::uint64_t segment_sample(unsigned width, const SelectionPolicy& policy) {
    const unsigned threads = policy.block_threads < kHeldThreads ? policy.block_threads : kHeldThreads;
    return std::uint64_t{threads} * held_items(width);
}

bool can_select_segments(const KeySegments& in, std::uint64_t k, std::uint64_t safe_rank,
                         const SelectionConfig& config) {
    return in.cols >= in.n && in.n < 0xffffffffu && SegmentShape(in, k, safe_rank, config).capacity != 0;
}

LaunchStatus launch_select_segments(const KeySegments& in, const SelectionOutput& output,
                                    std::uint64_t safe_rank, const SelectionConfig& config) {
    const SegmentShape of(in, output.k, safe_rank, config);
    const LaunchShape shape{static_cast<unsigned>(in.count), 1, of.threads,
                            of.capacity * collected_bytes(in.width)};
    return launch(kSelectSegments[2 * width_index(in.width) + (of.held ? 1 : 0)], shape, config.stream,
                  SegmentJob{in, output, of.capacity, of.rank});
}

void list_topk_segments_kernels(KernelLister& to) {
    to.add(4, listed(kSelectSegments, [](unsigned index) {
               return BlockSize{kHeldThreads, kFewCollected * collected_bytes(width_of_index(index / 2))};
           }));
}

}  // namespace cuda
}  // namespace tegu
