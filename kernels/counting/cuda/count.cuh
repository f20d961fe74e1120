// SPDX-License-Identifier: Apache-2.0
// Counts small keys. A team (a warp or a block) counts a part of a segment in shared memory, and adds its
// 32-bit counters to global ones. Keys whose counters do not fit go directly to global memory; equal keys of
// a warp are added together.
//
// A Mapper turns an element into its key:
//   Element, Rule                      types
//   Mapper(rule, table)                both in shared memory of the team; table may be null
//   fill_table(thread, threads)        by the team, before the first key
//   write_edges(edges, segment, thread, threads)
//                                      by the team, once for each segment; edges may be null
//   slots()                            number of counters
//   key(element)                       index of its counter; slots() or above: not counted
//   quick()                            whether quick_key(element) may replace key(): the same, no branches
//   kEstimates, estimates()            whether likely_key(element, &sure) may replace both: faster, the
//                                      same unless it sets `sure` to false
#pragma once

#include "kernels/counting/cuda/count.h"
#include "kernels/execution/cuda/grid.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/words.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kKeyBits = 21;  // bits of the keys that lanes compare

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

// Counts the keys of each lane in shared memory; all lanes of the warp call it. One value in all lanes, as in
// flat images, costs one addition.
template <unsigned Count>
TEGU_DEVICE void warp_count(const std::uint32_t (&key)[Count], std::uint32_t* counters, std::uint32_t slots) {
    const std::uint32_t first = exchange_word(key[0], 0);
    bool same = true;
    TEGU_UNROLL
    for (unsigned i = 0; i < Count; ++i) same = same && key[i] == first;
    if (warp_all(same)) {
        if (lane_index() == 0 && first < slots)
            atomic_add(counters + first, std::uint32_t{kWarpLanes * Count});
        return;
    }
    TEGU_UNROLL
    for (unsigned i = 0; i < Count; ++i)
        if (key[i] < slots) atomic_add(counters + key[i], 1u);
}

// Counts one key of each lane, equal keys together; all lanes of the warp call it. Counts in global memory
// where `shared` is null.
TEGU_DEVICE void warp_count_together(std::uint32_t key, std::uint32_t* shared, std::uint64_t* global,
                                     std::uint32_t slots) {
    const std::uint32_t bounded = key < slots ? key : slots;
    const std::uint32_t same = warp_match(bounded, kKeyBits);
    if (bounded >= slots || (same & lanes_before()) != 0) return;
    if (shared != nullptr)
        atomic_add(shared + bounded, count_bits(same));
    else
        atomic_add(global + bounded, std::uint64_t{count_bits(same)});
}

// The bytes of a rule in shared memory.
template <class Rule>
struct RuleMemory {
    static constexpr unsigned kBytes = (sizeof(Rule) + 15) / 16 * 16;
};

constexpr std::uint32_t kNoKey = ~std::uint32_t{0};

// The counters of a warp: `shared` if it is not null, else `global`. Counter 0 counts key `first`.
struct Counters {
    std::uint32_t* shared;
    std::uint64_t* global;
    std::uint32_t first;
    std::uint32_t slots;
};

// Counts elements [0, count) of a line one by one, with any mapper.
template <class Mapper>
TEGU_DEVICE void warp_count_singly(const typename Mapper::Element* x, std::uint64_t count,
                                   const Mapper& mapper, const Counters& counters) {
    for (std::uint64_t at = 0; at < count; at += kCountInFlight * kWarpLanes) {
        typename Mapper::Element element[kCountInFlight];
        TEGU_UNROLL
        for (unsigned i = 0; i < kCountInFlight; ++i)
            if (at + i * kWarpLanes + lane_index() < count)
                element[i] = x[at + i * kWarpLanes + lane_index()];
        TEGU_UNROLL
        for (unsigned i = 0; i < kCountInFlight; ++i) {
            if (at + i * kWarpLanes >= count) continue;
            const bool is_there = at + i * kWarpLanes + lane_index() < count;
            const std::uint32_t key = is_there ? mapper.key(element[i]) - counters.first : kNoKey;
            warp_count_together(key, counters.shared, counters.global, counters.slots);
        }
    }
}

// The keys of one pack for each lane; all lanes of the warp call it.
template <unsigned Width, class Mapper>
TEGU_DEVICE void warp_keys(const Pack<typename Mapper::Element, Width>& pack, const Mapper& mapper,
                           std::uint32_t (&key)[Width]) {
    bool sure = false;
    if (Mapper::kEstimates && mapper.estimates()) {
        sure = true;
        TEGU_UNROLL
        for (unsigned e = 0; e < Width; ++e) key[e] = mapper.likely_key(pack.at[e], &sure);
        sure = warp_all(sure);
    }
    if (sure) return;
    TEGU_UNROLL
    for (unsigned e = 0; e < Width; ++e) key[e] = mapper.quick_key(pack.at[e]);
}

// Counts a stretch of a line whose packs begin at `body`.
template <class Mapper>
TEGU_DEVICE void warp_count_packs(const typename Mapper::Element* body, unsigned packs, const Mapper& mapper,
                                  const Counters& counters) {
    constexpr unsigned kWidth = 16 / sizeof(typename Mapper::Element);
    using Chunk = Pack<typename Mapper::Element, kWidth>;
    for (unsigned at = 0; at < packs; at += kCountInFlight * kWarpLanes) {
        const unsigned own = at + lane_index();
        Chunk chunk[kCountInFlight];
        TEGU_UNROLL
        for (unsigned i = 0; i < kCountInFlight; ++i)
            if (own + i * kWarpLanes < packs)
                chunk[i] = reinterpret_cast<const Chunk*>(body)[own + i * kWarpLanes];
        TEGU_UNROLL
        for (unsigned i = 0; i < kCountInFlight; ++i) {
            if (at + i * kWarpLanes >= packs) continue;
            std::uint32_t key[kWidth];
            warp_keys<kWidth>(chunk[i], mapper, key);
            const bool is_there = own + i * kWarpLanes < packs;
            TEGU_UNROLL
            for (unsigned e = 0; e < kWidth; ++e) key[e] = is_there ? key[e] - counters.first : kNoKey;
            warp_count(key, counters.shared, counters.slots);
        }
    }
}

// Counts a stretch. Stretch 0 also counts the elements before the first aligned pack and after the last whole
// pack.
template <class Mapper>
TEGU_DEVICE void warp_count_stretch(const typename Mapper::Element* line, std::uint64_t cols,
                                    std::uint64_t stretch, bool quick, const Mapper& mapper,
                                    const Counters& counters) {
    constexpr unsigned kBytes = sizeof(typename Mapper::Element), kWidth = 16 / kBytes;
    const std::uint64_t before = (16 - reinterpret_cast<std::uintptr_t>(line) % 16) % 16 / kBytes;
    const std::uint64_t head = before < cols ? before : cols;
    const std::uint64_t packs = (cols - head) / kWidth;
    if (stretch == 0 && head != 0) warp_count_singly(line, head, mapper, counters);
    if (stretch == 0 && head + packs * kWidth != cols)
        warp_count_singly(line + head + packs * kWidth, cols - head - packs * kWidth, mapper, counters);
    const std::uint64_t begin = stretch * kCountStretchPacks;
    if (begin >= packs) return;
    const unsigned count =
        packs - begin < kCountStretchPacks ? static_cast<unsigned>(packs - begin) : kCountStretchPacks;
    const auto* const body = line + head + begin * kWidth;
    if (quick)
        warp_count_packs(body, count, mapper, counters);
    else
        warp_count_singly(body, std::uint64_t{count} * kWidth, mapper, counters);
}

// Counts part `part` of a segment.
template <class Mapper>
TEGU_DEVICE void team_count_part(const CountTask& task, std::uint64_t segment, std::uint64_t part,
                                 const CountTeam& team, const Mapper& mapper, const Counters& counters) {
    using T = typename Mapper::Element;
    const bool quick = counters.shared != nullptr && mapper.quick();
    const std::uint64_t last = task.range.stretch + task.shape.at_once < task.stretches
                                   ? task.range.stretch + task.shape.at_once
                                   : task.stretches;
    const std::uint64_t begin = task.range.stretch + part * task.shape.part;
    const std::uint64_t end = begin + task.shape.part < last ? begin + task.shape.part : last;
    for (std::uint64_t stretch = begin + team.thread / kWarpLanes; stretch < end;
         stretch += team.threads / kWarpLanes) {
        const std::uint64_t line = task.lines == 1 ? 0 : stretch / task.line_stretches;
        const T* const at =
            static_cast<const T*>(task.input.data) + (segment * task.lines + line) * task.input.stride;
        warp_count_stretch(at, task.input.cols, stretch - line * task.line_stretches, quick, mapper,
                           counters);
    }
}

// count_elements: how often each key occurs in each segment.
// in:    x [segments * lines, cols] Element
// out:   counts [segments, slots] u64, zeroed by the caller where shape.adds(); edges
// grid:  x strides over the parts of segments, one a team      block: shape.threads
// shared: shape.team_bytes a team, dynamic: the rule, the table, copies * slice u32
// result valid in: counts, after the last launch
// moves: reads n * sizeof(Element) B; adds slots * 8 B a part   order: any
// why:   privatised counters: one global atomic for each counter and part, not for each element
template <class Mapper>
TEGU_KERNEL TEGU_BOUNDS2(kCountThreads, 2)
    count_elements(CountTask task, typename Mapper::Rule rule, const typename Mapper::Rule* rules) {
    TEGU_DYNAMIC_SHARED(memory);
    const CountShape& shape = task.shape;
    const unsigned own = shape.by_warp ? warp_index() : 0;
    const CountTeam team{shape.by_warp ? lane_index() : thread_index(),
                         shape.by_warp ? kWarpLanes : block_threads(), shape.by_warp};
    unsigned char* const team_memory = memory + own * shape.team_bytes;
    const std::uint64_t units = task.range.count * shape.parts * shape.slices;
    const std::uint64_t step = std::uint64_t{grid_x()} * task.teams;
    bool filled = false;
    typename Mapper::Rule* const held = reinterpret_cast<typename Mapper::Rule*>(team_memory);
    unsigned char* const table =
        shape.table ? team_memory + RuleMemory<typename Mapper::Rule>::kBytes : nullptr;
    for (std::uint64_t unit = std::uint64_t{block_x()} * task.teams + own; unit < units; unit += step) {
        const std::uint64_t piece = unit / shape.slices;
        const std::uint64_t segment = task.range.first + piece / shape.parts, part = piece % shape.parts;
        const std::uint32_t first = static_cast<std::uint32_t>(unit % shape.slices) * shape.slice;
        if (team.thread == 0 && rules != nullptr) *held = rules[segment];
        if (team.thread == 0 && rules == nullptr) *held = rule;
        team.barrier();
        const Mapper mapper(*held, table);
        const std::uint32_t slots =
            mapper.slots() - first < shape.slice ? mapper.slots() - first : shape.slice;
        if (shape.table && (rules != nullptr || !filled)) mapper.fill_table(team.thread, team.threads);
        filled = true;
        if (part == 0 && first == 0 && task.range.stretch == 0)
            mapper.write_edges(task.edges, segment, team.thread, team.threads);
        std::uint64_t* const counts = task.counts + segment * mapper.slots() + first;
        std::uint32_t* const own_counts =
            reinterpret_cast<std::uint32_t*>(team_memory + RuleMemory<typename Mapper::Rule>::kBytes +
                                             (shape.table ? mapper.table_bytes() : 0));
        if (shape.shared)
            for (std::uint64_t i = team.thread; i < std::uint64_t{shape.copies} * slots; i += team.threads)
                own_counts[i] = 0;
        team.barrier();
        const unsigned copy = team.thread / kWarpLanes % shape.copies;
        const Counters counters{shape.shared ? own_counts + std::uint64_t{copy} * slots : nullptr, counts,
                                first, slots};
        team_count_part(task, segment, part, team, mapper, counters);
        team.barrier();
        if (!shape.shared) continue;
        for (std::uint32_t slot = team.thread; slot < slots; slot += team.threads) {
            std::uint64_t sum = 0;
            for (unsigned c = 0; c < shape.copies; ++c) sum += own_counts[std::uint64_t{c} * slots + slot];
            if (!task.adds)
                counts[slot] = sum;
            else if (sum != 0)
                atomic_add(counts + slot, sum);
        }
        team.barrier();
    }
}

// Rule: a rule whose mappers have a table.
template <class Rule>
using CountKernel = void (*)(CountTask, Rule, const Rule*);
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
                     launch.shape.adds(stretches)};
}

// Launches a variant of count_elements once.
template <class Rule>
LaunchStatus launch_count(CountKernel<Rule> kernel, const CountLaunch& with, const CountRules<Rule>& rules,
                          const CountTarget& target) {
    if (with.range.count == 0) return 0;
    const CountTask task = count_task(with, with.shape.teams_per_block(), target);
    const LaunchShape shape{task.shape.blocks, 1, task.shape.threads,
                            std::size_t{task.shape.team_bytes} * task.teams};
    return launch(kernel, shape, with.stream, task, rules.one, rules.each);
}

// The block size of count_elements with 256 counters.
template <class Rule>
constexpr BlockSize count_block() {
    return BlockSize{kDefaultCountPolicy.threads_per_block,
                     RuleMemory<Rule>::kBytes + kDefaultCountPolicy.copies * 256 * sizeof(std::uint32_t)};
}

}  // namespace cuda
}  // namespace tegu
