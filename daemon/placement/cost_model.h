// SPDX-License-Identifier: Apache-2.0
// CostModel: predicts the computing time of a job on each resource, without copies. Expected times come from
// the tuning table, or else from the job's plan and the device's attributes. Probes, kept costs and finished
// jobs correct them by class and size. Pure; io thread only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/tuning_row.h"
#include "daemon/placement/cost_accuracy.h"
#include "daemon/placement/cost_class.h"
#include "daemon/placement/cost_rows.h"
#include "daemon/placement/curve_table.h"
#include "daemon/placement/target.h"

namespace tegu::daemon {

// Source of a resource's times before jobs corrected them.
enum class CostSource : std::uint8_t {
    Default,  // plans and attributes
    Model,    // a tuning table, modelled or measured on a similar device
    Probed,   // measured by this process
    Kept,     // measured by an earlier process
    Table,    // the tuning table of the device, measured
};
std::string_view cost_source_word(CostSource source);

struct CostMachine {
    unsigned threads = 1;            // of the pool
    std::vector<double> gpu_speeds;  // gpu_speed() of each kind of GPU
};

// A finished job.
struct MeasuredJob {
    CostClass job;
    Target target = Target::Inline;
    std::size_t gpu_kind = 0;
    unsigned threads = 1;            // that it was divided among
    std::uint64_t predicted_ns = 0;  // result of predict_ns() at admission
    std::uint64_t measured_ns = 0;   // computing time only, without waiting and copies
    bool cold = false;               // it used pages that no job had touched before
};

// A deliberately measured time.
struct CostSample {
    CostClass job;
    double ns = 0;
};

class CostModel {
  public:
    // Jobs with a predicted or planned time below this are not learnt from: the fixed cost is most of their
    // time.
    static constexpr std::uint64_t kMinNs = 5000;
    // Maximum number of job classes with a correction, for each resource.
    static constexpr std::size_t kMaxClasses = 512;

    // REQUIRES: threads >= 1.
    explicit CostModel(const CostMachine& machine);

    std::size_t resources() const { return resources_.size(); }
    // Wall time on an idle machine, in ns. Never 0; huge plans saturate.
    std::uint64_t predict_ns(const CostClass& job, CostResource resource) const;

    // Replaces the resource's rows by those of `rows` that fit it, and drops its corrections unless the rows
    // are the same. `of_device`: the rows are for this exact device. Returns the number of rows that fit;
    // with 0 the source is Default.
    std::size_t set_table(CostResource resource, const std::vector<CostRow>& rows, bool of_device = true);
    // Applies measurements. If a table row covers a sample, the sample corrects that row.
    void seed(CostResource resource, const std::vector<CostSample>& samples, CostSource source);
    CostSource source(CostResource resource) const { return resources_[resource].source; }
    // Corrected by measurements on this machine.
    bool is_seeded(CostResource resource) const { return source(resource) > CostSource::Model; }

    // Corrects the model by a finished job. A pool job that ran on one thread counts for kOneThread. The
    // total time of all threads of a divided job is an upper bound for one thread. Ignored: cold jobs and
    // those expected to take less than kMinNs. Also ignored: the first of a class on a resource if it took
    // over twice the expected time, as first launches do.
    void learn(const MeasuredJob& job);
    // Records that a job on one thread was aborted after `spent_ns`, because it takes longer.
    void learn_overrun(const CostClass& job, std::uint64_t spent_ns);

    // Measurements of a job's class and size on a resource.
    struct Evidence {
        unsigned seen = 0;       // measured jobs, up to CorrectionCurve::kTrusted
        unsigned elsewhere = 0;  // jobs that ran on another resource since the last measured one
    };
    Evidence evidence(const CostClass& job, CostResource resource) const;
    // Records that such a job runs on another resource.
    void note_elsewhere(const CostClass& job, CostResource resource) noexcept;
    // Records that such a job was admitted to the resource as a trial.
    void note_trial(const CostClass& job, CostResource resource) noexcept;

    // Measured to planned time of recent jobs; for reports.
    double correction(Operation operation, CostResource resource) const;
    const CostRecord& record(Operation operation) const { return records_[index_of(operation)]; }
    std::size_t classes(CostResource resource) const { return resources_[resource].classes.size(); }

  private:
    struct PlanRatio {
        double factor = 1;
        double seen_ns = 1e5;  // planned time of the measured jobs
        void add(double ratio, double plan_ns);
    };
    struct ResourceCosts {
        CostSource source = CostSource::Default;
        std::vector<CostRow> rows;
        bool of_device = false;
        CostRows table;
        // Corrections for all classes of an operation: to times of plans and attributes, and to times of the
        // table.
        std::array<CorrectionCurve, kOperationSlots> operations, tables;
        std::array<PlanRatio, kOperationSlots> ratios;
        CurveTable classes{kMaxClasses};
    };
    struct Expected {
        double plain_ns = 0;             // by plan and attributes
        double ns = 0;                   // by the table, if a row covers the job
        CorrectionCurve::Parent parent;  // the correction for jobs without measurements of their class
        bool in_table = false;
    };
    static std::size_t index_of(Operation operation) { return static_cast<std::size_t>(operation); }
    double plain_ns(const CostClass& job, CostResource resource) const;
    Expected expect(const CostClass& job, CostResource resource) const;
    bool observe(const CostClass& job, CostResource resource, double ns);

    CostMachine machine_;
    std::vector<ResourceCosts> resources_;
    std::array<CostRecord, kOperationSlots> records_;
};

}  // namespace tegu::daemon
