// SPDX-License-Identifier: Apache-2.0
// CostProbe: measures the hand-over time of each target at the start, and sample jobs that no table and no
// earlier start has times of. A sample is a control task between two jobs, so a job waits for one sample at
// most. The state directory keeps the measurements.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "daemon/helper_thread.h"
#include "daemon/placement/kept_costs.h"
#include "daemon/placement/placement.h"
#include "daemon/placement/sample_memory.h"

namespace tegu::daemon {

// Io thread.
class CostProbe {
  public:
    // `files`: a thread for the file. All outlive it.
    CostProbe(const config::Settings& settings, Executors& executors, Placement& placement,
              HelperThread& files);
    ~CostProbe();

    // Takes what an earlier start has kept. Reads a file; before the daemon is ready.
    void load();
    // Tells the model again what was kept or measured, of which a new tuning table says nothing.
    void seed();
    // Times the hand-over to each target, and the samples of backends without known times.
    void start();
    // The same for backends of which nothing is known any more, if it does not run.
    void restart();
    // Begins nothing more.
    void stop() { stopped_ = true; }
    bool runs() const { return step_ != nullptr; }

  private:
    struct Step;
    // With those that are wanted, and those of which nothing is known.
    template <class Wanted>
    void begin(const Wanted& is_wanted) noexcept;
    // Each ends the probing where there is no memory for it.
    template <class Function>
    void guarded(Function&& function) noexcept;
    void next_backend();
    void next_sample();
    void end_sample();
    void end_backend();
    void keep();
    void post(std::function<SampleTime(CpuBackend&)> on_cpu, std::function<SampleTime(GpuBackend&)> on_gpu,
              void (CostProbe::*then)());
    GpuExecutor& gpu_of(Backend backend) const;
    bool is_idle() const;
    void learn_start();

    const config::Settings& settings_;
    Executors& executors_;
    Placement& placement_;
    HelperThread& files_;
    const std::string file_;
    const std::string key_;
    std::vector<Backend> left_;
    std::shared_ptr<Step> step_;
    KeptCosts costs_;
    bool kept_ = false;      // costs_ is of an earlier start
    bool measured_ = false;  // something of it is new
    bool started_ = false, stopped_ = false;
};

}  // namespace tegu::daemon
