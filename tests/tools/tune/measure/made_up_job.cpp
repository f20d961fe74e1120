// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/tune/measure/made_up_job.h"

namespace tegu::tune {

Result<RunTime> MadeUpJob::run(const tuning::PolicySet& policies, const kernels::StopToken& stop) {
    made_up_.before_run();
    ++made_up_.runs;
    if (stop.stop_requested()) return stop.error();
    if (made_up_.is_refused(policies))
        return make_error(Status::Internal, "too many resources requested for launch");
    const double share = static_cast<double>(random_.below(2001)) / 1000 - 1;
    const double us = made_up_.us(policies) * made_up_.factor * (1 + made_up_.noise * share);
    return RunTime{us, us + 5};
}

Result<std::string> MadeUpJob::check(const tuning::PolicySet& policies, const kernels::StopToken& stop) {
    ++made_up_.checks;
    const Result<RunTime> ran = run(policies, stop);
    if (!ran) return ran.error();
    return std::string(made_up_.is_wrong(policies) ? "values: element 3 differs" : "");
}

std::vector<std::unique_ptr<MeasuredJob>> made_up_jobs(MadeUp& made_up, std::size_t count) {
    std::vector<std::unique_ptr<MeasuredJob>> jobs;
    for (std::size_t i = 0; i < count; ++i) jobs.push_back(std::make_unique<MadeUpJob>(made_up));
    return jobs;
}

}  // namespace tegu::tune
