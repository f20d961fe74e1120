// SPDX-License-Identifier: Apache-2.0
// A block that selects takes its pairs from elements, from a sample of them, or from lists of survivors: one kernel for the three, since what it does with a
// pair costs far more than asking where it comes from.
#include "kernels/cuda/topk.h"

#include "kernels/cuda/select_block.cuh"
#include "kernels/cuda/select_sample.cuh"

namespace tegu {
namespace cuda {
namespace {

enum class PairsOf : unsigned { Elements, Sample, Survivors };

struct BlockJob {
    Sequences in;
    PairsOf pairs;
    std::uint64_t count;  // of elements or of the sample
    std::uint64_t k;
    unsigned room;        // pairs in shared memory: a power of two
    unsigned enough;      // pairs that may be sorted: k <= enough <= room
    SelectState* states;  // Sample: written; Survivors: read
    PairLists lists;
    TopkOutput output;
};

template <class U>
struct BlockSource {
    RankedSequence<U> sequence;
    PairsOf pairs;
    std::uint64_t count;
    const U* ranks;
    const std::uint64_t* indices;

    TEGU_DEVICE std::uint64_t index(std::uint64_t i) const {
        switch (pairs) {
            case PairsOf::Elements: return i;
            case PairsOf::Sample: return sample_index(i, sequence.n, count);
            case PairsOf::Survivors: return indices[i];
        }
        return 0;
    }
    TEGU_DEVICE U rank(std::uint64_t i) const {
        return pairs == PairsOf::Survivors ? ranks[i] : sequence.rank(index(i));
    }
};

// Entries [0, k) of one sequence from `size` sorted pairs; of equal ranks the first alone with `distinct`. All threads of the block call it.
template <class U>
TEGU_DEVICE void write_entries(const U* ranks, const std::uint64_t* indices, unsigned size, const Sequences& in,
                               const TopkOutput& output, std::uint64_t number) {
    U* const values = static_cast<U*>(output.values) + number * output.k;
    std::uint64_t* const places = output.indices + number * output.k;
    std::uint32_t found = 0;
    for (unsigned base = 0; base < size; base += block_threads()) {
        const unsigned i = base + thread_index();
        const bool taken = i < size && (!output.distinct || i == 0 || ranks[i] != ranks[i - 1]);
        std::uint32_t total = block_threads();
        std::uint32_t place = i - found;
        if (output.distinct) place = block_sum_before<std::uint32_t>(taken ? 1 : 0, &total);
        if (taken && found + place < output.k) {
            values[found + place] = decode_rank(ranks[i], static_cast<U>(in.flip), in.is_float);
            places[found + place] = indices[i];
        }
        found += total;
    }
    if (!output.distinct) return;
    const std::uint64_t filled = found < output.k ? found : output.k;
    for (std::uint64_t i = filled + thread_index(); i < output.k; i += block_threads()) {
        values[i] = 0;
        places[i] = ~std::uint64_t{0};
    }
    if (thread_index() == 0) output.counts[number] = filled;
}

// select_block: the best pairs of one sequence, sorted.
// in:    elements [n], or the survivors' lists              out: k entries, or the cut: pair number k
// grid:  x = sequences                                      block: policy.block_threads, fewer for short sequences
// shared: room * (8 + sizeof(U)) B dynamic, 9 KB static     result valid in: the output, or states, after the launch
// moves: reads the pairs once, and 2 to 3 times more where they are more than `enough`: from L2      order: any
// why:   one launch; ranges instead of digits narrow as fast for values that lie close together
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) select_block(BlockJob job) {
    TEGU_DYNAMIC_SHARED(shared);
    TEGU_SHARED_ARRAY(std::uint32_t, bins, kSelectBins);
    std::uint64_t* const indices = reinterpret_cast<std::uint64_t*>(shared);
    U* const ranks = reinterpret_cast<U*>(indices + job.room);
    const std::uint64_t number = block_x();
    std::uint64_t count = job.count;
    if (job.pairs == PairsOf::Survivors) {
        count = job.states[number].survivors;
        if (count < job.k || count > job.lists.room) return;
    }
    const BlockSource<U> source{RankedSequence<U>(job.in, number), job.pairs, count,
                                static_cast<const U*>(job.lists.ranks) + number * job.lists.room,
                                job.lists.indices + number * job.lists.room};
    const SelectRange range = block_narrow<U>(source, count, job.k, job.enough, job.in.n - 1, bins);
    const unsigned collected = block_collect(source, count, range, ranks, indices, job.room);
    unsigned size = 1;
    while (size < collected) size *= 2;
    for (unsigned i = collected + thread_index(); i < size; i += block_threads()) {
        ranks[i] = static_cast<U>(~U{0});
        indices[i] = ~std::uint64_t{0};
    }
    block_sort<U, true>(ranks, indices, size);
    if (job.pairs != PairsOf::Sample) return write_entries(ranks, indices, collected, job.in, job.output, number);
    if (thread_index() == 0) {
        const unsigned last = job.k <= collected ? static_cast<unsigned>(job.k) - 1 : 0;
        job.states[number].rank = ranks[last];
        job.states[number].index = indices[last];
    }
}

constexpr unsigned kFilterBuffer = 512;  // survivors of a block that need no place of their own in the list
template <class U>
constexpr unsigned kFilterPacks = sizeof(U) == 1 ? 2 : 4;  // in flight per thread

// Survivors that a block has found. What does not fit goes to the list at once: where survivors are dense, warps bring many at a time.
template <class U>
struct SurvivorBuffer {
    U* ranks;
    std::uint64_t* indices;
    std::uint32_t* used;  // goes beyond the buffer's end
    SelectState* state;
    U* list_ranks;
    std::uint64_t* list_indices;
    std::uint64_t room;

    TEGU_DEVICE void store(std::uint64_t at, U rank, std::uint64_t index) const {
        if (at >= room) return;
        list_ranks[at] = rank;
        list_indices[at] = index;
    }
};

// What the lanes of a warp bring at once: each its `own` pairs.
template <class U>
struct WarpPlaces {
    std::uint32_t next;      // of this lane, in the buffer
    std::uint64_t overflow;  // in the list, of the pair that would come first behind the buffer
    std::uint32_t limit;     // the place, counted as `next`, that `overflow` stands for

    TEGU_DEVICE WarpPlaces(const SurvivorBuffer<U>& buffer, std::uint32_t own) {
        std::uint32_t sum = own;
        TEGU_UNROLL
        for (unsigned delta = 1; delta < kWarpLanes; delta *= 2) {
            const std::uint32_t lower = shuffle_up(sum, delta);
            if (lane_index() >= delta) sum += lower;
        }
        std::uint32_t first = 0;
        overflow = 0;
        if (lane_index() == kWarpLanes - 1) {
            first = atomic_add(buffer.used, sum);
            const std::uint32_t begin = first < kFilterBuffer ? kFilterBuffer : first;
            if (first + sum > begin)
                overflow = atomic_add(&buffer.state->survivors, std::uint64_t{first + sum - begin});
        }
        first = shuffle(first, kWarpLanes - 1);
        overflow = shuffle(overflow, kWarpLanes - 1);
        limit = first < kFilterBuffer ? kFilterBuffer : first;
        next = first + sum - own;
    }
    TEGU_DEVICE void take(const SurvivorBuffer<U>& buffer, U rank, std::uint64_t index) {
        if (next < kFilterBuffer) {
            buffer.ranks[next] = rank;
            buffer.indices[next] = index;
        } else {
            buffer.store(overflow + (next - limit), rank, index);
        }
        ++next;
    }
};

// Which elements of a group survive. Elements of the group are those from `first` on; what lies outside [begin, end) does not survive.
template <class U, bool Float, unsigned Width>
TEGU_DEVICE std::uint32_t survivors_of(const Pack<U, Width>& pack, std::uint64_t first, std::uint64_t begin,
                                       std::uint64_t end, U flip, U cut_rank, std::uint64_t cut_index) {
    std::uint32_t mask = 0;
    TEGU_UNROLL
    for (unsigned e = 0; e < Width; ++e) {
        const U rank = encode_rank(pack.at[e], flip, Float);
        if (rank <= cut_rank && first + e - begin < end - begin && (rank < cut_rank || first + e <= cut_index))
            mask |= 1u << e;
    }
    return mask;
}

// filter_packs: the pairs up to the cut.
// in:    elements [n], dense                                out: lists, state.survivors
// grid:  x strides over packs of 16 bytes, y = sequences    block: policy.filter_threads
// shared: 512 * (8 + sizeof(U)) B static                    result valid in: lists and states, after the launch
// moves: reads n sizeof(U) B, writes survivors * (8 + sizeof(U)) B      order: any
// why:   several packs are in flight per thread; few survive, so a warp mostly ends at the first ballot; a survivor is read again, from L1
template <class U, bool Float>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads)
    filter_packs(Sequences in, std::uint64_t begin, std::uint64_t end, SelectState* states, PairLists lists) {
    constexpr unsigned kWidth = 16 / sizeof(U);
    TEGU_SHARED_ARRAY(U, ranks, kFilterBuffer);
    TEGU_SHARED_ARRAY(std::uint64_t, indices, kFilterBuffer);
    TEGU_SHARED(std::uint32_t, used);
    TEGU_SHARED(std::uint64_t, place);
    if (thread_index() == 0) used = 0;
    block_barrier();
    const std::uint64_t number = block_y();
    const U* const elements = static_cast<const U*>(in.data) + number * in.step;
    const U flip = static_cast<U>(in.flip);
    const U cut_rank = static_cast<U>(states[number].rank);
    const std::uint64_t cut_index = states[number].index;
    const SurvivorBuffer<U> buffer{ranks,
                                   indices,
                                   &used,
                                   states + number,
                                   static_cast<U*>(lists.ranks) + number * lists.room,
                                   lists.indices + number * lists.room,
                                   lists.room};
    // Pack p holds elements from p * kWidth - skew on: packs are aligned, sequences need not be.
    const std::uint64_t skew = reinterpret_cast<std::uintptr_t>(elements) % 16 / sizeof(U);
    const std::uint64_t packs = (end + skew + kWidth - 1) / kWidth;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    const std::uint64_t first_pack = (begin + skew) / kWidth;
    const std::uint64_t first_of_warp =
        first_pack + std::uint64_t{block_x()} * block_threads() + warp_index() * kWarpLanes;
    for (std::uint64_t base = first_of_warp; base < packs; base += stride * kFilterPacks<U>) {
        Pack<U, kWidth> pack[kFilterPacks<U>];
        TEGU_UNROLL
        for (unsigned j = 0; j < kFilterPacks<U>; ++j) {
            const std::uint64_t first = (base + j * stride + lane_index()) * kWidth - skew;
            if (first - begin < end - begin && end - first >= kWidth) {
                pack[j] = *reinterpret_cast<const Pack<U, kWidth>*>(elements + first);
            } else {
                TEGU_UNROLL
                for (unsigned e = 0; e < kWidth; ++e)
                    pack[j].at[e] = first + e - begin < end - begin ? elements[first + e] : U{0};
            }
        }
        std::uint32_t masks[kFilterPacks<U>];
        std::uint32_t own = 0;
        TEGU_UNROLL
        for (unsigned j = 0; j < kFilterPacks<U>; ++j) {
            const std::uint64_t first = (base + j * stride + lane_index()) * kWidth - skew;
            masks[j] = survivors_of<U, Float, kWidth>(pack[j], first, begin, end, flip, cut_rank, cut_index);
            own += count_bits(masks[j]);
        }
        if (!warp_any(own != 0)) continue;
        WarpPlaces<U> places(buffer, own);
        TEGU_UNROLL
        for (unsigned j = 0; j < kFilterPacks<U>; ++j) {
            const std::uint64_t first = (base + j * stride + lane_index()) * kWidth - skew;
            for (std::uint32_t mask = masks[j]; mask != 0; mask &= mask - 1) {
                const std::uint64_t index = first + trailing_zeros(mask);
                places.take(buffer, encode_rank(elements[index], flip, Float), index);
            }
        }
    }
    block_barrier();
    const std::uint32_t kept = used < kFilterBuffer ? used : kFilterBuffer;
    if (thread_index() == 0) place = atomic_add(&states[number].survivors, std::uint64_t{kept});
    block_barrier();
    for (std::uint32_t i = thread_index(); i < kept; i += block_threads())
        buffer.store(place + i, ranks[i], indices[i]);
}

// filter_rows: the same where the sequence has gaps.
// in:    elements [n] with gaps                             out: lists, state.survivors
// grid:  x strides over the elements, y = sequences         block: policy.filter_threads
// shared: none                                              result valid in: lists and states, after the launch
// moves: reads n sizeof(U) B, writes survivors * (8 + sizeof(U)) B      order: any
// why:   the general case; one division an element is hidden behind memory
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads)
    filter_rows(Sequences in, std::uint64_t begin, std::uint64_t end, SelectState* states, PairLists lists) {
    const std::uint64_t number = block_y();
    const RankedSequence<U> sequence(in, number);
    const U cut_rank = static_cast<U>(states[number].rank);
    const std::uint64_t cut_index = states[number].index;
    U* const ranks = static_cast<U*>(lists.ranks) + number * lists.room;
    std::uint64_t* const indices = lists.indices + number * lists.room;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t base = begin + std::uint64_t{block_x()} * block_threads() + warp_index() * kWarpLanes;
         base < end; base += stride) {
        const std::uint64_t index = base + lane_index();
        const U rank = index < end ? sequence.rank(index) : U{0};
        const bool taken = index < end && !is_behind(rank, index, cut_rank, cut_index);
        const std::uint32_t lanes = warp_ballot(taken);
        if (lanes == 0) continue;
        const unsigned first = trailing_zeros(lanes);
        std::uint64_t slot = 0;
        if (lane_index() == first) slot = atomic_add(&states[number].survivors, std::uint64_t{count_bits(lanes)});
        slot = shuffle(slot, first) + count_bits(lanes & lanes_before());
        if (!taken || slot >= lists.room) continue;
        ranks[slot] = rank;
        indices[slot] = index;
    }
}

// What launch_exact_cut keeps of a sequence behind its bins.
struct CutProgress {
    SelectRange range;  // low > high: not begun
    std::uint64_t done;
};
static_assert(sizeof(CutProgress) <= 8 * (kCutWords - kSelectBins), "kCutWords is too small");

// count_bins: one step of the search for a cut: counts the elements in the bins of the range, and goes to the bin of the k-th.
// in:    elements [n]; bins, tickets and progress, zero at first      out: the same; at the end states[].rank and index
// grid:  x strides over the elements, y = sequences                   block: policy.filter_threads
// shared: 8 KB static                                                 result valid in: states, when all steps are done
// moves: reads n sizeof(U) B                                          order: any
// why:   the last block of a sequence makes the step, so no other launch is needed; bins that a block has not met are not added
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kMaxThreads) count_bins(Sequences in, std::uint64_t k, std::uint64_t most, SelectState* states,
                                                std::uint64_t* all_bins, std::uint32_t* tickets, bool first) {
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
    for (std::uint64_t i = std::uint64_t{block_x()} * block_threads() + thread_index(); i < in.n; i += stride) {
        const U rank = sequence.rank(i);
        if (range.by_index && rank != range.tie) continue;
        const std::uint64_t value = range.by_index ? i : rank;
        if (range.holds(value)) atomic_add(&own_bins[(value - range.low) >> shift], 1u);
    }
    block_barrier();
    for (unsigned bin = thread_index(); bin < kSelectBins; bin += block_threads())
        if (own_bins[bin] != 0) atomic_add(&bins[bin], std::uint64_t{own_bins[bin]});
    if (!last_block(&tickets[number], grid_x())) return;
    std::uint64_t bin, before, inside;
    const bool found = block_find_bin(bins, k - range.before, &bin, &before, &inside);
    for (unsigned b = thread_index(); b < kSelectBins; b += block_threads()) bins[b] = 0;
    if (found) range.enter(bin, before, inside);
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

unsigned power_of_two(std::uint64_t least) {
    unsigned power = 1;
    while (power < least) power *= 2;
    return power;
}

template <class U>
LaunchStatus launch_block(const BlockJob& job, std::uint64_t pairs, const TopkPolicy& policy, Stream stream) {
    const std::uint64_t wanted = (pairs / 4 + kWarpLanes) / kWarpLanes * kWarpLanes;  // two comparisons a thread
    const unsigned threads = wanted < policy.block_threads ? static_cast<unsigned>(wanted) : policy.block_threads;
    const std::size_t shared = job.room * (sizeof(std::uint64_t) + sizeof(U));
    return launch(select_block<U>, LaunchShape{static_cast<unsigned>(job.in.count), 1, threads, shared}, stream, job);
}

// `pairs`: about as many there are to look at.
LaunchStatus launch_block_of_width(const BlockJob& job, std::uint64_t pairs, const TopkPolicy& policy, Stream stream) {
    switch (job.in.width) {
        case 1: return launch_block<std::uint8_t>(job, pairs, policy, stream);
        case 2: return launch_block<std::uint16_t>(job, pairs, policy, stream);
        case 4: return launch_block<std::uint32_t>(job, pairs, policy, stream);
        default: return launch_block<std::uint64_t>(job, pairs, policy, stream);
    }
}

// Pairs at which narrowing ends: twice as many as are wanted cost less to sort than one more pass.
unsigned enough_for(std::uint64_t k, unsigned room) {
    const unsigned twice = power_of_two(2 * k);
    const unsigned enough = twice < 1024 ? 1024 : twice;
    return enough < room ? enough : room;
}

template <class U, bool Float>
LaunchStatus launch_filter_packs(const Sequences& in, std::uint64_t begin, std::uint64_t end, SelectState* states,
                                 const PairLists& lists, const TopkPolicy& policy, const DeviceLimits& limits,
                                 Stream stream) {
    const std::uint64_t threads = (end - begin) * sizeof(U) / 16 / kFilterPacks<U> + 1;
    const unsigned blocks = blocks_for(threads, policy.filter_threads, policy.waves, limits);
    return launch(filter_packs<U, Float>,
                  LaunchShape{blocks, static_cast<unsigned>(in.count), policy.filter_threads, 0}, stream, in, begin,
                  end, states, lists);
}

template <class U>
LaunchStatus launch_filter_typed(const Sequences& in, std::uint64_t begin, std::uint64_t end, SelectState* states,
                                 const PairLists& lists, const TopkPolicy& policy, const DeviceLimits& limits,
                                 Stream stream) {
    if (in.cols < in.n) {
        const unsigned blocks = blocks_for(end - begin, policy.filter_threads, policy.waves, limits);
        return launch(filter_rows<U>, LaunchShape{blocks, static_cast<unsigned>(in.count), policy.filter_threads, 0},
                      stream, in, begin, end, states, lists);
    }
    if (sizeof(U) > 1 && in.is_float)
        return launch_filter_packs<U, (sizeof(U) > 1)>(in, begin, end, states, lists, policy, limits, stream);
    return launch_filter_packs<U, false>(in, begin, end, states, lists, policy, limits, stream);
}

template <class U>
LaunchStatus launch_exact_cut_typed(const Sequences& in, std::uint64_t k, std::uint64_t most, SelectState* states,
                                    std::uint64_t* bins, std::uint32_t* tickets, const TopkPolicy& policy,
                                    const DeviceLimits& limits, Stream stream) {
    const LaunchShape shape{blocks_for(in.n, policy.filter_threads, policy.waves, limits),
                            static_cast<unsigned>(in.count), policy.filter_threads, 0};
    unsigned index_bits = 0;
    while (index_bits < 64 && in.n >> index_bits != 0) ++index_bits;
    const unsigned steps =
        (8 * sizeof(U) + kSelectBinBits - 1) / kSelectBinBits + (index_bits + kSelectBinBits - 1) / kSelectBinBits;
    for (unsigned step = 0; step < steps; ++step) {
        const LaunchStatus status = launch(count_bins<U>, shape, stream, in, k, most, states, bins, tickets, step == 0);
        if (status != 0) return status;
    }
    return 0;
}

}  // namespace

unsigned block_room(unsigned width, const TopkPolicy& policy, const DeviceLimits& limits) {
    const std::size_t fixed = 10 << 10;  // what the kernel has besides
    unsigned room = policy.room;
    while (room > 32 && room * (sizeof(std::uint64_t) + width) + fixed > limits.shared_bytes_per_block) room /= 2;
    return room;
}

LaunchStatus launch_select_blocks(const Sequences& in, const TopkOutput& output, unsigned room,
                                  const TopkPolicy& policy, Stream stream) {
    const unsigned enough = output.distinct ? room : enough_for(output.k, room);
    const unsigned needed = in.n <= enough ? power_of_two(in.n) : enough;
    return launch_block_of_width(BlockJob{in, PairsOf::Elements, in.n, output.k, needed, enough, nullptr, {}, output},
                                 in.n, policy, stream);
}

LaunchStatus launch_sample_cut(const Sequences& in, std::uint64_t sample, std::uint64_t place, SelectState* states,
                               unsigned room, const TopkPolicy& policy, Stream stream) {
    const unsigned enough = enough_for(place, room);
    return launch_block_of_width(BlockJob{in, PairsOf::Sample, sample, place, enough, enough, states, {}, {}}, sample,
                                 policy, stream);
}

LaunchStatus launch_exact_cut(const Sequences& in, std::uint64_t k, std::uint64_t most, SelectState* states,
                              std::uint64_t* bins, std::uint32_t* tickets, const TopkPolicy& policy,
                              const DeviceLimits& limits, Stream stream) {
    switch (in.width) {
        case 1: return launch_exact_cut_typed<std::uint8_t>(in, k, most, states, bins, tickets, policy, limits, stream);
        case 2:
            return launch_exact_cut_typed<std::uint16_t>(in, k, most, states, bins, tickets, policy, limits, stream);
        case 4:
            return launch_exact_cut_typed<std::uint32_t>(in, k, most, states, bins, tickets, policy, limits, stream);
        default:
            return launch_exact_cut_typed<std::uint64_t>(in, k, most, states, bins, tickets, policy, limits, stream);
    }
}

LaunchStatus launch_filter(const Sequences& in, std::uint64_t begin, std::uint64_t end, SelectState* states,
                           const PairLists& lists, const TopkPolicy& policy, const DeviceLimits& limits,
                           Stream stream) {
    switch (in.width) {
        case 1: return launch_filter_typed<std::uint8_t>(in, begin, end, states, lists, policy, limits, stream);
        case 2: return launch_filter_typed<std::uint16_t>(in, begin, end, states, lists, policy, limits, stream);
        case 4: return launch_filter_typed<std::uint32_t>(in, begin, end, states, lists, policy, limits, stream);
        default: return launch_filter_typed<std::uint64_t>(in, begin, end, states, lists, policy, limits, stream);
    }
}

LaunchStatus launch_select_survivors(const Sequences& in, const SelectState* states, const PairLists& lists,
                                     const TopkOutput& output, unsigned room, const TopkPolicy& policy, Stream stream) {
    const unsigned enough = enough_for(output.k, room);
    return launch_block_of_width(
        BlockJob{in, PairsOf::Survivors, 0, output.k, enough, enough, const_cast<SelectState*>(states), lists, output},
        lists.room, policy, stream);
}

}  // namespace cuda
}  // namespace tegu
