// SPDX-License-Identifier: Apache-2.0
// CurrentJobs: the jobs that run on a device, each within the last. They number what they use, so that
// nothing in use is given up.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/device/gpu.h"

namespace tegu::device {

class CurrentJobs {
  public:
    static constexpr std::size_t kMax = 8;

    // There is always a first job, which has `stream`.
    explicit CurrentJobs(Stream stream) { jobs_[0] = {1, stream}; }

    // Begins a job within the newest. REQUIRES: fewer than kMax run.
    void begin_beside(Stream stream) { jobs_[++newest_] = {++last_, stream}; }
    // Ends the newest job; after the first one another first one begins.
    void end() {
        if (newest_ > 0)
            --newest_;
        else
            jobs_[0].number = ++last_;
    }

    Stream stream() const { return jobs_[newest_].stream; }         // of the newest job
    std::uint64_t number() const { return jobs_[newest_].number; }  // larger than those before it
    bool has(std::uint64_t number) const {
        return std::any_of(jobs_.begin(), jobs_.begin() + newest_ + 1,
                           [&](const CurrentJob& job) { return job.number == number; });
    }
    bool has(Stream stream) const {
        return std::any_of(jobs_.begin(), jobs_.begin() + newest_ + 1,
                           [&](const CurrentJob& job) { return job.stream == stream; });
    }
    // Notes a use by the newest job. Of the jobs that use it, the first counts: it ends last.
    void use(std::uint64_t& last_job) const {
        if (!has(last_job)) last_job = number();
    }

  private:
    struct CurrentJob {
        std::uint64_t number = 0;
        Stream stream = nullptr;
    };
    std::array<CurrentJob, kMax> jobs_;
    std::size_t newest_ = 0;
    std::uint64_t last_ = 1;
};

}  // namespace tegu::device
