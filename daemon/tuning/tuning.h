// SPDX-License-Identifier: Apache-2.0
// Tuning: the tuning tables in force. They are read at the start, and on a helper thread after each SIGHUP;
// later jobs use the new state. Ignored parts are logged once.
#pragma once

#include <cstdint>
#include <memory>

#include "config/settings.h"
#include "daemon/helper_thread.h"
#include "daemon/tuning/tuning_state.h"

namespace tegu::daemon {

// Io thread.
class Tuning {
  public:
    // Reads the tables named by the settings. `gpus`: those that run jobs.
    Tuning(const config::Settings::Tuning& settings, const std::string& sysroot,
           std::vector<device::DeviceInfo> gpus);

    // The state in force; never null.
    const std::shared_ptr<const TuningState>& state() const { return state_; }
    // Reads the tables again on the helper thread. Of overlapping reloads only the last one takes effect.
    void reload(const config::Settings::Tuning& settings, HelperThread& helper);

    // Values at the last read; "" is none.
    const std::string& directory() const { return directory_; }
    const std::string& overlay() const { return overlay_; }
    std::uint64_t loads() const { return loads_; }  // finished loads, including the first

  private:
    struct Load;
    void take(const Load& load);

    const std::vector<device::DeviceInfo> gpus_;
    const MachineNames names_;
    std::string directory_, overlay_;
    std::shared_ptr<const TuningState> state_ = std::make_shared<TuningState>();
    std::uint64_t loads_ = 0;
    std::shared_ptr<Load> wanted_;  // the last requested load
};

}  // namespace tegu::daemon
