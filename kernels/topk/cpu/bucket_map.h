// SPDX-License-Identifier: Apache-2.0
// Builds a map from keys to buckets from a sorted sample (kernels/topk/cpu/buckets.h).
#pragma once

#include "kernels/topk/cpu/buckets.h"
#include "kernels/topk/cpu/selector.h"

namespace tegu::kernels::topk {

inline unsigned width_of(std::uint64_t value) {
    return value == 0 ? 0 : 64 - static_cast<unsigned>(__builtin_clzll(value));
}

// Builds the map for the keys up to `limit`, which the first `covered` keys of the sorted sample represent.
// Writes the last key of each bucket to `uppers`. Returns the number of buckets, below kMaxBuckets. REQUIRES:
// 1 <= wanted <= kMaxWantedBuckets.
std::uint32_t build_map(const std::uint64_t* sample, std::uint64_t covered, std::uint64_t limit,
                        std::uint64_t wanted, BucketMap& map, std::uint64_t* uppers);

}  // namespace tegu::kernels::topk
