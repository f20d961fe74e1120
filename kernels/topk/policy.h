// SPDX-License-Identifier: Apache-2.0
// The policy of topk on the CPU, for kernels/cpu_policies.h.
#pragma once

#include <cstdint>

namespace tegu::kernels {

enum class CpuTopkMethod : std::uint8_t { Chosen, Direct, Blocks, Threshold, Buckets };
struct CpuTopkPolicy {
    // Not used by `distinct`. A method that cannot solve the problem is replaced by the automatic choice.
    CpuTopkMethod method = CpuTopkMethod::Chosen;
};

}  // namespace tegu::kernels
