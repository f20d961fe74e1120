// SPDX-License-Identifier: Apache-2.0
// GpuRunner: runs a job of the daemon on a GPU: moves its arrays to the GPU, runs the kernels, copies the
// results back. It is independent of sockets. No result depends on the board's memory class.
#pragma once

#include "kernels/device/client_memory.h"
#include "kernels/device/job_operands.h"

namespace tegu::device {

struct GpuCost {
    MoveCost moved;
    std::uint64_t compute_ns = 0;  // without the time of jobs within it
    bool beside = false;           // other jobs ran at the same time
    bool started = false;          // the output may have been written
};

// Each limit is capped by a share of the device's memory: half of it for the arena.
struct GpuRunnerLimits {
    // copies of clients' buffers, and other memory of jobs
    std::size_t arena_bytes = std::size_t{512} << 20;
    std::size_t registered_bytes = std::size_t{1} << 30;  // of clients' buffers, on class B; pinned in memory
    // Below this, a job's part of a buffer is copied.
    std::size_t register_from_bytes = std::size_t{64} << 10;
};

class GpuRunner {
  public:
    // `gpu` outlives the runner. Errors: those of the Gpu.
    static Result<std::unique_ptr<GpuRunner>> create(Gpu& gpu, const GpuRunnerLimits& limits);
    ~GpuRunner();
    GpuRunner(const GpuRunner&) = delete;
    GpuRunner& operator=(const GpuRunner&) = delete;

    // Returns when the output is complete. Always sets `cost`, also if an exception (std::bad_alloc) passes,
    // after which nothing of the job is left on the device. Where the device has no memory, the runner frees
    // all memory that is kept for later jobs and retries once. Errors: those of Gpu::run(); OutOfMemory
    // (device or arena; a later job may succeed); DeviceLost. An output that was not started is unchanged.
    // While a job waits for the device, that work may run up to jobs_beside() others, each within the last.
    // REQUIRES: plan_job(job) gave `plan`, the views are valid for it. The thread that made the runner.
    Result<kernels::RunReport> run(const Job& job, const kernels::JobPlan& plan, Span<const JobInput> inputs,
                                   const JobOutput& output, const kernels::StopToken& stop, GpuCost& cost,
                                   const cuda::JobPolicies& policies = cuda::JobPolicies());
    // As Gpu::set_meanwhile().
    void set_meanwhile(const cuda::Meanwhile& meanwhile) { gpu_.set_meanwhile(meanwhile); }
    // 0 on class A.
    unsigned jobs_beside() const { return static_cast<unsigned>(lanes_.size()) - 1; }
    // As ClientMemory::drop().
    void drop(std::uint64_t buffer_id) { clients_.drop(buffer_id); }
    // As ClientMemory::allow_registering().
    void allow_registering(std::uint64_t buffer_id, bool allowed) {
        clients_.allow_registering(buffer_id, allowed);
    }

    const DeviceInfo& info() const { return gpu_.info(); }
    MemoryClass memory_class() const { return gpu_.info().memory_class; }
    const Arena& arena() const { return arena_; }
    // Clients' buffers with copies or registrations here.
    std::size_t buffers() const { return clients_.buffers(); }
    std::size_t registered_bytes() const { return clients_.registered_bytes(); }

  private:
    class JobEnd;
    class Taken;
    struct Lane;
    GpuRunner(Gpu& gpu, std::vector<Stream> streams, const GpuRunnerLimits& limits);
    void end_job(bool complete) noexcept;
    bool device_is_full(std::uint64_t refusals_before);
    Result<std::byte*> place_input(const Job& job, const JobInput& input, std::byte* output,
                                   Staging& temporary, const kernels::StopToken& stop, MoveCost& cost);
    // Null: the result must be staged.
    std::byte* place_output(const JobOutput& output, std::uint64_t bytes, MoveCost& cost);
    Result<kernels::RunReport> try_once(const Job& job, const kernels::JobPlan& plan,
                                        Span<const JobInput> inputs, const JobOutput& output,
                                        const kernels::StopToken& stop, GpuCost& cost);
    Result<kernels::RunReport> run_placed(const Job& job, const kernels::JobPlan& plan,
                                          Span<const JobInput> inputs, const JobOutput& output,
                                          const kernels::StopToken& stop, GpuCost& cost);
    // `offsets`: of the arrays in staging memory.
    Result<void> bring_back(const kernels::JobPlan& plan, const kernels::RunReport& report,
                            const JobOutput& output, Span<const std::uint64_t> offsets, GpuCost& cost);

    Lane& lane() const { return *lanes_[depth_ - 1]; }  // of the newest job

    Gpu& gpu_;
    std::vector<std::unique_ptr<Lane>> lanes_;  // one for each job at a time
    std::size_t depth_ = 0;                     // jobs that run
    Arena arena_;
    ClientMemory clients_;
};

}  // namespace tegu::device
