// SPDX-License-Identifier: Apache-2.0
// The policy of entropy_map on the CPU, for kernels/cpu_policies.h.
#pragma once

#include <cstdint>

namespace tegu::kernels {

enum class CpuEntropyMethod : std::uint8_t { Chosen, Slide, Planes, Columns, Prefix };
struct CpuEntropyMapPolicy {
    // A method that cannot compute the map is replaced by the automatic choice.
    CpuEntropyMethod method = CpuEntropyMethod::Chosen;
    std::uint32_t tile_rows = 0;  // results that a thread takes at a time; 0: 64
    std::uint32_t tile_cols = 0;  // 0: by method
};

}  // namespace tegu::kernels
