// SPDX-License-Identifier: Apache-2.0
// A sum of measured constants: reading the bytes, and the extra cost of each need for a class of types. The
// measurements are in docs/operations/reduce.md. Another CPU differs by a factor, which the daemon learns
// from its own jobs.
#include "kernels/reduce/cpu/cost.h"

#include <initializer_list>

#include "kernels/execution/cpu/work.h"
#include "kernels/statistics/cpu/chunk.h"

namespace tegu::kernels {
namespace {

constexpr std::uint64_t kBytePs = 24;
constexpr std::uint64_t kJobNs = 100;

// Picoseconds per element.
struct Costs {
    std::uint64_t widen;  // for any needs
    std::uint64_t sum;
    std::uint64_t l1;
    std::uint64_t moments;  // besides the sum
    std::uint64_t extrema;
    std::uint64_t zeros;
    std::uint64_t max;  // one loop computes everything: the maximum extra cost of any set
};

Costs costs_of(ElementType type) {
    switch (type) {
        case ElementType::F16: return {15, 8, 8, 60, 10, 8, 100};
        case ElementType::F32: return {0, 0, 0, 15, 5, 5, 35};
        case ElementType::F64: return {0, 0, 0, 20, 20, 10, 60};
        case ElementType::U8:
        case ElementType::I8: return {0, 8, 10, 45, 3, 1, 100};
        case ElementType::U16:
        case ElementType::I16: return {0, 12, 25, 50, 10, 2, 110};
        case ElementType::U32:
        case ElementType::I32: return {0, 8, 10, 35, 5, 2, 40};
        case ElementType::U64:
        case ElementType::I64: return {0, 95, 95, 840, 95, 65, 1200};
    }
    return {};
}

std::uint64_t element_ps(unsigned needs, ElementType type) {
    const Costs costs = costs_of(type);
    std::uint64_t more = costs.widen;
    if (needs & (kNeedSum | kNeedMoments)) more += costs.sum;
    if (needs & kNeedL1) more += costs.l1;
    if (needs & kNeedMoments) more += costs.moments;
    if (needs & kNeedExtrema) more += costs.extrema;
    if (needs & kNeedZeros) more += costs.zeros;
    return kBytePs * element_bytes(type) + (more < costs.max ? more : costs.max);
}

// Besides the elements; measured over rows of four.
std::uint64_t segment_ns(unsigned needs) {
    std::uint64_t ns = 25;
    for (const unsigned need : {kNeedSum, kNeedL1, kNeedExtrema, kNeedZeros})
        if (needs & need) ns += 20;
    if (needs & kNeedMoments) ns += 100;
    return ns;
}

}  // namespace

std::uint64_t reduce_ns(unsigned needs, ElementType type, std::uint64_t elements, std::uint64_t segments) {
    const std::uint64_t ps = needs == 0 ? 0 : element_ps(needs, type);
    const double ns = static_cast<double>(kJobNs) +
                      static_cast<double>(segment_ns(needs)) * static_cast<double>(segments) +
                      static_cast<double>(ps) * static_cast<double>(elements) / 1000;
    return predicted_work_ns(ns);
}

}  // namespace tegu::kernels
