// SPDX-License-Identifier: Apache-2.0
// Measures the cost of tuning tables: a lookup for each job, and reading the shipped tables at the start and
// at a SIGHUP. The lookup tables have as many rows as those of `tegu-tune`. The job's row is the last one, or
// no row applies.
#include <chrono>

#include "config/tuning_load.h"
#include "kernels/tuning/device_tuning.h"
#include "kernels/tuning/revisions.h"
#include "tools/bench/cases.h"

namespace tegu::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookups = 20000;  // of one repetition
constexpr int kLoads = 20;
constexpr std::uint64_t kElements = 1000000;

struct Measured {
    const Settings& settings;
    std::vector<Row>& rows;

    template <class Run>
    void add(const std::string& name, int runs, const Run& run) const {
        if (!settings.wants(name)) return;
        Row row;
        row.name = name;
        if (!settings.list) {
            std::vector<double> runs_ns;
            if (settings.quick) runs = 1;
            for (int repetition = 0; repetition < settings.repetitions; ++repetition) {
                const Clock::time_point start = Clock::now();
                for (int i = 0; i < runs; ++i) run();
                runs_ns.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() /
                                  runs);
            }
            set_times(row, runs_ns);
        }
        rows.push_back(std::move(row));
    }
};

tuning::TuningMachine a_machine() {
    tuning::TuningMachine machine;
    machine.has_gpu = true;
    machine.device_name = "A";
    machine.limits.compute_capability = 90;
    machine.limits.multiprocessors = 132;
    machine.limits.shared_bytes_per_block = 227 << 10;
    return machine;
}

// Rows of the operation for other jobs, and one that holds in the end. REQUIRES: its policy has a field.
TuningTable a_table(const OperationInfo& operation, unsigned count) {
    constexpr TuningBackend backend = TuningBackend::Cuda;
    const tuning::PolicyField& field = *tuning::policy_fields(backend, operation.stem).begin();
    TuningTable table;
    table.key = "a-132";
    table.device.name = "A";
    table.device.compute_capability = 90;
    table.device.multiprocessors = 132;
    for (unsigned i = 0; i < count; ++i) {
        TuningRow row;
        row.id = std::string(operation.stem) + "-" + std::to_string(i);
        row.jobs.operation = operation.stem;
        row.revision = tuning::revision_of(backend, operation.operation);
        if (i + 1 < count) row.jobs.elements = {kElements + 1 + i, TuningRange().end};
        TuningValue value;
        value.name = field.name;
        value.number = field.get(tuning::PolicySet());
        row.policy = {value};
        table.rows.push_back(row);
    }
    return table;
}

Job job_of(const JobParams& params) {
    Job job;
    job.cols = kElements;
    job.params = params;
    return job;
}

Job job_of(const OperationInfo& operation) {
    Job job;
    visit_operation<JobParams>(static_cast<std::uint16_t>(operation.operation),
                               [&](auto params) { job = job_of(JobParams{std::move(params)}); });
    return job;
}

// With all parts that there are.
Job fused_job() {
    FusedParams fused;
    for (const OperationInfo& info : operation_infos())
        visit_operation<FusedPart>(static_cast<std::uint16_t>(info.operation),
                                   [&](auto part) { fused.parts.emplace_back(std::move(part)); });
    return job_of(JobParams{fused});
}

void add_lookups(const Measured& measured) {
    volatile std::size_t sink = 0;
    // A lookup does the same for every operation.
    const OperationInfo& any = operation_infos().front();
    const struct {
        const char* name;
        Job job;
        unsigned rows;
    } cases[] = {
        {"tuning/lookup/rows=0", job_of(any), 0},
        {"tuning/lookup/rows=32", job_of(any), 32},
        {"tuning/lookup/rows=256", job_of(any), 256},
        {"tuning/lookup/fused/parts=max/rows=32", fused_job(), 32},
    };
    for (const auto& one : cases) {
        const std::vector<TuningTable> tables = {a_table(any, one.rows)};
        const tuning::DeviceTuning tuning(a_machine(), tables, nullptr);
        measured.add(one.name, kLookups,
                     [&] { sink = sink + tuning.choose(TuningBackend::Cuda, one.job).whole.row.size(); });
    }
}

}  // namespace

Result<void> run_tuning_cases(const Settings& settings, std::vector<Row>& rows) {
    const Measured measured{settings, rows};
    add_lookups(measured);
    const std::string directory = config::installed_tuning_directory();
    measured.add("tuning/read/installed", kLoads, [&] {
        tuning::DeviceTuning(a_machine(), config::load_tuning_files(directory, "").tables, nullptr);
    });
    return {};
}

}  // namespace tegu::bench
