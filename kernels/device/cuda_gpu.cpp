// SPDX-License-Identifier: Apache-2.0
// CudaGpu: a CUDA device. open_gpu() makes the context, which ends with the process. Each stream keeps its
// workspace.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>

#include "kernels/device/gpu.h"
#include "kernels/execution/cuda/workspace.h"
#include "kernels/operation_cuda.h"

namespace tegu::device {
namespace {

using cuda::check_cuda;

// cudaHostRegisterReadOnly, missing in toolkits before 11.1. An older driver refuses it.
constexpr unsigned kRegisterReadOnly = 0x08;
// Workspace of a stream for short jobs.
constexpr std::size_t kBesideBytes = std::size_t{8} << 20;

class CudaGpu final : public Gpu {
  public:
    CudaGpu(const DeviceInfo& device, const GpuLimits& limits)
        : device_(device), workspace_limit_(within_memory(limits.workspace_bytes, device, 4)) {
        wait_.sleeps = plain_wait_.sleeps = device.attributes.integrated;
    }
    ~CudaGpu() override {
        while (!workspaces_.empty()) destroy_stream(workspaces_.begin()->first);
    }

    const DeviceInfo& info() const override { return device_; }
    Result<void> use() override { return check_cuda(cudaSetDevice(device_.ordinal), "cudaSetDevice"); }

    Result<Stream> create_stream(StreamUse use) override {
        int last = 0, first = 0;
        Result<void> made =
            check_cuda(cudaDeviceGetStreamPriorityRange(&last, &first), "cudaDeviceGetStreamPriorityRange");
        cudaStream_t stream = nullptr;
        const bool beside = use == StreamUse::JobsBeside;
        if (made)
            made = check_cuda(
                cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, beside ? first : last),
                "cudaStreamCreateWithPriority");
        if (!made) return std::move(made).error();
        const std::size_t limit = beside ? std::min(workspace_limit_, kBesideBytes) : workspace_limit_;
        workspaces_.emplace(stream, Kept{limit, new_workspace(stream, limit)});
        return stream;
    }
    void destroy_stream(Stream stream) override {
        (void)cudaStreamSynchronize(stream);  // fails only where the device is lost
        workspaces_.erase(stream);
        (void)cudaStreamDestroy(stream);
    }
    Result<void> synchronize(Stream stream) override { return cuda::wait_for(stream, plain_wait_); }

    Result<void*> allocate_managed(std::size_t bytes) override {
        void* memory = nullptr;
        Result<void> made =
            check_cuda(cudaMallocManaged(&memory, bytes, cudaMemAttachHost), "cudaMallocManaged");
        if (!made) return std::move(made).error();
        return memory;
    }
    void free_managed(void* memory) override { (void)cudaFree(memory); }
    Result<void> attach_to_stream(void* memory, Stream stream) override {
        return check_cuda(cudaStreamAttachMemAsync(stream, memory, 0, cudaMemAttachSingle),
                          "cudaStreamAttachMemAsync to the stream");
    }
    Result<void> attach_to_host(void* memory, Stream stream) override {
        return check_cuda(cudaStreamAttachMemAsync(stream, memory, 0, cudaMemAttachHost),
                          "cudaStreamAttachMemAsync to the host");
    }
    Result<void> prefetch_to_device(void* memory, std::size_t bytes, Stream stream) override {
        return prefetch(memory, bytes, device_.ordinal, stream);
    }
    Result<void> prefetch_to_host(void* memory, std::size_t bytes, Stream stream) override {
        return prefetch(memory, bytes, cudaCpuDeviceId, stream);
    }

    Result<void*> allocate_pinned(std::size_t bytes) override {
        if (!device_.attributes.can_map_host_memory) return Gpu::allocate_pinned(bytes);
        void* memory = nullptr;
        Result<void> made = check_cuda(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped), "cudaHostAlloc");
        if (!made) return std::move(made).error();
        void* address = nullptr;
        made = check_cuda(cudaHostGetDevicePointer(&address, memory, 0), "cudaHostGetDevicePointer");
        if (made && address == memory) return memory;
        (void)cudaFreeHost(memory);
        if (!made) return std::move(made).error();
        return make_error(Status::Unsupported, "pinned memory has two addresses");
    }
    void free_pinned(void* memory) override { (void)cudaFreeHost(memory); }

    Result<void*> allocate_device(std::size_t bytes) override {
        void* memory = nullptr;
        Result<void> made = check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
        if (!made) return std::move(made).error();
        return memory;
    }
    void free_device(void* memory) override { (void)cudaFree(memory); }
    Result<void> copy(void* to, const void* from, std::size_t bytes, Stream stream) override {
        return check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    }

    // A refusal here concerns this mapping or this flag. A copy still works, so every refusal maps to
    // Unsupported. A lost device reports its error at the next call.
    Result<void*> register_mapping(void* data, std::size_t bytes, bool read_only) override {
        const unsigned flags =
            cudaHostRegisterMapped | cudaHostRegisterPortable | (read_only ? kRegisterReadOnly : 0);
        const cudaError_t registered = cudaHostRegister(data, bytes, flags);
        if (registered != cudaSuccess) return refused("cudaHostRegister", registered);
        void* address = nullptr;
        const cudaError_t mapped = cudaHostGetDevicePointer(&address, data, 0);
        if (mapped == cudaSuccess) return address;
        (void)cudaHostUnregister(data);
        return refused("cudaHostGetDevicePointer", mapped);
    }
    void unregister_mapping(void* data) override { (void)cudaHostUnregister(data); }

    void trim(Stream stream) override {
        const auto workspace = workspaces_.find(stream);
        if (workspace == workspaces_.end()) return;
        workspace->second.workspace = new_workspace(stream, workspace->second.limit);
    }
    std::size_t workspace_limit() const override { return workspace_limit_; }
    Result<std::size_t> free_bytes() override {
        std::size_t free = 0, total = 0;
        Result<void> told = check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
        if (!told) return std::move(told).error();
        return free;
    }

    Result<std::vector<cuda::KernelResources>> kernels() override {
        return cuda::kernel_resources(device_.limits);
    }
    Result<kernels::RunReport> run(const cuda::JobRun& run, Stream stream,
                                   const cuda::JobPolicies& policies) override {
        const auto workspace = workspaces_.find(stream);
        if (workspace == workspaces_.end()) return make_error(Status::Internal, "no such stream");
        const cuda::Context context{stream, device_.limits,
                                    policies.whole == nullptr ? cuda::Policies() : *policies.whole,
                                    workspace->second.workspace.get(), policies};
        return cuda::run_job(run, context);
    }

    void set_meanwhile(const cuda::Meanwhile& meanwhile) override {
        Gpu::set_meanwhile(meanwhile);
        wait_.meanwhile = meanwhile;
    }

  private:
    struct Kept {
        std::size_t limit;  // of the workspace
        std::unique_ptr<cuda::DeviceWorkspace> workspace;
    };

    std::unique_ptr<cuda::DeviceWorkspace> new_workspace(Stream stream, std::size_t limit) const {
        return std::make_unique<cuda::DeviceWorkspace>(stream, limit, wait_);
    }

    static Error refused(const char* call, cudaError_t error) {
        (void)cudaGetLastError();
        return make_error(Status::Unsupported, std::string(call) + ": " + cudaGetErrorString(error) + " (" +
                                                   cudaGetErrorName(error) + ")");
    }

    Result<void> prefetch(void* memory, std::size_t bytes, int to, Stream stream) {
#if CUDART_VERSION >= 13000
        const cudaMemLocation location = {
            to == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
            to == cudaCpuDeviceId ? 0 : to};
        return check_cuda(cudaMemPrefetchAsync(memory, bytes, location, 0, stream), "cudaMemPrefetchAsync");
#else
        return check_cuda(cudaMemPrefetchAsync(memory, bytes, to, stream), "cudaMemPrefetchAsync");
#endif
    }

    DeviceInfo device_;
    std::size_t workspace_limit_;
    cuda::StreamWait wait_, plain_wait_;  // of jobs, and of other calls
    std::map<Stream, Kept> workspaces_;
};

}  // namespace

Result<std::unique_ptr<Gpu>> open_gpu(const DeviceInfo& device, const GpuLimits& limits) {
    auto gpu = std::make_unique<CudaGpu>(device, limits);
    Result<void> used = gpu->use();
    // Makes the context here and not within the first job.
    if (used) used = check_cuda(cudaFree(nullptr), "making a CUDA context");
    if (!used) return make_error(Status::Unavailable, used.error().message);
    return std::unique_ptr<Gpu>(std::move(gpu));
}

}  // namespace tegu::device
