// SPDX-License-Identifier: Apache-2.0
// A module of the tests with its first device open, and jobs that run behind its border and on the CPU.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/device/gpu_runner.h"
#include "kernels/module/loader.h"

namespace tegu::module::test {

// The file of the module in tests/modules/<name> of the build folder.
std::string module_path(const std::string& name);

struct JobArrays {
    Result<kernels::RunReport> report = kernels::RunReport();
    std::vector<std::vector<std::byte>> arrays;  // the filled columns of each
};

class LoadedModule {
  public:
    // Opens the first device.
    explicit LoadedModule(const std::string& name);

    device::Gpu& gpu() { return *gpu_; }
    // Runs a job on dense inputs. `in_place`: the first array of the result lies over the first input.
    JobArrays run(const Job& job, const std::vector<std::vector<std::byte>>& inputs,
                  const kernels::StopToken& stop = kernels::StopToken(),
                  const cuda::JobPolicies& policies = cuda::JobPolicies(), bool in_place = false);

  private:
    std::unique_ptr<device::Gpu> gpu_;
    std::unique_ptr<device::GpuRunner> runner_;
};

JobArrays run_on_cpu(const Job& job, const std::vector<std::vector<std::byte>>& inputs);

// Equal arrays, or equal errors with their rows.
testing::AssertionResult same(const JobArrays& cpu, const JobArrays& module);

}  // namespace tegu::module::test
