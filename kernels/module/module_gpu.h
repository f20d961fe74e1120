// SPDX-License-Identifier: Apache-2.0
// ModuleGpu: a GPU behind the border of a module (abi.h). Adds no copy and no lock to a call.
#pragma once

#include <memory>
#include <vector>

#include "kernels/device/gpu.h"
#include "kernels/module/abi.h"

namespace tegu::module {

class ModuleGpu final : public device::Gpu {
  public:
    // As device::open_gpu(). REQUIRES: load_module() returned `module`.
    static Result<std::unique_ptr<device::Gpu>> open(const tegu_module& module,
                                                     const device::DeviceInfo& device,
                                                     const device::GpuLimits& limits);
    ~ModuleGpu() override { module_.close(gpu_); }
    ModuleGpu(const ModuleGpu&) = delete;
    ModuleGpu& operator=(const ModuleGpu&) = delete;

    // Where the module has no host memory, a function throws std::bad_alloc, as with a device that is linked
    // in.
    const device::DeviceInfo& info() const override { return device_; }
    Result<void> use() override;
    Result<device::Stream> create_stream(device::StreamUse use) override;
    void destroy_stream(device::Stream stream) override { module_.destroy_stream(gpu_, stream); }
    Result<void> synchronize(device::Stream stream) override;
    Result<void*> allocate_managed(std::size_t bytes) override;
    void free_managed(void* memory) override { module_.free_managed(gpu_, memory); }
    Result<void> attach_to_stream(void* memory, device::Stream stream) override;
    Result<void> attach_to_host(void* memory, device::Stream stream) override;
    Result<void> prefetch_to_device(void* memory, std::size_t bytes, device::Stream stream) override;
    Result<void> prefetch_to_host(void* memory, std::size_t bytes, device::Stream stream) override;
    Result<void*> allocate_pinned(std::size_t bytes) override;
    void free_pinned(void* memory) override { module_.free_pinned(gpu_, memory); }
    Result<void*> allocate_device(std::size_t bytes) override;
    void free_device(void* memory) override { module_.free_device(gpu_, memory); }
    Result<void> copy(void* to, const void* from, std::size_t bytes, device::Stream stream) override;
    Result<void*> register_mapping(void* data, std::size_t bytes, bool read_only) override;
    void unregister_mapping(void* data) override { module_.unregister_mapping(gpu_, data); }
    void trim(device::Stream stream) override { module_.trim(gpu_, stream); }
    std::size_t workspace_limit() const override;
    Result<std::size_t> free_bytes() override;
    Result<std::vector<cuda::KernelResources>> kernels() override;
    Result<kernels::RunReport> run(const cuda::JobRun& run, device::Stream stream,
                                   const cuda::JobPolicies& policies) override;
    void set_meanwhile(const cuda::Meanwhile& meanwhile) override;

  private:
    ModuleGpu(const tegu_module& module, tegu_module_gpu* gpu, const device::DeviceInfo& device)
        : module_(module), gpu_(gpu), device_(device) {}
    Result<void> done(std::int32_t outcome) const;
    template <class T>
    Result<T> value(std::int32_t outcome, T of) const;

    const tegu_module& module_;
    tegu_module_gpu* const gpu_;
    const device::DeviceInfo device_;
    tegu_module_error error_{};  // of the last call
    // of the job that starts; kept, so that a job allocates nothing. The module copies them before it waits.
    std::vector<std::uint64_t> words_;
    std::vector<tegu_module_input> inputs_;
    std::vector<void*> outputs_;
};

// The error of a call that failed; throws std::bad_alloc if the module had no host memory. REQUIRES: the
// outcome is not TEGU_MODULE_DONE.
Error error_of(std::int32_t outcome, const tegu_module_error& error);

}  // namespace tegu::module
