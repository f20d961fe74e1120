// SPDX-License-Identifier: Apache-2.0
// The kernel that counts bins and levels together, for types of 16 bits or more.
#include "kernels/execution/cuda/streaming.cuh"
#include "kernels/fused/cuda/bin_levels.cuh"

namespace tegu {
namespace cuda {
namespace {

template <class T, unsigned Width>
TEGU_DEVICE void count_pack(const Pack<T, Width>& pack, const BinLevelCounter<T>& counter) {
    if (counter.template add<Width>(pack.at, counter.all_inside(pack.at), counter.is_exact()) == 0) return;
    TEGU_NO_UNROLL
    for (unsigned at = 0; at < Width; ++at) {
        T x = pack.at[0];  // chosen among registers: an index would need memory
        TEGU_UNROLL
        for (unsigned e = 1; e < Width; ++e) x = e == at ? pack.at[e] : x;
        counter.mend(x);
    }
}

// As warp_count_columns() of columns.cuh.
template <class T>
TEGU_DEVICE void warp_count_bins(const T* line, const LinePacks<T>& all, std::uint64_t stretch,
                                 const BinLevelCounter<T>& counter) {
    using Chunk = Pack<T, LinePacks<T>::kWidth>;
    const unsigned lane = lane_index();
    if (stretch == 0 && lane < all.head) counter.add_one(line[lane]);
    if (stretch == 0 && lane < all.tail) counter.add_one(line[all.head + all.packs * all.kWidth + lane]);
    const std::uint64_t begin = stretch * kCountStretchPacks;
    if (begin >= all.packs) return;
    const unsigned packs = all.packs - begin < kCountStretchPacks ? static_cast<unsigned>(all.packs - begin)
                                                                  : kCountStretchPacks;
    const Chunk* const body = reinterpret_cast<const Chunk*>(line + all.head) + begin + lane;
    if (packs == kCountStretchPacks) {
        Chunk chunk[kCountInFlight];
        TEGU_UNROLL
        for (unsigned i = 0; i < kCountInFlight; ++i) chunk[i] = load_last(body + i * kWarpLanes);
        TEGU_UNROLL
        for (unsigned i = 0; i < kCountInFlight; ++i) count_pack(chunk[i], counter);
        return;
    }
    TEGU_NO_UNROLL
    for (unsigned i = 0; lane + i * kWarpLanes < packs; ++i) {
        const Chunk own = body[i * kWarpLanes];
        count_pack(own, counter);
    }
}

// bin_levels: how many elements of a segment each bin and each level has.
// in:    x [lines, cols] T                        out: what Finish makes of the counts
// grid:  x strides over the parts of the segment  block: shape.threads
// shared: shape.team_bytes, dynamic: counters
// result valid in: counts, after the last launch
// moves: reads n * sizeof(T) B; adds 8 B a counter and part   order: any
// why:   two kernels would read and count twice. The rule lies in constant memory, which leaves registers
template <class T>
TEGU_KERNEL TEGU_BOUNDS2(kCountThreads / kBlocksForRegisters, kBlocksForRegisters)
    bin_levels(CountTask task, BinLevelRule rule, BinLevelFinish finish) {
    TEGU_DYNAMIC_SHARED(memory);
    const BinLevelMemory held{reinterpret_cast<std::uint32_t*>(memory), rule.bins.bins, task.shape.columns};
    const BinLevelCounter<T> counter(rule, held);
    const BinLevelCounters counters(held);
    const CountTeam team{thread_index(), block_threads(), false};
    for (std::uint64_t part = block_x(); part < task.shape.parts; part += grid_x()) {
        if (part == 0 && task.range.stretch == 0) finish.begin(0, team.thread, team.threads);
        held.clear();
        block_barrier();
        for_stretches<T>(task, 0, part, team,
                         [&](const T* line, const LinePacks<T>& all, std::uint64_t stretch) {
                             warp_count_bins(line, all, stretch, counter);
                         });
        block_barrier();
        team_hand_over(task, 0, 0, counters.slots, team, counters, finish);
        block_barrier();
    }
}

using BinLevelKernel = void (*)(CountTask, BinLevelRule, BinLevelFinish);
#define TEGU_X(T, word) variant(bin_levels<T>, word)
constexpr KernelTable<BinLevelKernel, 9> kBinLevels = {
    "bin_levels",
    kCountMoves,
    {TEGU_X(std::uint16_t, "u16"), TEGU_X(std::int16_t, "i16"), TEGU_X(std::uint32_t, "u32"),
     TEGU_X(std::int32_t, "i32"), TEGU_X(std::uint64_t, "u64"), TEGU_X(std::int64_t, "i64"),
     TEGU_FLOATS(TEGU_X)}};
#undef TEGU_X

}  // namespace

CountWorkload bin_level_workload(ElementType type, const Segments& input, std::uint32_t bins) {
    CountWorkload work{};
    work.input = input;
    work.element_bytes = element_bytes(type);
    work.slots = std::uint64_t{bins} + kOutsideSlots;
    work.fast = true;
    work.extra = BinLevelMemory::kExtra;
    work.rule_bytes = std::uint64_t{2} * bins * sizeof(std::uint32_t);  // the counters beside the columns
    work.result_cost = 3 * work.slots;
    return work;
}

LaunchStatus launch_bin_levels(ElementType type, const CountLaunch& with, const BinLevelRule& rule,
                               const BinLevelTarget& target) {
    const CountTask task = count_task(with, 1, CountTarget{nullptr, nullptr});
    return launch(kBinLevels[element_index(type) - element_index(ElementType::U16)],
                  LaunchShape{task.shape.blocks, 1, task.shape.threads, task.shape.team_bytes}, with.stream,
                  task, rule, BinLevelFinish{rule, target});
}

void list_fused_bin_levels_kernels(KernelLister& to) {
    to.add(1, listed(kBinLevels, count_block<BinLevelRule>()));
}

}  // namespace cuda
}  // namespace tegu
