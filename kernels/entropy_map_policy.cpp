// SPDX-License-Identifier: Apache-2.0
// Which method computes a map, and how long it will take: a model of the cost of one pixel, fitted to measurements of every method with
// every instruction set (docs/entropy-map.md has the table). The method with the least predicted cost wins. For NEON the numbers are
// counted from instructions, not measured.
#include "kernels/cpu/entropy_map.h"
#include "kernels/cpu_isa.h"
#include "kernels/entropy_map.h"

namespace tegu::kernels {
namespace {

constexpr EntropyMethod kMethods[] = {EntropyMethod::Planes, EntropyMethod::Columns, EntropyMethod::Slide};

// ns per pixel of `planes`: base + per_level * levels, for windows below 32, 64 and 128 pixels (the sizes of the tables).
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
    return {0.30, {0.470, 0.540, 0.540}};
}

double pixel_ns(EntropyMethod method, const EntropyMapParams& params) {
    const std::uint32_t window = params.window_rows * params.window_cols;
    switch (method) {
        case EntropyMethod::Slide: return 2.4 + 0.78 * params.window_rows;
        case EntropyMethod::Columns:
            return 0.5 + 0.30 * entropy_column_levels(params.levels) + 0.01 * params.window_rows;
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
    }
    return "?";
}

bool entropy_method_supports(EntropyMethod method, const EntropyMapParams& params) {
    switch (method) {
        case EntropyMethod::Slide: return true;
        case EntropyMethod::Planes:
            return params.window_rows * params.window_cols <= kMaxPlanePixels && params.levels <= kMaxPlaneLevels;
        case EntropyMethod::Columns: return params.levels <= kMaxColumnLevels;
    }
    return false;
}

EntropyPolicy choose_entropy_policy(const EntropyMapParams& params) {
    EntropyPolicy policy;
    for (const EntropyMethod method : kMethods)
        if (entropy_method_supports(method, params) && pixel_ns(method, params) < pixel_ns(policy.method, params))
            policy.method = method;
    // Counts per level and column should stay in the first-level cache; slide has none and prefers long rows.
    policy.tile_cols = policy.method == EntropyMethod::Slide ? 1024 : 512;
    return policy;
}

std::uint64_t predict_entropy_ns(const Job& job, const EntropyMapParams& params, EntropyMethod method) {
    const double table_ns = 8.0 * params.window_rows * params.window_cols;
    const double quantise_ns = is_float(job.type) ? 0.15 : 0.05;
    const double pixels = static_cast<double>(job.rows) * static_cast<double>(job.cols + params.window_cols);
    return static_cast<std::uint64_t>(2000 + table_ns + pixels * (quantise_ns + pixel_ns(method, params)));
}

}  // namespace tegu::kernels
