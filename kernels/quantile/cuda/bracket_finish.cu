// SPDX-License-Identifier: Apache-2.0
// The last step of the search in ranges from a sample (bracket.cu): from the listed keys to the quantiles.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/quantile/cuda/bracket_bins.cuh"
#include "kernels/quantile/cuda/finish.cuh"
#include "kernels/quantile/cuda/window.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kFinishThreads = 512;
static_assert(kFinishThreads * kBinsOfThread == kSelectBins, "each thread reads its own bins");

// Where a rank lies: at an end of the group's range, or at a rank of the listed keys inside.
template <class U>
struct BracketPlace {
    bool found;
    bool listed;
    U key;               // at an end
    std::uint32_t rank;  // inside

    TEGU_DEVICE BracketPlace(const BracketMemory& memory, unsigned group, std::uint64_t wanted)
        : found(false), listed(false), key(static_cast<U>(memory.group[group].range.low)), rank(0) {
        std::uint64_t below = 0;
        for (unsigned i = 0; i <= 4 * group; ++i) below += memory.counts[i];
        const std::uint64_t at_low = memory.counts[4 * group + 1], inside = memory.counts[4 * group + 2],
                            at_high = memory.counts[4 * group + 3];
        if (wanted < below) return;
        wanted -= below;
        found = wanted < at_low + inside + at_high;
        if (wanted < at_low) return;
        wanted -= at_low;
        listed = wanted < inside;
        rank = static_cast<std::uint32_t>(wanted);
        if (!listed) key = static_cast<U>(memory.group[group].range.high);
    }
};

// Listed keys near a rank, as a source of kernels/selection/cuda/block.cuh.
template <class U>
struct NearKeys {
    const U* keys;
    TEGU_DEVICE U bits(std::uint64_t i) const { return keys[i]; }
    TEGU_DEVICE static U key_of(U key) { return key; }
};

// bracket_finish: the quantiles, from the numbers, the bins and the listed keys.
// in:    memory, list
// out:   the output; status[quantile], 1: written
// grid:  x strides over the list, y = quantiles            block: 512
// shared: 10 KB static                                     result valid in: out, after the launch
// moves: reads the list, from L2                           order: any
// why:   the bins leave few of the listed keys; the last block ranks these
template <class U>
TEGU_KERNEL TEGU_BOUNDS2(kFinishThreads, 2)
    bracket_finish(KeySegments in, QuantileOutput output, Bracket bracket, std::uint32_t* status) {
    TEGU_SHARED_ARRAY(ThreadBins, bins, kFinishThreads);
    TEGU_SHARED_ARRAY(U, window, kWindow);
    TEGU_SHARED(std::uint32_t, used);
    const KeyedSegment<U> segment(in, 0);
    await_launch_before();
    const unsigned number = block_y();
    const bool writes = block_x() == 0 && thread_index() == 0;
    BracketQuantile* const of = &bracket.memory->quantiles[number];
    const BracketGroup& group = bracket.memory->group[of->group];
    const QuantileResults<U> results(output, segment, 0);
    if (bracket.memory->nans != 0) {
        if (writes && !output.skip_nans) results.write_nan(number);
        if (writes) status[number] = output.skip_nans ? 0 : 1;
        return;
    }
    const QuantilePosition position = results.position(number, in.n);
    const std::uint64_t next = position.last || position.rank + 1 >= in.n ? position.rank : position.rank + 1;
    const BracketPlace<U> own(*bracket.memory, of->group, position.rank),
        behind(*bracket.memory, of->group, next);
    RankBins run{0, 0, 0, 0};
    bool good = own.found && behind.found && bracket.memory->listed <= bracket.capacity;
    const bool from_list = own.listed || behind.listed;
    const std::uint32_t first = own.listed ? own.rank : behind.rank;
    const std::uint32_t last = behind.listed ? behind.rank : own.rank;
    if (good && from_list)
        good = block_find_ranks(reinterpret_cast<const ThreadBins*>(group.bins), first, last, &run) &&
               run.inside <= bracket.near_capacity;
    if (!good || !from_list) {
        if (writes && good) results.write(number, position, own.key, behind.key);
        if (writes) status[number] = good ? 1 : 0;
        return;
    }
    BracketBins<U> bin{};
    bin.set(group.range);
    const U low = static_cast<U>(group.range.low), high = static_cast<U>(group.range.high);
    const U* const list = static_cast<const U*>(bracket.list);
    U* const near = static_cast<U*>(bracket.near) + std::uint64_t{number} * bracket.near_capacity;
    const std::uint64_t listed = bracket.memory->listed;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t base = std::uint64_t{block_x()} * block_threads() + thread_index(); base < listed;
         base += stride * kSelectBatch) {
        U keys[kSelectBatch];
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j)
            keys[j] = list[base + j * stride < listed ? base + j * stride : base];
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j) {
            const unsigned at = bin.of(keys[j]);
            if (base + j * stride >= listed || keys[j] <= low || keys[j] >= high || at < run.first ||
                at > run.last)
                continue;
            const std::uint32_t slot = atomic_add(&of->near, 1u);
            if (slot < bracket.near_capacity) near[slot] = keys[j];
        }
    }
    if (!last_block(&of->ticket, grid_x())) return;
    const std::uint32_t count = of->near;
    if (count != run.inside) {
        if (thread_index() == 0) status[number] = 0;
        return;
    }
    const NearKeys<U> source{near};
    const WindowSearch<U, NearKeys<U>> search{source, count,  block_range<U>(source, count),
                                              bins,   window, &used};
    const auto found = search.find(first - run.before, last - run.before);
    U key = found.key, next_key = found.next;
    if (!found.has_next) next_key = search.find(last - run.before, last - run.before).key;
    if (!own.listed) key = own.key;
    if (!behind.listed) next_key = behind.key;
    if (thread_index() == 0) {
        results.write(number, position, key, next_key);
        status[number] = 1;
    }
}

using FinishKernel = void (*)(KeySegments, QuantileOutput, Bracket, std::uint32_t*);
constexpr KernelTable<FinishKernel, 4> kBracketFinish = {
    "bracket_finish", "reads the elements near the quantiles", {TEGU_BY_WIDTH(bracket_finish)}};

}  // namespace

LaunchStatus launch_bracket_finish(const KeySegments& in, const QuantileOutput& output,
                                   const Bracket& bracket, std::uint32_t* status,
                                   const QuantileConfig& config) {
    const auto quantiles = static_cast<unsigned>(output.quantiles);
    const std::uint64_t steps = bracket.capacity / (kFinishThreads * kSelectBatch) + 1;
    const std::uint64_t max = 2 * std::uint64_t{config.limits.multiprocessors} / quantiles + 1;
    const LaunchShape shape{static_cast<unsigned>(steps < max ? steps : max), quantiles, kFinishThreads, 0};
    return launch_pdl(kBracketFinish[width_index(in.width)], shape, config.limits, config.stream, in, output,
                      bracket, status);
}

void list_quantile_bracket_finish_kernels(KernelLister& to) {
    to.add(1, listed(kBracketFinish, BlockSize{kFinishThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
