// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/module/loaded_module.h"

#include <cstdlib>
#include <cstring>

namespace tegu::module::test {
namespace {

// The arrays of a result in one piece of memory, each aligned for its type.
struct Outputs {
    explicit Outputs(const kernels::JobPlan& plan) {
        std::uint64_t end = 0;
        for (const ArraySpec& spec : plan.outputs) {
            offsets.push_back(end);
            end = (end + array_bytes(spec) + 63) / 64 * 64;
        }
        memory.resize(end / 8 + 8, 0x5a5a5a5a5a5a5a5a);
    }
    std::byte* data() { return reinterpret_cast<std::byte*>(memory.data()); }

    std::vector<std::uint64_t> offsets;
    std::vector<std::uint64_t> memory;
};

void keep_filled(const kernels::JobPlan& plan, const std::byte* data,
                 const std::vector<std::uint64_t>& offsets, JobArrays* to) {
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        const ArraySpec& spec = plan.outputs[i];
        const std::size_t bytes = element_bytes(spec.type);
        std::vector<std::byte> filled;
        for (std::uint64_t row = 0; row < spec.rows; ++row) {
            const std::byte* const begin = data + offsets[i] + row * spec.cols * bytes;
            filled.insert(filled.end(), begin, begin + to->report->filled_columns[i] * bytes);
        }
        to->arrays.push_back(std::move(filled));
    }
}

std::string text_of(const Error& error) {
    return std::string(status_info(error.status).word) + " \"" + error.message + "\", field \"" +
           error.field + "\", allowed \"" + error.allowed + "\", row " +
           (error.row ? std::to_string(*error.row) : std::string("none"));
}

std::string text_of(const JobArrays& arrays) {
    return arrays.report ? "a result" : text_of(arrays.report.error());
}

}  // namespace

std::string module_path(const std::string& name) {
    return TEGU_TEST_MODULES "/" + name +
           (name == "guard" || name == "fibers" ? "/tegu-cuda-99.so" : "/tegu-cuda-98.so");
}

LoadedModule::LoadedModule(const std::string& name) {
    (void)::setenv("TEGU_TEST_GPU", "A", 1);  // of guard_devices.cpp
    const device::DeviceList list = device::probe_devices({TEGU_TEST_MODULES "/" + name});
    const Result<device::DeviceInfo> device = device::choose_device(list, {});
    EXPECT_TRUE(device.ok()) << list.reason;
    if (!device) return;
    Result<std::unique_ptr<device::Gpu>> gpu = device::open_gpu(*device, device::GpuLimits());
    EXPECT_TRUE(gpu.ok());
    gpu_ = std::move(gpu).value();
    EXPECT_TRUE(gpu_->use().ok());
    runner_ = std::move(device::GpuRunner::create(*gpu_, device::GpuRunnerLimits())).value();
}

JobArrays LoadedModule::run(const Job& job, const std::vector<std::vector<std::byte>>& inputs,
                            const kernels::StopToken& stop, const cuda::JobPolicies& policies,
                            bool in_place) {
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    JobArrays result;
    if (!plan) {
        result.report = plan.error();
        return result;
    }
    Outputs outputs(*plan);
    std::vector<device::JobInput> views;
    for (const std::vector<std::byte>& input : inputs) {
        device::JobInput view;
        view.view = {input.data(), job.cols};
        views.push_back(view);
    }
    if (in_place) {
        std::memcpy(outputs.data(), inputs[0].data(), inputs[0].size());
        views[0].view.data = outputs.data();
        views[0].is_output = true;
    }
    device::JobOutput output;
    output.data = outputs.data();
    output.offsets = outputs.offsets;
    device::GpuCost cost;
    result.report = runner_->run(job, *plan, views, output, stop, cost, policies);
    if (result.report) keep_filled(*plan, outputs.data(), outputs.offsets, &result);
    return result;
}

JobArrays run_on_cpu(const Job& job, const std::vector<std::vector<std::byte>>& inputs) {
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    JobArrays result;
    if (!plan) {
        result.report = plan.error();
        return result;
    }
    Outputs outputs(*plan);
    std::vector<kernels::InputView> views;
    for (const std::vector<std::byte>& input : inputs) views.push_back({input.data(), job.cols});
    std::vector<kernels::OutputView> targets;
    for (const std::uint64_t offset : outputs.offsets) targets.push_back({outputs.data() + offset});
    result.report = kernels::run_job(job, views, targets, nullptr, kernels::StopToken());
    if (result.report) keep_filled(*plan, outputs.data(), outputs.offsets, &result);
    return result;
}

testing::AssertionResult same(const JobArrays& cpu, const JobArrays& module) {
    const bool equal =
        cpu.report && module.report
            ? cpu.report->filled_columns == module.report->filled_columns && cpu.arrays == module.arrays
            : text_of(cpu) == text_of(module);
    if (equal) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "CPU: " << text_of(cpu) << ", module: " << text_of(module)
                                       << (module.report ? " (" + module.report->policy.text() + ")" : "");
}

}  // namespace tegu::module::test
