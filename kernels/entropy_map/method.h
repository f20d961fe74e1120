// SPDX-License-Identifier: Apache-2.0
// The choice of a method for an entropy map: window and levels decide.
#pragma once

#include "kernels/entropy_map/policy.h"
#include "kernels/operation.h"

namespace tegu::kernels {

// The method and tile size of a map. Never changes a bit of the result.
struct EntropyPolicy {
    CpuEntropyMethod method = CpuEntropyMethod::Slide;  // never Chosen
    std::uint32_t tile_rows = 64;                       // results that one thread takes at a time
    std::uint32_t tile_cols = 1024;
};
constexpr bool operator==(const EntropyPolicy& a, const EntropyPolicy& b) {
    return a.method == b.method && a.tile_rows == b.tile_rows && a.tile_cols == b.tile_cols;
}

// True if the method can compute maps of these parameters.
bool entropy_method_supports(CpuEntropyMethod method, const EntropyMapParams& params);

// The fastest policy as measured, for the instruction set that detected_cpu_isa() found.
EntropyPolicy choose_entropy_policy(const EntropyMapParams& params);
// The same, with the method that the CPU policy names if it can compute the map.
EntropyPolicy entropy_policy_of(const EntropyMapParams& params, const CpuEntropyMapPolicy& wanted);

// Time of a map on one thread, from the same measurements.
std::uint64_t predict_entropy_ns(const Job& job, const EntropyMapParams& params, CpuEntropyMethod method);

// Computes a map by a given policy, with all threads of the pool.
// REQUIRES: entropy_method_supports(policy.method, params), tile_rows and tile_cols are not 0.
Result<RunReport> run_entropy_map(const Job& job, const EntropyMapParams& params, const EntropyPolicy& policy,
                                  Span<const InputView> inputs, Span<const OutputView> outputs,
                                  ThreadPool* pool, const StopToken& stop);

}  // namespace tegu::kernels
