// SPDX-License-Identifier: Apache-2.0
// CostProbe: at the start, measures the handover time of each target, and sample jobs without a known time. A
// sample is a control task between two jobs, so a job waits for at most one sample. The state directory
// stores the measurements.
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
    // `files`: the thread that writes the file. All outlive this.
    CostProbe(const config::Settings& settings, Executors& executors, Placement& placement,
              HelperThread& files);
    ~CostProbe();

    // Reads the kept costs of an earlier start from the file. Call before the daemon is ready.
    void load();
    // Seeds the model again with the kept or measured times that a new tuning table lacks.
    void seed();
    // Times the handover to each target, and the samples of resources without known times.
    void start();
    // Starts again for resources without known times, unless it is running.
    void restart();
    // Starts no further sample.
    void stop() { stopped_ = true; }
    bool runs() const { return step_ != nullptr; }

  private:
    struct Step;
    // Starts with the resources for which is_wanted() is true or that have no known times.
    template <class Wanted>
    void begin(const Wanted& is_wanted) noexcept;
    // Calls `function`; on out of memory it ends the probing.
    template <class Function>
    void guarded(Function&& function) noexcept;
    void next_resource();
    void next_sample();
    void end_sample();
    void end_resource();
    void keep();
    void post(std::function<SampleTime(CpuBackend&)> on_cpu, std::function<SampleTime(GpuBackend&)> on_gpu,
              void (CostProbe::*then)());
    GpuExecutor& gpu_of(CostResource resource) const;
    bool is_idle() const;
    void learn_start();

    const config::Settings& settings_;
    Executors& executors_;
    Placement& placement_;
    HelperThread& files_;
    const std::string file_;
    const std::string key_;
    std::vector<CostResource> left_;
    std::shared_ptr<Step> step_;
    KeptCosts costs_;
    bool kept_ = false;      // costs_ is from an earlier start
    bool measured_ = false;  // costs_ has new measurements
    bool started_ = false, stopped_ = false;
};

}  // namespace tegu::daemon
