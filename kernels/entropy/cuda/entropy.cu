// SPDX-License-Identifier: Apache-2.0
// The kernels of entropy: they count levels and convert the counts to entropies.
#include "kernels/entropy/cuda/entropy.h"

#include "kernels/counting/cuda/bytes.cuh"
#include "kernels/counting/cuda/columns.cuh"
#include "kernels/counting/cuda/count.cuh"
#include "kernels/counting/cuda/levels.cuh"
#include "kernels/entropy/cuda/entropy.cuh"
#include "kernels/execution/cuda/kernel_list.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kMaxEntropyThreads = 512;

// The level of an element; `levels` for NaN.
template <class T>
class LevelMapper {
  public:
    using Element = T;
    using Rule = LevelRule;
    TEGU_DEVICE LevelMapper(const LevelRule& rule, unsigned char*) : rule_(rule) {}
    TEGU_DEVICE std::uint32_t slots() const { return rule_.levels + 1; }
    TEGU_DEVICE std::uint64_t table_bytes() const { return 0; }
    TEGU_DEVICE void fill_table(unsigned, unsigned) const {}
    TEGU_DEVICE void write_edges(double*, std::uint64_t, unsigned, unsigned) const {}
    TEGU_DEVICE std::uint32_t key(T x) const {
        bool nan = false;
        const std::uint32_t level = level_of(x, rule_, &nan);
        return nan ? rule_.levels : level;
    }
    TEGU_DEVICE bool quick() const { return true; }
    TEGU_DEVICE std::uint32_t quick_key(T x) const { return key(x); }

    class Fast {
      public:
        static constexpr unsigned kExtra = 0;
        TEGU_DEVICE Fast(const LevelRule& rule, std::uint32_t row_bytes, std::uint32_t column)
            : rule_(rule), row_bytes_(row_bytes), column_(column) {}
        TEGU_DEVICE std::uint32_t offset(T x, bool*) const {
            return LevelMapper(rule_, nullptr).key(x) * row_bytes_ + column_;
        }

      private:
        LevelRule rule_;  // in registers: every element needs it
        std::uint32_t row_bytes_, column_;
    };

  private:
    LevelRule rule_;  // in registers: every element needs it
};

// level_bytes: from the counts of values to those of levels.
// in:    value_counts [segments, 256] u64      out: counts [segments, levels + 1] u64, zeroed by the caller
// grid:  x strides over segments               block: 256, a thread a value
// shared: none                                  result valid in: counts, after the launch
// moves: reads 2 KiB, adds at most as much a segment      order: any
// why:   bytes cost one counter each, for any number of levels
template <class T>
TEGU_KERNEL TEGU_BOUNDS(256) level_bytes(const std::uint64_t* value_counts, std::uint64_t segments,
                                         LevelRule rule, std::uint64_t* counts) {
    bool nan = false;
    const std::uint32_t level = level_of(static_cast<T>(thread_index()), rule, &nan);
    for (std::uint64_t s = block_x(); s < segments; s += grid_x()) {
        const std::uint64_t count = value_counts[s * 256 + thread_index()];
        if (count != 0 && level < rule.levels)
            atomic_add(counts + s * (std::uint64_t{rule.levels} + 1) + level, count);
    }
}

// The Finish of byte values: adds them to their levels. Totals have no order.
struct LevelsOfBytes {
    LevelRule rule;
    bool is_signed;
    std::uint64_t* counts;  // [segments, levels + 1]
    TEGU_DEVICE void begin(std::uint64_t segment, unsigned thread, unsigned threads) const {
        for (std::uint32_t level = thread; level <= rule.levels; level += threads)
            counts[segment * (std::uint64_t{rule.levels} + 1) + level] = 0;
    }
    TEGU_DEVICE void put(std::uint64_t segment, std::uint64_t, std::uint64_t value,
                         std::uint64_t total) const {
        if (total == 0) return;
        bool nan = false;
        const std::uint32_t level = is_signed ? level_of(static_cast<std::int8_t>(value), rule, &nan)
                                              : level_of(static_cast<std::uint8_t>(value), rule, &nan);
        atomic_add(counts + (segment * (std::uint64_t{rule.levels} + 1) + level), total);
    }
};

// The number of a key of FiniteBounds.
template <class T>
TEGU_DEVICE double value_of(std::uint64_t key) {
    using Bits = typename UnsignedOf<sizeof(T)>::type;
    constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
    const Bits bits = static_cast<Bits>(key);
    return static_cast<double>(
        widen(bit_cast<T>(static_cast<Bits>((bits & kSign) != 0 ? bits ^ kSign : ~bits))));
}

// level_rules: from ranges to rules.
// in:    bounds [segments]                     out: rules [segments]; failed, ~0 before
// grid:  x strides over segments               block: 128
// shared: none                                  result valid in: rules and failed, after the launch
// moves: reads 16 B, writes 40 B a segment     order: any
// why:   for many rows, waits for their ranges and copies of their rules to the device would cost too much
template <class T>
TEGU_KERNEL TEGU_BOUNDS(128) level_rules(const FiniteBounds* bounds, std::uint64_t segments,
                                         std::uint32_t levels, LevelRule* rules, std::uint64_t* failed) {
    const std::uint64_t step = std::uint64_t{grid_x()} * block_threads();
    for (std::uint64_t s = std::uint64_t{block_x()} * block_threads() + thread_index(); s < segments;
         s += step) {
        const bool any = bounds[s].low != 0;
        bool fits = true;
        const LevelRule rule = level_rule_of_range(any ? value_of<T>(~bounds[s].low) : 0.0,
                                                   any ? value_of<T>(bounds[s].high) : 0.0, levels, &fits);
        if (!fits) atomic_min(failed, s);
        rules[s] = rule;
    }
}

// A thread's part of the sums of a segment.
struct EntropySums {
    Wide2 sum;
    std::uint64_t n;
};
TEGU_DEVICE EntropySums add(const EntropySums& a, const EntropySums& b) {
    return EntropySums{add(a.sum, b.sum), a.n + b.n};
}

// Valid in thread 0.
TEGU_DEVICE EntropySums block_add(EntropySums own) {
    TEGU_SHARED_ARRAY(EntropySums, warps, kMaxEntropyThreads / kWarpLanes);
    TEGU_UNROLL
    for (unsigned mask = kWarpLanes / 2; mask != 0; mask /= 2) own = add(own, shuffle_xor(own, mask));
    block_barrier();  // the sums of the previous segment have been read
    if (lane_index() == 0) warps[warp_index()] = own;
    block_barrier();
    if (thread_index() == 0)
        for (unsigned w = 1; w < block_warps(); ++w) own = add(own, warps[w]);
    return own;
}

// Levels first, first + step, ...
TEGU_DEVICE EntropySums thread_sums(const std::uint64_t* counts, std::uint32_t levels, std::uint32_t first,
                                    std::uint32_t step) {
    EntropySums sums{{0, 0}, 0};
    for (std::uint32_t level = first; level < levels; level += step) {
        const std::uint64_t count = counts[level];
        sums.n += count;
        if (count > 1) sums.sum = add(sums.sum, times_log2(count));
    }
    return sums;
}
TEGU_DEVICE double entropy_of(const EntropySums& sums, bool nan, const EntropyTarget& target) {
    if (sums.n == 0 || (nan && !target.skip_nans)) return bit_cast<double>(kDoubleNan);
    return entropy_of(sums.n, times_log2(sums.n), sums.sum, target.base_e);
}

// finish_entropy: from counts of levels to entropies.
// in:    counts [segments, levels + 1] u64     out: target.entropy [segments] f64
// grid:  x strides over segments               block: a thread a level, up to 512
// shared: 24 B a warp, static                   result valid in: entropy, after the launch
// moves: reads 8 * (levels + 1) B, writes 8 B a segment      order: any, sums are exact
// why:   60 squarings for each count are work for many threads, and the counts stay on the device
TEGU_KERNEL TEGU_BOUNDS(kMaxEntropyThreads)
    finish_entropy(const std::uint64_t* counts, std::uint64_t segments, std::uint32_t levels,
                   EntropyTarget target) {
    for (std::uint64_t s = block_x(); s < segments; s += grid_x()) {
        const std::uint64_t* const own = counts + s * (std::uint64_t{levels} + 1);
        EntropySums sums = thread_sums(own, levels, thread_index(), block_threads());
        sums = block_add(sums);
        if (thread_index() == 0) target.entropy[s] = entropy_of(sums, own[levels] != 0, target);
    }
}

// finish_long_entropy: the same for one segment with many levels.
// in:    counts [levels + 1] u64               out: target.entropy [1] f64
// grid:  x strides over levels                  block: 512
// shared: 24 B a warp, static                   result valid in: entropy, after the launch
// moves: reads 8 * (levels + 1) B, writes 24 B a block       order: any, sums are exact
// why:   one multiprocessor would take longer for the logarithms than all for the counts
TEGU_KERNEL TEGU_BOUNDS(kMaxEntropyThreads)
    finish_long_entropy(const std::uint64_t* counts, std::uint32_t levels, EntropyTarget target) {
    EntropySums sums =
        thread_sums(counts, levels, block_x() * block_threads() + thread_index(), grid_x() * block_threads());
    EntropySums* const partials = reinterpret_cast<EntropySums*>(target.work + 1);
    sums = block_add(sums);
    if (thread_index() == 0) partials[block_x()] = sums;
    if (!last_block(reinterpret_cast<std::uint32_t*>(target.work), grid_x())) return;
    sums = thread_index() < grid_x() ? partials[thread_index()] : EntropySums{{0, 0}, 0};
    sums = block_add(sums);
    if (thread_index() == 0) target.entropy[0] = entropy_of(sums, counts[levels] != 0, target);
}

#define TEGU_X(T, word) variant(count_elements<LevelMapper<T>, KeepCounts>, "levels", word)
constexpr KernelTable<CountKernel<LevelRule>, 9> kCountLevels = {
    "count_elements",
    kCountMoves,
    {TEGU_X(std::uint16_t, "u16"), TEGU_X(std::int16_t, "i16"), TEGU_X(std::uint32_t, "u32"),
     TEGU_X(std::int32_t, "i32"), TEGU_X(std::uint64_t, "u64"), TEGU_X(std::int64_t, "i64"),
     TEGU_FLOATS(TEGU_X)}};
#undef TEGU_X
#define TEGU_X(T, word) \
    variant(count_columns<LevelMapper<T>, typename LevelMapper<T>::Fast, KeepCounts>, "levels", word)
constexpr KernelTable<CountKernel<LevelRule>, 9> kCountLevelColumns = {
    "count_columns",
    kCountMoves,
    {TEGU_X(std::uint16_t, "u16"), TEGU_X(std::int16_t, "i16"), TEGU_X(std::uint32_t, "u32"),
     TEGU_X(std::int32_t, "i32"), TEGU_X(std::uint64_t, "u64"), TEGU_X(std::int64_t, "i64"),
     TEGU_FLOATS(TEGU_X)}};
#undef TEGU_X
constexpr KernelTable<CountKernel<ByteMapper::Rule, LevelsOfBytes>, 1> kCountByteLevels = {
    "count_columns",
    kCountMoves,
    {variant(count_columns<ByteMapper, ByteMapper::Fast, LevelsOfBytes>, "values", "levels")}};
constexpr KernelTable<decltype(&level_bytes<std::uint8_t>), 2> kLevelBytes = {
    "level_bytes",
    "reads 2 KiB a segment, adds 8 B a level",
    {variant(level_bytes<std::uint8_t>, "u8"), variant(level_bytes<std::int8_t>, "i8")}};
constexpr KernelTable<decltype(&level_rules<float>), kFloatTypes> kLevelRules = {
    "level_rules", "reads 16 B and writes 40 B, a segment", {TEGU_BY_FLOAT(level_rules)}};
constexpr KernelTable<decltype(&finish_entropy), 1> kFinishEntropy = {
    "finish_entropy", "reads 8 B a level and writes 8 B, a segment", {{finish_entropy}}};
constexpr KernelTable<decltype(&finish_long_entropy), 1> kFinishLongEntropy = {
    "finish_long_entropy", "reads 8 B a level and writes 24 B a block", {{finish_long_entropy}}};

unsigned blocks_of(std::uint64_t segments) {
    return segments < 65536 ? static_cast<unsigned>(segments) : 65536u;
}

}  // namespace

LaunchStatus launch_count_levels(const LevelCounts& to, const CountLaunch& launch,
                                 const CountRules<LevelRule>& rules) {
    const unsigned index = element_index(to.type) - element_index(ElementType::U16);
    return launch_count(launch.shape.columns != 0 ? kCountLevelColumns[index] : kCountLevels[index], launch,
                        rules, CountTarget{to.counts, nullptr});
}

LaunchStatus launch_count_byte_levels(const LevelCounts& to, const CountLaunch& launch,
                                      const LevelRule& rule) {
    return launch_count(kCountByteLevels[0], launch, CountRules<ByteMapper::Rule>{0, nullptr},
                        CountTarget{nullptr, nullptr},
                        LevelsOfBytes{rule, is_signed_integer(to.type), to.counts});
}

LaunchStatus launch_level_bytes(const LevelCounts& to, const std::uint64_t* value_counts,
                                const LevelRule& rule, Stream stream) {
    if (to.segments == 0) return 0;
    const LaunchShape shape{blocks_of(to.segments), 1, 256, 0};
    return launch(kLevelBytes[element_index(to.type)], shape, stream, value_counts, to.segments, rule,
                  to.counts);
}

LaunchStatus launch_level_rules(const LevelCounts& of, const FiniteBounds* bounds,
                                const LevelRuleTarget& target, Stream stream) {
    if (of.segments == 0) return 0;
    const LaunchShape shape{blocks_of((of.segments + 127) / 128), 1, 128, 0};
    return launch(kLevelRules[float_index(of.type)], shape, stream, bounds, of.segments, of.levels,
                  target.rules, target.failed);
}

LaunchStatus launch_entropy(const LevelCounts& of, const EntropyTarget& target, Stream stream) {
    if (of.segments == 0) return 0;
    const std::uint64_t parts = ceil_divide(of.levels, kMaxEntropyThreads);
    if (target.work != nullptr && of.segments == 1 && parts > 1) {
        const auto blocks = static_cast<unsigned>(parts < kMaxEntropyParts ? parts : kMaxEntropyParts);
        return launch(kFinishLongEntropy[0], LaunchShape{blocks, 1, kMaxEntropyThreads, 0}, stream,
                      static_cast<const std::uint64_t*>(of.counts), of.levels, target);
    }
    const unsigned threads = whole_warps(of.levels, kMaxEntropyThreads);
    return launch(kFinishEntropy[0], LaunchShape{blocks_of(of.segments), 1, threads, 0}, stream,
                  static_cast<const std::uint64_t*>(of.counts), of.segments, of.levels, target);
}

void list_entropy_kernels(KernelLister& to) {
    to.add(1, listed(kCountLevels, count_block<LevelRule>()),
           listed(kCountLevelColumns, count_block<LevelRule>()),
           listed(kCountByteLevels, count_block<ByteMapper::Rule>()), listed(kLevelBytes, BlockSize{256, 0}),
           listed(kLevelRules, BlockSize{128, 0}), listed(kFinishEntropy, BlockSize{kMaxEntropyThreads, 0}),
           listed(kFinishLongEntropy, BlockSize{kMaxEntropyThreads, 0}));
}

}  // namespace cuda
}  // namespace tegu
