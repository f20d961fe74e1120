// SPDX-License-Identifier: Apache-2.0
// Reads a dense segment once in one block, and collects the pairs up to a bound in shared memory.
#pragma once

#include "kernels/selection/cuda/held.cuh"
#include "kernels/topk/cuda/limit.cuh"

namespace tegu {
namespace cuda {

// The pairs that pass the bound, in shared memory.
template <class U>
struct Collected {
    U* keys;
    std::uint64_t* indices;
    std::uint16_t* order;  // workspace
    std::uint32_t* used;   // may exceed the capacity
    unsigned capacity;

    TEGU_DEVICE void put(std::uint32_t slot, U key, std::uint64_t index) const {
        if (slot >= capacity) return;
        keys[slot] = key;
        indices[slot] = index;
    }
    TEGU_DEVICE void add(U key, std::uint64_t index) const { put(atomic_add(used, 1u), key, index); }
};

// The packs of 16 bytes of a dense segment, and the elements before and behind them.
template <class U>
struct SegmentPacks {
    static constexpr unsigned kWidth = 16 / sizeof(U);
    static constexpr unsigned kPacks = kHeldItems<U> / kWidth;
    const U* elements;
    std::uint32_t head;   // elements before the first pack
    std::uint32_t packs;  // complete ones
    std::uint32_t n;

    TEGU_DEVICE SegmentPacks(const U* segment, std::uint32_t count) : elements(segment), n(count) {
        const auto skew = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(segment) % 16);
        head = skew == 0 ? 0 : (16 - skew) / sizeof(U);
        if (head > n) head = n;
        packs = (n - head) / kWidth;
    }
    TEGU_DEVICE std::uint32_t index(std::uint32_t pack) const { return head + pack * kWidth; }
    TEGU_DEVICE Pack<U, kWidth> load(std::uint32_t pack) const {
        return *reinterpret_cast<const Pack<U, kWidth>*>(elements + index(pack));
    }
};

// Collects the pairs up to the bound. The next packs load while these are tested; one comparison of floats
// replaces a key. A thread reserves the slots for its packs at once and reads what passes again, from L1.
template <class U, bool Float>
TEGU_DEVICE void collect_packs(const KeyedSegment<U>& segment, const SegmentPacks<U>& from, U bound,
                               const Collected<U>& to) {
    constexpr unsigned kWidth = SegmentPacks<U>::kWidth, kPacks = SegmentPacks<U>::kPacks;
    const KeyLimit<U, Float> limit(bound, segment.flip);
    Pack<U, kWidth> next[kPacks];
    const auto load = [&](std::uint32_t base) {
        TEGU_UNROLL
        for (unsigned p = 0; p < kPacks; ++p) {
            const std::uint32_t pack = base + p * block_threads();
            next[p] = from.load(pack < from.packs ? pack : from.packs - 1);
        }
    };
    load(thread_index());
    TEGU_NO_UNROLL
    for (std::uint32_t base = thread_index(); base < from.packs; base += kPacks * block_threads()) {
        std::uint32_t mask = 0;
        TEGU_UNROLL
        for (unsigned p = 0; p < kPacks; ++p) {
            const bool valid = base + p * block_threads() < from.packs;
            TEGU_UNROLL
            for (unsigned e = 0; e < kWidth; ++e)
                if (valid && limit.admits(next[p].at[e], segment.flip)) mask |= 1u << (p * kWidth + e);
        }
        load(base + kPacks * block_threads());
        if (mask == 0) continue;
        std::uint32_t slot = limit.exact ? atomic_add(to.used, count_bits(mask)) : 0;
        TEGU_NO_UNROLL
        for (; mask != 0; mask &= mask - 1) {
            const unsigned bit = trailing_zeros(mask);
            const std::uint32_t index = from.index(base + bit / kWidth * block_threads()) + bit % kWidth;
            const U key = encode_key(segment.elements[index], segment.flip, Float);
            if (limit.exact)
                to.put(slot++, key, index);
            else if (key <= bound)
                to.add(key, index);
        }
    }
}
template <class U>
TEGU_DEVICE void collect_segment(const KeyedSegment<U>& segment, const SegmentPacks<U>& from, U bound,
                                 const Collected<U>& to) {
    if (segment.is_float)
        collect_packs<U, (sizeof(U) > 1)>(segment, from, bound, to);
    else
        collect_packs<U, false>(segment, from, bound, to);
    const std::uint32_t tail = from.index(from.packs);
    for (std::uint32_t i = thread_index(); i < from.head + (from.n - tail); i += block_threads()) {
        const std::uint32_t index = i < from.head ? i : tail + i - from.head;
        const U key = segment.key(index);
        if (key <= bound) to.add(key, index);
    }
}

}  // namespace cuda
}  // namespace tegu
