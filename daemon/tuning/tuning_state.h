// SPDX-License-Identifier: Apache-2.0
// TuningState: an immutable, shared snapshot of the tuning tables. A job keeps the state that it was prepared
// with, so that a reload changes no job in flight.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "config/tuning_load.h"
#include "kernels/device/device_info.h"
#include "kernels/tuning/device_tuning.h"

namespace tegu::daemon {

// The machine's names in tables, besides its GPUs.
struct MachineNames {
    std::string board;  // from the device tree or DMI
    std::string cpu;
    unsigned cpu_threads = 0;
};
// Reads files below `sysroot`; missing names stay empty. Blocks briefly.
MachineNames read_machine_names(const std::string& sysroot);

// A predicate: whether a table may apply to the CPU or one of the GPUs. REQUIRES: both arguments outlive it.
config::WantsTable tables_for(const MachineNames& names, Span<const device::DeviceInfo> gpus);

class TuningState {
  public:
    // All defaults.
    TuningState();
    // `gpus`: those that run jobs; empty: only the CPU is tuned.
    TuningState(const config::TuningFiles& files, const MachineNames& names,
                Span<const device::DeviceInfo> gpus);

    // Tuning of the CPU, and of the GPU with a CUDA ordinal; defaults for an unknown ordinal.
    const tuning::DeviceTuning& cpu() const { return devices_.front().tuning; }
    const tuning::DeviceTuning& gpu(int ordinal) const;

    // Ignored parts of files and tables, each text once; at most the first kMaxIgnoredKept of a table.
    const std::vector<IgnoredRow>& ignored() const { return ignored_; }
    // Whether the text is one of them.
    bool ignores(const std::string& text) const { return ignored_texts_.count(text) != 0; }
    // The tables in use for any device, each once, in lookup order; and the total of rows and costs.
    const std::vector<std::string>& tables() const { return tables_; }
    unsigned rows() const { return rows_; }
    unsigned costs() const { return costs_; }

  private:
    struct Device {
        int ordinal = -1;
        tuning::DeviceTuning tuning;
    };
    void take_ignored(const std::vector<IgnoredRow>& ignored);
    void sum_up();

    std::vector<Device> devices_;  // at least one
    std::vector<IgnoredRow> ignored_;
    std::set<std::string> ignored_texts_;
    std::vector<std::string> tables_;
    unsigned rows_ = 0, costs_ = 0;
};

}  // namespace tegu::daemon
