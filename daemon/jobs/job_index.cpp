// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/job_index.h"

namespace tegu::daemon {

JobTask* JobIndex::find(std::uint64_t id) const {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? nullptr : found->second;
}

std::uint64_t JobIndex::visit(std::uint64_t after, std::size_t max_jobs,
                              const std::function<bool(const JobTask&)>& take) const {
    std::uint64_t last = after;
    for (auto job = jobs_.upper_bound(after); job != jobs_.end(); ++job) {
        if (max_jobs-- == 0 || !take(*job->second)) return last;
        last = job->first;
    }
    return 0;
}

}  // namespace tegu::daemon
