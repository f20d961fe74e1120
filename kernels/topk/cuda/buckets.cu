// SPDX-License-Identifier: Apache-2.0
// Sorts the survivors of a cut where the results are many: spreads them over buckets, then selects slices of
// the results from these.
#include "kernels/topk/cuda/buckets.h"

#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/selection/cuda/bin_order.cuh"
#include "kernels/selection/cuda/cut_minima.cuh"
#include "kernels/topk/cuda/slice.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kSpreadThreads = 512;  // of a block at most; as many as a sample has groups, at least
constexpr unsigned kSliceThreads = 384;   // of a block at most; two blocks have the registers
static_assert(kSliceThreads / 2 >= kMaxBuckets, "a thread has a bucket at most");
constexpr unsigned kSpreadItems = 2;                  // survivors of a thread at a time
constexpr std::size_t kBucketStaticBytes = 10 << 10;  // at most, of shared memory

// The bounds of all buckets but the last, in order, in shared memory.
template <class U>
struct BucketBounds {
    const U* keys;
    const std::uint64_t* indices;
    unsigned count;

    TEGU_DEVICE unsigned bucket_of(U key, std::uint64_t index) const {
        unsigned low = 0, high = count;
        TEGU_NO_UNROLL
        while (low < high) {
            const unsigned middle = (low + high) / 2;
            if (is_behind(key, index, keys[middle], indices[middle]))
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
};

// spread_survivors: moves each survivor to its bucket.
// in:    the survivors' lists, states, minima                out: buckets, their bounds and sizes
// grid:  x strides over the survivors, y = segments         block: 512, fewer where a block has few registers
// shared: 8 to 13 KB static                                  result valid in: buckets, after the launch
// moves: reads and writes survivors * (8 + sizeof(U)) B      order: any
// why:   each block sorts the entries up to the cut by itself. Counting before would be another launch, so a
//        bucket has room for several times its likely size
template <class U>
TEGU_KERNEL TEGU_BOUNDS(kSpreadThreads / kBlocksForRegisters)
    spread_survivors(FilteredSegments filtered, SurvivorBuckets buckets) {
    TEGU_SHARED_ARRAY(U, keys, kSpreadThreads);
    TEGU_SHARED_ARRAY(std::uint64_t, indices, kSpreadThreads);
    TEGU_SHARED_ARRAY(std::uint32_t, ranks, kSpreadThreads);
    TEGU_SHARED_ARRAY(U, bound_keys, kMaxBuckets);
    TEGU_SHARED_ARRAY(std::uint64_t, bound_indices, kMaxBuckets);
    TEGU_SHARED_ARRAY(std::uint32_t, slots, kMaxBuckets);  // of the block's pairs; then, the first of them
    TEGU_SHARED(std::uint32_t, used);
    if (thread_index() == 0) used = 0;
    block_barrier();
    pdl_trigger();
    await_launch_before();
    const std::uint64_t number = block_y();
    const PairLists& lists = filtered.lists;
    const U* const from_keys = static_cast<const U*>(lists.keys) + number * lists.capacity;
    const std::uint64_t* const from_indices = lists.indices + number * lists.capacity;
    const SelectState state = filtered.states[number];
    const U cut = static_cast<U>(state.key);
    if (state.survivors > lists.capacity) return;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads() * kSpreadItems;
    std::uint64_t base = std::uint64_t{block_x()} * block_threads() * kSpreadItems + thread_index();
    U key[kSpreadItems];
    std::uint64_t index[kSpreadItems];
    const auto load = [&] {
        TEGU_UNROLL
        for (unsigned j = 0; j < kSpreadItems; ++j) {
            const std::uint64_t i = base + j * block_threads();
            key[j] = from_keys[i < state.survivors ? i : 0];
            index[j] = from_indices[i < state.survivors ? i : 0];
        }
    };
    load();

    const GroupMinima& minima = filtered.minima;
    const std::uint32_t groups = minima.sample.groups;
    if (thread_index() < groups) {
        const std::uint64_t entry = number * groups + thread_index();
        const U own = static_cast<const U*>(minima.keys)[entry];
        const std::uint64_t at = sampled_index(minima, minima.numbers[entry]);
        if (!is_behind(own, at, cut, state.index)) {
            const std::uint32_t slot = atomic_add(&used, 1u);
            keys[slot] = own;
            indices[slot] = at;
        }
    }
    block_barrier();
    const unsigned entries = used;
    U* const all_keys = static_cast<U*>(buckets.bound_keys) + number * buckets.count;
    std::uint64_t* const all_indices = buckets.bound_indices + number * buckets.count;
    unsigned bounds = entries / kBucketEntries;
    if (bounds > buckets.count - 1) bounds = buckets.count - 1;
    block_order(keys, indices, entries, ranks, [&](unsigned own, unsigned rank) {
        const unsigned bound = rank / kBucketEntries;
        if ((rank + 1) % kBucketEntries != 0 || bound >= bounds) return;
        bound_keys[bound] = keys[own];
        bound_indices[bound] = indices[own];
        if (block_x() != 0) return;
        all_keys[bound] = keys[own];
        all_indices[bound] = indices[own];
    });
    if (block_x() == 0)
        for (unsigned b = bounds + thread_index(); b < buckets.count; b += block_threads()) {
            all_keys[b] = cut;
            all_indices[b] = state.index;
        }
    block_barrier();
    const BucketBounds<U> bound{bound_keys, bound_indices, bounds};
    std::uint32_t* const sizes = buckets.sizes + number * (buckets.count + 1);
    const std::uint64_t first = number * buckets.count;
    TEGU_NO_UNROLL
    while (base - thread_index() < state.survivors) {
        if (thread_index() < buckets.count) slots[thread_index()] = 0;
        block_barrier();
        std::uint32_t bucket[kSpreadItems], slot[kSpreadItems];
        TEGU_UNROLL
        for (unsigned j = 0; j < kSpreadItems; ++j) {
            const bool is_there = base + j * block_threads() < state.survivors;
            bucket[j] = is_there ? bound.bucket_of(key[j], index[j]) : kMaxBuckets;
            slot[j] = is_there ? atomic_add(&slots[bucket[j]], 1u) : 0;
        }
        block_barrier();
        // All blocks add to the same few words, so a block adds once to each.
        if (thread_index() < buckets.count && slots[thread_index()] != 0)
            slots[thread_index()] = atomic_add(&sizes[thread_index()], slots[thread_index()]);
        block_barrier();
        TEGU_UNROLL
        for (unsigned j = 0; j < kSpreadItems; ++j) {
            if (bucket[j] == kMaxBuckets) continue;
            const std::uint64_t at = std::uint64_t{slots[bucket[j]]} + slot[j];
            if (at >= buckets.capacity) continue;
            const std::uint64_t to = (first + bucket[j]) * buckets.capacity + at;
            static_cast<U*>(buckets.keys)[to] = key[j];
            buckets.indices[to] = index[j];
        }
        base += stride;
        if (base - thread_index() >= state.survivors) break;
        load();
        block_barrier();  // the slots have been read
    }
}

// The shared memory of a block that sorts.
template <class U>
struct SliceSpace {
    U* keys;
    std::uint64_t* indices;
    std::uint16_t* order;
    ThreadBins* bins;
    std::uint32_t* used;

    TEGU_DEVICE std::uint32_t* words() const { return reinterpret_cast<std::uint32_t*>(bins); }
};

// Writes a slice of one bucket's pairs. All threads call it.
template <class U>
TEGU_DEVICE void block_select_bucket(const KeyList<U>& list, const Slice<U>& slice,
                                     const SliceSpace<U>& space) {
    for (unsigned bin = thread_index(); bin < kSelectBins; bin += block_threads()) space.words()[bin] = 0;
    if (thread_index() == 0) *space.used = 0;
    block_barrier();
    SelectRange range = slice.whole;
    unsigned collected;
    if (!block_collect_slice(list, slice, space.keys, space.indices, space.words(), space.used, &range,
                             &collected)) {
        const SliceSource<U> source{slice.segment, list.keys, list.indices};
        return block_slice(source, list.count, slice, space.keys, space.indices, space.words());
    }
    const auto write = [&](unsigned i, unsigned rank) {
        const std::uint64_t to = range.before + rank;
        if (to >= slice.begin && to < slice.end) slice.write(to, space.keys[i], space.indices[i]);
    };
    const U low = static_cast<U>(range.by_index ? range.tie : range.low);
    const U high = static_cast<U>(range.by_index ? range.tie : range.high);
    if (!block_order_by_bins(space.keys, space.indices, collected, NearBins<U>(low, high), space.bins,
                             space.order, write)) {
        block_sort<U, true>(space.keys, space.indices, block_fill(space.keys, space.indices, collected));
        for (unsigned i = thread_index(); i < collected; i += block_threads()) write(i, i);
    }
    const std::uint64_t known = range.before + collected;
    if (known < slice.end) slice.fill(known > slice.begin ? known : slice.begin);
}

// The slice of a block: results [begin, end) of a bucket, which begins at result `first`.
template <class U>
struct BucketSlice {
    std::uint32_t bucket;
    std::uint32_t size;
    std::uint64_t first;
    std::uint64_t begin;
    std::uint64_t end;
    U low;  // the keys of the bucket
    U high;
    std::uint64_t last;  // of the indices, where all keys are equal
};

// select_buckets: the results of the buckets, sorted, a slice of a bucket in each block.
// in:    buckets, states                                     out: the output; sizes, zero
// grid:  x = slices of k results, and one for each bucket; y = segments      block: 384, or 192
// shared: capacity * (10 + sizeof(U)) B dynamic, 9 KB static
// result valid in: the output, after the launch
// moves: a block reads its bucket once or twice, from L2     order: any
// why:   a block for each bucket would wait for the largest one
template <class U>
TEGU_KERNEL TEGU_BOUNDS2((kSliceThreads / kBlocksForRegisters), 2)
    select_buckets(SliceJob job, SurvivorBuckets buckets) {
    TEGU_DYNAMIC_SHARED(shared);
    TEGU_SHARED_ARRAY(ThreadBins, bins, kSelectBins / kBinsOfThread);
    TEGU_SHARED(BucketSlice<U>, chosen);
    TEGU_SHARED(std::uint32_t, used);
    if (thread_index() == 0) chosen.begin = chosen.end = 0;
    std::uint64_t* const pair_indices = reinterpret_cast<std::uint64_t*>(shared);
    U* const pair_keys = reinterpret_cast<U*>(pair_indices + job.capacity);
    const SliceSpace<U> space{pair_keys, pair_indices,
                              reinterpret_cast<std::uint16_t*>(pair_keys + job.capacity), bins, &used};
    const std::uint64_t number = block_y(), k = job.output.k;
    await_launch_before();
    const SelectState state = job.states[number];
    std::uint32_t* const sizes = buckets.sizes + number * (buckets.count + 1);
    const std::uint64_t all = number * buckets.count;
    const bool has_bucket = thread_index() < buckets.count;
    const std::uint64_t bucket = all + (has_bucket ? thread_index() : 0);
    const std::uint32_t size = has_bucket ? sizes[thread_index()] : 0;
    const U high = static_cast<const U*>(buckets.bound_keys)[bucket];
    const U bound_before =
        bucket == all ? static_cast<U>(state.best) : static_cast<const U*>(buckets.bound_keys)[bucket - 1];
    const U low = bound_before < high ? bound_before : high;
    const std::uint64_t bound_index = buckets.bound_indices[bucket];
    const std::uint32_t slices = (size + job.slice - 1) / job.slice;
    std::uint64_t total;  // sizes in the upper half, slices in the lower one
    const std::uint64_t before = block_sum_before<std::uint64_t>(std::uint64_t{size} << 32 | slices, &total);
    const std::uint32_t slice_number = block_x() - static_cast<std::uint32_t>(before);
    if (slice_number < slices) {
        const std::uint64_t first = before >> 32, begin = std::uint64_t{slice_number} * job.slice;
        const std::uint64_t there = k <= first ? 0 : k - first < size ? k - first : size;
        const std::uint64_t end = begin + job.slice < there ? begin + job.slice : there;
        const std::uint64_t last = low == high && bound_index < job.in.n ? bound_index : job.in.n - 1;
        chosen = BucketSlice<U>{thread_index(), size, first, begin, end, low, high, last};
    }
    const bool is_full = block_any(size > buckets.capacity);
    if (block_x() == 0 && thread_index() == 0) {
        const std::uint64_t survivors = is_full ? ~std::uint64_t{0} : state.survivors;
        job.states[number].survivors = survivors;
        if (job.seen != nullptr) job.seen[number] = survivors;
    }
    const BucketSlice<U> own = chosen;
    if (is_full || state.survivors < k || state.survivors > job.lists.capacity) {
        const std::uint64_t begin = std::uint64_t{block_x()} * job.slice, end = begin + job.slice;
        if (begin < k) fill_entries<U>(job.output, number * k + begin, number * k + (end < k ? end : k));
    } else if (own.begin < own.end) {
        const KeyedSegment<U> segment(job.in, number);
        const Slice<U> slice{job,
                             segment,
                             number,
                             own.first,
                             own.begin,
                             own.end,
                             SelectRange{own.low, own.high, 0, own.size, 0, false},
                             own.last};
        const std::uint64_t list = (all + own.bucket) * buckets.capacity;
        block_select_bucket(
            KeyList<U>{static_cast<const U*>(buckets.keys) + list, buckets.indices + list, own.size}, slice,
            space);
    }
    // The last block leaves the sizes zero. Nothing waits for its ticket here.
    if (thread_index() != 0 || atomic_wrap(sizes + buckets.count, grid_x() - 1) != grid_x() - 1) return;
    for (unsigned b = 0; b < buckets.count; ++b) sizes[b] = 0;
}

constexpr KernelTable<decltype(&spread_survivors<std::uint8_t>), 4> kSpread = {
    "spread_survivors", "reads and writes the survivors", {TEGU_BY_WIDTH(spread_survivors)}};
constexpr KernelTable<decltype(&select_buckets<std::uint8_t>), 4> kSelectBuckets = {
    "select_buckets",
    "reads the survivors several times, from the L2 cache; writes k values and indices",
    {TEGU_BY_WIDTH(select_buckets)}};

constexpr std::size_t bucket_pair_bytes(unsigned width) {
    return pair_bytes(width) + sizeof(std::uint16_t);
}

}  // namespace

LaunchStatus launch_select_buckets(const KeySegments& in, const FilteredSegments& filtered,
                                   const SurvivorBuckets& buckets, const SelectionOutput& output,
                                   const SelectionConfig& config) {
    const DeviceLimits& limits = config.limits;
    const unsigned segments = static_cast<unsigned>(in.count), width = width_index(in.width);
    const unsigned threads = limits.max_threads(kSpreadThreads);
    const LaunchShape spread{
        blocks_for(ceil_divide(filtered.lists.capacity, kSpreadItems), threads, 1, limits), segments, threads,
        0};
    const LaunchStatus status = launch_pdl(kSpread[width], spread, limits, config.stream, filtered, buckets);
    if (status != 0) return status;
    SliceJob job{in, filtered.states, filtered.lists, output, 0, 0, filtered.seen, nullptr, 0};
    const unsigned most =
        capacity_of_block(config.policy.capacity, bucket_pair_bytes(in.width), kBucketStaticBytes, limits);
    // As many blocks as the device runs at once: slices, and one for the rest of each bucket.
    const std::uint64_t at_once = 2 * std::uint64_t{limits.multiprocessors} / in.count;
    const std::uint64_t blocks = at_once > 2 * buckets.count ? at_once - buckets.count : at_once / 2 + 1;
    const std::uint64_t min = ceil_divide(output.k, blocks), max = most > 4 ? most / 4 : 1;
    const std::uint64_t wanted = config.policy.slice > min ? config.policy.slice : min;
    job.slice = static_cast<unsigned>(wanted < max ? wanted : max);
    const unsigned capacity = static_cast<unsigned>(up_to_power_of_two(4 * std::uint64_t{job.slice}));
    job.capacity = capacity < most ? capacity : most;
    const LaunchShape select{static_cast<unsigned>(ceil_divide(output.k, job.slice)) + buckets.count,
                             segments, limits.max_threads(kSliceThreads),
                             job.capacity * bucket_pair_bytes(in.width)};
    return select.shared_bytes + kBucketStaticBytes <= kPlainSharedBytes
               ? launch_pdl_plain(kSelectBuckets[width], select, limits, config.stream, job, buckets)
               : launch_pdl(kSelectBuckets[width], select, limits, config.stream, job, buckets);
}

void list_topk_buckets_kernels(KernelLister& to) {
    const unsigned threads = to.limits().max_threads(kSpreadThreads);
    to.add(4, listed(kSpread, BlockSize{threads, 0}), listed(kSelectBuckets, [&](unsigned index) {
               return BlockSize{to.limits().max_threads(kSliceThreads),
                                1024 * bucket_pair_bytes(width_of_index(index))};
           }));
}

}  // namespace cuda
}  // namespace tegu
