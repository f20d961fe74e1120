// SPDX-License-Identifier: Apache-2.0
// The kernels of statistics from the counts of byte values.
#include "kernels/statistics/cuda/bytes.h"

#include "kernels/execution/cuda/grid.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/statistics/cuda/integer.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kByteThreads = 256;  // a thread for each value
constexpr unsigned kByteRun = 16;
constexpr unsigned kByteRuns = 4;  // that a thread loads at once
constexpr unsigned kByteStep = kByteThreads * kByteRun * kByteRuns;

// Position of the first of the `count` bytes of a run that equals the byte repeated in `pattern`; kByteRun:
// none.
TEGU_DEVICE unsigned first_byte(const RunWords& run, unsigned count, std::uint32_t pattern) {
    unsigned at = kByteRun;
    TEGU_UNROLL
    for (unsigned i = 4; i-- > 0;) {
        const std::uint32_t word = run.word[i] ^ pattern;
        const std::uint32_t zeros = (word - 0x01010101u) & ~word & 0x80808080u;  // exact for the lowest
        if (zeros != 0) at = 4 * i + trailing_zeros(zeros) / 8;
    }
    return at < count ? at : kByteRun;
}

// find_bytes: the first positions of the extremes of a segment of bytes.
// in:    input, one segment; counts [256] of its values; turn: 0x80 for signed values
// out:   found [2], complements
// grid:  x strides over steps of kByteStep elements         block: kByteThreads
// shared: 16 B                                    result valid in: found, after the last launch
// moves: reads n B at most: it ends where both are found    order: any
// why:   the counts already say which values to search; most data have them near the beginning
TEGU_KERNEL TEGU_BOUNDS(kByteThreads)
    find_bytes(Segments input, bool packs, const std::uint64_t* counts, std::uint32_t turn,
               std::uint64_t* found, ElementRange range) {
    TEGU_SHARED_ARRAY(std::uint32_t, ends, 2);   // the ends of the order that occur
    TEGU_SHARED_ARRAY(std::uint32_t, first, 2);  // positions in the step
    if (thread_index() < 2) ends[thread_index()] = thread_index() == 0 ? kByteThreads : 0;
    block_barrier();
    if (counts[thread_index() ^ turn] != 0) {
        atomic_min(ends, thread_index());
        atomic_max(ends + 1, thread_index());
    }
    block_barrier();
    const std::uint32_t patterns[2] = {(ends[0] ^ turn) * 0x01010101u, (ends[1] ^ turn) * 0x01010101u};
    const Elements<std::uint8_t, kByteRun> elements(input, 0, packs);
    const std::uint64_t stride = std::uint64_t{grid_x()} * kByteStep;
    TEGU_NO_UNROLL
    for (std::uint64_t at = range.begin + std::uint64_t{block_x()} * kByteStep; at < range.end;
         at += stride) {
        bool open = false;
        if (thread_index() < 2) {
            first[thread_index()] = kByteStep;
            // a position that is found is before `at`, or another block may still find an earlier one
            const volatile std::uint64_t* const seen = found + thread_index();
            open = ~*seen > at;
        }
        if (!block_any(open)) return;
        RunWords run[kByteRuns];
        unsigned there[kByteRuns];
        TEGU_UNROLL
        for (unsigned k = 0; k < kByteRuns; ++k) {
            std::uint8_t x[kByteRun];
            there[k] = elements.load(at + (k * kByteThreads + thread_index()) * kByteRun, x);
            run[k] = words_of<std::uint8_t>(x);
        }
        TEGU_UNROLL
        for (unsigned end = 0; end < 2; ++end) {
            std::uint32_t own = kByteStep;
            TEGU_UNROLL
            for (unsigned k = kByteRuns; k-- > 0;) {
                const unsigned byte = first_byte(run[k], there[k], patterns[end]);
                if (byte < kByteRun) own = (k * kByteThreads + thread_index()) * kByteRun + byte;
            }
            own = warp_min(own);
            if (lane_index() == 0 && own != kByteStep) atomic_min(first + end, own);
        }
        block_barrier();
        if (thread_index() < 2 && first[thread_index()] != kByteStep)
            atomic_max(found + thread_index(), ~(at + first[thread_index()]));
        block_barrier();
    }
}

// reduce_bytes: the statistics of a segment from the counts of its values.
// in:    counts [256]; found [2]                  out: target columns
// grid:  1                                         block: kByteThreads, a thread for each value
// shared: 8 * IntegerKind<kAllIntegerParts>::kWords B a warp
// result valid in: target, after the launch
// moves: reads 2 KiB                              order: any
// why:   256 products replace those of all elements
template <class T>
TEGU_KERNEL TEGU_BOUNDS(kByteThreads)
    reduce_bytes(const std::uint64_t* counts, const std::uint64_t* found, ReduceTarget target) {
    using Kind = IntegerKind<kAllIntegerParts>;
    TEGU_SHARED_ARRAY(std::uint64_t, shared, kByteThreads / kWarpLanes * Kind::kWords);
    const auto element = static_cast<T>(thread_index());
    const int value = element;
    const std::uint64_t count = counts[thread_index()];
    const auto size = static_cast<std::uint64_t>(value < 0 ? -value : value);
    IntegerPartial total;
    total.l1[0] = count * size;
    total.l1[1] = multiply_high(count, size);
    total.squares[0] = count * (size * size);
    total.squares[1] = multiply_high(count, size * size);
    total.sum[0] = value < 0 ? 0 - total.l1[0] : total.l1[0];
    total.sum[1] = value < 0 ? ~total.l1[1] + (total.l1[0] == 0 ? 1 : 0) : total.l1[1];
    if (count != 0) {
        if (value == 0) total.zeros = count;
        total.min = total.max = order_key(element);
        total.min_at = total.max_at = 0;
    }
    total = team_tree<Kind>(total, kWarpLanes, kByteThreads / kWarpLanes, shared);
    if (thread_index() != 0) return;
    total.min_at = ~found[0];
    total.max_at = ~found[1];
    end_integer<T, kAllIntegerParts>(target, ReduceWork{nullptr, nullptr, nullptr, nullptr}, 0, 0, total);
}

constexpr KernelTable<decltype(&find_bytes), 1> kFindBytes = {
    "find_bytes", "reads n B at most, until both extremes are found", {{find_bytes}}};
constexpr KernelTable<decltype(&reduce_bytes<std::uint8_t>), 2> kReduceBytes = {
    "reduce_bytes",
    "reads 2 KiB, writes up to 16 B a statistic",
    {variant(reduce_bytes<std::uint8_t>, "u8"), variant(reduce_bytes<std::int8_t>, "i8")}};

}  // namespace

LaunchStatus launch_find_bytes(const ByteValues& values, const ElementRange& range,
                               const DeviceLimits& limits, Stream stream) {
    const std::uint64_t threads = ceil_divide(range.end - range.begin, kByteRun * kByteRuns);
    return launch_plain(kFindBytes[0],
                        LaunchShape{blocks_for(threads, kByteThreads, 1, limits), 1, kByteThreads, 0}, stream,
                        values.input, runs_are_packs(values.input, 1, kByteRun, 1), values.counts,
                        values.type == ElementType::I8 ? 0x80u : 0u, values.found, range);
}

LaunchStatus launch_reduce_bytes(const ByteValues& values, const ReduceTarget& target, Stream stream) {
    return launch_plain(kReduceBytes[values.type == ElementType::I8 ? 1 : 0],
                        LaunchShape{1, 1, kByteThreads, 0}, stream, values.counts, values.found, target);
}

void list_statistics_bytes_kernels(KernelLister& to) {
    to.add(1, listed(kFindBytes, BlockSize{kByteThreads, 0}),
           listed(kReduceBytes, BlockSize{kByteThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
