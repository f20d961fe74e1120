// SPDX-License-Identifier: Apache-2.0
// Counts keys that most elements give without a table. Lanes of a warp have columns of counters of their own,
// as far as memory allows, so that they do not wait for each other.
//
// The Mapper is that of count.cuh. A Fast turns an element into the place of its counter:
//   Fast(rule, row_bytes, column)      the counter of slot s lies at s * row_bytes + column.
//   offset(element, &sure)             its place; any number where it clears `sure`.
//   kExtra                             0, or 2 counters behind those of the slots.
// The first of two extra counters adds to the last slot; the second is of elements that do not count.
#pragma once

#include "kernels/counting/cuda/team.cuh"
#include "kernels/execution/cuda/streaming.cuh"

namespace tegu {
namespace cuda {

// The column of counters that a lane uses, in bytes from `counters`.
struct CounterColumn {
    unsigned char* counters;
    std::uint32_t row_bytes;
    std::uint32_t column;
    std::uint32_t slots;
    TEGU_DEVICE void add(std::uint32_t offset) const {
        atomic_add(reinterpret_cast<std::uint32_t*>(counters + offset), 1u);
    }
};

// Counts an element by its exact key.
template <class Mapper, class Fast>
TEGU_DEVICE void count_by_key(typename Mapper::Element x, const Mapper& mapper, const CounterColumn& to) {
    const std::uint32_t key = mapper.key(x);
    const bool counted = key < to.slots;
    if (counted || Fast::kExtra != 0) to.add((counted ? key : to.slots + 1) * to.row_bytes + to.column);
}

// Counts the elements of a pack of a lane.
template <class Mapper, class Fast, unsigned Width>
TEGU_DEVICE void count_pack(const Pack<typename Mapper::Element, Width>& pack, const Mapper& mapper,
                            const Fast& fast, const CounterColumn& to) {
    std::uint32_t offset[Width];
    bool sure = true;
    TEGU_UNROLL
    for (unsigned e = 0; e < Width; ++e) offset[e] = fast.offset(pack.at[e], &sure);
    if (sure) {
        TEGU_UNROLL
        for (unsigned e = 0; e < Width; ++e) to.add(offset[e]);
        return;
    }
    TEGU_NO_UNROLL
    for (unsigned at = 0; at < Width; ++at) {
        typename Mapper::Element x = pack.at[0];  // chosen among registers: an index would need memory
        TEGU_UNROLL
        for (unsigned e = 1; e < Width; ++e) x = e == at ? pack.at[e] : x;
        count_by_key<Mapper, Fast>(x, mapper, to);
    }
}

// As warp_count_stretch(), in columns of shared memory.
template <class Mapper, class Fast>
TEGU_DEVICE void warp_count_columns(const typename Mapper::Element* line,
                                    const LinePacks<typename Mapper::Element>& all, std::uint64_t stretch,
                                    const Mapper& mapper, const Fast& fast, const CounterColumn& to) {
    using Chunk = Pack<typename Mapper::Element, LinePacks<typename Mapper::Element>::kWidth>;
    const unsigned lane = lane_index();
    if (stretch == 0 && lane < all.head) count_by_key<Mapper, Fast>(line[lane], mapper, to);
    if (stretch == 0 && lane < all.tail)
        count_by_key<Mapper, Fast>(line[all.head + all.packs * all.kWidth + lane], mapper, to);
    const std::uint64_t begin = stretch * kCountStretchPacks;
    if (begin >= all.packs) return;
    const unsigned packs = all.packs - begin < kCountStretchPacks ? static_cast<unsigned>(all.packs - begin)
                                                                  : kCountStretchPacks;
    const Chunk* const body = reinterpret_cast<const Chunk*>(line + all.head) + begin + lane;
    Chunk chunk[kCountLoads];
    if (packs == kCountStretchPacks) {
        TEGU_NO_UNROLL
        for (unsigned first = 0; first < kCountInFlight; first += kCountLoads) {
            TEGU_UNROLL
            for (unsigned i = 0; i < kCountLoads; ++i) chunk[i] = load_last(body + (first + i) * kWarpLanes);
            TEGU_UNROLL
            for (unsigned i = 0; i < kCountLoads; ++i) count_pack(chunk[i], mapper, fast, to);
        }
        return;
    }
    TEGU_NO_UNROLL
    for (unsigned i = 0; i < kCountInFlight; ++i) {
        if (lane + i * kWarpLanes >= packs) break;
        const Chunk own = body[i * kWarpLanes];
        count_pack(own, mapper, fast, to);
    }
}

// count_columns: how often each key occurs in each segment.
// in:    x [segments * lines, cols] Element
// out:   what Finish makes of the counts, such as counts [segments, slots] u64; edges
// grid:  x strides over the parts of segments, one a team      block: shape.threads
// shared: shape.team_bytes a team, dynamic: the rule, the table, columns of counters
// result valid in: counts, after the last launch
// moves: reads n * sizeof(Element) B; adds slots * 8 B a part   order: any
// why:   an atomic of a warp takes as long as its busiest bank. Columns keep the lanes in banks of their own
template <class Mapper, class Fast, class Finish>
TEGU_KERNEL TEGU_BOUNDS2(kCountThreads / kBlocksForRegisters, kBlocksForRegisters)
    count_columns(CountTask task, typename Mapper::Rule rule, const typename Mapper::Rule* rules,
                  Finish finish) {
    TEGU_DYNAMIC_SHARED(memory);
    const CountShape& shape = task.shape;
    const unsigned own = shape.by_warp ? warp_index() : 0;
    const CountTeam team{shape.by_warp ? lane_index() : thread_index(),
                         shape.by_warp ? kWarpLanes : block_threads(), shape.by_warp};
    unsigned char* const team_memory = memory + own * shape.team_bytes;
    const std::uint64_t units = task.range.count * shape.parts;
    const std::uint64_t step = std::uint64_t{grid_x()} * task.teams;
    bool filled = false;
    typename Mapper::Rule* const held = reinterpret_cast<typename Mapper::Rule*>(team_memory);
    unsigned char* const table =
        shape.table ? team_memory + RuleMemory<typename Mapper::Rule>::kBytes : nullptr;
    for (std::uint64_t unit = std::uint64_t{block_x()} * task.teams + own; unit < units; unit += step) {
        const std::uint64_t own_segment = shape.parts == 1 ? unit : unit / shape.parts;
        const std::uint64_t segment = task.range.first + own_segment, part = unit - own_segment * shape.parts;
        prefetch_stretch<typename Mapper::Element>(task, segment, part, team);
        if (team.thread == 0 && (rules != nullptr || !filled))
            *held = rules == nullptr ? rule : rules[segment];
        team.barrier();
        const Mapper mapper(*held, table);
        const std::uint32_t slots = mapper.slots();
        if (shape.table && (rules != nullptr || !filled)) mapper.fill_table(team.thread, team.threads);
        filled = true;
        if (part == 0 && task.range.stretch == 0) {
            mapper.write_edges(task.edges, segment, team.thread, team.threads);
            finish.begin(segment, team.thread, team.threads);
        }
        std::uint32_t* const counters =
            reinterpret_cast<std::uint32_t*>(team_memory + RuleMemory<typename Mapper::Rule>::kBytes +
                                             (shape.table ? mapper.table_bytes() : 0));
        using Zeros = Pack<std::uint32_t, 4>;  // the memory of a team is whole packs
        for (std::uint32_t i = team.thread; i < (shape.columns * (slots + Fast::kExtra) + 3) / 4;
             i += team.threads)
            reinterpret_cast<Zeros*>(counters)[i] = Zeros{{0, 0, 0, 0}};
        team.barrier();
        const CounterColumn column{reinterpret_cast<unsigned char*>(counters), shape.columns * 4,
                                   (lane_index() & (shape.columns - 1)) * 4, slots};
        const Fast fast(*held, column.row_bytes, column.column);
        for_stretches<typename Mapper::Element>(
            task, segment, part, team,
            [&](const typename Mapper::Element* line, const LinePacks<typename Mapper::Element>& all,
                std::uint64_t stretch) { warp_count_columns(line, all, stretch, mapper, fast, column); });
        team.barrier();
        team_hand_over(task, segment, 0, slots, team,
                       TeamCounters{counters, slots, 1, shape.columns, Fast::kExtra}, finish);
        team.barrier();
    }
}

}  // namespace cuda
}  // namespace tegu
