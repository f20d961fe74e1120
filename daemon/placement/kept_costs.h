// SPDX-License-Identifier: Apache-2.0
// KeptCosts: what probing measured, in a file of the state directory, so that the next start knows it at
// once. It is good for the same devices, threads and version alone. The file is read with suspicion: what
// cannot be read, or cannot be true, is passed over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/placement/probe_plan.h"
#include "kernels/device/device_info.h"

namespace tegu::daemon {

struct KeptCosts {
    struct Time {
        Backend backend = kOneThread;
        ProbedSample probed;
    };
    struct Copy {
        std::size_t gpu_kind = 0;
        std::uint64_t bytes = 0, ns = 0;
    };
    std::vector<Time> times;
    std::vector<Copy> copies;
};

// One line that says of which machine the times are. `devices`: one of each kind of GPU.
std::string machine_key(const std::string& version, unsigned threads,
                        const std::vector<device::DeviceInfo>& devices);

// Pure. `backends`: of this machine.
std::string kept_costs_text(const std::string& key, const KeptCosts& costs);
// Empty where the text is of another machine, or is none.
KeptCosts parse_kept_costs(const std::string& text, const std::string& key, std::size_t backends);

// The directory that is named by the setting, or else the one that the service manager made; empty: there is
// none.
std::string state_directory(const std::string& setting);
std::string kept_costs_file(const std::string& directory);
// Empty where there is no such file.
std::string read_kept_costs(const std::string& file);
// Whole or not at all. Errors: Io.
Result<void> write_kept_costs(const std::string& file, const std::string& text);

}  // namespace tegu::daemon
