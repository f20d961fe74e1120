// SPDX-License-Identifier: Apache-2.0
// The costs per pixel are fitted to measurements of every method and instruction set (docs/entropy-map.md).
// The numbers for NEON are counted from instructions, not measured.
#include "kernels/entropy_map/cpu/methods.h"

#include <cassert>

#include "kernels/execution/cpu/isa.h"

namespace tegu::kernels {
namespace {

bool supports_all(const EntropyMapParams&) {
    return true;
}

double slide_ns(const EntropyMapParams& params) {
    return 2.4 + 0.72 * params.window_rows;
}

std::size_t no_scratch(std::uint32_t, std::size_t) {
    return 0;
}

bool planes_supports(const EntropyMapParams& params) {
    return params.window_rows * params.window_cols <= kMaxPlanePixels && params.levels <= kMaxPlaneLevels;
}

// ns per pixel: base + per_level * levels, for windows below 32, 64 and 128 pixels (the sizes of the tables).
struct PlaneCost {
    double base;
    double per_level[3];
};

PlaneCost plane_cost() {
    switch (detected_cpu_isa()) {
        case CpuIsa::Avx512: return {0.15, {0.038, 0.060, 0.115}};
        case CpuIsa::Avx2: return {0.35, {0.110, 0.183, 0.302}};
        case CpuIsa::Neon: return {0.35, {0.200, 0.300, 0.500}};
        case CpuIsa::Sse2:
        case CpuIsa::Scalar: break;
    }
    return {0.20, {0.430, 0.530, 0.530}};
}

double planes_ns(const EntropyMapParams& params) {
    const std::uint32_t window = params.window_rows * params.window_cols;
    const PlaneCost cost = plane_cost();
    return cost.base + cost.per_level[window < 32 ? 0 : window < 64 ? 1 : 2] * params.levels;
}

std::size_t planes_scratch(std::uint32_t levels, std::size_t pitch) {
    return (std::size_t{levels} + 1) * pitch;
}

// For 4, 8, .. 256 levels. Lookups dominate, and their cost is alike on every instruction set.
double column_cost(std::uint32_t levels) {
    constexpr double kCosts[] = {1.65, 2.55, 4.4, 8.8, 17.5, 31.0, 54.0};
    unsigned index = 0;
    while (entropy_column_levels(levels) > 4u << index) ++index;
    return kCosts[index];
}

double columns_ns(const EntropyMapParams& params) {
    return column_cost(params.levels) + 0.009 * params.window_rows;
}

std::size_t columns_scratch(std::uint32_t levels, std::size_t pitch) {
    return std::size_t{2} * entropy_column_levels(levels) * pitch;
}

bool prefix_supports(const EntropyMapParams& params) {
    return params.levels <= kMaxPrefixLevels;
}

double prefix_level_ns() {
    switch (detected_cpu_isa()) {
        case CpuIsa::Avx512: return 0.42;
        case CpuIsa::Avx2: return 0.45;
        case CpuIsa::Sse2:
        case CpuIsa::Neon:
        case CpuIsa::Scalar: break;
    }
    return 0.75;
}

double prefix_ns(const EntropyMapParams& params) {
    return prefix_level_ns() * params.levels + 0.005 * params.window_rows;
}

}  // namespace

// Counts per level and column should stay in L1; slide has none and prefers long rows.
Span<const EntropyMethodRow> entropy_methods() {
    static const EntropyMethodRow kRows[] = {
        {CpuEntropyMethod::Slide, supports_all, slide_ns, no_scratch, 1024, UINT32_MAX,
         TEGU_ISA_SELECT(entropy_slide)},
        {CpuEntropyMethod::Planes, planes_supports, planes_ns, planes_scratch, 512, UINT32_MAX,
         TEGU_ISA_SELECT(entropy_planes)},
        {CpuEntropyMethod::Columns, supports_all, columns_ns, columns_scratch, 512, UINT32_MAX,
         TEGU_ISA_SELECT(entropy_columns)},
        {CpuEntropyMethod::Prefix, prefix_supports, prefix_ns, entropy_prefix_bytes, 512, kMaxPrefixCols,
         TEGU_ISA_SELECT(entropy_prefix)},
    };
    return kRows;
}

const EntropyMethodRow& entropy_method(CpuEntropyMethod method) {
    const EntropyMethodRow& row = entropy_methods()[static_cast<std::size_t>(method) - 1];
    assert(row.method == method);
    return row;
}

}  // namespace tegu::kernels
