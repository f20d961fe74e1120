// SPDX-License-Identifier: Apache-2.0
// GuardGpu: a device for tests on any machine. It computes with the CPU backend, on one thread for each
// stream, and enforces the memory rules of Tegra on the host.
#pragma once

#include <atomic>
#include <climits>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "kernels/device/gpu.h"
#include "kernels/device/guard_memory.h"

namespace tegu::device {

struct GuardOptions {
    MemoryClass memory_class = MemoryClass::A;  // class of the device; not None
    bool strict = true;
    bool can_register = true;            // false: every mapping is refused
    bool can_register_read_only = true;  // false: read-only registrations are refused
    std::size_t memory_bytes = std::size_t{1} << 30;
    std::size_t workspace_bytes = 0;  // device memory that a kernel needs while it runs
};

// A device for which choose_memory_class() returns the class.
DeviceInfo guard_device(const GuardOptions& options);

class GuardStream;

// While a kernel runs, the host has no page permissions for managed memory of the kernel's stream. In strict
// mode it has none from attach_to_stream() until the synchronisation after attach_to_host(). So a touch ends
// the process as it would on a Nano. A kernel argument that is host memory, memory of another stream, or too
// short is an illegal access, and the device is lost. The device is also lost when a registered mapping ends
// or is replaced.
class GuardGpu : public Gpu {
  public:
    explicit GuardGpu(const GuardOptions& options);
    GuardGpu(const DeviceInfo& device, const GuardOptions& options);
    ~GuardGpu() override;

    const DeviceInfo& info() const override { return device_; }
    Result<void> use() override { return {}; }
    Result<Stream> create_stream(StreamUse use = StreamUse::Jobs) override;
    void destroy_stream(Stream stream) override;
    Result<void> synchronize(Stream stream) override;
    Result<void*> allocate_managed(std::size_t bytes) override;
    void free_managed(void* memory) override;
    Result<void> attach_to_stream(void* memory, Stream stream) override;
    Result<void> attach_to_host(void* memory, Stream stream) override;
    Result<void> prefetch_to_device(void* memory, std::size_t bytes, Stream stream) override;
    Result<void> prefetch_to_host(void* memory, std::size_t bytes, Stream stream) override;
    Result<void*> allocate_pinned(std::size_t bytes) override;
    void free_pinned(void* memory) override { memory_.release(memory); }
    Result<void*> allocate_device(std::size_t bytes) override;
    void free_device(void* memory) override { memory_.release(memory); }
    Result<void> copy(void* to, const void* from, std::size_t bytes, Stream stream) override;
    Result<void*> register_mapping(void* data, std::size_t bytes, bool read_only) override;
    void unregister_mapping(void* data) override;
    void trim(Stream) override {}
    std::size_t workspace_limit() const override { return options_.workspace_bytes; }
    Result<std::size_t> free_bytes() override { return memory_.free_bytes(); }
    Result<kernels::RunReport> run(const cuda::JobRun& run, Stream stream,
                                   const cuda::JobPolicies& policies = cuda::JobPolicies()) override;

    // For tests, any thread. While held, the next `count` kernels do not end.
    void hold_kernels(unsigned count = UINT_MAX);
    void release_kernels();
    // Returns when a held kernel has started.
    void wait_for_kernel();
    // Makes the next run fail with `error`, before it computes.
    void fail_next(Error error);
    // Makes the next run throw std::bad_alloc after its kernel has written its outputs.
    void throw_next() { throws_next_ = true; }
    // Simulates another process that uses `bytes` of the device's memory from now on.
    void take_elsewhere(std::size_t bytes) { memory_.take_elsewhere(bytes); }
    std::uint64_t kernels_run() const { return kernels_run_.load(); }
    std::uint64_t registrations() const { return registrations_.load(); }  // current number

  private:
    bool guards() const { return !device_.attributes.concurrent_managed_access; }
    class KernelOwns;

    Result<void> alive() const;
    // Keeps the first error; without memory, its text is short.
    void lose(const Error& error) noexcept;
    void lose() noexcept;
    void give_to_host(void* memory);
    Result<kernels::RunReport> run_kernel(const cuda::JobRun& run, Stream stream);
    Result<std::byte*> kernel_address(const std::byte* data, std::uint64_t bytes, Stream stream) const;
    void stay_while_held();

    DeviceInfo device_;
    GuardOptions options_;
    GuardMemory memory_;
    std::atomic<std::uint64_t> kernels_run_{0};
    std::atomic<std::uint64_t> registrations_{0};
    std::atomic<bool> throws_next_{false};

    mutable std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    std::map<Stream, std::unique_ptr<GuardStream>> streams_;
    bool held_ = false;
    unsigned left_to_hold_ = 0;
    unsigned in_kernel_ = 0;
    std::unique_ptr<Error> next_failure_;
    std::optional<Error> lost_;
};

}  // namespace tegu::device
