// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "kernels/execution/cuda/workspace.h"
#include "tests/kernels/cuda/test_device.h"
#include "tests/kernels/digests/inputs.h"

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
    return cuda::DeviceLimits{static_cast<unsigned>(10 * device.major + device.minor),
                              static_cast<unsigned>(device.multiProcessorCount),
                              static_cast<unsigned>(device.maxThreadsPerMultiProcessor),
                              device.sharedMemPerBlockOptin, static_cast<std::size_t>(device.l2CacheSize)};
}

cuda::Stream make_stream() {
    cudaStream_t stream = nullptr;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return stream;
}

// cudaMemcpy from pageable memory may return while the last bytes are on their way, and kernels of other
// streams do not wait for it.
void copy_to_device(void* to, const std::vector<std::byte>& content) {
    require(cudaMemcpy(to, content.data(), content.size(), cudaMemcpyDefault), "cudaMemcpy");
    require(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

// Contents that a scribbler turns through: random bytes, zeros, all bits set, infinities.
constexpr std::size_t kContents = 4;
std::vector<std::byte> scribble(std::size_t content, std::size_t bytes) {
    std::vector<std::byte> made(bytes, content == 2 ? std::byte{0xff} : std::byte{0});
    testing_support::SplitMix random(content);
    for (std::size_t at = 0; at < bytes && content % 3 == 0; at += 8) {
        const std::uint64_t word = content == 0 ? random.next() : 0x7f800000ff800000u;
        std::memcpy(made.data() + at, &word, std::min<std::size_t>(8, bytes - at));
    }
    return made;
}

}  // namespace

DeviceBytes::DeviceBytes(std::size_t bytes) : bytes_(bytes) {
    void* memory = nullptr;
    require(cudaMalloc(&memory, bytes + 1), "cudaMalloc");
    data_ = static_cast<std::byte*>(memory);
}
DeviceBytes::DeviceBytes(const std::vector<std::byte>& content) : DeviceBytes(content.size()) {
    copy_to_device(data_, content);
}
DeviceBytes::~DeviceBytes() {
    cudaFree(data_);
}
std::vector<std::byte> DeviceBytes::download() const {
    std::vector<std::byte> content(bytes_);
    require(cudaMemcpy(content.data(), data_, bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return content;
}

struct SharedBytes::State {
    SharedKind kind;
    std::size_t bytes;
    std::byte* host = nullptr;  // null: device memory
    std::byte* device = nullptr;
    std::atomic<bool> stopping{false};
    std::atomic<std::uint64_t> rounds{0};
    std::thread scribbler;

    void rewrite_by_copies(std::size_t begin, std::size_t end) {
        const cuda::Stream stream = make_stream();
        std::vector<std::unique_ptr<DeviceBytes>> contents;
        for (std::size_t i = 0; i < kContents; ++i)
            contents.push_back(std::make_unique<DeviceBytes>(scribble(i, end - begin)));
        for (; !stopping; ++rounds) {
            require(cudaMemcpyAsync(device + begin, contents[rounds % kContents]->data(), end - begin,
                                    cudaMemcpyDeviceToDevice, stream),
                    "cudaMemcpyAsync");
            require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        }
        require(cudaStreamDestroy(stream), "cudaStreamDestroy");
    }
    void rewrite_by_host(std::size_t begin, std::size_t end) {
        std::vector<std::vector<std::byte>> contents;
        for (std::size_t i = 0; i < kContents; ++i) contents.push_back(scribble(i, end - begin));
        for (; !stopping; ++rounds)
            std::memcpy(host + begin, contents[rounds % kContents].data(), end - begin);
    }
};

SharedBytes::SharedBytes(SharedKind kind, std::size_t bytes, std::byte fill) : state_(new State) {
    state_->kind = kind;
    state_->bytes = bytes;
    void* memory = nullptr;
    switch (kind) {
        case SharedKind::Device: require(cudaMalloc(&memory, bytes), "cudaMalloc"); break;
        case SharedKind::Managed: require(cudaMallocManaged(&memory, bytes), "cudaMallocManaged"); break;
        case SharedKind::Registered:
            memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            require(memory == MAP_FAILED ? cudaErrorMemoryAllocation
                                         : cudaHostRegister(memory, bytes, cudaHostRegisterMapped),
                    "cudaHostRegister");
            break;
    }
    state_->device = static_cast<std::byte*>(memory);
    if (kind != SharedKind::Device) state_->host = state_->device;
    if (kind == SharedKind::Registered) {
        require(cudaHostGetDevicePointer(&memory, state_->host, 0), "cudaHostGetDevicePointer");
        state_->device = static_cast<std::byte*>(memory);
    }
    const std::vector<std::byte> content(bytes, fill);
    copy_to_device(state_->device, content);
}
SharedBytes::~SharedBytes() {
    stop();
    if (state_->kind != SharedKind::Registered) {
        cudaFree(state_->device);
        return;
    }
    cudaHostUnregister(state_->host);
    munmap(state_->host, state_->bytes);
}
std::byte* SharedBytes::data() const {
    return state_->device;
}
void SharedBytes::start(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    state_->stopping = false;
    const std::uint64_t before = state_->rounds;
    state_->scribbler = std::thread([state = state_.get(), begin, end] {
        if (state->host == nullptr)
            state->rewrite_by_copies(begin, end);
        else
            state->rewrite_by_host(begin, end);
    });
    while (state_->rounds == before) std::this_thread::yield();  // it writes
}
void SharedBytes::stop() {
    if (!state_->scribbler.joinable()) return;
    state_->stopping = true;
    state_->scribbler.join();
}
std::vector<std::byte> SharedBytes::download() const {
    std::vector<std::byte> content(state_->bytes);
    require(cudaMemcpy(content.data(), state_->device, state_->bytes, cudaMemcpyDefault), "cudaMemcpy");
    return content;
}
bool has_kind(SharedKind kind) {
    int mapped = 0, concurrent = 0;
    require(cudaDeviceGetAttribute(&mapped, cudaDevAttrCanMapHostMemory, 0), "cudaDeviceGetAttribute");
    require(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0),
            "cudaDeviceGetAttribute");
    return kind == SharedKind::Device || (kind == SharedKind::Managed ? concurrent : mapped) != 0;
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
std::size_t take_most_shared_bytes() {
    return 0;
}
void set_thread_order(std::uint64_t) {}

}  // namespace tegu::test
