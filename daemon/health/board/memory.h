// SPDX-License-Identifier: Apache-2.0
// Memory, swap and compressed swap, and the time that tasks waited for them (PSI, Linux 4.20 and later). Free
// memory may be fragmented, so it is not a budget of the GPU; see docs/health.md.
#pragma once

#include <string_view>
#include <vector>

#include "daemon/health/board/reader.h"
#include "daemon/health/board/snapshot.h"

namespace tegu::daemon::health {

struct MemoryLayout {
    Source meminfo, cpu_pressure, memory_pressure, io_pressure;
    struct ZramDevice {
        Source size, statistics;
    };
    std::vector<ZramDevice> zram;
};

MemoryLayout find_memory(Reader& reader);
Memory sample_memory(Reader& reader, const MemoryLayout& layout);

// A line "MemTotal:  4059412 kB" of /proc/meminfo, in bytes.
Value<std::int64_t> parse_meminfo(std::string_view text, std::string_view name);
// "some avg10=1.25 ... total=12345" and the same of "full", which old kernels and the CPU's file do not have.
Pressure parse_pressure(std::string_view text);

}  // namespace tegu::daemon::health
