// SPDX-License-Identifier: Apache-2.0
// The choice of a method and the predicted time. A model of the cost per pixel is fitted to measurements of
// every method and instruction set (docs/entropy-map.md); the lowest predicted cost wins. The numbers for
// NEON are counted from instructions, not measured.
#include "kernels/entropy_map/cpu/entropy_map.h"
#include "kernels/entropy_map/method.h"
#include "kernels/execution/cpu/isa.h"

namespace tegu::kernels {
namespace {

constexpr EntropyMethod kMethods[] = {EntropyMethod::Planes, EntropyMethod::Prefix, EntropyMethod::Columns,
                                      EntropyMethod::Slide};

// ns per pixel of `planes`: base + per_level * levels, for windows below 32, 64 and 128 pixels (the sizes of
// the tables).
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

// ns per pixel and level of `prefix`.
double prefix_cost() {
    switch (detected_cpu_isa()) {
        case CpuIsa::Avx512: return 0.42;
        case CpuIsa::Avx2: return 0.45;
        case CpuIsa::Sse2:
        case CpuIsa::Neon:
        case CpuIsa::Scalar: break;
    }
    return 0.75;
}

// ns per pixel of `columns` for 4, 8, .. 256 levels. Lookups dominate, and their cost is alike on every
// instruction set.
double column_cost(std::uint32_t levels) {
    constexpr double kCosts[] = {1.65, 2.55, 4.4, 8.8, 17.5, 31.0, 54.0};
    unsigned index = 0;
    while (entropy_column_levels(levels) > 4u << index) ++index;
    return kCosts[index];
}

// Counts per level and column should stay in L1; slide has none and prefers long rows.
std::uint32_t usual_tile_cols(EntropyMethod method) {
    return method == EntropyMethod::Slide ? 1024 : 512;
}

double pixel_ns(EntropyMethod method, const EntropyMapParams& params) {
    const std::uint32_t window = params.window_rows * params.window_cols;
    switch (method) {
        case EntropyMethod::Slide: return 2.4 + 0.72 * params.window_rows;
        case EntropyMethod::Columns: return column_cost(params.levels) + 0.009 * params.window_rows;
        case EntropyMethod::Prefix: return prefix_cost() * params.levels + 0.005 * params.window_rows;
        case EntropyMethod::Planes: {
            const PlaneCost cost = plane_cost();
            return cost.base + cost.per_level[window < 32 ? 0 : window < 64 ? 1 : 2] * params.levels;
        }
    }
    __builtin_unreachable();
}

}  // namespace

std::string_view entropy_method_word(EntropyMethod method) {
    switch (method) {
        case EntropyMethod::Slide: return "slide";
        case EntropyMethod::Planes: return "planes";
        case EntropyMethod::Columns: return "columns";
        case EntropyMethod::Prefix: return "prefix";
    }
    return "?";
}

bool entropy_method_supports(EntropyMethod method, const EntropyMapParams& params) {
    switch (method) {
        case EntropyMethod::Slide: return true;
        case EntropyMethod::Planes:
            return params.window_rows * params.window_cols <= kMaxPlanePixels &&
                   params.levels <= kMaxPlaneLevels;
        case EntropyMethod::Columns: return true;
        case EntropyMethod::Prefix: return params.levels <= kMaxPrefixLevels;
    }
    return false;
}

EntropyPolicy choose_entropy_policy(const EntropyMapParams& params) {
    EntropyPolicy policy;
    for (const EntropyMethod method : kMethods)
        if (entropy_method_supports(method, params) &&
            pixel_ns(method, params) < pixel_ns(policy.method, params))
            policy.method = method;
    policy.tile_cols = usual_tile_cols(policy.method);
    return policy;
}

namespace {

EntropyMethod wanted_method(CpuEntropyMethod wanted, EntropyMethod chosen) {
    switch (wanted) {
        case CpuEntropyMethod::Slide: return EntropyMethod::Slide;
        case CpuEntropyMethod::Planes: return EntropyMethod::Planes;
        case CpuEntropyMethod::Columns: return EntropyMethod::Columns;
        case CpuEntropyMethod::Prefix: return EntropyMethod::Prefix;
        case CpuEntropyMethod::Chosen: break;
    }
    return chosen;
}

}  // namespace

EntropyPolicy entropy_policy_of(const EntropyMapParams& params, const CpuEntropyMapPolicy& wanted) {
    EntropyPolicy policy = choose_entropy_policy(params);
    const EntropyMethod method = wanted_method(wanted.method, policy.method);
    if (entropy_method_supports(method, params)) policy.method = method;
    policy.tile_cols = usual_tile_cols(policy.method);
    if (wanted.tile_rows != 0) policy.tile_rows = wanted.tile_rows;
    if (wanted.tile_cols != 0) policy.tile_cols = wanted.tile_cols;
    return policy;
}

std::uint64_t predict_entropy_ns(const Job& job, const EntropyMapParams& params, EntropyMethod method) {
    const double table_ns = 8.0 * params.window_rows * params.window_cols;
    const double quantise_ns = is_float(job.type) ? 0.15 : 0.05;
    const double pixels = static_cast<double>(job.rows) * static_cast<double>(job.cols + params.window_cols);
    return static_cast<std::uint64_t>(2000 + table_ns + pixels * (quantise_ns + pixel_ns(method, params)));
}

}  // namespace tegu::kernels
