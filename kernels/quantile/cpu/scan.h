// SPDX-License-Identifier: Apache-2.0
// The loops of quantile that touch every element, compiled once per instruction set. They work on keys in
// ascending order (kernels/numerics/sort_key.h with the flip of the smallest first), where every NaN is the
// largest key.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/element_type.h"
#include "kernels/execution/cpu/isa.h"
#include "kernels/quantile/pair.h"
#include "kernels/selection/cpu/scan.h"

namespace tegu::kernels::quantile {

// The positions of a segment's keys relative to a bracket [low, high], low <= high.
struct SplitTally {
    std::uint64_t less = 0;
    std::uint64_t equal_low = 0;
    std::uint64_t inside = 0;      // low < key < high
    std::uint64_t equal_high = 0;  // 0 if low == high
    std::uint64_t nans = 0;
};

constexpr std::uint64_t kSlack = 64;  // elements that split() may write beyond the kept ones

// The functions of one element type. They stay in bounds for any elements, even if these change meanwhile.
struct ScanKernels {
    // out[i] = the key of element i, as wide as the element. `out` is aligned for it. Returns how many are
    // NaN.
    std::uint64_t (*keys)(selection::Elements elements, std::byte* out);
    // Adds 1 to counts[key] for each element. Null for elements of more than two bytes.
    void (*count)(selection::Elements elements, std::uint64_t* counts);
    // Adds to `tally`, and stores key - low - 1 of the elements inside, as wide as the element. Returns their
    // number. REQUIRES: out has capacity for elements.count + kSlack, aligned for them. Null for elements of
    // less than four bytes.
    std::uint64_t (*split)(selection::Elements elements, std::uint64_t low, std::uint64_t high,
                           SplitTally& tally, std::byte* out);
    // The pair at rank `nth` of the sorted keys. REQUIRES: nth < count; count < 2^16. Null for elements of
    // one byte.
    Pair (*nth)(const std::byte* keys, std::uint64_t count, std::uint64_t nth);
};

}  // namespace tegu::kernels::quantile

namespace tegu::kernels {
// The kernels of a type in the namespace of each instruction set. REQUIRES: a known type.
TEGU_ISA_DECLARE(const quantile::ScanKernels& quantile_scan_kernels(ElementType type);)
}  // namespace tegu::kernels
