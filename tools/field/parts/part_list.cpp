// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tools/field/parts/parts.h"
#include "tools/field/seeds/seeds.h"

namespace tegu::field {

bool RunOptions::wants(const std::string& operation) const {
    return operations.empty() ||
           std::find(operations.begin(), operations.end(), operation) != operations.end();
}

const std::vector<Part>& all_parts() {
    static const std::vector<Part> parts = {
        {"copy", "memory bandwidth: the roof", 5, add_copy_cases},
        {"operations", "every operation over sizes and types", 30, add_operation_cases},
        {"occupancy", "launch policies by block size", 6, add_occupancy_cases},
        {"scaling", "the CPU from one thread to all", 6, add_scaling_cases},
        {"crossover", "CPU against GPU over sizes", 12, add_crossover_cases},
        {"roundtrip", "jobs through the daemon's socket", 5, add_roundtrip_cases},
        {"coldstart", "a new process to its first result", 5, add_coldstart_cases},
        {"s1", "seed S1: top-k by lists", 14, add_s1_cases},
        {"s2", "seed S2: the ladder of sums", 6, add_s2_cases},
        {"s3", "seed S3: rows scaled", 4, add_s3_cases},
        {"s4", "seed S4: entropy of windows", 10, add_s4_cases},
        {"s5", "seed S5: statistics of vectors", 4, add_s5_cases},
    };
    return parts;
}

}  // namespace tegu::field
