// SPDX-License-Identifier: Apache-2.0
// The choice of a method and the predicted time: the lowest predicted cost wins.
#include "kernels/entropy_map/cpu/methods.h"

namespace tegu::kernels {

bool entropy_method_supports(CpuEntropyMethod method, const EntropyMapParams& params) {
    return entropy_method(method).supports(params);
}

EntropyPolicy choose_entropy_policy(const EntropyMapParams& params) {
    return entropy_policy_of(params, CpuEntropyMapPolicy());
}

namespace {

CpuEntropyMethod fastest_method(const EntropyMapParams& params) {
    const EntropyMethodRow* fastest = &entropy_method(CpuEntropyMethod::Slide);
    for (const EntropyMethodRow& row : entropy_methods())
        if (row.supports(params) && row.pixel_ns(params) < fastest->pixel_ns(params)) fastest = &row;
    return fastest->method;
}

}  // namespace

EntropyPolicy entropy_policy_of(const EntropyMapParams& params, const CpuEntropyMapPolicy& wanted) {
    const bool named = wanted.method != CpuEntropyMethod::Chosen;
    EntropyPolicy policy;
    policy.method =
        named && entropy_method_supports(wanted.method, params) ? wanted.method : fastest_method(params);
    policy.tile_cols = entropy_method(policy.method).tile_cols;
    if (wanted.tile_rows != 0) policy.tile_rows = wanted.tile_rows;
    if (wanted.tile_cols != 0) policy.tile_cols = wanted.tile_cols;
    return policy;
}

std::uint64_t predict_entropy_ns(const Job& job, const EntropyMapParams& params, CpuEntropyMethod method) {
    const double table_ns = 8.0 * params.window_rows * params.window_cols;
    const double quantise_ns = is_float(job.type) ? 0.15 : 0.05;
    const double pixels = static_cast<double>(job.rows) * static_cast<double>(job.cols + params.window_cols);
    return static_cast<std::uint64_t>(2000 + table_ns +
                                      pixels * (quantise_ns + entropy_method(method).pixel_ns(params)));
}

}  // namespace tegu::kernels
