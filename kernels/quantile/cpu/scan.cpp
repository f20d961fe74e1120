// SPDX-License-Identifier: Apache-2.0
// Plain loops that the compiler vectorises, except for the bits of a comparison
// (kernels/selection/cpu/group.h). An order statistic of few keys is found by halving their range and
// counting, without a branch on an element. Each step moves both ends of the range to existing keys, so the
// steps are about log2 of the number of elements, for any width.
#include "kernels/quantile/cpu/scan.h"

#include "kernels/numerics/sort_key.h"
#include "kernels/selection/cpu/group.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

using group::kGroup;
using quantile::Pair;
using quantile::ScanKernels;
using quantile::SplitTally;
using selection::Elements;

constexpr std::uint64_t kRun = 1024;  // elements whose keys stay in L1

template <class U, bool Float>
[[gnu::always_inline]] inline void encode_run(Elements elements, std::uint64_t begin, std::uint64_t count,
                                              U* out) {
    const U flip = static_cast<U>(elements.flip);
    const std::byte* data = elements.data + begin * sizeof(U);
    for (std::uint64_t i = 0; i < count; ++i) out[i] = key::encode<U, Float>(key::load<U>(data, i), flip);
}

template <class U, bool Float>
std::uint64_t keys(Elements elements, std::byte* out) {
    U* to = reinterpret_cast<U*>(out);
    encode_run<U, Float>(elements, 0, elements.count, to);
    if (!Float) return 0;
    const U nan = key::encode<U, Float>(key::kNan<U>, static_cast<U>(elements.flip));
    std::uint64_t nans = 0;
    for (std::uint64_t begin = 0; begin < elements.count; begin += kRun) {
        const std::uint64_t end = elements.count - begin < kRun ? elements.count : begin + kRun;
        U found = 0;
        for (std::uint64_t i = begin; i < end; ++i) found = static_cast<U>(found + (to[i] == nan));
        nans += found;
    }
    return nans;
}

// Four tables, so that equal neighbours do not wait for each other. They are small enough to be merged at
// every call.
void count_bytes(Elements elements, std::uint64_t* counts) {
    const auto flip = static_cast<std::uint8_t>(elements.flip);
    std::uint32_t tables[4][256] = {};
    std::uint64_t i = 0;
    for (; i + 4 <= elements.count; i += 4)
        for (unsigned t = 0; t < 4; ++t)
            ++tables[t][static_cast<std::uint8_t>(key::load<std::uint8_t>(elements.data, i + t) ^ flip)];
    for (; i < elements.count; ++i)
        ++tables[0][static_cast<std::uint8_t>(key::load<std::uint8_t>(elements.data, i) ^ flip)];
    for (unsigned value = 0; value < 256; ++value)
        counts[value] +=
            std::uint64_t{tables[0][value]} + tables[1][value] + tables[2][value] + tables[3][value];
}

template <bool Float>
void count_words(Elements elements, std::uint64_t* counts) {
    alignas(64) std::uint16_t run[kRun];
    for (std::uint64_t begin = 0; begin < elements.count; begin += kRun) {
        const std::uint64_t count = elements.count - begin < kRun ? elements.count - begin : kRun;
        encode_run<std::uint16_t, Float>(elements, begin, count, run);
        std::uint64_t i = 0;
        for (; i + 4 <= count; i += 4) {
            std::uint64_t four;
            __builtin_memcpy(&four, run + i, sizeof four);
            if (four == run[i] * 0x0001000100010001u) {
                counts[run[i]] += 4;
            } else {
                for (unsigned j = 0; j < 4; ++j) ++counts[run[i + j]];
            }
        }
        for (; i < count; ++i) ++counts[run[i]];
    }
}

template <class U>
[[gnu::always_inline]] inline void tally_run(const U* run, std::uint64_t count, U low, U high, U nan,
                                             SplitTally& tally) {
    U less = 0, equal_low = 0, equal_high = 0, nans = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        less = static_cast<U>(less + (run[i] < low));
        equal_low = static_cast<U>(equal_low + (run[i] == low));
        equal_high = static_cast<U>(equal_high + (run[i] == high));
        nans = static_cast<U>(nans + (run[i] == nan));
    }
    tally.less += less;
    tally.equal_low += equal_low;
    tally.equal_high += low == high ? 0 : equal_high;
    tally.nans += nans;
}

// The keys strictly between low and high, minus low + 1. REQUIRES: high - low >= 2; run readable up to a
// multiple of kGroup.
template <class U>
[[gnu::always_inline]] inline std::uint64_t keep_inside(const U* run, std::uint64_t count, U low, U high,
                                                        U* out) {
    const U base = static_cast<U>(low + 1);
    const U limit = static_cast<U>(high - low - 2);
    std::uint64_t found = 0;
    alignas(64) U offsets[kGroup];
    for (std::uint64_t begin = 0; begin < count; begin += kGroup) {
        for (unsigned i = 0; i < kGroup; ++i) offsets[i] = static_cast<U>(run[begin + i] - base);
        std::uint64_t flags = group::mask_within(offsets, limit);
        if (count - begin < kGroup) flags &= (std::uint64_t{1} << (count - begin)) - 1;
        found += group::compress(offsets, flags, out + found);
    }
    return found;
}

template <class U, bool Float>
std::uint64_t split(Elements elements, std::uint64_t low64, std::uint64_t high64, SplitTally& tally,
                    std::byte* out) {
    const U low = static_cast<U>(low64);
    const U high = static_cast<U>(high64);
    const U nan = key::encode<U, Float>(key::kNan<U>, static_cast<U>(elements.flip));
    alignas(64) U run[kRun] = {};
    SplitTally sum;
    std::uint64_t found = 0;
    for (std::uint64_t begin = 0; begin < elements.count; begin += kRun) {
        const std::uint64_t count = elements.count - begin < kRun ? elements.count - begin : kRun;
        encode_run<U, Float>(elements, begin, count, run);
        tally_run(run, count, low, high, nan, sum);
        if (high - low >= 2) found += keep_inside(run, count, low, high, reinterpret_cast<U*>(out) + found);
    }
    tally.less += sum.less;
    tally.equal_low += sum.equal_low;
    tally.equal_high += sum.equal_high;
    tally.inside += found;
    tally.nans += Float ? sum.nans : 0;
    return found;
}

// The number of keys within a limit, the largest of these, and the smallest of the others.
template <class U>
struct Cut {
    U within = 0;
    U below = 0;
    U above = static_cast<U>(~U{0});
};

// Counters as wide as the keys: REQUIRES of nth.
template <class U>
[[gnu::always_inline]] inline Cut<U> cut(const U* values, std::uint64_t count, U limit) {
    U within = 0, below = 0, above = static_cast<U>(~U{0});
    for (std::uint64_t i = 0; i < count; ++i) {
        const U mask = values[i] <= limit ? static_cast<U>(~U{0}) : U{0};
        const U kept = static_cast<U>(values[i] & mask);
        const U other = static_cast<U>(values[i] | mask);
        within = static_cast<U>(within - mask);
        below = kept > below ? kept : below;
        above = other < above ? other : above;
    }
    return Cut<U>{within, below, above};
}

template <class U>
Pair nth(const std::byte* data, std::uint64_t count, std::uint64_t rank) {
    const U* values = reinterpret_cast<const U*>(data);
    U low = static_cast<U>(~U{0});
    U high = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    while (low < high) {
        const Cut<U> half = cut(values, count, static_cast<U>(low + static_cast<U>(high - low) / 2));
        if (half.within > rank) {
            high = half.below;
        } else {
            low = half.above;
        }
    }
    const Cut<U> end = cut(values, count, low);
    return Pair{low, rank + 1 < end.within || end.within == count ? low : end.above};
}

template <class U, bool Float>
constexpr ScanKernels kernels_of() {
    if constexpr (sizeof(U) == 1) return {&keys<U, Float>, &count_bytes, nullptr, nullptr};
    if constexpr (sizeof(U) == 2) return {&keys<U, Float>, &count_words<Float>, nullptr, &nth<U>};
    if constexpr (sizeof(U) >= 4) return {&keys<U, Float>, nullptr, &split<U, Float>, &nth<U>};
}

template <class U, bool Float>
struct ScanKernelsOf {
    static constexpr ScanKernels value = kernels_of<U, Float>();
};

}  // namespace

const ScanKernels& quantile_scan_kernels(ElementType type) {
    return *key::of_type<ScanKernels, ScanKernelsOf>(type);
}

}  // namespace tegu::kernels::TEGU_ISA
