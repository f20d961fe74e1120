// SPDX-License-Identifier: Apache-2.0
// Plain loops that the compiler turns into vectors of the instruction set at hand, except where a comparison must become bits.
// Collecting works on groups of 64 elements: almost every group has nothing to offer, and then costs what reading it costs.
#include "kernels/cpu/topk_scan.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

template <class U>
constexpr U kFactor = static_cast<U>((0x9e3779b97f4a7c15u >> (64 - 8 * sizeof(U))) | 1);

// The first rank of the pair where a rank belongs: Fibonacci hashing, which is one to one where the table is wide enough.
template <class U>
[[gnu::always_inline]] inline std::uint64_t pair_of(U value, unsigned bits) {
    return std::uint64_t{static_cast<U>(static_cast<U>(std::uint64_t{value} * kFactor<U>) >> (8 * sizeof(U) - bits))} *
           2;
}

// Whether frequent ranks of this type stand in slots.
template <class U>
constexpr bool kHasSlots = false;
#if defined(__AVX512BW__)
template <>
constexpr bool kHasSlots<std::uint32_t> = true;
#endif

[[gnu::always_inline]] inline unsigned slot_of(std::uint32_t rank, std::uint32_t factor) {
    return rank * factor >> 26;
}

// Looks for a factor that keeps the frequent ranks apart; for 24 of them one in about 140 does.
[[gnu::always_inline]] inline void choose_slots(SeenRanks& seen) {
    std::uint32_t factor = 0;
    for (std::uint32_t attempt = 1; attempt <= 2000 && seen.hot_count > 0; ++attempt) {
        factor = (attempt * 0x9e3779b9u) | 1;
        std::uint64_t taken = 0;
        unsigned apart = 0;
        for (; apart < seen.hot_count; ++apart) {
            const std::uint64_t slot = std::uint64_t{1} << slot_of(static_cast<std::uint32_t>(seen.hot[apart]), factor);
            if ((taken & slot) != 0) break;
            taken |= slot;
        }
        if (apart == seen.hot_count) break;
        factor = 0;
    }
    seen.factor = factor;
    // Rank 0 belongs to slot 0; which gets another, of the next slot or one behind.
    std::uint32_t other = 1;
    while (slot_of(other, factor) == 0 && factor != 0) other *= 2;
    for (unsigned i = 0; i < SeenRanks::kSlots; ++i) seen.slots[i] = i == 0 ? other : 0;
}

// Every place gets a rank that does not belong there, so that an empty place equals nothing.
template <class U>
void forget(SeenRanks& seen) {
    U* table = reinterpret_cast<U*>(seen.table);
    for (std::uint64_t i = 0; i < std::uint64_t{2} << seen.bits; ++i) table[i] = i < 2 ? static_cast<U>(~U{0}) : U{0};
    seen.met_count = 0;
    seen.factor = 0;
    if (kHasSlots<U>) choose_slots(seen);
}

// The flagged ranks of the group that are none of the frequent ones that were met.
template <class U>
[[gnu::always_inline]] inline std::uint64_t not_in_list(const Group<U>& group, std::uint64_t flags,
                                                        const SeenRanks& seen) {
    if (seen.met_count == 0) return flags;
    alignas(64) U nearest[kGroup];  // 0 if rank i was met
    for (unsigned i = 0; i < kGroup; ++i) nearest[i] = static_cast<U>(group.ranks[i] ^ static_cast<U>(seen.met[0]));
    for (unsigned s = 1; s < seen.met_count; ++s) {
        const U met = static_cast<U>(seen.met[s]);
        for (unsigned i = 0; i < kGroup; ++i) {
            const U differ = static_cast<U>(group.ranks[i] ^ met);
            nearest[i] = nearest[i] < differ ? nearest[i] : differ;
        }
    }
    return flags & ~group::mask_equal(nearest, U{0});
}
template <class U>
[[gnu::always_inline]] inline std::uint64_t not_frequent(const Group<U>& group, std::uint64_t flags,
                                                         const SeenRanks& seen) {
    return not_in_list(group, flags, seen);
}
#if defined(__AVX512BW__)
[[gnu::always_inline]] inline std::uint64_t not_frequent(const Group<std::uint32_t>& group, std::uint64_t flags,
                                                         const SeenRanks& seen) {
    if (seen.factor == 0) return not_in_list(group, flags, seen);
    constexpr __mmask16 kAll = 0xffff;  // the forms without a mask make gcc warn of its own header
    const __m512i factor = _mm512_set1_epi32(static_cast<int>(seen.factor));
    const __m512i half = _mm512_set1_epi32(32);
    std::uint64_t missing = 0;
    for (unsigned i = 0; i < kGroup; i += 16) {
        const __m512i ranks = _mm512_load_si512(group.ranks + i);
        const __m512i slot = _mm512_maskz_srli_epi32(kAll, _mm512_mullo_epi32(ranks, factor), 26);
        const __m512i low =
            _mm512_permutex2var_epi32(_mm512_load_si512(seen.slots), slot, _mm512_load_si512(seen.slots + 16));
        const __m512i high =
            _mm512_permutex2var_epi32(_mm512_load_si512(seen.slots + 32), slot, _mm512_load_si512(seen.slots + 48));
        const __m512i met = _mm512_mask_blend_epi32(_mm512_test_epi32_mask(slot, half), low, high);
        missing |= std::uint64_t{_mm512_cmpneq_epu32_mask(met, ranks)} << i;
    }
    return flags & missing;
}
#endif

// The flagged ranks of the group that the table does not hold. There is no branch, for a predictor could not tell which they are.
template <class U>
[[gnu::always_inline]] inline std::uint64_t not_in_table(const Group<U>& group, std::uint64_t flags,
                                                         const SeenRanks& seen) {
    const U* table = reinterpret_cast<const U*>(seen.table);
    alignas(64) U nearest[kGroup];  // 0 if rank i is in the table
    for (unsigned i = 0; i < kGroup; ++i) {
        const U rank = group.ranks[i];
        const U* pair = table + pair_of(rank, seen.bits);
        const U newer = static_cast<U>(pair[0] ^ rank);
        const U older = static_cast<U>(pair[1] ^ rank);
        nearest[i] = newer < older ? newer : older;
    }
    return flags & ~group::mask_equal(nearest, U{0});
}
#if defined(__AVX512BW__)
// A pair is gathered as one number of 64 bits.
[[gnu::always_inline]] inline std::uint64_t not_in_table(const Group<std::uint32_t>& group, std::uint64_t flags,
                                                         const SeenRanks& seen) {
    constexpr __mmask8 kAll = 0xff;  // the forms without a mask make gcc warn of its own header
    const __m512i factor = _mm512_set1_epi32(static_cast<int>(kFactor<std::uint32_t>));
    const __m128i drop = _mm_cvtsi32_si128(static_cast<int>(32 - seen.bits));
    std::uint64_t missing = 0;
    for (unsigned i = 0; i < kGroup; i += 8) {
        const __m512i ranks =
            _mm512_maskz_cvtepu32_epi64(kAll, _mm256_load_si256(reinterpret_cast<const __m256i*>(group.ranks + i)));
        const __m512i product = _mm512_and_si512(_mm512_mul_epu32(ranks, factor), _mm512_set1_epi64(0xffffffffll));
        const __m512i places = _mm512_maskz_srl_epi64(kAll, product, drop);
        const __m512i pairs = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), kAll, places, seen.table, 8);
        const __m512i twice = _mm512_or_si512(ranks, _mm512_maskz_slli_epi64(kAll, ranks, 32));
        const __m512i differ = _mm512_xor_si512(pairs, twice);
        const __m512i nearest = _mm512_maskz_min_epu32(0xffff, differ, _mm512_maskz_rol_epi64(kAll, differ, 32));
        missing |= std::uint64_t{_mm512_test_epi64_mask(nearest, nearest)} << i;
    }
    return flags & missing;
}
#endif

template <class U>
[[gnu::always_inline]] inline void remember(U rank, U* pair, SeenRanks& seen) {
    pair[1] = pair[0];
    pair[0] = rank;
    if (seen.met_count == seen.hot_count) return;
    bool hot = false;
    for (unsigned i = 0; i < seen.hot_count; ++i) hot |= seen.hot[i] == rank;
    for (unsigned i = 0; i < seen.met_count; ++i) hot &= seen.met[i] != rank;
    if (!hot) return;
    seen.met[seen.met_count++] = rank;
    if (seen.factor != 0)
        seen.slots[slot_of(static_cast<std::uint32_t>(rank), seen.factor)] = static_cast<std::uint32_t>(rank);
}

constexpr unsigned kFewMet = 4;  // frequent ranks that are looked for wherever anything is within the bound

template <class U, bool Float, class Entry>
[[gnu::always_inline]] inline std::uint64_t collect_new(Elements elements, std::uint64_t first, std::uint64_t bound,
                                                        unsigned shift, SeenRanks& seen, Entry* out) {
    const U limit = static_cast<U>(bound);
    U* table = reinterpret_cast<U*>(seen.table);
    std::uint64_t found = 0;
    Group<U> group;
    for (std::uint64_t begin = 0; begin < elements.count; begin += kGroup) {
        read_group<U, Float>(elements, begin, limit, group);
        std::uint64_t left = group.within;
        if (left == 0) continue;
        const bool always = seen.factor != 0 || seen.met_count <= kFewMet;
        if (seen.met_count > 0 && (always || __builtin_popcountll(left) > kDense))
            left = not_frequent(group, left, seen);
        if (__builtin_popcountll(left) > kDense) left = not_in_table(group, left, seen);
        for (; left != 0; left &= left - 1) {
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
