// SPDX-License-Identifier: Apache-2.0
// DividedJob: cuts a job into pieces for several GPUs and joins their results to its reply. To an executor a
// piece is a job like others. After a failed piece the whole job runs again, and its outcome counts. Io
// thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "daemon/jobs/executor.h"
#include "kernels/split/split_job.h"

namespace tegu::daemon {

class DividedJob {
  public:
    // Null: the job is not one that can be divided. `gpus`: that share it, two or more.
    static std::shared_ptr<DividedJob> create(const PreparedJob& whole, unsigned gpus);

    // Its pieces, each with the number of the GPU (of those that share it) that gets it. Once. REQUIRES: it
    // was made of whole->prepared.
    struct Piece {
        std::size_t gpu = 0;
        std::shared_ptr<JobTask> task;
    };
    std::vector<Piece> make_pieces(const std::shared_ptr<JobTask>& whole);

    // A piece has ended. True: it was the last.
    bool end_piece(JobTask& piece);
    // The job is to end with `error`: takes out the pieces that have not begun, with `remove`, which is
    // Executor::remove(). True: no piece is left, and there is nothing to join. Allocates nothing.
    bool withdraw(const std::function<bool(const JobTask&)>& remove, Error error);
    // After the last: gives `whole` its body, or the error of a stop. False: it is to be run whole.
    bool join(JobTask& whole);

  private:
    DividedJob(device::JobSplit split, unsigned gpus) : split_(std::move(split)), gpus_(gpus) {}
    std::shared_ptr<JobTask> make_piece(const std::shared_ptr<JobTask>& whole, std::size_t index);

    const device::JobSplit split_;
    const unsigned gpus_;
    std::vector<std::byte> area_;  // for a result that goes into the reply
    struct State {
        std::vector<std::byte> memory;  // what a piece makes that is no part of the result itself
        std::vector<kernels::OutputView> arrays;
    };
    std::vector<State> states_;
    std::vector<std::weak_ptr<JobTask>> tasks_;  // a piece holds the whole, which holds this
    std::size_t left_ = 0;
    bool withdrawn_ = false;
    std::vector<RunCost> costs_;  // of each GPU
    std::uint64_t queue_ns_ = UINT64_MAX;
    std::string policy_;
    std::optional<Error> error_;
};

}  // namespace tegu::daemon
