// SPDX-License-Identifier: Apache-2.0
// Radix sort from the low digit up. Only the bits in which ranks differ at all make digits, so ranks of a narrow range, which is
// what a selection leaves, take fewer passes. Each pass splits the entries into one stretch for each slot; counting the digits of
// every stretch first gives each of them its own places, in order, which keeps the sort stable on any number of threads.
#include "kernels/cpu/topk_sort.h"

#include <algorithm>
#include <array>

namespace tegu::kernels::topk {
namespace {

constexpr std::uint64_t kShort = 1024;          // below, a comparison sort is faster
constexpr std::uint64_t kPerSlot = 16384;       // entries that make it worth to wake another thread
constexpr std::uint64_t kStopEvery = 1u << 18;  // entries between two looks at the stop token
constexpr unsigned kDigitBits = 11;

using Counts = std::array<std::uint64_t, 1u << kDigitBits>;

struct Digit {
    unsigned shift;
    std::uint64_t mask;
};

template <class Entry>
std::uint64_t digit_of(Entry entry, Digit digit) {
    return static_cast<std::uint64_t>(entry >> digit.shift) & digit.mask;
}

// Bits in which the ranks of data[0, count) differ.
template <class Entry>
std::uint64_t differing_bits(const Entry* data, std::uint64_t count, unsigned shift) {
    Entry all = data[0];
    Entry any = data[0];
    for (std::uint64_t i = 1; i < count; ++i) {
        all &= data[i];
        any |= data[i];
    }
    return static_cast<std::uint64_t>(any >> shift) ^ static_cast<std::uint64_t>(all >> shift);
}

struct Stretches {
    std::uint64_t count;
    unsigned parts;

    std::uint64_t begin(std::uint64_t part) const {
        return count / parts * part + std::min<std::uint64_t>(part, count % parts);
    }

    // Calls visit(i) for each entry of the part in order; leaves early if a stop is requested.
    template <class Visit>
    void walk(std::uint64_t part, const Team& team, Visit visit) const {
        const std::uint64_t end = begin(part + 1);
        for (std::uint64_t i = begin(part); i < end && !team.stop().stop_requested();) {
            const std::uint64_t pause = std::min(end, i + kStopEvery);
            for (; i < pause; ++i) visit(i);
        }
    }
};

template <class Entry>
bool radix_pass(const Entry* from, Entry* to, Stretches stretches, Digit digit, Counts* counts, const Team& team) {
    const bool counted = team.run(stretches.parts, [&](std::uint64_t part, unsigned) {
        counts[part].fill(0);
        stretches.walk(part, team, [&](std::uint64_t i) { ++counts[part][digit_of(from[i], digit)]; });
    });
    if (!counted) return false;
    std::uint64_t place = 0;
    for (std::uint64_t value = 0; value <= digit.mask; ++value)
        for (unsigned part = 0; part < stretches.parts; ++part) {
            const std::uint64_t here = counts[part][value];
            counts[part][value] = place;
            place += here;
        }
    return team.run(stretches.parts, [&](std::uint64_t part, unsigned) {
        Counts& places = counts[part];
        stretches.walk(part, team, [&](std::uint64_t i) { to[places[digit_of(from[i], digit)]++] = from[i]; });
    });
}

}  // namespace

template <class Entry>
Entry* sort_by_rank(Entry* data, Entry* spare, std::uint64_t count, unsigned shift, const Team& team) {
    if (count <= kShort) {
        std::sort(data, data + count);
        return data;
    }
    const std::uint64_t bits = differing_bits(data, count, shift);
    if (bits == 0) return data;
    const unsigned low = static_cast<unsigned>(__builtin_ctzll(bits));
    const unsigned width = 64 - static_cast<unsigned>(__builtin_clzll(bits)) - low;
    const unsigned passes = (width + kDigitBits - 1) / kDigitBits;
    const unsigned digit_bits = (width + passes - 1) / passes;
    const unsigned parts = static_cast<unsigned>(std::min<std::uint64_t>(team.slots(), count / kPerSlot + 1));
    Counts counts[kMaxSlots];
    for (unsigned pass = 0; pass < passes; ++pass) {
        const Digit digit{shift + low + pass * digit_bits, (std::uint64_t{1} << digit_bits) - 1};
        if (!radix_pass(data, spare, Stretches{count, parts}, digit, counts, team)) return nullptr;
        std::swap(data, spare);
    }
    return data;
}

template Entry64* sort_by_rank(Entry64*, Entry64*, std::uint64_t, unsigned, const Team&);
template Entry128* sort_by_rank(Entry128*, Entry128*, std::uint64_t, unsigned, const Team&);

}  // namespace tegu::kernels::topk
