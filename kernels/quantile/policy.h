// SPDX-License-Identifier: Apache-2.0
// The policy of quantile on the CPU, for kernels/cpu_policies.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace tegu::kernels {

// kernels/quantile/cpu/select.h describes them. Chosen: the fastest as measured.
enum class CpuQuantileMethod : std::uint8_t { Chosen, Counts, Direct, Brackets, Sort };
inline constexpr std::string_view kCpuQuantileMethods[] = {"chosen", "counts", "direct", "brackets", "sort"};

struct CpuQuantilePolicy {
    CpuQuantileMethod method = CpuQuantileMethod::Chosen;  // replaced if it cannot solve the problem
};

}  // namespace tegu::kernels
