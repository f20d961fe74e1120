// SPDX-License-Identifier: Apache-2.0
// The kernels of histogram: counts of bins for seven types that cover eleven, and the conversion of counts of
// byte values to bins.
#include "kernels/histogram/cuda/histogram.h"

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

#define TEGU_X(T, word) variant(count_elements<BinMapper<T>>, "bins", word)
constexpr KernelTable<CountKernel<BinRule>, 7> kCountBins = {
    "count_elements", kCountMoves, {TEGU_WIDTHS(TEGU_X), TEGU_FLOATS(TEGU_X)}};
#undef TEGU_X
constexpr KernelTable<decltype(&bin_bytes), 1> kBinBytes = {
    "bin_bytes", "reads 2 KiB and writes 16 B a bin, a segment", {{bin_bytes}}};

}  // namespace

LaunchStatus launch_histogram(ElementType type, const CountLaunch& launch, const CountRules<BinRule>& rules,
                              const CountTarget& target) {
    // Signed integers are read as unsigned ones.
    const unsigned index =
        is_float(type) ? 4 + float_index(type) : width_index(static_cast<unsigned>(element_bytes(type)));
    return launch_count(kCountBins[index], launch, rules, target);
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
    to.add(1, listed(kCountBins, count_block<BinRule>()), listed(kBinBytes, BlockSize{256, 0}));
}

}  // namespace cuda
}  // namespace tegu
