// SPDX-License-Identifier: Apache-2.0
// JobIndex: the jobs in flight of all sessions by id, for lists and for cancelling. Io thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "daemon/jobs/executor.h"

namespace tegu::daemon {

class JobIndex {
  public:
    // REQUIRES: the task outlives its entry; its ticket is new.
    void add(JobTask& task) { jobs_.emplace(task.waiting.ticket, &task); }
    void remove(const JobTask& task) { jobs_.erase(task.waiting.ticket); }
    // Null if there is none.
    JobTask* find(std::uint64_t id) const;
    // The job with the lowest id, which was taken first; null if there is none.
    const JobTask* oldest() const { return jobs_.empty() ? nullptr : jobs_.begin()->second; }
    // Calls `take` for jobs with ids above `after`, in order. Ends when `take` refuses a job (false) or after
    // `max_jobs` jobs. Returns the id of the last job that was taken if there are more, else 0.
    std::uint64_t visit(std::uint64_t after, std::size_t max_jobs,
                        const std::function<bool(const JobTask&)>& take) const;

  private:
    std::map<std::uint64_t, JobTask*> jobs_;
};

}  // namespace tegu::daemon
