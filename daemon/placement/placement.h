// SPDX-License-Identifier: Apache-2.0
// Placement: calls decide() for the daemon. It collects predictions, queues, copies and limits, counts the
// decisions, and learns from finished jobs. Io thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <vector>

#include "config/settings.h"
#include "daemon/jobs/executors.h"
#include "daemon/placement/copy_model.h"
#include "daemon/placement/cost_model.h"
#include "daemon/placement/decide.h"
#include "daemon/placement/moving_time.h"

namespace tegu::daemon {

// The client of a job.
struct JobOwner {
    uid_t uid = 0;
    pid_t pid = 0;
    wire::Priority priority = wire::Priority::Normal;
    bool has_deadline = false;
};

// Decisions since the start.
struct PlacementCounts {
    std::array<std::uint64_t, kTargets> targets{};
    std::array<std::uint64_t, kReasons> reasons{};
};

class Placement {
  public:
    // `executors` outlives it. `threads`: of the pool.
    Placement(const config::Settings& settings, const Executors& executors, unsigned threads);

    // As check_wish() with the GPUs of the daemon.
    Result<void> check_wish(wire::BackendChoice wish) const;
    // The answer of decide() for the job. `gave_up_inline`: it took too long inline. Changes nothing.
    Result<Choice> choose(const PreparedJob& prepared, const JobOwner& owner, bool gave_up_inline) const;
    // Records that the job was admitted with the choice of choose().
    void admitted(const PreparedJob& prepared, const Choice& choice) noexcept;

    // Learns from a successful inline job.
    void learn_inline(const PreparedJob& prepared, const Choice& choice, const RunCost& cost);
    // Learns from a successful job of an executor. `turnaround_ns`: from its message to now.
    void learn(const JobTask& task, std::uint64_t turnaround_ns);
    // Learns from an inline job that was aborted after `spent_ns`.
    void learn_overrun(const PreparedJob& prepared, std::uint64_t spent_ns);

    // Applies measurements of probes. `source`: Probed or Kept.
    void seed(CostResource resource, const std::vector<CostSample>& samples, CostSource source) {
        costs_.seed(resource, samples, source);
    }
    void learn_copy(std::size_t gpu_kind, std::uint64_t bytes, std::uint64_t ns) {
        copies_[gpu_kind].alone.learn(bytes, ns);
    }
    // Learns the handover time at an idle target: from a job's message to its start, plus from its end to the
    // io thread.
    void learn_start(Target target, std::uint64_t ns);
    double start_us(Target target) const { return starts_[static_cast<std::size_t>(target)].value() * 1e-3; }
    // Applies the costs of the tuning tables; see CostModel::set_table().
    void set_tables(const TuningState& tuning);

    const CostModel& costs() const { return costs_; }
    const CopyModel& copies(std::size_t gpu_kind) const { return copies_[gpu_kind].alone; }
    const PlacementCounts& counts() const { return counts_; }
    unsigned threads() const { return threads_; }
    // The kind of each GPU; one model for each kind. Parallel to Gpus::all().
    const std::vector<std::size_t>& gpu_kinds() const { return gpu_kinds_; }
    // The first GPU of a kind.
    const device::DeviceInfo& device_of(std::size_t gpu_kind) const;

  private:
    Offer offer_at(Target target, CostResource resource, const CostClass& job, std::uint64_t run_ns) const;
    Offer on_gpu(const PreparedJob& prepared, const JobOwner& owner, std::size_t gpu) const;
    void add_targets(const PreparedJob& prepared, const JobOwner& owner, PlacementInputs& inputs) const;
    CostResource resource_at(const Choice& choice) const;
    void note_elsewhere(const PreparedJob& prepared, const Choice& choice) noexcept;
    void learn_start_of(const JobTask& task, std::uint64_t turnaround_ns);

    const config::Settings& settings_;
    const Executors& executors_;
    const unsigned threads_;
    std::vector<std::size_t> gpu_kinds_;
    CostModel costs_;
    // Copies for one job, and copies kept for later jobs; the latter include allocation.
    struct Copies {
        CopyModel alone, kept;
    };
    std::vector<Copies> copies_;
    std::array<MovingTime, kTargets> starts_;  // handover time, by target
    PlacementCounts counts_;
};

}  // namespace tegu::daemon
