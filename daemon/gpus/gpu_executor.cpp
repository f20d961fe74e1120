// SPDX-License-Identifier: Apache-2.0
#include "daemon/gpus/gpu_executor.h"

#include <utility>

namespace tegu::daemon {

std::shared_ptr<GpuExecutor> GpuExecutor::start(const device::DeviceInfo& device,
                                                const config::Settings& settings, Executor& fallback,
                                                std::function<void()> wake, const char* name,
                                                std::future<Result<void>>& opened) {
    std::promise<Result<void>> promise;
    opened = promise.get_future();
    auto backend = std::make_unique<GpuBackend>(device, settings.gpu, fallback, std::move(promise));
    std::shared_ptr<GpuExecutor> gpu(new GpuExecutor(device));
    gpu->backend_ = backend.get();
    gpu->executor_ = std::make_unique<Executor>(std::move(backend), settings.scheduler.quantum_us * 1000,
                                                std::move(wake), name);
    return gpu;
}

GpuExecutor::~GpuExecutor() = default;

void GpuExecutor::post(std::function<void(GpuBackend&)> work, std::function<void()> done) {
    executor_->post([work = std::move(work), backend = backend_] { work(*backend); }, std::move(done));
}

void GpuExecutor::stop() {
    executor_.reset();
    backend_ = nullptr;
}

void GpuExecutor::forget(std::uint64_t buffer_id, std::function<void()> then) {
    if (stopped()) return then();
    executor_->post([backend = backend_, buffer_id] { backend->forget(buffer_id); }, std::move(then));
}

void GpuExecutor::allow_registering(std::uint64_t buffer_id, bool allowed, std::function<void()> then) {
    if (!stopped()) {
        executor_->post(
            [backend = backend_, buffer_id, allowed] { backend->allow_registering(buffer_id, allowed); },
            std::move(then));
    } else if (then) {
        then();
    }
}

}  // namespace tegu::daemon
