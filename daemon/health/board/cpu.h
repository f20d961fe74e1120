// SPDX-License-Identifier: Apache-2.0
// The CPU: number of present and online cores (power modes switch some off), their loads, and the clock of
// each cluster.
#pragma once

#include <string_view>
#include <vector>

#include "daemon/health/board/reader.h"
#include "daemon/health/board/snapshot.h"

namespace tegu::daemon::health {

struct ClusterLayout {
    std::string name;
    Source cores, clock, min, max, governor;
    Value<std::int64_t> hardware_max_hz;
};
struct CpuLayout {
    Source present, online, stat;
    Value<std::int64_t> idle_states_disabled;
    std::vector<ClusterLayout> clusters;
};

CpuLayout find_cpu(Reader& reader);
// `previous`: the previous reading, whose ticks start the load interval; or null.
Cpu sample_cpu(Reader& reader, const CpuLayout& layout, const Cpu* previous);

// Number of elements in a kernel list: "0-3,5" has 5.
Value<std::int64_t> parse_list_size(std::string_view text);
// The lines "cpuN ..." at the start of /proc/stat. Those that are cut off are left out.
std::vector<CpuTicks> parse_stat(std::string_view text);

}  // namespace tegu::daemon::health
