// SPDX-License-Identifier: Apache-2.0
// Built only with CUDA.
#include <cuda_runtime_api.h>

#include <vector>

#include "kernels/execution/cuda/context.h"
#include "kernels/execution/cuda/kernel_list.h"
#include "tools/field/gpu_meter.h"

namespace tegu::field {

using cuda::check_cuda;

class CudaMeter final : public GpuMeter {
  public:
    explicit CudaMeter(const cuda::DeviceLimits& limits) : limits_(limits) {}
    ~CudaMeter() override {
        for (cudaEvent_t event : {begin_, end_})
            if (event != nullptr) (void)cudaEventDestroy(event);
    }
    Result<void> make() {
        Result<void> made = check_cuda(cudaEventCreate(&begin_), "cudaEventCreate");
        return made ? check_cuda(cudaEventCreate(&end_), "cudaEventCreate") : made;
    }
    Result<void> begin(cuda::Stream stream) override {
        return check_cuda(cudaEventRecord(begin_, stream), "cudaEventRecord");
    }
    Result<double> end(cuda::Stream stream) override;
    Result<KernelFacts> facts(const void* function, unsigned threads,
                              std::size_t dynamic_shared_bytes) override;
    Result<KernelFacts> facts(const std::string& kernel, unsigned threads) override;

  private:
    const cuda::DeviceLimits limits_;
    std::vector<cuda::KernelEntry> kernels_;  // once they were asked for
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

Result<double> CudaMeter::end(cuda::Stream stream) {
    Result<void> done = check_cuda(cudaEventRecord(end_, stream), "cudaEventRecord");
    if (done) done = check_cuda(cudaEventSynchronize(end_), "cudaEventSynchronize");
    float ms = 0;
    if (done) done = check_cuda(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
    if (!done) return std::move(done).error();
    return static_cast<double>(ms) * 1e-3;
}

Result<KernelFacts> CudaMeter::facts(const void* function, unsigned threads,
                                     std::size_t dynamic_shared_bytes) {
    cudaFuncAttributes attributes;
    Result<void> done = check_cuda(cudaFuncGetAttributes(&attributes, function), "cudaFuncGetAttributes");
    if (done && attributes.sharedSizeBytes + dynamic_shared_bytes > cuda::kPlainSharedBytes)
        done = check_cuda(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(dynamic_shared_bytes)),
                          "cudaFuncSetAttribute");
    int blocks = 0;
    if (done) {
        const auto count = static_cast<int>(threads);
        done = check_cuda(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, count, dynamic_shared_bytes),
            "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    }
    if (!done) return std::move(done).error();
    KernelFacts facts;
    facts.registers = static_cast<unsigned>(attributes.numRegs);
    facts.shared_bytes = attributes.sharedSizeBytes + dynamic_shared_bytes;
    facts.occupancy = static_cast<double>(blocks) * threads / limits_.threads_per_multiprocessor;
    return facts;
}

Result<KernelFacts> CudaMeter::facts(const std::string& kernel, unsigned threads) {
    if (kernels_.empty()) {
        cuda::KernelLister lister(limits_);
        cuda::list_kernels(lister);
        kernels_ = lister.entries();
    }
    for (const cuda::KernelEntry& entry : kernels_)
        if (entry.name.compare(0, kernel.size(), kernel) == 0)
            return facts(entry.function, threads, entry.shared_bytes * threads / entry.threads);
    return make_error(Status::Unsupported, "there is no kernel " + kernel);
}

Result<std::unique_ptr<GpuMeter>> GpuMeter::create(const cuda::DeviceLimits& limits) {
    auto meter = std::make_unique<CudaMeter>(limits);
    Result<void> made = meter->make();
    if (!made) return std::move(made).error();
    return std::unique_ptr<GpuMeter>(std::move(meter));
}

}  // namespace tegu::field
