// SPDX-License-Identifier: Apache-2.0
// The methods that compute an entropy map. All give the same bits; window and levels decide the choice.
// docs/entropy-map.md describes them.
#pragma once

#include <string_view>

#include "kernels/operation.h"

namespace tegu::kernels {

enum class EntropyMethod {
    Slide,    // histogram of the window that follows by single pixels; any window, any levels
    Planes,   // one plane of counts per level, vectors along the row; small windows, few levels
    Columns,  // window histogram that moves by whole columns; the cost does not grow with the window
    Prefix,   // sums of one plane per level along the row; large windows, very few levels
};
std::string_view entropy_method_word(EntropyMethod method);  // "slide"

// The method and tile size of a map. Never changes a bit of the result.
struct EntropyPolicy {
    EntropyMethod method = EntropyMethod::Slide;
    std::uint32_t tile_rows = 64;  // results that one thread takes at a time
    std::uint32_t tile_cols = 1024;
};
constexpr bool operator==(const EntropyPolicy& a, const EntropyPolicy& b) {
    return a.method == b.method && a.tile_rows == b.tile_rows && a.tile_cols == b.tile_cols;
}

// True if the method can compute maps of these parameters.
bool entropy_method_supports(EntropyMethod method, const EntropyMapParams& params);

// The fastest policy as measured, for the instruction set that detected_cpu_isa() found.
EntropyPolicy choose_entropy_policy(const EntropyMapParams& params);
// The same, with the method that the CPU policy names if it can compute the map.
EntropyPolicy entropy_policy_of(const EntropyMapParams& params, const CpuEntropyMapPolicy& wanted);

// Time of a map on one thread, from the same measurements.
std::uint64_t predict_entropy_ns(const Job& job, const EntropyMapParams& params, EntropyMethod method);

// Computes a map by a given policy, with all threads of the pool.
// REQUIRES: entropy_method_supports(policy.method, params), tile_rows and tile_cols are not 0.
Result<RunReport> run_entropy_map(const Job& job, const EntropyMapParams& params, const EntropyPolicy& policy,
                                  Span<const InputView> inputs, Span<const OutputView> outputs,
                                  ThreadPool* pool, const StopToken& stop);

}  // namespace tegu::kernels
