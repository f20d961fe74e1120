// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tools/field/parts/parts.h"

namespace tegu::field {

bool RunOptions::wants(const std::string& operation) const {
    return operations.empty() || std::find(operations.begin(), operations.end(), operation) != operations.end();
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
    };
    return parts;
}

}  // namespace tegu::field
