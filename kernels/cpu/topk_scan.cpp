// SPDX-License-Identifier: Apache-2.0
// Plain loops that the compiler turns into vectors of the instruction set at hand, except where a comparison must become bits.
// Collecting works on groups of 64 elements: almost every group has nothing to offer, and then costs what reading it costs.
#include "kernels/cpu/topk_scan.h"

#include "kernels/cpu/topk_group.h"
#include "kernels/cpu/topk_rank.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

using group::Group;
using group::kDense;
using group::kGroup;
using group::read_group;
using topk::Elements;
using topk::Entry128;
using topk::Entry64;
using topk::ScanKernels;
using topk::SeenRanks;
using topk::Tally;

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
void lane_minima(Elements elements, std::uint64_t lanes, std::uint64_t* out) {
    const U flip = static_cast<U>(elements.flip);
    for (std::uint64_t lane = 0; lane < lanes; lane += kGroup) {
        alignas(64) U best[kGroup];
        for (unsigned i = 0; i < kGroup; ++i) best[i] = static_cast<U>(~U{0});
        for (std::uint64_t begin = lane; begin < elements.count; begin += lanes) {
            const std::byte* group = elements.data + begin * sizeof(U);
            const std::uint64_t left = elements.count - begin;
            const unsigned count = left < kGroup ? static_cast<unsigned>(left) : kGroup;
            if (count == kGroup) {
                for (unsigned i = 0; i < kGroup; ++i) {
                    const U value = rank::encode<U, Float>(rank::load<U>(group, i), flip);
                    best[i] = value < best[i] ? value : best[i];
                }
            } else {
                for (unsigned i = 0; i < count; ++i) {
                    const U value = rank::encode<U, Float>(rank::load<U>(group, i), flip);
                    best[i] = value < best[i] ? value : best[i];
                }
            }
        }
        for (unsigned i = 0; i < kGroup; ++i) out[lane + i] = best[i];
    }
}

// Halving the range of ranks and counting each time: for few ranks quicker than moving them about, for no branch depends on one.
std::uint64_t bound_of(const std::uint64_t* ranks, std::uint64_t count, std::uint64_t k) {
    std::uint64_t low = ~std::uint64_t{0};
    std::uint64_t high = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        low = ranks[i] < low ? ranks[i] : low;
        high = ranks[i] > high ? ranks[i] : high;
    }
    const std::uint64_t enough = k + k / 8 + 2;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        std::uint64_t within = 0;
        for (std::uint64_t i = 0; i < count; ++i) within += ranks[i] <= middle ? 1 : 0;
        if (within < k) {
            low = middle + 1;
        } else {
            high = middle;
            if (within <= enough) break;
        }
    }
    return high;
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
    const U limit = static_cast<U>(bound);
    std::uint64_t found = 0;
    Group<U> group;
    for (std::uint64_t begin = 0; begin < elements.count; begin += kGroup) {
        read_group<U, Float>(elements, begin, limit, group);
        std::uint64_t left = group.within;
        if (__builtin_popcountll(left) > kDense && elements.count - begin >= kGroup) {
            found += group::compress_entries(group, first + begin, shift, out + found);
            continue;
        }
        // The first one is stored without asking whether there is one, which is what no branch predictor could know.
        do {
            const unsigned i = static_cast<unsigned>(__builtin_ctzll(left | std::uint64_t{1} << (kGroup - 1)));
            out[found] = (static_cast<Entry>(group.ranks[i]) << shift) | (first + begin + i);
            found += left != 0;
            left &= left - 1;
        } while (left != 0);
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
void forget(SeenRanks& seen) {
    U* table = reinterpret_cast<U*>(seen.table);
    for (std::uint64_t i = 0; i < std::uint64_t{2} << seen.bits; ++i) table[i] = i < 2 ? static_cast<U>(~U{0}) : U{0};
    seen.known = 0;
}

// Whether `few` or the table holds every rank of the group that is within the limit. What a group of known values is done with:
// it has no branch, for a predictor could not tell which element is which.
template <class U>
[[gnu::always_inline]] inline bool all_seen(const Group<U>& group, U limit, const SeenRanks& seen) {
    if (seen.known == 0) return false;
    alignas(64) U missing[kGroup];  // 0 if rank i is seen or does not matter
    if (seen.known <= SeenRanks::kFew) {
        for (unsigned i = 0; i < kGroup; ++i) missing[i] = group.ranks[i] <= limit ? static_cast<U>(~U{0}) : U{0};
        for (unsigned s = 0; s < seen.known; s += 4) {  // the list is filled up to a multiple of 4
            const U a = static_cast<U>(seen.few[s]), b = static_cast<U>(seen.few[s + 1]);
            const U c = static_cast<U>(seen.few[s + 2]), d = static_cast<U>(seen.few[s + 3]);
            for (unsigned i = 0; i < kGroup; ++i) {
                const U rank = group.ranks[i];
                const U ab = static_cast<U>(rank ^ a) < static_cast<U>(rank ^ b) ? static_cast<U>(rank ^ a)
                                                                                 : static_cast<U>(rank ^ b);
                const U cd = static_cast<U>(rank ^ c) < static_cast<U>(rank ^ d) ? static_cast<U>(rank ^ c)
                                                                                 : static_cast<U>(rank ^ d);
                const U nearest = ab < cd ? ab : cd;
                missing[i] = missing[i] < nearest ? missing[i] : nearest;
            }
        }
        U any = 0;
        for (unsigned i = 0; i < kGroup; ++i) any |= missing[i];
        return any == 0;
    }
    const U* table = reinterpret_cast<const U*>(seen.table);
    const U known = static_cast<U>(seen.few[0]);
    for (unsigned i = 0; i < kGroup; ++i) missing[i] = group.ranks[i] <= limit ? group.ranks[i] : known;
    U any = 0;
    for (unsigned i = 0; i < kGroup; ++i) {
        const U rank = missing[i];
        const U* pair = table + pair_of(rank, seen.bits);
        const U newer = static_cast<U>(pair[0] ^ rank);
        const U older = static_cast<U>(pair[1] ^ rank);
        any = static_cast<U>(any | (newer < older ? newer : older));
    }
    return any == 0;
}

template <class U>
[[gnu::always_inline]] inline void remember(U rank, U* pair, SeenRanks& seen) {
    pair[1] = pair[0];
    pair[0] = rank;
    if (seen.known < SeenRanks::kFew)
        for (unsigned i = seen.known; i < ((seen.known + 4) & ~3u); ++i) seen.few[i] = rank;
    if (seen.known <= SeenRanks::kFew) ++seen.known;
}

template <class U, bool Float, class Entry>
[[gnu::always_inline]] inline std::uint64_t collect_new(Elements elements, std::uint64_t first, std::uint64_t bound,
                                                        unsigned shift, SeenRanks& seen, Entry* out) {
    const U limit = static_cast<U>(bound);
    U* table = reinterpret_cast<U*>(seen.table);
    std::uint64_t found = 0;
    Group<U> group;
    for (std::uint64_t begin = 0; begin < elements.count; begin += kGroup) {
        read_group<U, Float>(elements, begin, limit, group);
        if (group.within == 0) continue;
        if (__builtin_popcountll(group.within) > kDense && all_seen(group, limit, seen)) continue;
        for (std::uint64_t left = group.within; left != 0; left &= left - 1) {
            const unsigned i = static_cast<unsigned>(__builtin_ctzll(left));
            const U rank = group.ranks[i];
            U* pair = table + pair_of(rank, seen.bits);
            if (pair[0] == rank || pair[1] == rank) continue;
            remember(rank, pair, seen);
            out[found++] = (static_cast<Entry>(rank) << shift) | (first + begin + i);
        }
    }
    return found;
}

template <class U, bool Float>
std::uint64_t collect_new64(Elements elements, std::uint64_t first, std::uint64_t bound, unsigned shift,
                            SeenRanks& seen, Entry64* out) {
    return collect_new<U, Float, Entry64>(elements, first, bound, shift, seen, out);
}

template <class U, bool Float>
std::uint64_t collect_new128(Elements elements, std::uint64_t first, std::uint64_t bound, SeenRanks& seen,
                             Entry128* out) {
    return collect_new<U, Float, Entry128>(elements, first, bound, 64, seen, out);
}

template <class U, bool Float>
constexpr ScanKernels kNarrow = {&minima<U, Float>,
                                 &lane_minima<U, Float>,
                                 &bound_of,
                                 &gather<U, Float>,
                                 &tally<U, Float>,
                                 &histogram<U, Float>,
                                 &collect64<U, Float>,
                                 nullptr,
                                 &forget<U>,
                                 &collect_new64<U, Float>,
                                 nullptr};
template <class U, bool Float>
constexpr ScanKernels kEither = {&minima<U, Float>,        &lane_minima<U, Float>,   &bound_of,
                                 &gather<U, Float>,        &tally<U, Float>,         &histogram<U, Float>,
                                 &collect64<U, Float>,     &collect128<U, Float>,    &forget<U>,
                                 &collect_new64<U, Float>, &collect_new128<U, Float>};
template <class U, bool Float>
constexpr ScanKernels kWide = {&minima<U, Float>, &lane_minima<U, Float>,   &bound_of,
                               &gather<U, Float>, &tally<U, Float>,         &histogram<U, Float>,
                               nullptr,           &collect128<U, Float>,    &forget<U>,
                               nullptr,           &collect_new128<U, Float>};

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
