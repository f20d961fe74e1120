// SPDX-License-Identifier: Apache-2.0
// What the kernels that count have in common. A team (a warp or a block) counts a part of a segment in shared
// memory, then hands over its counters: to the results, or to totals of several teams.
//
// A Finish takes the totals of a segment, by a team:
//   begin(segment, thread, threads)    before the first element is counted
//   put(segment, slots, slot, total)   each of them once
#pragma once

#include "kernels/counting/cuda/count.h"
#include "kernels/execution/cuda/grid.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/streaming.cuh"

namespace tegu {
namespace cuda {

// Packs that a lane holds at once; fewer where a block has half of the registers. Two of all resident lanes
// are enough to keep the memory of such a board busy.
constexpr unsigned kCountLoads = kCountInFlight / kBlocksForRegisters;

struct CountTask {
    Segments input;
    CountShape shape;
    CountRange range;
    std::uint64_t* counts;  // [segments, slots]
    double* edges;          // [segments, slots + 1], or null
    std::uint64_t lines;    // of a segment; line l of segment s begins at (s * lines + l) * input.stride
    std::uint64_t line_stretches;
    std::uint64_t stretches;  // of a segment
    unsigned teams;           // of a block
    bool adds;                // other teams or launches add to the same counters
    bool last;                // no later launch does
    CountTotals totals;       // of the segments of this launch, in their order
};

struct CountTeam {
    unsigned thread;
    unsigned threads;
    bool by_warp;
    TEGU_DEVICE void barrier() const {
        if (by_warp)
            warp_barrier();
        else
            block_barrier();
    }
};

// The bytes of a rule in shared memory.
template <class Rule>
struct RuleMemory {
    static constexpr unsigned kBytes = (sizeof(Rule) + 15) / 16 * 16;
};

// A line as a warp reads it: aligned packs, and the elements before and after them.
template <class T>
struct LinePacks {
    static constexpr unsigned kWidth = 16 / sizeof(T);
    std::uint64_t packs;  // from line + head on
    unsigned head;        // elements before the packs
    unsigned tail;        // elements behind the packs
    TEGU_DEVICE LinePacks(const T* line, std::uint64_t cols) {
        head = static_cast<unsigned>((16 - reinterpret_cast<std::uintptr_t>(line) % 16) % 16 / sizeof(T));
        head = head < cols ? head : static_cast<unsigned>(cols);
        packs = (cols - head) / kWidth;
        tail = static_cast<unsigned>((cols - head) % kWidth);
    }
};

// Calls count(line, its packs, stretch of the line) for the stretches of part `part` of a segment, by the
// warps of a team. Neighbouring stretches belong to different parts.
template <class T, class Count>
TEGU_DEVICE void for_stretches(const CountTask& task, std::uint64_t segment, std::uint64_t part,
                               const CountTeam& team, Count count) {
    const std::uint64_t last = task.range.stretch + task.shape.at_once < task.stretches
                                   ? task.range.stretch + task.shape.at_once
                                   : task.stretches;
    const std::uint64_t warps = team.threads / kWarpLanes, step = task.shape.parts * warps;
    const T* const first = static_cast<const T*>(task.input.data) + segment * task.lines * task.input.stride;
    std::uint64_t held = 0;  // the line of `packs`
    LinePacks<T> packs(first, task.input.cols);
    for (std::uint64_t stretch = task.range.stretch + part * warps + team.thread / kWarpLanes; stretch < last;
         stretch += step) {
        const std::uint64_t line = task.lines == 1 ? 0 : stretch / task.line_stretches;
        const T* const at = first + line * task.input.stride;
        if (line != held) packs = LinePacks<T>(at, task.input.cols);
        held = line;
        count(at, packs, stretch - line * task.line_stretches);
    }
}

// Starts to bring the first stretch of each warp of a block, while the block prepares its counters.
template <class T>
TEGU_DEVICE void prefetch_stretch(const CountTask& task, std::uint64_t segment, std::uint64_t part,
                                  const CountTeam& team) {
    constexpr unsigned kCacheLine = 128;
    if (team.by_warp || task.lines != 1) return;
    const std::uint64_t warps = team.threads / kWarpLanes;
    const std::uint64_t stretch = task.range.stretch + part * warps + team.thread / kWarpLanes;
    const std::uint64_t at = stretch * kCountStretchBytes + lane_index() * kCacheLine;
    if (lane_index() >= kCountStretchBytes / kCacheLine || at >= task.input.cols * sizeof(T)) return;
    const T* const line = static_cast<const T*>(task.input.data) + segment * task.input.stride;
    prefetch(reinterpret_cast<const unsigned char*>(line) + at);
}

// Leaves the totals as they are.
struct KeepCounts {
    std::uint64_t* counts;  // [segments, slots]
    TEGU_DEVICE void begin(std::uint64_t, unsigned, unsigned) const {}
    TEGU_DEVICE void put(std::uint64_t segment, std::uint64_t slots, std::uint64_t slot,
                         std::uint64_t total) const {
        counts[segment * slots + slot] = total;
    }
};

// The counters of a team: [slots + extra][columns], or [copies][slots].
struct TeamCounters {
    const std::uint32_t* counters;
    std::uint32_t slots;
    unsigned copies;
    unsigned columns;  // 0: copies by warp
    unsigned extra;
    TEGU_DEVICE std::uint32_t row(std::uint32_t slot) const {
        constexpr unsigned kAtOnce = 4;
        const unsigned mask = columns - 1;  // a power of two: no division
        const std::uint32_t* const own = counters + slot * columns;
        std::uint32_t sum = 0;
        if (columns < kAtOnce) {
            for (unsigned c = 0; c < columns; ++c) sum += own[c];
            return sum;
        }
        TEGU_NO_UNROLL
        for (unsigned c = 0; c < columns; c += kAtOnce) {
            TEGU_UNROLL
            for (unsigned i = 0; i < kAtOnce; ++i)
                sum += own[(c + i + slot) & mask];  // lanes begin in banks of their own
        }
        return sum;
    }
    TEGU_DEVICE std::uint64_t of(std::uint32_t slot) const {
        if (columns != 0)
            return std::uint64_t{row(slot)} + (extra != 0 && slot + 1 == slots ? row(slots) : 0);
        std::uint64_t sum = 0;
        for (unsigned c = 0; c < copies; ++c) sum += counters[std::uint64_t{c} * slots + slot];
        return sum;
    }
};

// Adds the counters of a team to those of its segment. The last block that does so hands over the totals.
// `first`: the slot of the first counter. Counters: as TeamCounters, slots and of(slot).
template <class Counters, class Finish>
TEGU_DEVICE void team_hand_over(const CountTask& task, std::uint64_t segment, std::uint32_t first,
                                std::uint64_t slots, const CountTeam& team, const Counters& counters,
                                const Finish& finish) {
    if (!task.adds) {
        for (std::uint32_t slot = team.thread; slot < counters.slots; slot += team.threads)
            finish.put(segment, slots, first + slot, counters.of(slot));
        return;
    }
    const std::uint64_t own = segment - task.range.first;
    std::uint64_t* const sums =
        task.totals.sums != nullptr ? task.totals.sums + own * slots : task.counts + segment * slots;
    for (std::uint32_t slot = team.thread; slot < counters.slots; slot += team.threads) {
        const std::uint64_t sum = counters.of(slot);
        if (sum != 0) atomic_add(sums + first + slot, sum);
    }
    if (task.totals.sums == nullptr || !task.last) return;
    if (!last_block(task.totals.tickets + own, static_cast<unsigned>(task.shape.parts * task.shape.slices)))
        return;
    for (std::uint64_t slot = team.thread; slot < slots; slot += team.threads) {
        const std::uint64_t total = sums[slot];
        sums[slot] = 0;
        finish.put(segment, slots, slot, total);
    }
}

template <class Rule, class Finish = KeepCounts>
using CountKernel = void (*)(CountTask, Rule, const Rule*, Finish);
constexpr const char* kCountMoves = "reads n elements, adds 8 B a counter and block";

// `teams`: of a block.
inline CountTask count_task(const CountLaunch& launch, unsigned teams, const CountTarget& target) {
    const std::uint64_t stretches = count_stretches(launch.input, launch.element_bytes);
    return CountTask{launch.input,
                     launch.shape,
                     launch.range,
                     target.counts,
                     target.edges,
                     launch.input.lines(),
                     count_stretches_of_line(launch.input, launch.element_bytes),
                     stretches,
                     teams,
                     launch.shape.adds(stretches),
                     launch.range.stretch + launch.shape.at_once >= stretches,
                     launch.totals};
}

// Launches a variant of count_elements once.
template <class Rule, class Finish>
LaunchStatus launch_count(CountKernel<Rule, Finish> kernel, const CountLaunch& with,
                          const CountRules<Rule>& rules, const CountTarget& target, const Finish& finish) {
    if (with.range.count == 0) return 0;
    const CountTask task = count_task(with, with.shape.teams_per_block(), target);
    const LaunchShape shape{task.shape.blocks, 1, task.shape.threads,
                            std::size_t{task.shape.team_bytes} * task.teams};
    return shape.shared_bytes <= kPlainSharedBytes
               ? launch_plain(kernel, shape, with.stream, task, rules.one, rules.each, finish)
               : launch(kernel, shape, with.stream, task, rules.one, rules.each, finish);
}
template <class Rule>
LaunchStatus launch_count(CountKernel<Rule> kernel, const CountLaunch& with, const CountRules<Rule>& rules,
                          const CountTarget& target) {
    return launch_count(kernel, with, rules, target, KeepCounts{target.counts});
}

// The block size of count_elements with 256 counters.
template <class Rule>
constexpr BlockSize count_block() {
    return BlockSize{kDefaultCountPolicy.threads_per_block,
                     RuleMemory<Rule>::kBytes + kWarpLanes * 258 * sizeof(std::uint32_t)};
}

}  // namespace cuda
}  // namespace tegu
