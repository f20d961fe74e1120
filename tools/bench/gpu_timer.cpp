// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/gpu_timer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tegu::bench {
namespace {

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

class Event {
  public:
    Event() { require_cuda(cudaEventCreate(&event_), "cudaEventCreate"); }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    cudaEvent_t get() const { return event_; }

  private:
    cudaEvent_t event_ = nullptr;
};

std::string describe(const cudaDeviceProp& device) {
    int driver = 0;
    require_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    char text[512];
    std::snprintf(text, sizeof text, "%s, sm_%d%d, %d multiprocessors, %.0f MiB of L2, driver for CUDA %d.%d",
                  device.name, device.major, device.minor, device.multiProcessorCount,
                  static_cast<double>(device.l2CacheSize) / 1048576.0, driver / 1000, driver % 1000 / 10);
    return text;
}

}  // namespace

void require_cuda(int status, const char* call) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "tegu-bench: %s: %s\n", call, cudaGetErrorString(static_cast<cudaError_t>(status)));
    std::exit(1);
}

std::string no_gpu_reason() {
    int devices = 0;
    const cudaError_t counted = cudaGetDeviceCount(&devices);
    if (counted != cudaSuccess) return cudaGetErrorString(counted);
    return devices == 0 ? "no device" : "";
}

Rotation::Rotation(std::uint64_t bytes, std::uint64_t l2_bytes, std::uint64_t limit_bytes) {
    const std::uint64_t size = std::max<std::uint64_t>(bytes, 256);
    const std::uint64_t wanted = std::max<std::uint64_t>(2, 4 * l2_bytes / size + 1);
    const std::uint64_t count = std::min(wanted, std::max<std::uint64_t>(1, limit_bytes / size));
    for (std::uint64_t i = 0; i < count; ++i) {
        void* piece = nullptr;
        require_cuda(cudaMalloc(&piece, size), "cudaMalloc");
        pieces_.push_back(piece);
    }
}
Rotation::~Rotation() {
    for (void* piece : pieces_) cudaFree(piece);
}
void Rotation::fill(const void* content, std::uint64_t bytes) {
    for (void* piece : pieces_)
        require_cuda(cudaMemcpy(piece, content, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    require_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}
void Rotation::zero(std::uint64_t bytes) {
    for (void* piece : pieces_) require_cuda(cudaMemset(piece, 0, bytes), "cudaMemset");
    require_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

GpuTimer::GpuTimer(bool quick) : quick_(quick) {
    cudaDeviceProp device;
    require_cuda(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
    device_ = describe(device);
    require_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    workspace_ = new cuda::DeviceWorkspace(stream_, std::size_t{4} << 30);
    context_.stream = stream_;
    context_.workspace = workspace_;
    context_.limits = cuda::DeviceLimits{
        static_cast<unsigned>(10 * device.major + device.minor),
        static_cast<unsigned>(device.multiProcessorCount),
        static_cast<unsigned>(device.maxThreadsPerMultiProcessor),
        device.sharedMemPerBlockOptin != 0 ? device.sharedMemPerBlockOptin : device.sharedMemPerBlock,
        static_cast<std::size_t>(device.l2CacheSize)};
    measure_copy();
}

GpuTimer::~GpuTimer() {
    delete workspace_;
    cudaStreamDestroy(stream_);
}

void GpuTimer::measure_copy() {
    std::size_t free = 0, total = 0;
    require_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    std::uint64_t bytes = std::uint64_t{quick_ ? 64u : 1024u} << 20;
    while (bytes > free / 8) bytes /= 2;  // a board has little
    copied_bytes_ = bytes;
    const Rotation pieces(bytes, 0);
    const GpuTime copied = time([&](std::size_t turn) {
        require_cuda(
            cudaMemcpyAsync(pieces[turn], pieces[turn + 1], bytes, cudaMemcpyDeviceToDevice, stream_),
            "cudaMemcpyAsync");
    });
    copy_bytes_per_us_ = 2.0 * static_cast<double>(bytes) / copied.us;
}

GpuTime GpuTimer::time(const std::function<void(std::size_t)>& launch) {
    const std::size_t repetitions = quick_ ? 5 : 40;
    std::size_t turn = 0;
    for (; turn < 4; ++turn) launch(turn);
    require_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    const Event begin, end;
    std::vector<double> times;
    for (std::size_t i = 0; i < repetitions; ++i) {
        require_cuda(cudaEventRecord(begin.get(), stream_), "cudaEventRecord");
        launch(turn++);
        require_cuda(cudaEventRecord(end.get(), stream_), "cudaEventRecord");
        require_cuda(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
        float ms = 0;
        require_cuda(cudaEventElapsedTime(&ms, begin.get(), end.get()), "cudaEventElapsedTime");
        times.push_back(1000.0 * static_cast<double>(ms));
    }
    GpuTime result;
    result.us = median(times);
    result.min_us = *std::min_element(times.begin(), times.end());
    for (double& value : times) value = std::fabs(value - result.us) / result.us;
    result.noise = median(times);
    return result;
}

}  // namespace tegu::bench
