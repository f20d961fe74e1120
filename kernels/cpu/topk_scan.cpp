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

template <class U, bool Float>
constexpr ScanKernels kNarrow = {&minima<U, Float>, &collect64<U, Float>, nullptr};
template <class U, bool Float>
constexpr ScanKernels kEither = {&minima<U, Float>, &collect64<U, Float>, &collect128<U, Float>};
template <class U, bool Float>
constexpr ScanKernels kWide = {&minima<U, Float>, nullptr, &collect128<U, Float>};

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
