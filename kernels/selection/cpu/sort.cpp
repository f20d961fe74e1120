// SPDX-License-Identifier: Apache-2.0
// One pass by the top digit splits many entries into buckets that fit the cache. One thread then sorts each
// bucket from the low digit up. If one bucket holds too many entries, all threads do the low-digit passes
// over the whole array instead.
//
// Digits consist only of bits in which keys differ, so narrow key ranges take fewer passes. A pass assigns
// positions to every stretch of entries in order, from counts made before: this keeps the sort stable.
#include "kernels/selection/cpu/sort.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tegu::kernels::selection {
namespace {

constexpr std::uint64_t kShort = 48;  // below this, a comparison sort is faster
// below this, counting the values of wide digits takes longer than an extra pass
constexpr std::uint64_t kSmall = 1536;
constexpr std::uint64_t kBucket = 8192;         // entries of a bucket that sorts within the cache
constexpr unsigned kSplitBits = 9;              // maximum bits of the top digit
constexpr unsigned kWideDigit = 11;             // bits of a low digit in the cache
constexpr unsigned kNarrowDigit = 8;            // and beyond it, where more positions than this miss the TLB
constexpr std::uint64_t kStopEvery = 1u << 18;  // entries between two polls of the stop token

using Counts = std::array<std::uint64_t, 1u << kWideDigit>;

struct Digit {
    unsigned shift;
    std::uint64_t mask;
};

template <class Entry>
std::uint64_t digit_of(Entry entry, Digit digit) {
    return static_cast<std::uint64_t>(entry >> digit.shift) & digit.mask;
}

// Bits in which the keys of data[0, count) differ.
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

    // Calls visit(i) for each entry of the part in order; returns early if a stop is requested.
    template <class Visit>
    void walk(std::uint64_t part, const WorkerGroup& workers, Visit visit) const {
        const std::uint64_t end = begin(part + 1);
        for (std::uint64_t i = begin(part); i < end && !workers.stop().stop_requested();) {
            const std::uint64_t pause = std::min(end, i + kStopEvery);
            for (; i < pause; ++i) visit(i);
        }
    }
};

struct Passes {
    unsigned low;    // first bit of a key that differs
    unsigned width;  // of all the bits that differ
    unsigned digit_bits;
    unsigned count;

    Passes(std::uint64_t bits, unsigned widest)
        : low(static_cast<unsigned>(__builtin_ctzll(bits))),
          width(64 - static_cast<unsigned>(__builtin_clzll(bits)) - low) {
        count = (width + widest - 1) / widest;
        digit_bits = (width + count - 1) / count;
    }
    Digit digit(unsigned pass, unsigned shift) const {
        return Digit{shift + low + pass * digit_bits, (std::uint64_t{1} << digit_bits) - 1};
    }
};

// passes whose digits are counted in one sweep: their counts stay in L1
constexpr unsigned kMaxCounted = 2;

// counts[p] = number of entries per digit value in pass first + p, for `number` passes.
template <class Entry>
void count_passes(const Entry* data, std::uint64_t count, unsigned shift, const Passes& passes,
                  unsigned first, unsigned number, Counts* counts) {
    const Digit one = passes.digit(first, shift);
    const Digit two = passes.digit(first + number - 1, shift);
    for (unsigned p = 0; p < number; ++p)
        std::fill(counts[p].begin(), counts[p].begin() + static_cast<std::ptrdiff_t>(one.mask) + 1, 0);
    for (std::uint64_t i = 0; i < count; ++i) {
        ++counts[0][digit_of(data[i], one)];
        if (number > 1) ++counts[1][digit_of(data[i], two)];
    }
}

// Sorts on one thread. Returns the array that holds the result. Takes less than a few milliseconds unless the
// keys crowd into few buckets.
template <class Entry>
Entry* sort_alone(Entry* data, Entry* spare, std::uint64_t count, unsigned shift) {
    if (count <= kShort) {
        std::sort(data, data + count);
        return data;
    }
    const std::uint64_t bits = differing_bits(data, count, shift);
    if (bits == 0) return data;
    const Passes passes(bits, count < kSmall ? kNarrowDigit : kWideDigit);
    Counts positions[kMaxCounted];
    for (unsigned pass = 0; pass < passes.count; ++pass) {
        if (pass % kMaxCounted == 0)
            count_passes(data, count, shift, passes, pass, std::min(passes.count - pass, kMaxCounted),
                         positions);
        Counts& mine = positions[pass % kMaxCounted];
        const Digit digit = passes.digit(pass, shift);
        std::uint64_t next = 0;
        for (std::uint64_t value = 0; value <= digit.mask; ++value) next += std::exchange(mine[value], next);
        for (std::uint64_t i = 0; i < count; ++i) spare[mine[digit_of(data[i], digit)]++] = data[i];
        std::swap(data, spare);
    }
    return data;
}

// Counts[part][digit] = entries of each stretch.
template <class Entry>
bool count_digits(const Entry* from, Stretches stretches, Digit digit, Counts* counts,
                  const WorkerGroup& workers) {
    return workers.run(stretches.parts, [&](std::uint64_t part, unsigned) {
        counts[part].fill(0);
        stretches.walk(part, workers, [&](std::uint64_t i) { ++counts[part][digit_of(from[i], digit)]; });
    });
}

// Turns counts into positions, calling visit(begin, end) for the range of every digit value.
template <class Visit>
void positions_of(Stretches stretches, Digit digit, Counts* counts, Visit visit) {
    std::uint64_t next = 0;
    for (std::uint64_t value = 0; value <= digit.mask; ++value) {
        const std::uint64_t begin = next;
        for (unsigned part = 0; part < stretches.parts; ++part)
            next += std::exchange(counts[part][value], next);
        visit(begin, next);
    }
}

template <class Entry>
bool scatter(const Entry* from, Entry* to, Stretches stretches, Digit digit, Counts* positions,
             const WorkerGroup& workers) {
    return workers.run(stretches.parts, [&](std::uint64_t part, unsigned) {
        stretches.walk(part, workers,
                       [&](std::uint64_t i) { to[positions[part][digit_of(from[i], digit)]++] = from[i]; });
    });
}

// differing_bits() by all threads. Meaningless if a stop was requested.
template <class Entry>
std::uint64_t differing_bits(const Entry* data, Stretches stretches, unsigned shift,
                             const WorkerGroup& workers) {
    std::uint64_t bits[kMaxWorkers] = {};
    const std::uint64_t first = static_cast<std::uint64_t>(data[0] >> shift);
    workers.run(stretches.parts, [&](std::uint64_t part, unsigned) {
        const std::uint64_t begin = stretches.begin(part);
        bits[part] = differing_bits(data + begin, stretches.begin(part + 1) - begin, shift) |
                     (static_cast<std::uint64_t>(data[begin] >> shift) ^ first);
    });
    std::uint64_t all = 0;
    for (const std::uint64_t one : bits) all |= one;
    return all;
}

template <class Entry>
Entry* sort_together(Entry* data, Entry* spare, Stretches stretches, unsigned shift, std::uint64_t bits,
                     const WorkerGroup& workers) {
    const Passes passes(bits, kNarrowDigit);
    Counts counts[kMaxWorkers];
    for (unsigned pass = 0; pass < passes.count; ++pass) {
        const Digit digit = passes.digit(pass, shift);
        if (!count_digits(data, stretches, digit, counts, workers)) return nullptr;
        positions_of(stretches, digit, counts, [](std::uint64_t, std::uint64_t) {});
        if (!scatter(data, spare, stretches, digit, counts, workers)) return nullptr;
        std::swap(data, spare);
    }
    return data;
}

struct Bucket {
    std::uint64_t begin;
    std::uint64_t end;
};

}  // namespace

template <class Entry>
Entry* sort_by_key(Entry* data, Entry* spare, std::uint64_t count, unsigned shift,
                   const WorkerGroup& workers) {
    if (count <= 2 * kBucket) return sort_alone(data, spare, count, shift);
    const Stretches stretches{
        count, static_cast<unsigned>(std::min<std::uint64_t>(workers.size(), count / kBucket))};
    const std::uint64_t bits = differing_bits(data, stretches, shift, workers);
    if (workers.stop().stop_requested()) return nullptr;
    if (bits == 0) return data;
    const Passes all(bits, 64);
    unsigned split_bits = 1;
    while (split_bits < std::min(kSplitBits, all.width) && count >> split_bits > kBucket) ++split_bits;
    const Digit top{shift + all.low + all.width - split_bits, (std::uint64_t{1} << split_bits) - 1};

    Counts counts[kMaxWorkers];
    if (!count_digits(data, stretches, top, counts, workers)) return nullptr;
    Bucket buckets[1u << kSplitBits];
    unsigned used = 0;
    std::uint64_t largest = 0;
    positions_of(stretches, top, counts, [&](std::uint64_t begin, std::uint64_t end) {
        if (begin < end) buckets[used++] = Bucket{begin, end};
        largest = std::max(largest, end - begin);
    });
    if (largest > 4 * kBucket && largest > count / 4)
        return sort_together(data, spare, stretches, shift, bits, workers);
    if (!scatter(data, spare, stretches, top, counts, workers)) return nullptr;
    const bool sorted = workers.run(used, [&](std::uint64_t number, unsigned) {
        const Bucket bucket = buckets[number];
        const std::uint64_t size = bucket.end - bucket.begin;
        Entry* result = sort_alone(spare + bucket.begin, data + bucket.begin, size, shift);
        if (result != data + bucket.begin) std::copy(result, result + size, data + bucket.begin);
    });
    return sorted ? data : nullptr;
}

template std::uint32_t* sort_by_key(std::uint32_t*, std::uint32_t*, std::uint64_t, unsigned,
                                    const WorkerGroup&);
template Entry64* sort_by_key(Entry64*, Entry64*, std::uint64_t, unsigned, const WorkerGroup&);
template Entry128* sort_by_key(Entry128*, Entry128*, std::uint64_t, unsigned, const WorkerGroup&);

}  // namespace tegu::kernels::selection
