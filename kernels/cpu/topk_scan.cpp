// SPDX-License-Identifier: Apache-2.0
// Plain loops that the compiler turns into vectors of the instruction set at hand. Collecting tests a group of elements by its
// minimum first: almost every group has nothing to offer, and then costs what reading it costs.
#include "kernels/cpu/topk_scan.h"

#include "kernels/cpu/topk_rank.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

using topk::Elements;
using topk::Entry128;
using topk::Entry64;
using topk::ScanKernels;
using topk::SeenRanks;
using topk::Tally;

constexpr std::uint64_t kGroup = 64;

template <class U, bool Float>
[[gnu::always_inline]] inline U smallest(const std::byte* data, std::uint64_t count, U flip) {
    U best = static_cast<U>(~U{0});
    for (std::uint64_t i = 0; i < count; ++i) {
        const U value = rank::encode<U, Float>(rank::load<U>(data, i), flip);
        best = value < best ? value : best;
    }
    return best;
}

template <class U, bool Float>
void minima(Elements elements, std::uint64_t block, std::uint64_t* out) {
    const U flip = static_cast<U>(elements.flip);
    for (std::uint64_t begin = 0; begin < elements.count; begin += block) {
        const std::uint64_t left = elements.count - begin;
        *out++ = smallest<U, Float>(elements.data + begin * sizeof(U), left < block ? left : block, flip);
    }
}

template <class U, bool Float>
void gather(Elements elements, const std::uint64_t* positions, std::uint64_t count, std::uint64_t* out) {
    const U flip = static_cast<U>(elements.flip);
    for (std::uint64_t i = 0; i < count; ++i)
        out[i] = rank::encode<U, Float>(rank::load<U>(elements.data, positions[i]), flip);
}

// The counters of a run are as wide as the elements, so that a vector holds as many of them; a run is short enough for 8 bits.
template <class U, bool Float>
Tally tally(Elements elements, std::uint64_t bound) {
    const U flip = static_cast<U>(elements.flip);
    const U limit = static_cast<U>(bound);
    constexpr std::uint64_t kRun = sizeof(U) == 1 ? 128 : 1024;
    Tally total;
    for (std::uint64_t begin = 0; begin < elements.count; begin += kRun) {
        const std::byte* run = elements.data + begin * sizeof(U);
        const std::uint64_t count = elements.count - begin < kRun ? elements.count - begin : kRun;
        U less = 0;
        U equal = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            const U value = rank::encode<U, Float>(rank::load<U>(run, i), flip);
            less = static_cast<U>(less + (value < limit));
            equal = static_cast<U>(equal + (value == limit));
        }
        total.less += less;
        total.equal += equal;
    }
    return total;
}

template <class U, bool Float>
void histogram(Elements elements, std::uint64_t prefix, unsigned shift, unsigned bits, std::uint64_t* counts) {
    const U flip = static_cast<U>(elements.flip);
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    for (std::uint64_t i = 0; i < elements.count; ++i) {
        const std::uint64_t value = rank::encode<U, Float>(rank::load<U>(elements.data, i), flip);
        if (((value ^ prefix) >> shift) <= mask) ++counts[(value >> shift) & mask];
    }
}

template <class U, bool Float, class Entry>
[[gnu::always_inline]] inline std::uint64_t collect(Elements elements, std::uint64_t first, std::uint64_t bound,
                                                    unsigned shift, Entry* out) {
    const U flip = static_cast<U>(elements.flip);
    const U limit = static_cast<U>(bound);
    std::uint64_t found = 0;
    for (std::uint64_t begin = 0; begin < elements.count; begin += kGroup) {
        const std::byte* group = elements.data + begin * sizeof(U);
        const std::uint64_t left = elements.count - begin;
        const std::uint64_t count = left < kGroup ? left : kGroup;
        const U best =
            count == kGroup ? smallest<U, Float>(group, kGroup, flip) : smallest<U, Float>(group, count, flip);
        if (best > limit) continue;
        for (std::uint64_t i = 0; i < count; ++i) {
            const U value = rank::encode<U, Float>(rank::load<U>(group, i), flip);
            out[found] = (static_cast<Entry>(value) << shift) | (first + begin + i);
            found += value <= limit;
        }
    }
    return found;
}

template <class U, bool Float>
std::uint64_t collect64(Elements elements, std::uint64_t first, std::uint64_t bound, unsigned shift, Entry64* out) {
    return collect<U, Float, Entry64>(elements, first, bound, shift, out);
}

template <class U, bool Float>
std::uint64_t collect128(Elements elements, std::uint64_t first, std::uint64_t bound, Entry128* out) {
    return collect<U, Float, Entry128>(elements, first, bound, 64, out);
}

// The first rank of the pair where a rank belongs: Fibonacci hashing, which is one to one where the table is wide enough.
template <class U>
[[gnu::always_inline]] inline std::uint64_t pair_of(U value, unsigned bits) {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
    constexpr U kFactor = static_cast<U>((kGolden >> (64 - 8 * sizeof(U))) | 1);
    return std::uint64_t{static_cast<U>(static_cast<U>(std::uint64_t{value} * kFactor) >> (8 * sizeof(U) - bits))} * 2;
}

// Every place gets a rank that does not belong there, so that an empty place equals nothing.
template <class U>
void forget(const SeenRanks& seen) {
    U* table = reinterpret_cast<U*>(seen.table);
    for (std::uint64_t i = 0; i < std::uint64_t{2} << seen.bits; ++i) table[i] = i < 2 ? static_cast<U>(~U{0}) : U{0};
}

template <class U, bool Float, class Entry>
[[gnu::always_inline]] inline std::uint64_t collect_new(Elements elements, std::uint64_t first, std::uint64_t bound,
                                                        unsigned shift, const SeenRanks& seen, Entry* out) {
    const U flip = static_cast<U>(elements.flip);
    const U limit = static_cast<U>(bound);
    U* table = reinterpret_cast<U*>(seen.table);
    const unsigned bits = seen.bits;
    std::uint64_t found = 0;
    for (std::uint64_t begin = 0; begin < elements.count; begin += kGroup) {
        const std::byte* group = elements.data + begin * sizeof(U);
        const std::uint64_t count = elements.count - begin < kGroup ? elements.count - begin : kGroup;
        const U best =
            count == kGroup ? smallest<U, Float>(group, kGroup, flip) : smallest<U, Float>(group, count, flip);
        if (best > limit) continue;
        unsigned is_new = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            const U value = rank::encode<U, Float>(rank::load<U>(group, i), flip);
            const U* pair = table + pair_of(value, bits);
            is_new |= static_cast<unsigned>((value <= limit) & (pair[0] != value) & (pair[1] != value));
        }
        if (is_new == 0) continue;
        for (std::uint64_t i = 0; i < count; ++i) {
            const U value = rank::encode<U, Float>(rank::load<U>(group, i), flip);
            U* pair = table + pair_of(value, bits);
            if (value > limit || pair[0] == value || pair[1] == value) continue;
            pair[1] = pair[0];
            pair[0] = value;
            out[found++] = (static_cast<Entry>(value) << shift) | (first + begin + i);
        }
    }
    return found;
}

template <class U, bool Float>
std::uint64_t collect_new64(Elements elements, std::uint64_t first, std::uint64_t bound, unsigned shift,
                            const SeenRanks& seen, Entry64* out) {
    return collect_new<U, Float, Entry64>(elements, first, bound, shift, seen, out);
}

template <class U, bool Float>
std::uint64_t collect_new128(Elements elements, std::uint64_t first, std::uint64_t bound, const SeenRanks& seen,
                             Entry128* out) {
    return collect_new<U, Float, Entry128>(elements, first, bound, 64, seen, out);
}

template <class U, bool Float>
constexpr ScanKernels kNarrow = {&minima<U, Float>,    &gather<U, Float>,        &tally<U, Float>,
                                 &histogram<U, Float>, &collect64<U, Float>,     nullptr,
                                 &forget<U>,           &collect_new64<U, Float>, nullptr};
template <class U, bool Float>
constexpr ScanKernels kEither = {&minima<U, Float>,    &gather<U, Float>,        &tally<U, Float>,
                                 &histogram<U, Float>, &collect64<U, Float>,     &collect128<U, Float>,
                                 &forget<U>,           &collect_new64<U, Float>, &collect_new128<U, Float>};
template <class U, bool Float>
constexpr ScanKernels kWide = {&minima<U, Float>,    &gather<U, Float>, &tally<U, Float>,
                               &histogram<U, Float>, nullptr,           &collect128<U, Float>,
                               &forget<U>,           nullptr,           &collect_new128<U, Float>};

}  // namespace

const ScanKernels& topk_scan_kernels(ElementType type) {
    switch (type) {
        case ElementType::U8:
        case ElementType::I8: return kNarrow<std::uint8_t, false>;
        case ElementType::U16:
        case ElementType::I16: return kNarrow<std::uint16_t, false>;
        case ElementType::F16: return kNarrow<std::uint16_t, true>;
        case ElementType::U32:
        case ElementType::I32: return kEither<std::uint32_t, false>;
        case ElementType::F32: return kEither<std::uint32_t, true>;
        case ElementType::U64:
        case ElementType::I64: return kWide<std::uint64_t, false>;
        case ElementType::F64: return kWide<std::uint64_t, true>;
    }
    __builtin_unreachable();
}

}  // namespace tegu::kernels::TEGU_ISA
