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
//
#pragma once

#include "kernels/counting/cuda/team.cuh"
#include "kernels/execution/cuda/words.cuh"

namespace tegu {
namespace cuda {

constexpr unsigned kKeyBits = 21;  // bits of the keys that lanes compare

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
    for (std::uint64_t at = 0; at < count; at += kCountLoads * kWarpLanes) {
        typename Mapper::Element element[kCountLoads];
        TEGU_UNROLL
        for (unsigned i = 0; i < kCountLoads; ++i)
            if (at + i * kWarpLanes + lane_index() < count)
                element[i] = x[at + i * kWarpLanes + lane_index()];
        TEGU_UNROLL
        for (unsigned i = 0; i < kCountLoads; ++i) {
            if (at + i * kWarpLanes >= count) continue;
            const bool is_there = at + i * kWarpLanes + lane_index() < count;
            const std::uint32_t key = is_there ? mapper.key(element[i]) - counters.first : kNoKey;
            warp_count_together(key, counters.shared, counters.global, counters.slots);
        }
    }
}

// Counts a stretch of a line whose packs begin at `body`.
template <class Mapper>
TEGU_DEVICE void warp_count_packs(const typename Mapper::Element* body, unsigned packs, const Mapper& mapper,
                                  const Counters& counters) {
    constexpr unsigned kWidth = 16 / sizeof(typename Mapper::Element);
    using Chunk = Pack<typename Mapper::Element, kWidth>;
    for (unsigned at = 0; at < packs; at += kCountLoads * kWarpLanes) {
        const unsigned own = at + lane_index();
        Chunk chunk[kCountLoads];
        TEGU_UNROLL
        for (unsigned i = 0; i < kCountLoads; ++i)
            if (own + i * kWarpLanes < packs)
                chunk[i] = reinterpret_cast<const Chunk*>(body)[own + i * kWarpLanes];
        TEGU_UNROLL
        for (unsigned i = 0; i < kCountLoads; ++i) {
            if (at + i * kWarpLanes >= packs) continue;
            std::uint32_t key[kWidth];
            const bool is_there = own + i * kWarpLanes < packs;
            TEGU_UNROLL
            for (unsigned e = 0; e < kWidth; ++e)
                key[e] = is_there ? mapper.quick_key(chunk[i].at[e]) - counters.first : kNoKey;
            warp_count(key, counters.shared, counters.slots);
        }
    }
}

// Counts a stretch. Stretch 0 also counts the elements before the first aligned pack and after the last whole
// pack.
template <class Mapper>
TEGU_DEVICE void warp_count_stretch(const typename Mapper::Element* line,
                                    const LinePacks<typename Mapper::Element>& all, std::uint64_t stretch,
                                    bool quick, const Mapper& mapper, const Counters& counters) {
    if (stretch == 0 && all.head != 0) warp_count_singly(line, all.head, mapper, counters);
    if (stretch == 0 && all.tail != 0)
        warp_count_singly(line + all.head + all.packs * all.kWidth, all.tail, mapper, counters);
    const std::uint64_t begin = stretch * kCountStretchPacks;
    if (begin >= all.packs) return;
    const unsigned count = all.packs - begin < kCountStretchPacks ? static_cast<unsigned>(all.packs - begin)
                                                                  : kCountStretchPacks;
    const auto* const body = line + all.head + begin * all.kWidth;
    if (quick)
        warp_count_packs(body, count, mapper, counters);
    else
        warp_count_singly(body, std::uint64_t{count} * all.kWidth, mapper, counters);
}

// Counts part `part` of a segment.
template <class Mapper>
TEGU_DEVICE void team_count_part(const CountTask& task, std::uint64_t segment, std::uint64_t part,
                                 const CountTeam& team, const Mapper& mapper, const Counters& counters) {
    const bool quick = counters.shared != nullptr && mapper.quick();
    for_stretches<typename Mapper::Element>(
        task, segment, part, team,
        [&](const typename Mapper::Element* line, const LinePacks<typename Mapper::Element>& all,
            std::uint64_t stretch) { warp_count_stretch(line, all, stretch, quick, mapper, counters); });
}

// count_elements: how often each key occurs in each segment.
// in:    x [segments * lines, cols] Element
// out:   what Finish makes of the counts, such as counts [segments, slots] u64; edges
// grid:  x strides over the parts of segments, one a team      block: shape.threads
// shared: shape.team_bytes a team, dynamic: the rule, the table, copies of slice u32
// result valid in: counts, after the last launch
// moves: reads n * sizeof(Element) B; adds slots * 8 B a part   order: any
// why:   privatised counters: one global atomic for each counter and part, not for each element
template <class Mapper, class Finish>
TEGU_KERNEL TEGU_BOUNDS2(kCountThreads / kBlocksForRegisters, kBlocksForRegisters)
    count_elements(CountTask task, typename Mapper::Rule rule, const typename Mapper::Rule* rules,
                   Finish finish) {
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
        if (part == 0 && first == 0 && task.range.stretch == 0) {
            mapper.write_edges(task.edges, segment, team.thread, team.threads);
            finish.begin(segment, team.thread, team.threads);
        }
        std::uint32_t* const own_counts =
            reinterpret_cast<std::uint32_t*>(team_memory + RuleMemory<typename Mapper::Rule>::kBytes +
                                             (shape.table ? mapper.table_bytes() : 0));
        if (shape.shared)
            for (std::uint64_t i = team.thread; i < std::uint64_t{shape.copies} * slots; i += team.threads)
                own_counts[i] = 0;
        team.barrier();
        const unsigned copy = team.thread / kWarpLanes % shape.copies;
        const Counters counters{shape.shared ? own_counts + std::uint64_t{copy} * slots : nullptr,
                                task.counts + segment * mapper.slots() + first, first, slots};
        team_count_part(task, segment, part, team, mapper, counters);
        team.barrier();
        if (!shape.shared) continue;
        team_hand_over(task, segment, first, mapper.slots(), team,
                       TeamCounters{own_counts, slots, shape.copies, 0, 0}, finish);
        team.barrier();
    }
}

}  // namespace cuda
}  // namespace tegu
