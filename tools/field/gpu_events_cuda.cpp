// SPDX-License-Identifier: Apache-2.0
// Built with CUDA alone.
#include <cuda_runtime_api.h>

#include "kernels/cuda/context.h"
#include "tools/field/gpu_events.h"

namespace tegu::field {

using cuda::check_cuda;

class CudaEvents final : public GpuEvents {
  public:
    ~CudaEvents() override {
        for (cudaEvent_t event : {begin_, end_})
            if (event != nullptr) (void)cudaEventDestroy(event);
    }
    Result<void> make() {
        Result<void> made = check_cuda(cudaEventCreate(&begin_), "cudaEventCreate");
        if (made) made = check_cuda(cudaEventCreate(&end_), "cudaEventCreate");
        return made;
    }
    Result<void> begin(cuda::Stream stream) override {
        return check_cuda(cudaEventRecord(begin_, stream), "cudaEventRecord");
    }
    Result<double> end(cuda::Stream stream) override {
        Result<void> done = check_cuda(cudaEventRecord(end_, stream), "cudaEventRecord");
        if (done) done = check_cuda(cudaEventSynchronize(end_), "cudaEventSynchronize");
        float ms = 0;
        if (done) done = check_cuda(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
        if (!done) return std::move(done).error();
        return static_cast<double>(ms) * 1e-3;
    }
    Result<KernelFacts> facts(const void* function, unsigned threads, std::size_t dynamic_shared_bytes,
                              const cuda::DeviceLimits& limits) override;

  private:
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

Result<KernelFacts> CudaEvents::facts(const void* function, unsigned threads, std::size_t dynamic_shared_bytes,
                                      const cuda::DeviceLimits& limits) {
    cudaFuncAttributes attributes;
    Result<void> done = check_cuda(cudaFuncGetAttributes(&attributes, function), "cudaFuncGetAttributes");
    if (done && attributes.sharedSizeBytes + dynamic_shared_bytes > cuda::kPlainSharedBytes)
        done = check_cuda(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(dynamic_shared_bytes)),
                          "cudaFuncSetAttribute");
    int blocks = 0;
    if (done)
        done = check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, static_cast<int>(threads),
                                                                        dynamic_shared_bytes),
                          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    if (!done) return std::move(done).error();
    KernelFacts facts;
    facts.registers = static_cast<unsigned>(attributes.numRegs);
    facts.shared_bytes = attributes.sharedSizeBytes + dynamic_shared_bytes;
    facts.occupancy = static_cast<double>(blocks) * threads / limits.threads_per_multiprocessor;
    return facts;
}

Result<std::unique_ptr<GpuEvents>> GpuEvents::create() {
    auto events = std::make_unique<CudaEvents>();
    Result<void> made = events->make();
    if (!made) return std::move(made).error();
    return std::unique_ptr<GpuEvents>(std::move(events));
}

}  // namespace tegu::field
