// SPDX-License-Identifier: Apache-2.0
// The kernels of histogram: counts of bins for seven types that cover eleven, and the conversion of counts of
// byte values to bins.
#include "kernels/histogram/cuda/histogram.h"

#include "kernels/counting/cuda/bytes.cuh"
#include "kernels/counting/cuda/count.cuh"
#include "kernels/execution/cuda/kernel_list.h"
#include "kernels/histogram/cuda/bins.cuh"

namespace tegu {
namespace cuda {
namespace {

// bin_bytes: from the counts of values to bins.
// in:    value_counts [segments, 256] u64
// out:   counts [segments, bins] u64, zeroed by the caller; edges [segments, bins + 1] f64
// grid:  x strides over segments               block: 256, a thread a value
// shared: the rule                              result valid in: counts and edges, after the launch
// moves: reads 2 KiB, writes 16 * bins B a segment      order: any
// why:   bytes cost one counter each, for any kind of bins
TEGU_KERNEL TEGU_BOUNDS(256) bin_bytes(const std::uint64_t* value_counts, std::uint64_t segments,
                                       BinRule rule, const BinRule* rules, CountTarget target) {
    TEGU_SHARED(BinRule, held);
    for (std::uint64_t s = block_x(); s < segments; s += grid_x()) {
        block_barrier();
        if (thread_index() == 0 && rules != nullptr) held = rules[s];
        if (thread_index() == 0 && rules == nullptr) held = rule;
        block_barrier();
        const BinMapper<std::uint8_t> mapper(held, nullptr);
        mapper.write_edges(target.edges, s, thread_index(), block_threads());
        const std::uint32_t key = mapper.key(static_cast<std::uint8_t>(thread_index()));
        const std::uint64_t count = value_counts[s * 256 + thread_index()];
        if (key < mapper.slots() && count != 0) atomic_add(target.counts + s * mapper.slots() + key, count);
    }
}

// The Finish of byte values: adds them to their bins. Totals have no order.
struct BinBytes {
    BinRule rule;
    const BinRule* rules;
    CountTarget target;
    TEGU_DEVICE const BinRule& of(std::uint64_t segment) const {
        return rules == nullptr ? rule : rules[segment];
    }
    TEGU_DEVICE void begin(std::uint64_t segment, unsigned thread, unsigned threads) const {
        const BinMapper<std::uint8_t> mapper(of(segment), nullptr);
        mapper.write_edges(target.edges, segment, thread, threads);
        for (std::uint32_t bin = thread; bin < mapper.slots(); bin += threads)
            target.counts[segment * mapper.slots() + bin] = 0;
    }
    TEGU_DEVICE void put(std::uint64_t segment, std::uint64_t, std::uint64_t value,
                         std::uint64_t total) const {
        const BinMapper<std::uint8_t> mapper(of(segment), nullptr);
        const std::uint32_t key = mapper.key(static_cast<std::uint8_t>(value));
        if (key < mapper.slots() && total != 0)
            atomic_add(target.counts + (segment * mapper.slots() + key), total);
    }
};

#define TEGU_X(T, word) variant(count_elements<BinMapper<T>, KeepCounts>, "bins", word)
constexpr KernelTable<CountKernel<BinRule>, 7> kCountBins = {
    "count_elements", kCountMoves, {TEGU_WIDTHS(TEGU_X), TEGU_FLOATS(TEGU_X)}};
#undef TEGU_X
// The seven types, guessed; three that are often exact; two with many bins.
constexpr unsigned kExactBins = 7, kRefinedBins = 10;
#define TEGU_X(T, word) variant(count_columns<BinMapper<T>, GuessedBins<T, false>, KeepCounts>, "bins", word)
#define TEGU_Y(T, word) variant(count_columns<BinMapper<T>, GuessedBins<T, true>, KeepCounts>, "exact", word)
#define TEGU_Z(T, word) variant(count_columns<BinMapper<T>, RefinedBins<T>, KeepCounts>, "many bins", word)
constexpr KernelTable<CountKernel<BinRule>, 12> kCountBinColumns = {
    "count_columns",
    kCountMoves,
    {TEGU_WIDTHS(TEGU_X), TEGU_FLOATS(TEGU_X), TEGU_Y(std::uint16_t, "u16"), TEGU_Y(Half, "f16"),
     TEGU_Y(float, "f32"), TEGU_Z(Half, "f16"), TEGU_Z(float, "f32")}};
#undef TEGU_X
#undef TEGU_Y
#undef TEGU_Z
// REQUIRES: index of a table of the seven types.
unsigned fast_index(FastBins with, unsigned index) {
    const bool often_exact = index == 1 || index == 4 || index == 5;
    if (with == FastBins::Refined) return kRefinedBins + index - 4;
    return with == FastBins::Exact && often_exact ? kExactBins + (index == 1 ? 0 : index - 3) : index;
}
constexpr KernelTable<CountKernel<ByteMapper::Rule, BinBytes>, 1> kCountBytes = {
    "count_columns",
    kCountMoves,
    {variant(count_columns<ByteMapper, ByteMapper::Fast, BinBytes>, "values", "bins")}};
constexpr KernelTable<decltype(&bin_bytes), 1> kBinBytes = {
    "bin_bytes", "reads 2 KiB and writes 16 B a bin, a segment", {{bin_bytes}}};

}  // namespace

LaunchStatus launch_histogram(ElementType type, const CountLaunch& launch, FastBins with,
                              const CountRules<BinRule>& rules, const CountTarget& target) {
    // Signed integers are read as unsigned ones.
    const unsigned index =
        is_float(type) ? 4 + float_index(type) : width_index(static_cast<unsigned>(element_bytes(type)));
    if (launch.shape.columns == 0) return launch_count(kCountBins[index], launch, rules, target);
    return launch_count(kCountBinColumns[fast_index(with, index)], launch, rules, target);
}

LaunchStatus launch_histogram_bytes(const CountLaunch& launch, const CountRules<BinRule>& rules,
                                    const CountTarget& target) {
    return launch_count(kCountBytes[0], launch, CountRules<ByteMapper::Rule>{0, nullptr},
                        CountTarget{nullptr, nullptr}, BinBytes{rules.one, rules.each, target});
}

std::uint64_t bin_table_bytes(ElementType type, std::uint32_t bins) {
    const std::uint64_t value = element_bytes(type) == 8 ? 8 : 4;
    return (bins * value + 15) / 16 * 16;
}

LaunchStatus launch_bin_bytes(const ValueCounts& values, const CountRules<BinRule>& rules,
                              const CountTarget& target, Stream stream) {
    if (values.segments == 0) return 0;
    const unsigned blocks = values.segments < 4096 ? static_cast<unsigned>(values.segments) : 4096u;
    return launch(kBinBytes[0], LaunchShape{blocks, 1, 256, 0}, stream, values.counts, values.segments,
                  rules.one, rules.each, target);
}

void list_histogram_kernels(KernelLister& to) {
    to.add(1, listed(kCountBins, count_block<BinRule>()), listed(kCountBinColumns, count_block<BinRule>()),
           listed(kCountBytes, count_block<ByteMapper::Rule>()), listed(kBinBytes, BlockSize{256, 0}));
}

}  // namespace cuda
}  // namespace tegu
