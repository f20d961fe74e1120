// SPDX-License-Identifier: Apache-2.0
// Counts byte values: in the counters of a team, or in counters of each lane.
#include "kernels/counting/cuda/count.cuh"
#include "kernels/execution/cuda/kernel_list.h"

namespace tegu {
namespace cuda {
namespace {

// The value of a byte is its key.
class ByteMapper {
  public:
    using Element = std::uint8_t;
    using Rule = std::uint32_t;  // unused
    TEGU_DEVICE ByteMapper(std::uint32_t, unsigned char*) {}
    TEGU_DEVICE std::uint32_t slots() const { return 256; }
    TEGU_DEVICE std::uint64_t table_bytes() const { return 0; }
    TEGU_DEVICE void fill_table(unsigned, unsigned) const {}
    TEGU_DEVICE void write_edges(double*, std::uint64_t, unsigned, unsigned) const {}
    TEGU_DEVICE std::uint32_t key(std::uint8_t x) const { return x; }
    TEGU_DEVICE bool quick() const { return true; }
    TEGU_DEVICE std::uint32_t quick_key(std::uint8_t x) const { return x; }
    static constexpr bool kEstimates = false;
    TEGU_DEVICE bool estimates() const { return false; }
    TEGU_DEVICE std::uint32_t likely_key(std::uint8_t x, bool*) const { return quick_key(x); }
};

// Byte counters of single lanes: 8 KiB a warp. Word (v % 64) * 32 + lane holds the counters of values v % 64
// + 64 b in its bytes b. So a lane always uses its own bank. `pair`: two byte offsets of 16 bits.
TEGU_DEVICE void lane_bump(unsigned char* counters, std::uint32_t pair) {
    unsigned char* const low = counters + (pair & 0xffffu);
    *low = static_cast<unsigned char>(*low + 1);
    unsigned char* const high = counters + (pair >> 16);
    *high = static_cast<unsigned char>(*high + 1);
}
// Counts the four bytes of a word. `offset`: of the lane's first counter, in both halves.
TEGU_DEVICE void lane_count(unsigned char* counters, std::uint32_t offset, std::uint32_t word) {
    const std::uint32_t next = word >> 8;
    lane_bump(counters, (word & 0x003f003fu) * 128 + ((word >> 6 & 0x00030003u) | offset));
    lane_bump(counters, (next & 0x003f003fu) * 128 + ((next >> 6 & 0x00030003u) | offset));
}

// The totals of a lane: of values v % 64 == lane and lane + 32. Reads and clears the counters of the warp;
// each counter holds at most 255.
struct ByteTotals {
    std::uint32_t of[2][4];
    TEGU_DEVICE void take(unsigned char* counters) {
        warp_barrier();
        TEGU_UNROLL
        for (unsigned half = 0; half < 2; ++half) {
            std::uint32_t* const row =
                reinterpret_cast<std::uint32_t*>(counters) + (lane_index() + half * kWarpLanes) * kWarpLanes;
            std::uint32_t even = 0, odd = 0;  // two sums of 16 bits each
            TEGU_UNROLL
            for (unsigned i = 0; i < kWarpLanes; ++i) {
                // each lane uses its own bank
                std::uint32_t* const at = row + (lane_index() + i) % kWarpLanes;
                const std::uint32_t word = *at;
                *at = 0;
                even += word & 0x00ff00ffu;
                odd += word >> 8 & 0x00ff00ffu;
            }
            of[half][0] += even & 0xffffu;
            of[half][1] += odd & 0xffffu;
            of[half][2] += even >> 16;
            of[half][3] += odd >> 16;
        }
        warp_barrier();
    }
};

constexpr unsigned kRoundPacks = 5;  // that a lane loads at once
constexpr unsigned kRounds = kCountLanePacks / kRoundPacks;
static_assert(kCountLanePacks % kRoundPacks == 0, "a stretch is a whole number of rounds");

// Counts a round of a stretch of a line of bytes, by the lanes of a warp.
TEGU_DEVICE void warp_count_bytes(const std::uint8_t* line, std::uint64_t cols, std::uint64_t stretch,
                                  unsigned round, unsigned char* counters, std::uint32_t offset) {
    using Chunk = Pack<std::uint32_t, 4>;
    const unsigned lane = lane_index();
    const auto count = [=](std::uint8_t value) {
        unsigned char* const at = counters + ((offset & 0xffffu) + (value & 63u) * 128 + (value >> 6));
        *at = static_cast<unsigned char>(*at + 1);
    };
    const std::uint64_t before = (16 - reinterpret_cast<std::uintptr_t>(line) % 16) % 16;
    const std::uint64_t head = before < cols ? before : cols;
    const std::uint64_t packs = (cols - head) / 16;
    const std::uint64_t tail = head + packs * 16;
    if (stretch == 0 && round == 0 && lane < head) count(line[lane]);
    if (stretch == 0 && round == 0 && lane < cols - tail) count(line[tail + lane]);
    const std::uint64_t begin = stretch * kCountStretchPacks + round * (kRoundPacks * kWarpLanes);
    if (begin >= packs) return;
    const unsigned own_packs = packs - begin < kRoundPacks * kWarpLanes ? static_cast<unsigned>(packs - begin)
                                                                        : kRoundPacks * kWarpLanes;
    const Chunk* const body = reinterpret_cast<const Chunk*>(line + head) + begin;
    Chunk chunk[kRoundPacks];
    TEGU_UNROLL
    for (unsigned i = 0; i < kRoundPacks; ++i)
        if (lane + i * kWarpLanes < own_packs) chunk[i] = body[lane + i * kWarpLanes];
    TEGU_UNROLL
    for (unsigned i = 0; i < kRoundPacks; ++i) {
        if (lane + i * kWarpLanes < own_packs) {
            TEGU_UNROLL
            for (unsigned w = 0; w < 4; ++w) lane_count(counters, offset, chunk[i].at[w]);
        }
    }
}

// count_byte_lanes: how often each value occurs in each segment of bytes.
// in:    x [segments * lines, cols] u8
// out:   counts [segments, 256] u64, zeroed by the caller where shape.adds()
// grid:  x strides over the parts of segments, one a block      block: kByteLaneThreads
// shared: 256 B a thread, dynamic               result valid in: counts, after the last launch
// moves: reads n B; adds 2 KiB a part           order: any
// why:   no two lanes share a counter or a bank: flat and random data take the same time, without atomics
TEGU_KERNEL TEGU_BOUNDS2(kByteLaneThreads, 6) count_byte_lanes(CountTask task) {
    TEGU_DYNAMIC_SHARED(memory);
    constexpr unsigned kWarpBytes = kWarpLanes * kByteLaneBytes;
    std::uint32_t* const sums = reinterpret_cast<std::uint32_t*>(memory);
    unsigned char* const own = memory + warp_index() * kWarpBytes;
    const std::uint32_t offset = (warp_index() * kWarpBytes + lane_index() * 4) * 0x10001u;
    static_assert(kByteLaneThreads * kByteLaneBytes <= 65536, "offsets of 16 bits");
    const std::uint64_t units = task.range.count * task.shape.parts;
    const std::uint64_t last = task.range.stretch + task.shape.at_once < task.stretches
                                   ? task.range.stretch + task.shape.at_once
                                   : task.stretches;
    for (std::uint64_t unit = block_x(); unit < units; unit += grid_x()) {
        const std::uint64_t segment = task.range.first + unit / task.shape.parts;
        const std::uint64_t begin = task.range.stretch + unit % task.shape.parts * task.shape.part;
        const std::uint64_t end = begin + task.shape.part < last ? begin + task.shape.part : last;
        for (unsigned i = lane_index(); i < kWarpBytes / 4; i += kWarpLanes)
            reinterpret_cast<std::uint32_t*>(own)[i] = 0;
        warp_barrier();
        ByteTotals totals = {};
        unsigned rounds = 0;  // rounds in the counters
        for (std::uint64_t at = begin * kRounds + warp_index(); at < end * kRounds; at += block_warps()) {
            const std::uint64_t stretch = at / kRounds;
            const std::uint64_t line = task.lines == 1 ? 0 : stretch / task.line_stretches;
            const std::uint8_t* const x = static_cast<const std::uint8_t*>(task.input.data) +
                                          (segment * task.lines + line) * task.input.stride;
            warp_count_bytes(x, task.input.cols, stretch - line * task.line_stretches,
                             static_cast<unsigned>(at % kRounds), memory, offset);
            if (++rounds < kRounds) continue;
            totals.take(own);
            rounds = 0;
        }
        totals.take(own);
        block_barrier();
        for (unsigned value = thread_index(); value < 256; value += block_threads()) sums[value] = 0;
        block_barrier();
        TEGU_UNROLL
        for (unsigned half = 0; half < 2; ++half) {
            TEGU_UNROLL
            for (unsigned b = 0; b < 4; ++b)
                atomic_add(sums + (lane_index() + half * kWarpLanes + 64 * b), totals.of[half][b]);
        }
        block_barrier();
        for (unsigned value = thread_index(); value < 256; value += block_threads()) {
            if (!task.adds)
                task.counts[segment * 256 + value] = sums[value];
            else if (sums[value] != 0)
                atomic_add(task.counts + (segment * 256 + value), std::uint64_t{sums[value]});
        }
        block_barrier();
    }
}

constexpr KernelTable<CountKernel<ByteMapper::Rule>, 1> kCountValues = {
    "count_elements", kCountMoves, {variant(count_elements<ByteMapper>, "values", "u8")}};
constexpr KernelTable<void (*)(CountTask), 1> kCountByteLanes = {
    "count_byte_lanes", "reads n B, adds 2 KiB a part", {{count_byte_lanes}}};

}  // namespace

LaunchStatus zero_counters(std::uint64_t* counters, std::uint64_t count, Stream stream) {
    return count == 0 ? 0 : zero(counters, count * sizeof *counters, stream);
}

LaunchStatus launch_count_bytes(const CountLaunch& with, std::uint64_t* counts) {
    const CountTarget target{counts, nullptr};
    if (!with.shape.by_lane)
        return launch_count(kCountValues[0], with, CountRules<ByteMapper::Rule>{0, nullptr}, target);
    if (with.range.count == 0) return 0;
    return launch(kCountByteLanes[0],
                  LaunchShape{with.shape.blocks, 1, with.shape.threads, with.shape.team_bytes}, with.stream,
                  count_task(with, 1, target));
}

void list_counting_bytes_kernels(KernelLister& to) {
    to.add(1, listed(kCountValues, count_block<ByteMapper::Rule>()),
           listed(kCountByteLanes, BlockSize{kByteLaneThreads, kByteLaneThreads * kByteLaneBytes}));
}

}  // namespace cuda
}  // namespace tegu
