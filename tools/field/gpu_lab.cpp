// SPDX-License-Identifier: Apache-2.0
#include "tools/field/gpu_lab.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tools/field/gpu_meter.h"

namespace tegu::field {

using SteadyClock = std::chrono::steady_clock;

GpuLab::GpuLab(std::unique_ptr<device::Gpu> gpu, cuda::Stream stream)
    : gpu_(std::move(gpu)), stream_(stream) {}

GpuLab::~GpuLab() {
    gpu_->destroy_stream(stream_);
}

Result<std::unique_ptr<GpuLab>> GpuLab::of(std::unique_ptr<device::Gpu> gpu) {
    Result<void> used = gpu->use();
    if (!used) return std::move(used).error();
    const Result<cuda::Stream> stream = gpu->create_stream();
    if (!stream) return stream.error();
    return std::unique_ptr<GpuLab>(new GpuLab(std::move(gpu), *stream));
}

Result<std::unique_ptr<GpuLab>> GpuLab::open(const device::DeviceInfo& device) {
    Result<std::unique_ptr<device::Gpu>> gpu = device::open_gpu(device, device::GpuLimits());
    if (!gpu) return std::move(gpu).error();
    Result<std::unique_ptr<GpuLab>> lab = of(std::move(*gpu));
    if (!lab) return lab;
    Result<std::unique_ptr<GpuMeter>> meter = GpuMeter::create((*lab)->limits());
    if (!meter) return std::move(meter).error();
    (*lab)->meter_ = std::move(*meter);
    return lab;
}

Result<double> GpuLab::time(const std::function<Result<void>()>& work) {
    if (meter_ == nullptr) {
        const SteadyClock::time_point began = SteadyClock::now();
        Result<void> done = work();
        if (done) done = synchronize();
        if (!done) return std::move(done).error();
        return std::chrono::duration<double>(SteadyClock::now() - began).count();
    }
    Result<void> done = meter_->begin(stream_);
    if (done) done = work();
    if (!done) return std::move(done).error();
    return meter_->end(stream_);
}

Result<KernelFacts> GpuLab::kernel_facts(const void* function, unsigned threads,
                                         std::size_t dynamic_shared_bytes) {
    if (meter_ == nullptr) return make_error(Status::Unsupported, "this device tells nothing of kernels");
    return meter_->facts(function, threads, dynamic_shared_bytes);
}

Result<KernelFacts> GpuLab::kernel_facts(const std::string& kernel, unsigned threads) {
    if (meter_ == nullptr) return make_error(Status::Unsupported, "this device tells nothing of kernels");
    return meter_->facts(kernel, threads);
}

Result<DeviceArray> DeviceArray::create(GpuLab& lab, std::size_t bytes) {
    Result<void*> memory = lab.gpu().allocate_device(std::max<std::size_t>(bytes, 1));
    if (!memory) return std::move(memory).error();
    DeviceArray array;
    array.lab_ = &lab;
    array.data_ = *memory;
    array.bytes_ = bytes;
    return array;
}

DeviceArray::~DeviceArray() {
    if (data_ != nullptr) lab_->gpu().free_device(data_);
}
DeviceArray::DeviceArray(DeviceArray&& other) noexcept
    : lab_(other.lab_), data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
DeviceArray& DeviceArray::operator=(DeviceArray&& other) noexcept {
    std::swap(lab_, other.lab_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

Result<void> DeviceArray::upload(const void* from, std::size_t bytes) {
    if (bytes == 0) return {};
    Result<void> done = lab_->gpu().copy(data_, from, bytes, lab_->stream());
    return done ? lab_->synchronize() : done;
}

Result<void> DeviceArray::download(void* to, std::size_t bytes) const {
    if (bytes == 0) return {};
    Result<void> done = lab_->gpu().copy(to, data_, bytes, lab_->stream());
    return done ? lab_->synchronize() : done;
}

Result<DeviceInputs> DeviceInputs::create(GpuLab& lab, const void* content, std::size_t bytes,
                                          std::uint64_t limit_bytes) {
    constexpr std::uint64_t kAlignment = 256;
    DeviceInputs inputs;
    inputs.stride_ = (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
    const std::uint64_t wanted = std::max<std::uint64_t>(2, 4 * lab.limits().l2_bytes / inputs.stride_ + 1);
    inputs.count_ = std::min(wanted, std::max<std::uint64_t>(1, limit_bytes / inputs.stride_));
    Result<DeviceArray> pieces = DeviceArray::create(lab, inputs.count_ * inputs.stride_);
    if (!pieces && inputs.count_ > 1) {
        inputs.count_ = 1;  // a lack of memory costs accuracy, not the case
        pieces = DeviceArray::create(lab, inputs.stride_);
    }
    if (!pieces) return std::move(pieces).error();
    inputs.pieces_ = std::move(*pieces);
    Result<void> done = inputs.pieces_.upload(content, bytes);
    // Doubles the filled pieces on the device, until all are filled.
    std::byte* const memory = inputs.pieces_.as<std::byte>();
    for (std::uint64_t filled = 1; done && filled < inputs.count_; filled *= 2) {
        const std::uint64_t more = std::min(filled, inputs.count_ - filled);
        done = lab.gpu().copy(memory + filled * inputs.stride_, memory, more * inputs.stride_, lab.stream());
    }
    if (done) done = lab.synchronize();
    if (!done) return std::move(done).error();
    return inputs;
}

Result<ManagedArray> ManagedArray::create(GpuLab& lab, std::size_t bytes) {
    Result<void*> memory = lab.gpu().allocate_managed(std::max<std::size_t>(bytes, 1));
    if (!memory) return std::move(memory).error();
    ManagedArray array;
    array.lab_ = &lab;
    array.data_ = *memory;
    return array;
}

ManagedArray::~ManagedArray() {
    if (data_ != nullptr) lab_->gpu().free_managed(data_);
}
ManagedArray::ManagedArray(ManagedArray&& other) noexcept
    : lab_(other.lab_), data_(std::exchange(other.data_, nullptr)) {}
ManagedArray& ManagedArray::operator=(ManagedArray&& other) noexcept {
    std::swap(lab_, other.lab_);
    std::swap(data_, other.data_);
    return *this;
}

Result<void> ManagedArray::to_device() {
    return lab_->gpu().attach_to_stream(data_, lab_->stream());
}

Result<void> ManagedArray::to_host() {
    Result<void> done = lab_->gpu().attach_to_host(data_, lab_->stream());
    return done ? lab_->synchronize() : done;
}

}  // namespace tegu::field
