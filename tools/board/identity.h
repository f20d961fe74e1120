// SPDX-License-Identifier: Apache-2.0
// BoardIdentity: the board of a measurement, its software, its processors and their configuration. It is read
// once before a run; watch.h has the values that change. Unknown text is empty, and an unknown number has no
// value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "kernels/device/device_info.h"
#include "tools/board/source.h"

namespace tegu::board {

struct CpuIdentity {
    std::string name;    // "Cortex-A57"
    unsigned cores = 0;  // online
    std::string isa;     // of the CPU kernels: "neon"
    std::optional<double> max_mhz;
};

struct GpuIdentity {
    std::string name;
    unsigned compute_capability = 0;  // 10 * major + minor
    unsigned multiprocessors = 0;
    std::string memory_class;                                // "A"
    std::optional<double> core_clock_mhz, memory_clock_mhz;  // the highest allowed
    std::uint64_t memory_bytes = 0;
    std::optional<double> power_limit_w;
    std::string unusable;  // why it is not used; empty: it is
};

struct FanState {
    std::string name;
    std::optional<double> duty;  // 0..1
    std::optional<double> revolutions_per_minute;
};

struct BoardIdentity {
    std::string board;         // of the device tree, else the DMI product, else the CPU
    std::string soc;           // "tegra234"
    std::string l4t;           // "36.4.4"
    std::string kernel;        // "5.15.148-tegra"
    std::string driver;        // "580.95.05"; of a Jetson it belongs to the release of L4T
    std::string toolkit;       // that the kernels were built with: "13.0"
    std::string architecture;  // "aarch64"
    std::string power_mode;    // of nvpmodel: "MAXN"
    CpuIdentity cpu;
    std::uint64_t memory_bytes = 0;  // of the host
    std::optional<GpuIdentity> gpu;
    std::optional<FanState> fan;
    std::optional<double> data_sheet_gb_per_s;  // of the GPU's memory, else of the board's
};

// `gpu`: the device that a run uses, from device::probe_devices(); null: none. Unknown facts are no errors.
// Errors: Io (the root cannot be opened).
Result<BoardIdentity> identify_board(const BoardSource& source, const device::DeviceInfo* gpu);

// Bytes of the host's memory that programs can have now; 0: not known.
std::uint64_t available_memory(const BoardSource& source);

}  // namespace tegu::board
