// SPDX-License-Identifier: Apache-2.0
// Distributes the segments of a job over selections. All workers share a long segment; short rows go in
// bunches, each to one worker with its own workspace.
#pragma once

#include <algorithm>

#include "kernels/execution/cpu/sweep.h"
#include "kernels/selection/cpu/workspace.h"

namespace tegu::kernels::selection {

// True if all workers share each segment.
inline bool shares_segments(const Job& job) {
    constexpr std::uint64_t kLongRow = 1u << 17;  // elements
    return job.axis == Axis::Whole || job.cols >= kLongRow;
}

// Segments in selection at the same time, each with its own workspace.
inline std::uint64_t concurrent_segments(const Job& job) {
    return shares_segments(job) ? 1 : std::clamp<std::uint64_t>(job.rows, 1, kMaxWorkers);
}

// The number of rows with about a tenth of a millisecond of work.
inline std::uint64_t rows_of_bunch(const Job& job) {
    return std::max<std::uint64_t>(1, 16384 / std::max<std::uint64_t>(1, job.cols));
}

// The number of workers of a group that the job occupies. `max_workers`: maximum for one segment.
inline unsigned busy_workers(const Job& job, const WorkerGroup& workers, unsigned max_workers) {
    const std::uint64_t parts = shares_segments(job)
                                    ? max_workers
                                    : std::max<std::uint64_t>(blocks_of(job.rows, rows_of_bunch(job)), 1);
    return static_cast<unsigned>(std::min<std::uint64_t>(workers.size(), parts));
}

// Calls each(row, worker, workspace, group) -> Result<void> for every segment; the group's workers begin at
// 0. `worker`: the worker of the row if rows go in bunches, else 0. Errors: OutOfMemory; the first one in row
// order; Cancelled, DeadlineExceeded.
template <class Each>
Result<void> for_selections(const Job& job, std::uint64_t workspace_bytes, const WorkerGroup& workers,
                            const Each& each) {
    const std::uint64_t rows = segments_of(job);
    if (rows == 0) return {};
    Workspace workspaces[kMaxWorkers];
    const std::uint64_t concurrent = std::min<std::uint64_t>(workers.size(), concurrent_segments(job));
    for (std::uint64_t i = 0; i < concurrent; ++i) {
        Result<Workspace> made = Workspace::create(workspace_bytes);
        if (!made) return std::move(made).error();
        workspaces[i] = std::move(*made);
    }
    if (shares_segments(job)) {
        for (std::uint64_t row = 0; row < rows; ++row) {
            Result<void> done = each(row, 0u, workspaces[0], workers);
            if (!done) return done;
        }
        return {};
    }
    const WorkerGroup alone = workers.alone(0);
    const std::uint64_t bunch = rows_of_bunch(job);
    return workers.try_run(blocks_of(rows, bunch), [&](std::uint64_t task, unsigned worker) -> Result<void> {
        for (std::uint64_t row = task * bunch; row < std::min(rows, (task + 1) * bunch); ++row) {
            Result<void> done = each(row, worker, workspaces[worker], alone);
            if (!done) return done;
        }
        return {};
    });
}

}  // namespace tegu::kernels::selection
