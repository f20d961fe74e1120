// SPDX-License-Identifier: Apache-2.0
// The policy of quantile on the CPU, for kernels/cpu_policies.h.
#pragma once

#include <cstdint>

namespace tegu::kernels {

enum class CpuQuantileMethod : std::uint8_t { Chosen, Counts, Direct, Brackets, Sort };
struct CpuQuantilePolicy {
    CpuQuantileMethod method = CpuQuantileMethod::Chosen;  // replaced if it cannot solve the problem
};

}  // namespace tegu::kernels
