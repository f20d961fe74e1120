// SPDX-License-Identifier: Apache-2.0
// The policy of topk on the CPU, for kernels/cpu_policies.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace tegu::kernels {

// kernels/topk/cpu/select.h describes them. Chosen: the fastest as measured. A policy cannot name Distinct.
enum class CpuTopkMethod : std::uint8_t { Chosen, Direct, Blocks, Threshold, Buckets, Distinct };
inline constexpr std::string_view kCpuTopkMethods[] = {"chosen",    "direct",  "blocks",
                                                       "threshold", "buckets", "distinct"};

struct CpuTopkPolicy {
    // Not used by jobs with `distinct`. A method that cannot solve the problem is replaced by the automatic
    // choice.
    CpuTopkMethod method = CpuTopkMethod::Chosen;
};

}  // namespace tegu::kernels
