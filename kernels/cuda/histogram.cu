// SPDX-License-Identifier: Apache-2.0
// The kernels of histogram: counts of bins for seven types that stand for eleven, and counts of the values of bytes, which become bins afterwards.
#include "kernels/cuda/histogram.h"

#include "kernels/cuda/histogram_bins.cuh"
#include "kernels/cuda/histogram_count.cuh"

namespace tegu {
namespace cuda {
namespace {

// The type that a type is read as: signed integers as unsigned ones.
template <class T>
struct ReadAs {
    using type = typename UnsignedOf<sizeof(T)>::type;
};
template <>
struct ReadAs<Half> {
    using type = Half;
};
template <>
struct ReadAs<float> {
    using type = float;
};
template <>
struct ReadAs<double> {
    using type = double;
};

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
};

// bin_bytes: from the counts of values to bins.
// in:    value_counts [sequences, 256] u64      out: counts [sequences, bins] u64, zeroed by the caller; edges [sequences, bins + 1] f64
// grid:  x strides over sequences               block: 256, a thread a value
// shared: the rule                              result valid in: counts and edges, after the launch
// moves: reads 2 KiB, writes 16 * bins B a sequence      order: any
// why:   bytes cost one counter each, however their bins are found
TEGU_KERNEL TEGU_BOUNDS(256) bin_bytes(const std::uint64_t* value_counts, std::uint64_t sequences, BinRule rule, const BinRule* rules, HistogramTarget target) {
    TEGU_SHARED(BinRule, held);
    for (std::uint64_t s = block_x(); s < sequences; s += grid_x()) {
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

}  // namespace

LaunchStatus zero_counters(std::uint64_t* counters, std::uint64_t count, Stream stream) {
    return count == 0 ? 0 : zero(counters, count * sizeof *counters, stream);
}

LaunchStatus launch_histogram(ElementType type, const CountInput& input, const BinRule& rule, const BinRule* rules, const HistogramTarget& target,
                              const CountShape& shape, const CountRange& range, Stream stream) {
    if (range.count == 0) return 0;
    switch (type) {
#define TEGU_X(number, Name, word, element) \
    case ElementType::Name: return launch_count<BinMapper<ReadAs<element>::type>>(input, rule, rules, target.counts, target.edges, shape, range, stream);
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
    return 0;
}

std::uint64_t bin_table_bytes(ElementType type, std::uint32_t bins) {
    const std::uint64_t value = element_bytes(type) == 8 ? 8 : 4;
    return (bins * value + 15) / 16 * 16;
}

LaunchStatus launch_count_bytes(const CountInput& input, std::uint64_t* counts, const CountShape& shape, const CountRange& range, Stream stream) {
    if (range.count == 0) return 0;
    return launch_count<ByteMapper>(input, 0, nullptr, counts, nullptr, shape, range, stream);
}

LaunchStatus launch_bin_bytes(const std::uint64_t* value_counts, std::uint64_t sequences, const BinRule& rule, const BinRule* rules,
                              const HistogramTarget& target, Stream stream) {
    if (sequences == 0) return 0;
    const unsigned blocks = sequences < 4096 ? static_cast<unsigned>(sequences) : 4096u;
    return launch(bin_bytes, LaunchShape{blocks, 1, 256, 0}, stream, value_counts, sequences, rule, rules, target);
}

}  // namespace cuda
}  // namespace tegu
