// SPDX-License-Identifier: Apache-2.0
// tegud with the guarded device of the tests in place of CUDA's: a touch of memory that a GPU owns ends it. $TEGU_TEST_GPU is the memory class
// of the device, or "none", or "unusable". $TEGU_TEST_FAULT, "oom:/tmp/x/now", makes calls fail as soon as the file exists: runs (oom, or
// lost), or the registration of read-only mappings (readonly).
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "daemon/daemon.h"
#include "kernels/device/guard_gpu.h"

namespace tegu::device {
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool is_due(const std::string& fault) {
    static const std::string text = variable("TEGU_TEST_FAULT");
    return text.rfind(fault + ":", 0) == 0 && ::access(text.c_str() + fault.size() + 1, F_OK) == 0;
}

GuardOptions options() {
    GuardOptions options;
    options.memory_class = find_memory_class(variable("TEGU_TEST_GPU")).value_or(MemoryClass::A);
    if (options.memory_class == MemoryClass::None) options.memory_class = MemoryClass::A;
    return options;
}

class FaultyGpu final : public GuardGpu {
  public:
    FaultyGpu(const DeviceInfo& device) : GuardGpu(device, options()) {}
    Result<kernels::RunReport> run(const Job& job, Span<const kernels::InputView> inputs,
                                   Span<const kernels::OutputView> outputs, Stream stream,
                                   const kernels::StopToken& stop) override {
        if (is_due("oom")) fail_next(make_error(Status::OutOfMemory, "the device has no memory left"));
        if (is_due("lost")) fail_next(make_error(Status::DeviceLost, "the device fell off the bus"));
        return GuardGpu::run(job, inputs, outputs, stream, stop);
    }
    Result<void*> register_mapping(void* data, std::size_t bytes, bool read_only) override {
        if (read_only && is_due("readonly")) return make_error(Status::Unsupported, "no read-only mappings here");
        return GuardGpu::register_mapping(data, bytes, read_only);
    }
};

}  // namespace

Span<const unsigned> built_architectures() {
    static constexpr unsigned kBuilt[] = {53};
    return kBuilt;
}

DeviceList probe_devices() {
    const std::string wanted = variable("TEGU_TEST_GPU");
    if (wanted == "none") return {{}, "no NVIDIA driver"};
    DeviceInfo device = guard_device(options());
    if (wanted == "unusable") device.unusable = missing_code_reason(built_architectures(), 110, true);
    return {{device}, ""};
}

Result<std::unique_ptr<Gpu>> open_gpu(const DeviceInfo& device, const GpuLimits&) {
    return std::unique_ptr<Gpu>(std::make_unique<FaultyGpu>(device));
}

}  // namespace tegu::device

int main(int argc, char** argv) {
    return tegu::daemon::run_daemon(argc, argv);
}
