// SPDX-License-Identifier: Apache-2.0
// Entropies of many short rows. A warp reads a row once, finds its range, counts its levels and adds their
// logarithms from a table. No counter leaves the multiprocessor.
#include <cmath>

#include "kernels/counting/cuda/levels.cuh"
#include "kernels/entropy/cuda/entropy.cuh"
#include "kernels/entropy/cuda/entropy.h"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/execution/cuda/streaming.cuh"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kRowThreads = kEntropyRowThreads;
constexpr unsigned kRowWaves = 1;

// Packs of a row that a lane keeps in registers. Arithmetic in f64 leaves room for fewer.
template <class T>
constexpr unsigned held_packs() {
    return Leveled<T>::kFloat && sizeof(T) == 8 ? 5 : 8;
}

TEGU_DEVICE float smaller(float a, float b) {
    return fminf(a, b);
}
TEGU_DEVICE float larger(float a, float b) {
    return fmaxf(a, b);
}
TEGU_DEVICE double smaller(double a, double b) {
    return a < b ? a : b;
}
TEGU_DEVICE double larger(double a, double b) {
    return a > b ? a : b;
}

// The smallest and the largest finite element of a lane, then of the warp. Integers have none.
template <class T, bool Float>
class RowRange {
  public:
    TEGU_DEVICE void merge(T) {}
    TEGU_DEVICE void of_warp() {}
    TEGU_DEVICE double low() const { return 0; }
    TEGU_DEVICE double high() const { return 0; }
};
template <class T>
class RowRange<T, true> {
  public:
    using Value = typename Arithmetic<T>::type;
    TEGU_DEVICE void merge(T x) {
        const Value value = widen(x);
        if (!(value - value == Value(0))) return;
        low_ = smaller(low_, value);
        high_ = larger(high_, value);
    }
    TEGU_DEVICE void of_warp() {
        TEGU_UNROLL
        for (unsigned mask = kWarpLanes / 2; mask != 0; mask /= 2) {
            low_ = smaller(low_, shuffle_xor(low_, mask));
            high_ = larger(high_, shuffle_xor(high_, mask));
        }
    }
    TEGU_DEVICE double low() const { return static_cast<double>(low_); }
    TEGU_DEVICE double high() const { return static_cast<double>(high_); }

  private:
    Value low_ = static_cast<Value>(bit_cast<float>(0x7f800000u));  // infinity
    Value high_ = static_cast<Value>(bit_cast<float>(0xff800000u));
};

// A row as the lanes of a warp hold it: aligned packs, and the elements before and after them.
template <class T>
class HeldRow {
  public:
    static constexpr unsigned kWidth = 16 / sizeof(T), kHeldPacks = held_packs<T>();
    using Chunk = Pack<std::uint32_t, 4>;

    TEGU_DEVICE HeldRow(const T* row, std::uint32_t cols) {
        const std::uint32_t before =
            static_cast<std::uint32_t>((16 - reinterpret_cast<std::uintptr_t>(row) % 16) % 16 / sizeof(T));
        const std::uint32_t head = before < cols ? before : cols;
        packs_ = (cols - head) / kWidth;
        const std::uint32_t tail = head + packs_ * kWidth;
        body_ = reinterpret_cast<const Chunk*>(row + head);
        has_first_ = lane_index() < head;
        has_last_ = lane_index() < cols - tail;
        if (has_first_) first_ = row[lane_index()];
        if (has_last_) last_ = row[tail + lane_index()];
        TEGU_UNROLL
        for (unsigned i = 0; i < kHeldPacks; ++i)
            if (lane_index() + i * kWarpLanes < packs_)
                held_[i] = load_last(body_ + lane_index() + i * kWarpLanes);
    }
    // Calls each(element) for all elements of the lane. Packs beyond those held are read anew.
    template <class Each>
    TEGU_DEVICE void for_each(Each each) const {
        if (has_first_) each(first_);
        if (has_last_) each(last_);
        TEGU_UNROLL
        for (unsigned i = 0; i < kHeldPacks; ++i)
            if (lane_index() + i * kWarpLanes < packs_) for_pack(held_[i], each);
        for (std::uint32_t i = lane_index() + kHeldPacks * kWarpLanes; i < packs_; i += kWarpLanes)
            for_pack(body_[i], each);
    }

  private:
    // Words and shifts: an array of 16-bit elements would lie in local memory.
    TEGU_DEVICE static T element(const Chunk& chunk, unsigned e) {
        using Bits = typename UnsignedOf<sizeof(T)>::type;
        const std::uint64_t low = chunk.at[e * sizeof(T) / 4];
        const std::uint64_t high = sizeof(T) == 8 ? chunk.at[(e * sizeof(T) / 4 + 1) % 4] : 0;
        return bit_cast<T>(static_cast<Bits>((low | high << 32) >> (e * sizeof(T) % 4 * 8)));
    }
    template <class Each>
    TEGU_DEVICE static void for_pack(const Chunk& chunk, Each each) {
        TEGU_UNROLL
        for (unsigned e = 0; e < kWidth; ++e) each(element(chunk, e));
    }

    Chunk held_[kHeldPacks];
    const Chunk* body_;
    std::uint32_t packs_;
    T first_, last_;
    bool has_first_, has_last_;
};

// The sum of n log2(n) 2^60 over the counts of a row: low + high * 2^32. At most 2^14 * 2^32 each.
struct RowSums {
    std::uint64_t low;
    std::uint64_t high;
    std::uint32_t nans;
};

// Adds up the counters of a warp, [levels + 1], and clears them.
TEGU_DEVICE RowSums warp_row_sums(std::uint32_t* counters, std::uint32_t levels, const std::uint64_t* logs) {
    RowSums sums{0, 0, counters[levels]};
    warp_barrier();
    if (lane_index() == 0) counters[levels] = 0;
    constexpr unsigned kAtOnce = 4;
    for (std::uint32_t at = lane_index(); at - lane_index() < levels; at += kAtOnce * kWarpLanes) {
        std::uint32_t count[kAtOnce];
        TEGU_UNROLL
        for (unsigned i = 0; i < kAtOnce; ++i) {
            count[i] = 0;
            if (at + i * kWarpLanes >= levels) continue;
            count[i] = counters[at + i * kWarpLanes];
            counters[at + i * kWarpLanes] = 0;
        }
        TEGU_UNROLL
        for (unsigned i = 0; i < kAtOnce; ++i) {
            const std::uint64_t log = logs[count[i]];
            sums.low += std::uint64_t{count[i]} * static_cast<std::uint32_t>(log);
            sums.high += std::uint64_t{count[i]} * static_cast<std::uint32_t>(log >> 32);
        }
    }
    TEGU_UNROLL
    for (unsigned mask = kWarpLanes / 2; mask != 0; mask /= 2) {
        sums.low += shuffle_xor(sums.low, mask);
        sums.high += shuffle_xor(sums.high, mask);
    }
    return sums;
}

// The entropy of n elements, n > 0. log: that of n.
TEGU_DEVICE_CALLED double counted_entropy(std::uint64_t n, std::uint64_t log, std::uint64_t low,
                                          std::uint64_t high, bool base_e) {
    return entropy_of(n, multiply(n, log), add(Wide2{low, 0}, Wide2{high << 32, high >> 32}), base_e);
}
TEGU_DEVICE double row_entropy(const EntropyRows& task, const RowSums& sums) {
    const std::uint64_t n = task.input.n - sums.nans;
    if (n == 0 || (sums.nans != 0 && !task.target.skip_nans)) return bit_cast<double>(kDoubleNan);
    return counted_entropy(n, task.logs[n], sums.low, sums.high, task.target.base_e);
}

// entropy_rows: the entropy of each row.
// in:    x [rows, n] T; logs [n + 1] u64        out: target.entropy [rows] f64; failed
// grid:  x strides over rows, one a warp        block: kRowThreads
// shared: 4 * (levels + 1) B a warp, dynamic    result valid in: entropy and failed, after the launch
// moves: reads n * sizeof(T) B a row, twice beyond held_packs() packs a lane; writes 8 B
// order: any, sums are exact
// why:   the last step takes thousands of instructions: each lane keeps one row, and all finish at once
template <class T>
TEGU_KERNEL TEGU_BOUNDS2(kRowThreads, 3) entropy_rows(EntropyRows task) {
    TEGU_DYNAMIC_SHARED(memory);
    const std::uint32_t levels = task.rule.levels;
    std::uint32_t* const counters = reinterpret_cast<std::uint32_t*>(memory) + warp_index() * (levels + 1);
    for (std::uint32_t i = lane_index(); i <= levels; i += kWarpLanes) counters[i] = 0;
    warp_barrier();
    const std::uint64_t step = std::uint64_t{grid_x()} * block_warps(), end = task.first + task.count;
    RowSums own{0, 0, 0};
    std::uint64_t own_row = 0;
    unsigned held = 0;  // rows whose sums the lanes keep
    for (std::uint64_t row = task.first + std::uint64_t{block_x()} * block_warps() + warp_index(); row < end;
         row += step) {
        const HeldRow<T> x(static_cast<const T*>(task.input.data) + row * task.input.step,
                           static_cast<std::uint32_t>(task.input.n));
        LevelRule rule = task.rule;
        if (Leveled<T>::kFloat && task.finds_range) {
            RowRange<T, Leveled<T>::kFloat> range;
            x.for_each([&](T element) { range.merge(element); });
            range.of_warp();
            bool fits = true;
            rule = level_rule_of_range(range.low(), range.high(), levels, &fits);
            if (!fits && lane_index() == 0) atomic_min(task.failed, row);
        }
        x.for_each([&](T element) {
            bool nan = false;
            const std::uint32_t level = level_of(element, rule, &nan);
            atomic_add(counters + (nan ? levels : level), 1u);
        });
        warp_barrier();
        const RowSums sums = warp_row_sums(counters, levels, task.logs);
        warp_barrier();
        if (lane_index() == held) {
            own = sums;
            own_row = row;
        }
        if (++held < kWarpLanes) continue;
        task.target.entropy[own_row] = row_entropy(task, own);
        held = 0;
    }
    if (lane_index() < held) task.target.entropy[own_row] = row_entropy(task, own);
}

// fixed_logs: logs[i] = log2(i) 2^60.
// in:    nothing                                out: logs [count] u64
// grid:  x strides over numbers                 block: kRowThreads
// shared: none                                  result valid in: logs, after the launch
// moves: writes 8 B a number                    order: any
// why:   rows have counts in common, and a logarithm takes 60 squarings
TEGU_KERNEL TEGU_BOUNDS(kRowThreads) fixed_logs(std::uint64_t* logs, std::uint64_t count) {
    const std::uint64_t step = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t i = std::uint64_t{block_x()} * block_threads() + thread_index(); i < count; i += step)
        logs[i] = i == 0 ? 0 : fixed_log2(i).low;
}

#define TEGU_X(T, word) variant(entropy_rows<T>, word)
constexpr KernelTable<void (*)(EntropyRows), 9> kEntropyRows = {
    "entropy_rows",
    "reads n elements and writes 8 B a row",
    {TEGU_X(std::uint16_t, "u16"), TEGU_X(std::int16_t, "i16"), TEGU_X(std::uint32_t, "u32"),
     TEGU_X(std::int32_t, "i32"), TEGU_X(std::uint64_t, "u64"), TEGU_X(std::int64_t, "i64"),
     TEGU_FLOATS(TEGU_X)}};
#undef TEGU_X
constexpr KernelTable<decltype(&fixed_logs), 1> kFixedLogs = {
    "fixed_logs", "writes 8 B a number", {{fixed_logs}}};

std::size_t row_shared_bytes(std::uint32_t levels) {
    return (kRowThreads / kWarpLanes) * (std::size_t{levels} + 1) * sizeof(std::uint32_t);
}

}  // namespace

LaunchStatus launch_entropy_rows(ElementType type, const EntropyRows& rows, const DeviceLimits& limits,
                                 Stream stream) {
    if (rows.count == 0) return 0;
    const LaunchShape shape{blocks_for(rows.count * kWarpLanes, kRowThreads, kRowWaves, limits), 1,
                            kRowThreads, row_shared_bytes(rows.rule.levels)};
    return launch_plain(kEntropyRows[element_index(type) - element_index(ElementType::U16)], shape, stream,
                        rows);
}

LaunchStatus launch_fixed_logs(std::uint64_t* logs, std::uint64_t count, Stream stream) {
    const unsigned blocks = static_cast<unsigned>(ceil_divide(count, kRowThreads));
    return launch_plain(kFixedLogs[0], LaunchShape{blocks, 1, kRowThreads, 0}, stream, logs, count);
}

void list_entropy_rows_kernels(KernelLister& to) {
    to.add(1, listed(kEntropyRows, BlockSize{kRowThreads, row_shared_bytes(256)}),
           listed(kFixedLogs, BlockSize{kRowThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
