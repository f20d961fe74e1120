// SPDX-License-Identifier: Apache-2.0
// CostModel: predicts how long a job computes on each backend once its data are there. Expected times come
// from the tuning table, or else from the job's plan and the device's attributes. Probing, an earlier start
// and every job that ran correct them, by class and size. Pure; io thread only.
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

// Where the times of a backend came from before jobs corrected them.
enum class CostSource : std::uint8_t {
    Default,  // plans and attributes
    Model,    // a tuning table that was modelled, or measured on a device like this one
    Probed,   // measured by this process
    Kept,     // measured by an earlier one
    Table,    // the tuning table of the device, measured
};
std::string_view cost_source_word(CostSource source);

struct CostMachine {
    unsigned threads = 1;            // of the pool
    std::vector<double> gpu_speeds;  // gpu_speed() of each kind of GPU
};

// A job that was computed to its end.
struct MeasuredJob {
    CostClass job;
    Target target = Target::Inline;
    std::size_t gpu_kind = 0;
    unsigned threads = 1;            // that computed the job
    std::uint64_t predicted_ns = 0;  // what predict_ns() said when it was admitted
    std::uint64_t measured_ns = 0;   // of computing, without waiting and copies
    bool cold = false;               // it read or wrote pages that were mapped for it first
};

// A time that was measured on purpose.
struct CostSample {
    CostClass job;
    double ns = 0;
};

class CostModel {
  public:
    // Predicted or planned: below it the fixed cost of a job is most of its time, and it teaches nothing.
    static constexpr std::uint64_t kLeastNs = 5000;
    // Classes of jobs that are remembered, of each backend.
    static constexpr std::size_t kMostClasses = 512;

    // REQUIRES: threads >= 1.
    explicit CostModel(const CostMachine& machine);

    std::size_t backends() const { return backends_.size(); }
    // Wall time on an idle machine. Never 0; huge plans saturate.
    std::uint64_t predict_ns(const CostClass& job, Backend backend) const;

    // Takes the rows of a tuning table that fit the backend in place of those before, and forgets what jobs
    // and samples taught taddress of the output operand unless they are the same. `of_device`: they are for
    // this very device. Returns how many fit; with none the source is Default again.
    std::size_t set_table(Backend backend, const std::vector<CostRow>& rows, bool of_device = true);
    // Takes measurements. Those that a row of the table is for correct that row.
    void seed(Backend backend, const std::vector<CostSample>& samples, CostSource source);
    CostSource source(Backend backend) const { return backends_[backend].source; }
    // By measurements on this machine.
    bool is_seeded(Backend backend) const { return source(backend) > CostSource::Model; }

    // A job of the pool that ran on one thread teaches what one thread takes; and one thread takes at most as
    // long as all threads of a divided job together. Jobs that teach nothing: cold ones, those expected to
    // take less than kLeastNs, and the first of its class on a backend if it is more than twice as long as
    // expected, as that is how a first launch looks.
    void learn(const MeasuredJob& job);
    // A job on one thread was given up after `spent_ns`, for it takes longer than that.
    void learn_overrun(const CostClass& job, std::uint64_t spent_ns);

    // What is known of a job's class and size on a backend.
    struct Evidence {
        unsigned seen = 0;       // jobs that it was learnt from, up to CorrectionCurve::kTrusted
        unsigned elsewhere = 0;  // jobs that ran on another backend since the last of them
    };
    Evidence evidence(const CostClass& job, Backend backend) const;
    // Such a job runs, but on another backend.
    void note_elsewhere(const CostClass& job, Backend backend) noexcept;
    // Such a job was admitted to the backend as a trial.
    void note_trial(const CostClass& job, Backend backend) noexcept;

    // Measured to planned time of recent jobs; for reports.
    double correction(Operation operation, Backend backend) const;
    const CostRecord& record(Operation operation) const { return records_[index_of(operation)]; }
    std::size_t classes(Backend backend) const { return backends_[backend].classes.size(); }

  private:
    struct PlanRatio {
        double factor = 1;
        double seen_ns = 1e5;  // planned time that it was learnt from
        void add(double ratio, double plan_ns);
    };
    struct BackendCosts {
        CostSource source = CostSource::Default;
        std::vector<CostRow> rows;
        bool of_device = false;
        CostRows table;
        // What holds for all classes of an operation: against what plans and attributes say, and against the
        // table.
        std::array<CorrectionCurve, kOperationSlots> operations, tables;
        std::array<PlanRatio, kOperationSlots> ratios;
        CurveTable classes{kMostClasses};
    };
    struct Expected {
        double plain_ns = 0;             // by plan and attributes
        double ns = 0;                   // by the table, if a row is for it
        CorrectionCurve::Parent parent;  // the correction for jobs of which no more is known
        bool in_table = false;
    };
    static std::size_t index_of(Operation operation) { return static_cast<std::size_t>(operation); }
    double plain_ns(const CostClass& job, Backend backend) const;
    Expected expect(const CostClass& job, Backend backend) const;
    bool observe(const CostClass& job, Backend backend, double ns);

    CostMachine machine_;
    std::vector<BackendCosts> backends_;
    std::array<CostRecord, kOperationSlots> records_;
};

}  // namespace tegu::daemon
