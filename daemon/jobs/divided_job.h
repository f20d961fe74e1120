// SPDX-License-Identifier: Apache-2.0
// DividedJob: splits a job into pieces for several GPUs and joins their results into its reply. An executor
// treats a piece as a job. After a failed piece the whole job runs again, and that outcome counts. Io thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "daemon/jobs/executor.h"
#include "kernels/split/split_job.h"

namespace tegu::daemon {

class DividedJob {
  public:
    // Whether the bytes of the job allow pieces; decide() has the rule whether it is worth them.
    static bool can_divide(const PreparedJob& whole);
    // `gpus`: number of GPUs that share it, at least 2. REQUIRES: can_divide(whole).
    static std::shared_ptr<DividedJob> create(const PreparedJob& whole, unsigned gpus);

    // The pieces, each with the index of its GPU among those that share the job. Call once. REQUIRES: created
    // from whole->prepared.
    struct Piece {
        std::size_t gpu = 0;
        std::shared_ptr<JobTask> task;
    };
    std::vector<Piece> make_pieces(const std::shared_ptr<JobTask>& whole);

    // Records the end of a piece. True if it was the last.
    bool end_piece(JobTask& piece);
    // Ends the job with `error`: removes the waiting pieces with `remove`, which is Executor::remove(). True
    // if no piece is left, so that nothing is to be joined. Allocates nothing.
    bool withdraw(const std::function<bool(const JobTask&)>& remove, Error error);
    // Call after the last piece: sets the body of `whole`, or the error of a stop. False if the caller must
    // run it whole.
    bool join(JobTask& whole);

  private:
    DividedJob(split::JobSplit split, unsigned gpus) : split_(std::move(split)), gpus_(gpus) {}
    std::shared_ptr<JobTask> make_piece(const std::shared_ptr<JobTask>& whole, std::size_t index);

    const split::JobSplit split_;
    const unsigned gpus_;
    std::vector<std::byte> area_;  // for a result in the reply
    struct State {
        std::vector<std::byte> memory;  // intermediate results of a piece
        std::vector<kernels::OutputView> arrays;
    };
    std::vector<State> states_;
    std::vector<std::weak_ptr<JobTask>> tasks_;  // weak: a piece holds the whole job, which holds this
    std::size_t left_ = 0;
    bool withdrawn_ = false;
    std::vector<RunCost> costs_;  // of each GPU
    std::uint64_t queue_ns_ = UINT64_MAX;
    kernels::RunPolicy policy_;  // of the first piece that ended
    std::optional<Error> error_;
};

}  // namespace tegu::daemon
