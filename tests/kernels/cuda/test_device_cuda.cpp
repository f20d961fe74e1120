// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

#include "kernels/cuda/workspace.h"
#include "tests/kernels/cuda/test_device.h"

namespace tegu::test {
namespace {

void require(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
    std::abort();
}

cuda::DeviceLimits limits_of_device() {
    cudaDeviceProp device;
    require(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
    return cuda::DeviceLimits{static_cast<unsigned>(10 * device.major + device.minor), static_cast<unsigned>(device.multiProcessorCount),
                              static_cast<unsigned>(device.maxThreadsPerMultiProcessor), device.sharedMemPerBlockOptin,
                              static_cast<std::size_t>(device.l2CacheSize)};
}

cuda::Stream make_stream() {
    cudaStream_t stream = nullptr;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return stream;
}

}  // namespace

DeviceBytes::DeviceBytes(std::size_t bytes) : bytes_(bytes) {
    void* memory = nullptr;
    require(cudaMalloc(&memory, bytes + 1), "cudaMalloc");
    data_ = static_cast<std::byte*>(memory);
}
DeviceBytes::DeviceBytes(const std::vector<std::byte>& content) : DeviceBytes(content.size()) {
    require(cudaMemcpy(data_, content.data(), bytes_, cudaMemcpyHostToDevice), "cudaMemcpy");
}
DeviceBytes::~DeviceBytes() { cudaFree(data_); }
std::vector<std::byte> DeviceBytes::download() const {
    std::vector<std::byte> content(bytes_);
    require(cudaMemcpy(content.data(), data_, bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return content;
}

const cuda::Context* test_context(const char** why_not) {
    int devices = 0;
    const cudaError_t counted = cudaGetDeviceCount(&devices);
    if (counted != cudaSuccess || devices == 0) {
        *why_not = counted == cudaSuccess ? "no device" : cudaGetErrorString(counted);
        return nullptr;
    }
    static const cuda::Stream stream = make_stream();
    static cuda::DeviceWorkspace workspace(stream, std::size_t{4} << 30);
    static const cuda::Context context{stream, limits_of_device(), {}, &workspace};
    return &context;
}

std::uint64_t largest_test_elements() {
    static const std::uint64_t wish = number_in_environment("TEGU_TEST_ELEMENTS");
    return wish != 0 ? wish : std::uint64_t{1} << 33;
}
void set_thread_order(std::uint64_t) {}

}  // namespace tegu::test
