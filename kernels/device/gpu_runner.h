// SPDX-License-Identifier: Apache-2.0
// GpuRunner: a job of the daemon on a GPU: its arrays to where kernels may touch them, the kernels, the
// results back. It knows nothing of sockets; which memory class the board has shows in no result.
#pragma once

#include "kernels/device/client_memory.h"

namespace tegu::device {

// One input as the CPU would read it, and where it lies.
struct GpuInput {
    kernels::InputView view;
    const ClientBuffer* buffer = nullptr;  // null: memory of this process, that lasts for the job
    ClientRange range;                     // with a buffer: view.data is at its byte range.begin
    bool is_output = false;                // exactly the first array of the output: the job works in place
};

struct GpuOutput {
    std::byte* data = nullptr;  // array i of the plan goes to data + offsets[i]
    Span<const std::uint64_t> offsets;
    const ClientBuffer* buffer = nullptr;  // null: memory of this process, that lasts for the job
    std::uint64_t begin = 0;               // with a buffer: where in it `data` is
    // Not 0: of each array only rows [skip_rows, skip_rows + rows) are wanted, from data + offsets[i] on.
    // What lies around them is left alone, as others may write there at the same time.
    std::uint64_t skip_rows = 0;
    std::uint64_t rows = 0;
};

struct GpuCost {
    MoveCost moved;
    std::uint64_t compute_ns = 0;
    bool started = false;  // the output may have been written
};

// Each is held to a share of the device's memory: the arena to half of it.
struct GpuRunnerLimits {
    // copies of clients' buffers, and what jobs need besides
    std::size_t arena_bytes = std::size_t{512} << 20;
    std::size_t registered_bytes = std::size_t{1} << 30;  // of clients' buffers, on class B; pinned in memory
    std::size_t register_from_bytes = std::size_t{64}
                                      << 10;  // a job that uses less of a buffer has it copied
};

class GpuRunner {
  public:
    // `gpu` outlives it. Errors: those of the Gpu.
    static Result<std::unique_ptr<GpuRunner>> create(Gpu& gpu, const GpuRunnerLimits& limits);
    ~GpuRunner();
    GpuRunner(const GpuRunner&) = delete;
    GpuRunner& operator=(const GpuRunner&) = delete;

    // Returns when the output is complete. `cost` is set in any case, even if an exception (std::bad_alloc)
    // passes, after which nothing of the job is left on the device. Where the device has no memory, all that
    // is kept for later jobs is given back to it, and the job gets one more try.
    // Errors: those of Gpu::run(); OutOfMemory: the device's or the arena's, and the next job may fare
    //         better; DeviceLost. If the
    // output was not started it is as it was.
    // REQUIRES: plan_job(job) gave `plan`, the views are valid for it. The thread that made it.
    Result<kernels::RunReport> run(const Job& job, const kernels::JobPlan& plan, Span<const GpuInput> inputs,
                                   const GpuOutput& output, const kernels::StopToken& stop, GpuCost& cost,
                                   const cuda::JobPolicies& policies = cuda::JobPolicies());
    // ClientMemory::drop().
    void drop(std::uint64_t buffer_id) { clients_.drop(buffer_id); }
    // ClientMemory::allow_registering().
    void allow_registering(std::uint64_t buffer_id, bool allowed) {
        clients_.allow_registering(buffer_id, allowed);
    }

    const DeviceInfo& info() const { return gpu_.info(); }
    MemoryClass memory_class() const { return gpu_.info().memory_class; }
    const Arena& arena() const { return arena_; }
    // Those of clients that it holds copies or registrations of.
    std::size_t buffers() const { return clients_.buffers(); }
    std::size_t registered_bytes() const { return clients_.registered_bytes(); }

  private:
    class JobEnd;
    GpuRunner(Gpu& gpu, Stream stream, const GpuRunnerLimits& limits);
    void end_job(bool complete) noexcept;
    bool device_is_full(std::uint64_t refusals_before);
    Result<std::byte*> place_input(const Job& job, const GpuInput& input, std::byte* output,
                                   Staging& temporary, const kernels::StopToken& stop, MoveCost& cost);
    // Null: the result has to be staged.
    std::byte* place_output(const GpuOutput& output, std::uint64_t bytes, MoveCost& cost);
    Result<kernels::RunReport> try_once(const Job& job, const kernels::JobPlan& plan,
                                        Span<const GpuInput> inputs, const GpuOutput& output,
                                        const kernels::StopToken& stop, GpuCost& cost);
    Result<kernels::RunReport> run_placed(const Job& job, const kernels::JobPlan& plan,
                                          Span<const GpuInput> inputs, const GpuOutput& output,
                                          const kernels::StopToken& stop, GpuCost& cost);
    // `offsets`: of the arrays in `from`.
    Result<void> bring_back(const kernels::JobPlan& plan, const kernels::RunReport& report,
                            const GpuOutput& output, Span<const std::uint64_t> offsets, Staging& from,
                            GpuCost& cost);

    struct Temporaries;
    Gpu& gpu_;
    Stream stream_;
    Arena arena_;
    ClientMemory clients_;
    std::unique_ptr<Temporaries> temporaries_;  // of the job at hand
    cuda::JobPolicies policies_;                // likewise
    bool ran_ = false;                          // its kernels were asked to run
};

}  // namespace tegu::device
