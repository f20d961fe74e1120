// SPDX-License-Identifier: Apache-2.0
// The two sweeps of top-k by buckets: what is within the limit comes out of each group of 64 side by side, then a loop without
// branches on data looks up the bucket of each.
#include "kernels/cpu/topk_buckets.h"

#include "kernels/cpu/topk_group.h"
#include "kernels/cpu/topk_rank.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

using group::Group;
using group::kDense;
using group::kGroup;
using topk::BucketKernels;
using topk::BucketMap;
using topk::BucketPlaces;
using topk::Elements;
using topk::Entry128;
using topk::Entry64;

[[gnu::always_inline]] inline std::uint32_t bucket_of(const BucketMap& map, std::uint64_t rank) {
    const std::uint64_t offset = (rank < map.lowest ? map.lowest : rank) - map.lowest;
    const std::uint32_t cell = map.cells[(offset >> map.cell_shift) & ((1u << topk::kCellBits) - 1)];
    const std::uint64_t within = offset & ((std::uint64_t{1} << map.cell_shift) - 1);
    return (cell >> 8) + static_cast<std::uint32_t>(within >> (cell & 0xff)) + (rank == map.tie ? map.tie_step : 0);
}

// The ranks within the limit, without their indices. Returns how many; may write past them, up to out[kGroup].
template <class U>
[[gnu::always_inline]] inline std::uint64_t compress_ranks(const Group<U>& group, U* out) {
#if defined(__AVX512BW__)
    if (sizeof(U) >= 4) return group::compress(group.ranks, group.within, out);
#endif
    std::uint64_t found = 0;
    for (unsigned i = 0; i < kGroup; ++i) {
        out[found] = group.ranks[i];
        found += (group.within >> i) & 1;
    }
    return found;
}

template <class U, bool Float>
void count(Elements elements, const BucketMap& map, std::uint64_t* counts) {
    const U limit = static_cast<U>(map.limit);
    Group<U> group;
    alignas(64) U found[2 * kGroup];
    for (std::uint64_t begin = 0; begin < elements.count; begin += kGroup) {
        group::read_group<U, Float>(elements, begin, limit, group);
        const std::uint64_t size = compress_ranks(group, found);
        for (std::uint64_t i = 0; i < size; ++i) ++counts[bucket_of(map, found[i])];
    }
}

template <class U, bool Float, class Entry>
[[gnu::always_inline]] inline void scatter(Elements elements, std::uint64_t first, const BucketMap& map, unsigned shift,
                                           const BucketPlaces<Entry>& places) {
    const U limit = static_cast<U>(map.limit);
    Group<U> group;
    alignas(64) Entry found[2 * kGroup];
    for (std::uint64_t begin = 0; begin < elements.count; begin += kGroup) {
        group::read_group<U, Float>(elements, begin, limit, group);
        const std::uint64_t size = group::compress_entries(group, first + begin, shift, found);
        for (std::uint64_t i = 0; i < size; ++i) {
            const std::uint32_t bucket = bucket_of(map, static_cast<std::uint64_t>(found[i] >> shift));
            Entry* const place = places.next[bucket];
            if (place >= (bucket == places.boundary ? places.boundary_end : places.end)) continue;
            *place = found[i];
            places.next[bucket] = place + 1;
        }
    }
}

template <class U, bool Float>
void scatter64(Elements elements, std::uint64_t first, const BucketMap& map, unsigned shift,
               const BucketPlaces<Entry64>& places) {
    scatter<U, Float, Entry64>(elements, first, map, shift, places);
}

template <class U, bool Float>
void scatter128(Elements elements, std::uint64_t first, const BucketMap& map, const BucketPlaces<Entry128>& places) {
    scatter<U, Float, Entry128>(elements, first, map, 64, places);
}

template <class U, bool Float>
constexpr BucketKernels kNarrow = {&count<U, Float>, &scatter64<U, Float>, nullptr};
template <class U, bool Float>
constexpr BucketKernels kEither = {&count<U, Float>, &scatter64<U, Float>, &scatter128<U, Float>};
template <class U, bool Float>
constexpr BucketKernels kWide = {&count<U, Float>, nullptr, &scatter128<U, Float>};

}  // namespace

const BucketKernels& topk_bucket_kernels(ElementType type) {
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
