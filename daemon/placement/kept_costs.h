// SPDX-License-Identifier: Apache-2.0
// KeptCosts: the results of probing, in a file of the state directory, for the next start. They are valid
// only for the same devices, threads and version. The parser skips malformed lines and impossible values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/placement/probe_plan.h"
#include "kernels/device/device_info.h"

namespace tegu::daemon {

struct KeptCosts {
    struct Time {
        CostResource resource = kOneThread;
        ProbedSample probed;
    };
    struct Copy {
        std::size_t gpu_kind = 0;
        std::uint64_t bytes = 0, ns = 0;
    };
    std::vector<Time> times;
    std::vector<Copy> copies;
};

// One line that identifies the machine of the times. `devices`: one of each kind of GPU.
std::string machine_key(const std::string& version, unsigned threads,
                        const std::vector<device::DeviceInfo>& devices);

// Pure. `resources`: of this machine.
std::string kept_costs_text(const std::string& key, const KeptCosts& costs);
// Empty if the text is malformed or from another machine.
KeptCosts parse_kept_costs(const std::string& text, const std::string& key, std::size_t resources);

// The directory of the setting, or else that of the service manager; empty if there is none.
std::string state_directory(const std::string& setting);
std::string kept_costs_file(const std::string& directory);
// Empty if there is no such file.
std::string read_kept_costs(const std::string& file);
// Writes the whole file or nothing. Errors: Io.
Result<void> write_kept_costs(const std::string& file, const std::string& text);

}  // namespace tegu::daemon
