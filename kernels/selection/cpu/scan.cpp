// SPDX-License-Identifier: Apache-2.0
// Plain loops that the compiler vectorises, except where a comparison must become bits. Collecting works on
// groups of 64 elements: almost every group has no hit and costs only its read.
#include "kernels/selection/cpu/scan.h"

#include "kernels/numerics/sort_key.h"
#include "kernels/selection/cpu/group.h"
#include "kernels/selection/cpu/seen.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

using group::Group;
using group::kDense;
using group::kGroup;
using group::read_group;
using selection::Elements;
using selection::Entry128;
using selection::Entry64;
using selection::ScanKernels;
using selection::SeenKeys;
using selection::Tally;

template <class U, bool Float>
[[gnu::always_inline]] inline U smallest(const std::byte* data, std::uint64_t count, U flip) {
    U best = static_cast<U>(~U{0});
    for (std::uint64_t i = 0; i < count; ++i) {
        const U value = key::encode<U, Float>(key::load<U>(data, i), flip);
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
                    const U value = key::encode<U, Float>(key::load<U>(group, i), flip);
                    best[i] = value < best[i] ? value : best[i];
                }
            } else {
                for (unsigned i = 0; i < count; ++i) {
                    const U value = key::encode<U, Float>(key::load<U>(group, i), flip);
                    best[i] = value < best[i] ? value : best[i];
                }
            }
        }
        for (unsigned i = 0; i < kGroup; ++i) out[lane + i] = best[i];
    }
}

// Halves the range of keys and counts each time: for few keys faster than moving them, because no branch
// depends on a key.
std::uint64_t bound_of(const std::uint64_t* keys, std::uint64_t count, std::uint64_t k) {
    std::uint64_t low = ~std::uint64_t{0};
    std::uint64_t high = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        low = keys[i] < low ? keys[i] : low;
        high = keys[i] > high ? keys[i] : high;
    }
    const std::uint64_t enough = k + k / 8 + 2;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        std::uint64_t within = 0;
        for (std::uint64_t i = 0; i < count; ++i) within += keys[i] <= middle ? 1 : 0;
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
        out[i] = key::encode<U, Float>(key::load<U>(elements.data, positions[i]), flip);
}

// The counters of a run are as wide as the elements, so that a vector holds equally many; a run is short
// enough for 8 bits.
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
            const U value = key::encode<U, Float>(key::load<U>(run, i), flip);
            less = static_cast<U>(less + (value < limit));
            equal = static_cast<U>(equal + (value == limit));
        }
        total.less += less;
        total.equal += equal;
    }
    return total;
}

template <class U, bool Float>
void histogram(Elements elements, std::uint64_t prefix, unsigned shift, unsigned bits,
               std::uint64_t* counts) {
    const U flip = static_cast<U>(elements.flip);
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    for (std::uint64_t i = 0; i < elements.count; ++i) {
        const std::uint64_t value = key::encode<U, Float>(key::load<U>(elements.data, i), flip);
        if (((value ^ prefix) >> shift) <= mask) ++counts[(value >> shift) & mask];
    }
}

template <class U, bool Float, class Entry>
[[gnu::always_inline]] inline std::uint64_t collect(Elements elements, std::uint64_t first,
                                                    std::uint64_t bound, unsigned shift, Entry* out) {
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
        // The first one is stored unconditionally, because a branch on its existence would be unpredictable.
        do {
            const unsigned i =
                static_cast<unsigned>(__builtin_ctzll(left | std::uint64_t{1} << (kGroup - 1)));
            out[found] = (static_cast<Entry>(group.keys[i]) << shift) | (first + begin + i);
            found += left != 0;
            left &= left - 1;
        } while (left != 0);
    }
    return found;
}

template <class U, bool Float>
std::uint64_t collect64(Elements elements, std::uint64_t first, std::uint64_t bound, unsigned shift,
                        Entry64* out) {
    return collect<U, Float, Entry64>(elements, first, bound, shift, out);
}

template <class U, bool Float>
std::uint64_t collect128(Elements elements, std::uint64_t first, std::uint64_t bound, Entry128* out) {
    return collect<U, Float, Entry128>(elements, first, bound, 64, out);
}

constexpr unsigned kFewMet = 4;  // maximum frequent keys that every group with hits is tested against

template <class U, bool Float, class Entry>
[[gnu::always_inline]] inline std::uint64_t collect_new(Elements elements, std::uint64_t first,
                                                        std::uint64_t bound, unsigned shift, SeenKeys& seen,
                                                        Entry* out) {
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
            left = seen::not_frequent(group, left, seen);
        if (__builtin_popcountll(left) > kDense) left = seen::not_in_table(group, left, seen);
        for (; left != 0; left &= left - 1) {
            const unsigned i = static_cast<unsigned>(__builtin_ctzll(left));
            const U key = group.keys[i];
            U* pair = table + seen::pair_of(key, seen.bits);
            if (pair[0] == key || pair[1] == key) continue;
            seen::remember(key, pair, seen);
            out[found++] = (static_cast<Entry>(key) << shift) | (first + begin + i);
        }
    }
    return found;
}

template <class U, bool Float>
std::uint64_t collect_new64(Elements elements, std::uint64_t first, std::uint64_t bound, unsigned shift,
                            SeenKeys& seen, Entry64* out) {
    return collect_new<U, Float, Entry64>(elements, first, bound, shift, seen, out);
}

template <class U, bool Float>
std::uint64_t collect_new128(Elements elements, std::uint64_t first, std::uint64_t bound, SeenKeys& seen,
                             Entry128* out) {
    return collect_new<U, Float, Entry128>(elements, first, bound, 64, seen, out);
}

template <class U, bool Float>
struct ScanKernelsOf {
    static constexpr bool kHas64 = sizeof(U) < 8;  // types of 32 bits have entries of either width
    static constexpr bool kHas128 = sizeof(U) >= 4;
    static constexpr ScanKernels value = {&minima<U, Float>,
                                          &lane_minima<U, Float>,
                                          &bound_of,
                                          &gather<U, Float>,
                                          &tally<U, Float>,
                                          &histogram<U, Float>,
                                          kHas64 ? &collect64<U, Float> : nullptr,
                                          kHas128 ? &collect128<U, Float> : nullptr,
                                          &seen::forget<U>,
                                          kHas64 ? &collect_new64<U, Float> : nullptr,
                                          kHas128 ? &collect_new128<U, Float> : nullptr};
};

}  // namespace

const ScanKernels& selection_scan_kernels(ElementType type) {
    return *key::of_type<ScanKernels, ScanKernelsOf>(type);
}

}  // namespace tegu::kernels::TEGU_ISA
