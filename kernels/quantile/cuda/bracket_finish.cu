// SPDX-License-Identifier: Apache-2.0
// The last step of the search in ranges from a sample (bracket.cu): from the listed keys to the quantiles.
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/launch_pdl.cuh"
#include "kernels/quantile/cuda/bracket_bins.cuh"
#include "kernels/quantile/cuda/finish.cuh"
#include "kernels/selection/cuda/held.cuh"

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

    BracketPlace() = default;
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

// How the last block finds a quantile.
template <class U>
struct BracketTask {
    BracketPlace<U> own, behind;
    U from, to;                 // the listed keys of the bins around the ranks
    std::uint32_t inside;       // how many these are
    std::uint32_t first, last;  // ranks among them
    bool good;
    bool searched;

    BracketTask() = default;
    // REQUIRES: no NaN.
    TEGU_DEVICE BracketTask(const Bracket& bracket, unsigned group, const QuantilePosition& position,
                            std::uint64_t n)
        : own(*bracket.memory, group, position.rank),
          behind(*bracket.memory, group,
                 position.last || position.rank + 1 >= n ? position.rank : position.rank + 1),
          from(1),
          to(0),
          inside(0),
          first(own.listed ? own.rank : behind.rank),
          last(behind.listed ? behind.rank : own.rank),
          good(own.found && behind.found && bracket.memory->listed <= bracket.capacity),
          searched(good && (own.listed || behind.listed)) {}
    // After the bins of the ranks are found, if there are such.
    TEGU_DEVICE void enter(const Bracket& bracket, const BracketRange& range, unsigned bin_bits,
                           const RankBins& run, bool found) {
        good = found && run.inside <= bracket.near_capacity;
        searched = good;
        if (!good) return;
        BracketBins<U> bins{};
        bins.set(range, bin_bits);
        const U low = static_cast<U>(range.low), high = static_cast<U>(range.high);
        // Listed keys lie between the ends. The first and the last bin have all that lie beyond them.
        from = run.first == 0 ? static_cast<U>(low + 1) : bins.first_of(run.first);
        to = run.last == bins.of(high) ? static_cast<U>(high - 1)
                                       : static_cast<U>(bins.first_of(run.last + 1) - 1);
        inside = run.inside;
        first -= run.before;
        last -= run.before;
    }
};

// As block_find_ranks(), for a warp and 16 bins of each lane.
TEGU_DEVICE bool warp_find_ranks(const ThreadBins* bins, std::uint32_t begin, std::uint32_t last,
                                 RankBins* run) {
    constexpr unsigned kPacks = kBracketBins<false> / kBinsOfThread / kWarpLanes;
    ThreadBins own[kPacks];
    std::uint32_t total = 0;
    TEGU_UNROLL
    for (unsigned p = 0; p < kPacks; ++p) own[p] = bins[lane_index() * kPacks + p];
    TEGU_UNROLL
    for (unsigned p = 0; p < kPacks; ++p) {
        TEGU_UNROLL
        for (unsigned b = 0; b < kBinsOfThread; ++b) total += own[p].at[b];
    }
    std::uint32_t sum = total;
    TEGU_UNROLL
    for (unsigned delta = 1; delta < kWarpLanes; delta *= 2) {
        const std::uint32_t lower = shuffle_up(sum, delta);
        if (lane_index() >= delta) sum += lower;
    }
    std::uint32_t before = sum - total;
    RankBins found{0, 0, 0, 0};
    bool has_first = false, has_last = false;
    TEGU_UNROLL
    for (unsigned b = 0; b < kPacks * kBinsOfThread; ++b) {
        const std::uint32_t upto = before + own[b / kBinsOfThread].at[b % kBinsOfThread];
        const std::uint32_t bin = lane_index() * kPacks * kBinsOfThread + b;
        if (before <= begin && begin < upto) {
            has_first = true;
            found.first = bin;
            found.before = before;
        }
        if (before <= last && last < upto) {
            has_last = true;
            found.last = bin;
            found.inside = upto;
        }
        before = upto;
    }
    const std::uint32_t firsts = warp_ballot(has_first), lasts = warp_ballot(has_last);
    if (firsts == 0 || lasts == 0) return false;
    const unsigned from = trailing_zeros(firsts), to = trailing_zeros(lasts);
    run->first = shuffle(found.first, from);
    run->before = shuffle(found.before, from);
    run->last = shuffle(found.last, to);
    run->inside = shuffle(found.inside, to) - run->before;
    return true;
}

// Keys that a warp searches for those at two ranks: the first ones are in registers.
template <class U>
struct WarpSearch {
    static constexpr unsigned kHeld = (sizeof(U) == 8 ? 16 : 32) / kBlocksForRegisters;
    const U* keys;
    std::uint32_t count;
    U held[kHeld];  // all ones where there is no key
    U low, high;

    TEGU_DEVICE WarpSearch(const U* from, std::uint32_t keys_there)
        : keys(from), count(keys_there), low(static_cast<U>(~U{0})), high(0) {
        const auto extend = [this](U key) {
            low = key < low ? key : low;
            high = key > high ? key : high;
        };
        TEGU_UNROLL
        for (unsigned j = 0; j < kHeld; ++j) {
            const std::uint32_t i = j * kWarpLanes + lane_index();
            held[j] = i < count ? keys[i] : static_cast<U>(~U{0});
            if (i < count) extend(held[j]);
        }
        for_others(extend);
        low = warp_min_key(low);
        high = static_cast<U>(~warp_min_key(static_cast<U>(~high)));
    }
    template <class Body>
    TEGU_DEVICE void for_others(Body body) const {
        TEGU_NO_UNROLL
        for (std::uint32_t i = kHeld * kWarpLanes + lane_index(); i < count; i += kWarpLanes) body(keys[i]);
    }
    // The number of keys up to one. REQUIRES: it is not all ones.
    TEGU_DEVICE std::uint32_t upto(U key) const {
        std::uint32_t sum = 0;
        TEGU_UNROLL
        for (unsigned j = 0; j < kHeld; ++j) {
            if (j % 4 == 0 && j * kWarpLanes >= count) break;
            sum += held[j] <= key ? 1 : 0;
        }
        for_others([&](U other) { sum += other <= key ? 1 : 0; });
        TEGU_UNROLL
        for (unsigned mask = kWarpLanes / 2; mask > 0; mask /= 2) sum += exchange_word_xor(sum, mask);
        return sum;
    }
    // The smallest key from one on, or above it; all ones if there is none.
    TEGU_DEVICE U from(U key, bool above) const {
        U least = static_cast<U>(~U{0});
        const auto reach = [&](U other) {
            if ((above ? other > key : other >= key) && other < least) least = other;
        };
        TEGU_UNROLL
        for (unsigned j = 0; j < kHeld; ++j) reach(held[j]);
        for_others(reach);
        return warp_min_key(least);
    }
    // The keys at a rank and at the same or the next one. Wrong if there are fewer keys.
    TEGU_DEVICE void find(std::uint32_t rank, std::uint32_t last, U* key, U* next) const {
        U begin = low, end = high;
        std::uint32_t before = 0, inside = count;  // keys below, and from begin to end
        TEGU_NO_UNROLL
        while (begin < end && inside > 1) {
            const U middle = static_cast<U>(begin + (end - begin) / 2);
            const std::uint32_t lower = upto(middle) - before;
            if (before + lower > rank) {
                end = middle;
                inside = lower;
            } else {
                begin = static_cast<U>(middle + 1);
                before += lower;
                inside -= lower;
            }
        }
        *key = *next = from(begin, false);
        if (last != rank && *key < high && upto(*key) <= last) *next = from(*key, true);
    }
};

// Keys of the list that a thread loads at once.
template <class U>
struct ListBatch {
    const U* list;
    std::uint64_t listed;
    std::uint64_t stride;
    std::uint64_t base;
    U keys[kSelectBatch];
    TEGU_DEVICE void load(std::uint64_t first) {
        base = first;
        if (base >= listed) return;
        TEGU_UNROLL
        for (unsigned j = 0; j < kSelectBatch; ++j)
            keys[j] = list[base + j * stride < listed ? base + j * stride : base];
    }
};

// bracket_finish: the quantiles, from the numbers, the bins and the listed keys.
// in:    memory, list
// out:   the output; status[quantile], 1: written
// grid:  x strides over the list                           block: 512
// shared: 1 KB static                                      result valid in: out, after the launch
// moves: reads the list, from L2                           order: any
// why:   the bins leave few of the listed keys; in the last block a warp searches those of a quantile
template <class U, bool One>
TEGU_KERNEL TEGU_BOUNDS(kFinishThreads)
    bracket_finish(KeySegments in, QuantileOutput output, Bracket bracket, std::uint32_t* status) {
    using Task = BracketTask<U>;
    constexpr unsigned kMax = One ? 1 : kBracketQuantiles;
    TEGU_SHARED_ARRAY(Task, tasks, kMax);
    const KeyedSegment<U> segment(in, 0);
    const QuantileResults<U> results(output, segment, 0);
    const unsigned quantiles = One ? 1 : static_cast<unsigned>(output.quantiles), own = warp_index();
    const QuantilePosition position = results.position(own < quantiles ? own : 0, in.n);
    await_launch_before();
    BracketMemory* const memory = bracket.memory;
    if (memory->nans != 0) {
        if (block_x() != 0 || thread_index() >= quantiles) return;
        if (!output.skip_nans) results.write_nan(thread_index());
        status[thread_index()] = output.skip_nans ? 0 : 1;
        return;
    }
    const std::uint64_t listed = memory->listed < bracket.capacity ? memory->listed : bracket.capacity;
    const std::uint64_t stride = std::uint64_t{grid_x()} * block_threads();
    ListBatch<U> batch{static_cast<const U*>(bracket.list), listed, stride, 0, {}};
    if (One || own < quantiles) {
        const unsigned number = One ? 0 : own, group = memory->quantiles[number].group;
        Task task(bracket, group, position, in.n);
        if (task.searched) {
            const auto* const bins = reinterpret_cast<const ThreadBins*>(memory->group[group].bins);
            RankBins run{0, 0, 0, 0};
            const bool found = One ? block_find_ranks(bins, task.first, task.last, &run)
                                   : warp_find_ranks(bins, task.first, task.last, &run);
            task.enter(bracket, memory->group[group].range, kBracketBinBits<One>, run, found);
        }
        if (One ? thread_index() == 0 : lane_index() == 0) tasks[number] = task;
    }
    block_barrier();
    bool searched = false;
    for (unsigned q = 0; q < quantiles; ++q) searched = searched || tasks[q].searched;
    if (searched) {
        U from[kMax], to[kMax];
        TEGU_UNROLL
        for (unsigned q = 0; q < kMax; ++q) {
            from[q] = q < quantiles ? tasks[q].from : U{1};
            to[q] = q < quantiles ? tasks[q].to : U{0};
        }
        U* const near = static_cast<U*>(bracket.near);
        batch.load(std::uint64_t{block_x()} * block_threads() + thread_index());
        for (; batch.base < listed; batch.load(batch.base + stride * kSelectBatch)) {
            TEGU_UNROLL
            for (unsigned j = 0; j < kSelectBatch; ++j) {
                if (batch.base + j * stride >= listed) continue;
                const U key = batch.keys[j];
                TEGU_UNROLL
                for (unsigned q = 0; q < kMax; ++q) {
                    if (key < from[q] || key > to[q]) continue;
                    const std::uint32_t slot = atomic_add(&memory->quantiles[q].near, 1u);
                    if (slot < bracket.near_capacity) near[q * bracket.near_capacity + slot] = key;
                }
            }
        }
    }
    // Where no key is searched, each block knows all.
    if (searched ? !last_block(&memory->ticket, grid_x()) : block_x() != 0) return;
    if (own >= quantiles) return;
    const Task task = tasks[own];
    const std::uint32_t count = memory->quantiles[own].near;
    const bool good = task.good && (!task.searched || count == task.inside);
    U key = task.own.key, next = task.behind.key;
    if (good && task.searched) {
        const U* const near =
            static_cast<const U*>(bracket.near) + std::uint64_t{own} * bracket.near_capacity;
        const WarpSearch<U> search{near, count};
        U found, behind;
        search.find(task.first, task.last, &found, &behind);
        if (task.own.listed) key = found;
        if (task.behind.listed) next = task.own.listed ? behind : found;
    }
    if (lane_index() != 0) return;
    if (good) results.write(own, position, key, next);
    status[own] = good ? 1 : 0;
}

using FinishKernel = void (*)(KeySegments, QuantileOutput, Bracket, std::uint32_t*);
#define TEGU_X(U, word) \
    variant(bracket_finish<U, true>, word, "one"), variant(bracket_finish<U, false>, word, "several")
constexpr KernelTable<FinishKernel, 8> kBracketFinish = {
    "bracket_finish", "reads the elements near the quantiles", {TEGU_WIDTHS(TEGU_X)}};
#undef TEGU_X

}  // namespace

LaunchStatus launch_bracket_finish(const KeySegments& in, const QuantileOutput& output,
                                   const Bracket& bracket, std::uint32_t* status,
                                   const QuantileConfig& config) {
    const std::uint64_t steps = bracket.capacity / (kFinishThreads * kSelectBatch) + 1;
    const std::uint64_t max = config.limits.multiprocessors;
    const LaunchShape shape{static_cast<unsigned>(steps < max ? steps : max), 1, kFinishThreads, 0};
    return launch_pdl(kBracketFinish[2 * width_index(in.width) + (output.quantiles == 1 ? 0 : 1)], shape,
                      config.limits, config.stream, in, output, bracket, status);
}

void list_quantile_bracket_finish_kernels(KernelLister& to) {
    to.add(4, listed(kBracketFinish, BlockSize{kFinishThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
