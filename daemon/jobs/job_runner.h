// SPDX-License-Identifier: Apache-2.0
// JobRunner: runs a prepared job on the calling thread and writes the body of its reply. Inline results are
// computed in a reused area and copied into the reply; others go into the output operand. One runner for each
// thread; this class uses the CPU, its subclass in GpuBackend a GPU.
#pragma once

#include <memory>
#include <vector>

#include "daemon/clock.h"
#include "daemon/jobs/prepared_job.h"

namespace tegu::daemon {

// Cost of a run.
struct RunCost {
    std::uint64_t copy_ns = 0;  // to and from memory of a device
    std::uint64_t copied_bytes = 0;
    std::uint64_t compute_ns = 0;
    std::uint64_t other_gpus_ns = 0;  // of a divided job: time of the other GPUs, copies included
    unsigned threads = 1;             // that computed the job
    bool beside = false;              // other jobs ran on the device at the same time
    bool started = false;             // its output may have been written
};

class JobRunner {
  public:
    // `pool` may be null: only the calling thread computes.
    explicit JobRunner(kernels::ThreadPool* pool);
    virtual ~JobRunner() = default;

    // Runs the job and appends the reply's body to `out`. `queue_ns`: from receipt to now. `cost` is always
    // set. Errors: those of run_job; `out` is then unchanged. A started in-place job never returns a
    // retryable error, because its input has changed. Standard library exceptions become OutOfMemory or
    // Internal.
    Result<void> run(const PreparedJob& prepared, const kernels::StopToken& stop, std::uint64_t queue_ns,
                     wire::ByteBuffer& out, RunCost& cost);

  protected:
    // Computes into `outputs`, at `prepared.output.offsets` from `base`; sets `cost`.
    virtual Result<kernels::RunReport> compute(const PreparedJob& prepared, std::byte* base,
                                               Span<const kernels::OutputView> outputs,
                                               const kernels::StopToken& stop, RunCost& cost);
    // Stores the job's tuning rows for the policy.
    void name_row(const PreparedJob& prepared, const tuning::JobChoice& choice);
    // The policy of a report, with the tuning rows as the last field.
    kernels::RunPolicy policy_with_row(const kernels::RunReport& report) const;
    virtual wire::Backend backend() const { return wire::Backend::Cpu; }

  private:
    // The policy for the reply, truncated so that the tuning rows after it fit.
    void write_policy(const kernels::RunReport& report, const std::string& note);
    Result<void> run_and_encode(const PreparedJob& prepared, const kernels::StopToken& stop,
                                wire::ByteBuffer& out, RunCost& cost);
    void encode(const PreparedJob& prepared, const kernels::RunReport& report, std::string_view policy,
                wire::ByteBuffer& out);

    kernels::ThreadPool* pool_;
    std::unique_ptr<std::byte[]> area_;  // kMaxInlineBytes; aligned for every element type
    std::vector<kernels::OutputView> outputs_;
    std::vector<ArraySpec> specs_;
    std::vector<std::uint64_t> offsets_;
    wire::JobReply reply_;
    std::string row_;
    std::string policy_;  // of the reply; a member, so that its memory is reused
};

}  // namespace tegu::daemon
