// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include "kernels/execution/cuda/context.h"
#include "tools/tune/measure/stopwatch.h"

namespace tegu::tune {
namespace {

using cuda::check_cuda;

class EventStopwatch final : public Stopwatch {
  public:
    EventStopwatch() = default;
    EventStopwatch(const EventStopwatch&) = delete;
    EventStopwatch& operator=(const EventStopwatch&) = delete;
    ~EventStopwatch() override {
        if (begin_ != nullptr) (void)cudaEventDestroy(begin_);
        if (end_ != nullptr) (void)cudaEventDestroy(end_);
    }

    Result<void> create() {
        Result<void> made = check_cuda(cudaEventCreate(&begin_), "cudaEventCreate");
        return made ? check_cuda(cudaEventCreate(&end_), "cudaEventCreate") : made;
    }
    Result<void> start(device::Stream stream) override {
        return check_cuda(cudaEventRecord(begin_, stream), "cudaEventRecord");
    }
    Result<double> stop(device::Stream stream) override {
        float ms = 0;
        Result<void> done = check_cuda(cudaEventRecord(end_, stream), "cudaEventRecord");
        if (done) done = check_cuda(cudaEventSynchronize(end_), "cudaEventSynchronize");
        if (done) done = check_cuda(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
        if (!done) return std::move(done).error();
        return 1000 * static_cast<double>(ms);
    }

  private:
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Stopwatch>> make_stopwatch(device::Gpu&) {
    auto made = std::make_unique<EventStopwatch>();
    Result<void> created = made->create();
    if (!created) return std::move(created).error();
    return std::unique_ptr<Stopwatch>(std::move(made));
}

}  // namespace tegu::tune
