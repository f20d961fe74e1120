// SPDX-License-Identifier: Apache-2.0
// TuningState: what the daemon has of tuning tables at one moment. Immutable and shared: a job keeps the
// state that it was prepared with, so that a reload changes no job in flight.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "config/tuning_load.h"
#include "kernels/device/device_info.h"
#include "kernels/tuning/device_tuning.h"

namespace tegu::daemon {

// The machine as tables name it, besides its GPUs.
struct MachineNames {
    std::string board;  // of the device tree, or of DMI
    std::string cpu;
    unsigned cpu_threads = 0;
};
// From files below `sysroot`; what is not there stays empty. Blocks for a moment.
MachineNames read_machine_names(const std::string& sysroot);

// Whether a table may hold for the CPU or one of the GPUs. REQUIRES: both outlive the function.
config::WantsTable tables_for(const MachineNames& names, Span<const device::DeviceInfo> gpus);

class TuningState {
  public:
    // The defaults for everything.
    TuningState();
    // `gpus`: those that run jobs; without any the CPU alone is tuned.
    TuningState(const config::TuningFiles& files, const MachineNames& names,
                Span<const device::DeviceInfo> gpus);

    // Of the CPU, and of the GPU of a number as CUDA counts: the defaults if it is none of those given.
    const tuning::DeviceTuning& cpu() const { return devices_.front().tuning; }
    const tuning::DeviceTuning& gpu(int ordinal) const;

    // What is left out of files and of tables, each text once; of a table the first kMostIgnoredKept.
    const std::vector<IgnoredRow>& ignored() const { return ignored_; }
    // Whether this is the text of one of them.
    bool ignores(const std::string& text) const { return ignored_texts_.count(text) != 0; }
    // Tables of any of the devices that are used, each once, in the order of the lookup; rows and costs of
    // all.
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
