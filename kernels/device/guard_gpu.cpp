// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/guard_gpu.h"

#include <cassert>
#include <chrono>
#include <cstring>
#include <exception>
#include <future>
#include <new>
#include <vector>

#include "kernels/device/guard_stream.h"
#include "kernels/tuning/policy_fields.h"

namespace tegu::device {
namespace {

constexpr std::chrono::microseconds kLook{50};  // the wait for a kernel does other work this often

GuardStream& stream_of(Stream stream) {
    return *reinterpret_cast<GuardStream*>(stream);
}

// Bytes from the first to the last element. REQUIRES: plan_job(job) succeeded.
std::uint64_t extent_bytes(const Job& job, std::uint64_t row_stride) {
    if (job.rows == 0 || job.cols == 0) return 0;
    return ((job.rows - 1) * row_stride + job.cols) * element_bytes(job.type);
}

}  // namespace

DeviceInfo guard_device(const GuardOptions& options) {
    DeviceInfo device;
    device.name = "guarded memory";
    device.limits = cuda::DeviceLimits{53, 1, 2048, 48 << 10, 256 << 10};
    device.memory_bytes = options.memory_bytes;
    const MemoryClass wanted = options.memory_class;
    device.attributes.integrated = wanted != MemoryClass::Discrete;
    device.attributes.managed_memory = true;
    device.attributes.concurrent_managed_access = wanted == MemoryClass::C || wanted == MemoryClass::Discrete;
    device.attributes.pageable_memory_access = wanted == MemoryClass::C;
    device.attributes.host_register_supported = wanted != MemoryClass::A;
    device.attributes.can_map_host_memory = wanted != MemoryClass::A;
    device.memory_class = choose_memory_class(device.attributes);
    assert(device.memory_class == wanted);
    return device;
}

namespace {

// Appends the policy fields that differ from the defaults: " given block_threads=512".
void add_given(const Job& job, const cuda::JobPolicies& policies, kernels::RunPolicy* to) {
    if (policies.whole == nullptr) return;
    tuning::PolicySet given;
    given.cuda = *policies.whole;
    const std::string_view stem = info_of(operation_of(job)).stem;
    for (const TuningValue& value : tuning::changed_values(TuningBackend::Cuda, stem, given)) {
        if (to->find("given").empty()) to->add_word("given", "given");
        to->add_word("given",
                     value.name + "=" + (value.word.empty() ? std::to_string(value.number) : value.word));
    }
}

}  // namespace

GuardGpu::GuardGpu(const GuardOptions& options) : GuardGpu(guard_device(options), options) {}
GuardGpu::GuardGpu(const DeviceInfo& device, const GuardOptions& options)
    : device_(device), options_(options), memory_(options.memory_bytes) {}
GuardGpu::~GuardGpu() {
    release_kernels();
}

Result<void> GuardGpu::alive() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lost_ ? Result<void>(*lost_) : Result<void>();
}

void GuardGpu::lose(const Error& error) noexcept {
    try {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!lost_) lost_ = error;
    } catch (const std::bad_alloc&) {
        lose();
    }
}

void GuardGpu::lose() noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!lost_) lost_ = make_error(Status::DeviceLost, "device lost");  // short enough to need no memory
}

// Otherwise the next touch would end the process without a message.
void GuardGpu::give_to_host(void* memory) {
    if (!memory_.allow_host(memory, true)) lose();
}

Result<Stream> GuardGpu::create_stream(StreamUse) {
    auto made = std::make_unique<GuardStream>();
    const auto stream = reinterpret_cast<Stream>(made.get());
    const std::lock_guard<std::mutex> lock(mutex_);
    streams_.emplace(stream, std::move(made));
    return stream;
}

void GuardGpu::destroy_stream(Stream stream) {
    stream_of(stream).drain();
    std::unique_ptr<GuardStream> ended;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = streams_.find(stream);
    ended = std::move(found->second);
    streams_.erase(found);
}

Result<void> GuardGpu::synchronize(Stream stream) {
    GuardStream& work = stream_of(stream);
    work.drain();
    for (void* memory : work.given_back) give_to_host(memory);
    work.given_back.clear();
    return alive();
}

Result<void*> GuardGpu::allocate_managed(std::size_t bytes) {
    Result<void> ready = alive();
    if (!ready) return std::move(ready).error();
    return memory_.allocate(GuardMemory::Kind::Managed, bytes);
}

void GuardGpu::free_managed(void* memory) {
    memory_.release(memory);
}

Result<void*> GuardGpu::allocate_pinned(std::size_t bytes) {
    if (!device_.attributes.can_map_host_memory) return Gpu::allocate_pinned(bytes);
    Result<void> ready = alive();
    if (!ready) return std::move(ready).error();
    return memory_.allocate(GuardMemory::Kind::Pinned, bytes);
}

Result<void*> GuardGpu::allocate_device(std::size_t bytes) {
    Result<void> ready = alive();
    if (!ready) return std::move(ready).error();
    return memory_.allocate(GuardMemory::Kind::Device, bytes);
}

Result<void> GuardGpu::attach_to_stream(void* memory, Stream stream) {
    Result<void> ready = alive();
    if (!ready) return ready;  // and nothing is attached
    // The step that may fail for lack of memory comes first: on failure the host keeps its permissions.
    stream_of(stream).push([this, memory, stream] { memory_.set_owner(memory, stream); });
    if (guards() && options_.strict) (void)memory_.allow_host(memory, false);
    return {};
}

Result<void> GuardGpu::attach_to_host(void* memory, Stream stream) {
    GuardStream& work = stream_of(stream);
    try {
        work.given_back.reserve(work.given_back.size() + 1);
        work.push([this, memory] { memory_.set_owner(memory, nullptr); });
        work.given_back.push_back(memory);
    } catch (const std::bad_alloc&) {  // destructors free memory: this path needs no queue entry
        work.drain();
        memory_.set_owner(memory, nullptr);
        give_to_host(memory);
    }
    return alive();
}

Result<void> GuardGpu::prefetch_to_device(void*, std::size_t, Stream) {
    assert(device_.attributes.concurrent_managed_access);
    return alive();
}

Result<void> GuardGpu::prefetch_to_host(void*, std::size_t, Stream) {
    assert(device_.attributes.concurrent_managed_access);
    return alive();
}

Result<void> GuardGpu::copy(void* to, const void* from, std::size_t bytes, Stream stream) {
    stream_of(stream).push([this, to, from, bytes, stream] {
        try {
            Result<std::byte*> target = memory_.translate(to, bytes, stream, GuardMemory::Access::Copy);
            Result<std::byte*> source = memory_.translate(from, bytes, stream, GuardMemory::Access::Copy);
            if (!target || !source) return lose(target ? source.error() : target.error());
            std::memcpy(*target, *source, bytes);
        } catch (const std::bad_alloc&) {  // for the error text
            lose();
        }
    });
    return alive();
}

Result<void*> GuardGpu::register_mapping(void* data, std::size_t bytes, bool read_only) {
    if (!options_.can_register || !device_.attributes.host_register_supported)
        return make_error(Status::Unsupported, "the guarded device registers no mapping");
    if (read_only && !options_.can_register_read_only)
        return make_error(Status::Unsupported, "the guarded device registers no mapping for reading alone");
    Result<void*> added = memory_.add_mapping(data, bytes);
    if (added) ++registrations_;
    return added;
}

void GuardGpu::unregister_mapping(void* data) {
    try {
        Result<void> removed = memory_.remove_mapping(data);
        if (!removed) lose(removed.error());
    } catch (const std::bad_alloc&) {  // for the error text
        lose();
    }
    --registrations_;
}

Result<std::byte*> GuardGpu::kernel_address(const std::byte* data, std::uint64_t bytes, Stream stream) const {
    if (device_.attributes.pageable_memory_access && !memory_.knows(data))
        return const_cast<std::byte*>(data);
    if (bytes == 0) return const_cast<std::byte*>(data);  // nothing is touched
    return memory_.translate(data, bytes, stream, GuardMemory::Access::Kernel);
}

Result<kernels::RunReport> GuardGpu::run(const cuda::JobRun& run, Stream stream,
                                         const cuda::JobPolicies& policies) {
    std::promise<Result<kernels::RunReport>> promise;
    stream_of(stream).push([&] {
        try {
            promise.set_value(run_kernel(run, stream));
        } catch (const std::bad_alloc&) {  // the caller's exception, as with any backend
            promise.set_exception(std::current_exception());
        }
    });
    std::future<Result<kernels::RunReport>> done = promise.get_future();
    while (done.wait_for(kLook) != std::future_status::ready) (void)meanwhile()();
    Result<kernels::RunReport> report = done.get();
    if (!report && report.error().status == Status::DeviceLost) lose(report.error());
    if (throws_next_.exchange(false)) throw std::bad_alloc();
    if (report) add_given(run.job, policies, &report->policy);
    return report;
}

// Takes the host's permissions for its stream's memory while a kernel runs, however the kernel ends.
class GuardGpu::KernelOwns {
  public:
    KernelOwns(GuardGpu& gpu, Stream stream) : gpu_(gpu), stream_(stream) {
        if (gpu_.guards()) (void)gpu_.memory_.allow_host_of(stream_, false);
    }
    ~KernelOwns() {
        if (gpu_.guards() && !gpu_.options_.strict && !gpu_.memory_.allow_host_of(stream_, true)) gpu_.lose();
    }
    KernelOwns(const KernelOwns&) = delete;
    KernelOwns& operator=(const KernelOwns&) = delete;

  private:
    GuardGpu& gpu_;
    const Stream stream_;
};

Result<kernels::RunReport> GuardGpu::run_kernel(const cuda::JobRun& run, Stream stream) {
    Result<void> ready = alive();
    if (!ready) return std::move(ready).error();
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (next_failure_ != nullptr) return *std::exchange(next_failure_, nullptr);
    }
    const Result<kernels::JobPlan> plan = kernels::plan_job(run.job);
    if (!plan) return plan.error();
    Result<void*> workspace = memory_.allocate(GuardMemory::Kind::Device, options_.workspace_bytes);
    if (!workspace) return std::move(workspace).error();
    memory_.release(*workspace);  // no kernel of this device touches it
    std::vector<kernels::InputView> sources(run.inputs.begin(), run.inputs.end());
    std::vector<kernels::OutputView> targets(run.outputs.begin(), run.outputs.end());
    for (kernels::InputView& source : sources) {
        Result<std::byte*> address =
            kernel_address(source.data, extent_bytes(run.job, source.row_stride), stream);
        if (!address) return std::move(address).error();
        source.data = *address;
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        Result<std::byte*> address = kernel_address(targets[i].data, array_bytes(plan->outputs[i]), stream);
        if (!address) return std::move(address).error();
        targets[i].data = *address;
    }
    const KernelOwns owns(*this, stream);
    stay_while_held();
    Result<kernels::RunReport> report =
        kernels::run_job(run.job, *plan, sources, targets, kernels::CpuContext(), run.stop);
    ++kernels_run_;
    if (report) report->policy.begin_with("device", "guard");
    return report;
}

void GuardGpu::hold_kernels(unsigned count) {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_ = true;
    left_to_hold_ = count;
}

void GuardGpu::release_kernels() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        held_ = false;
    }
    changed_.notify_all();
}

void GuardGpu::wait_for_kernel() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return in_kernel_ > 0; });
}

void GuardGpu::stay_while_held() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!held_ || left_to_hold_ == 0) return;
    --left_to_hold_;
    ++in_kernel_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_; });
    --in_kernel_;
}

void GuardGpu::fail_next(Error error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    next_failure_ = std::make_unique<Error>(std::move(error));
}

}  // namespace tegu::device
