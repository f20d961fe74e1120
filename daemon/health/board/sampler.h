// SPDX-License-Identifier: Apache-2.0
// Sampler: reads the board repeatedly. It searches for the files at the start, after one vanishes, and once a
// minute, because drivers load late and parts switch on and off. Reads may block; monitor.h runs it on a
// thread.
#pragma once

#include <functional>
#include <string>

#include "daemon/health/board/board.h"
#include "daemon/health/board/cpu.h"
#include "daemon/health/board/fan.h"
#include "daemon/health/board/gpu.h"
#include "daemon/health/board/memory.h"
#include "daemon/health/board/power.h"
#include "daemon/health/board/thermal.h"

namespace tegu::daemon::health {

using TimeSource = std::function<Times()>;
Times system_times();

class Sampler {
  public:
    // `state_directory`: its disk space is reported; absolute or relative to the root of `files`; may be
    // empty. REQUIRES: `files` outlives it.
    Sampler(Files& files, std::string state_directory, TimeSource times);

    Snapshot sample();

  private:
    struct Layout {
        BoardLayout board;
        CpuLayout cpu;
        GpuLayout gpu;
        EmcLayout emc;
        MemoryLayout memory;
        ThermalLayout thermal;
        PowerLayout power;
        std::vector<FanLayout> fans;
    };
    Layout find(Reader& reader) const;
    bool find_again(std::uint64_t now_ns) const;
    Disk sample_disk(Reader& reader) const;

    Files& files_;
    std::string state_directory_;
    TimeSource times_;
    Layout layout_;
    std::uint64_t found_ns_ = 0;
    bool found_ = false;
    bool vanished_ = false;
    Snapshot previous_;  // number 0: none
};

}  // namespace tegu::daemon::health
