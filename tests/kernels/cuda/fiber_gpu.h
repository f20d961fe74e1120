// SPDX-License-Identifier: Apache-2.0
// A device that runs CUDA kernels on the host, where fibers stand for threads (tests/simt). Its memory is the
// host's, and all work is done at once.
#pragma once

#include <cstdlib>
#include <cstring>

#include "kernels/device/gpu.h"
#include "tests/kernels/cuda/test_device.h"

namespace tegu::device {

class FiberGpu : public Gpu {
  public:
    explicit FiberGpu(const DeviceInfo& device) : device_(device) {}
    const DeviceInfo& info() const override { return device_; }
    Result<void> use() override { return {}; }
    Result<Stream> create_stream(StreamUse) override { return reinterpret_cast<Stream>(this); }
    void destroy_stream(Stream) override {}
    Result<void> synchronize(Stream) override { return {}; }
    Result<void*> allocate_managed(std::size_t bytes) override { return std::malloc(bytes); }
    void free_managed(void* memory) override { std::free(memory); }
    Result<void> attach_to_stream(void*, Stream) override { return {}; }
    Result<void> attach_to_host(void*, Stream) override { return {}; }
    Result<void> prefetch_to_device(void*, std::size_t, Stream) override { return {}; }
    Result<void> prefetch_to_host(void*, std::size_t, Stream) override { return {}; }
    Result<void*> allocate_device(std::size_t bytes) override { return std::malloc(bytes); }
    void free_device(void* memory) override { std::free(memory); }
    Result<void> copy(void* to, const void* from, std::size_t bytes, Stream) override {
        std::memcpy(to, from, bytes);
        return {};
    }
    Result<void*> register_mapping(void*, std::size_t, bool) override {
        return make_error(Status::Unsupported, "no mapping can be registered");
    }
    void unregister_mapping(void*) override {}
    void trim(Stream) override {}
    std::size_t workspace_limit() const override { return std::size_t{64} << 20; }
    Result<std::size_t> free_bytes() override { return std::size_t{1} << 30; }
    Result<kernels::RunReport> run(const cuda::JobRun& run, Stream,
                                   const cuda::JobPolicies& policies) override {
        const char* why_not = nullptr;
        cuda::Context context = *test::test_context(&why_not);
        if (policies.whole != nullptr) context.policies = *policies.whole;
        context.parts = policies;
        return cuda::run_job(run, context);
    }

  private:
    const DeviceInfo device_;
};

// Such a device, of no memory class yet.
inline DeviceInfo describe_fibers() {
    DeviceInfo device;
    device.name = "fibers";
    const char* why_not = nullptr;
    device.limits = test::test_context(&why_not)->limits;
    device.memory_bytes = std::uint64_t{1} << 30;
    return device;
}

}  // namespace tegu::device
