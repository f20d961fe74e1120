// SPDX-License-Identifier: Apache-2.0
// Bench: one measured backend of this machine. It holds the jobs of a class with their inputs, runs them with
// any policy, and compares results. Two implementations: the CPU backend's pool, and a GPU.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "kernels/operation.h"
#include "kernels/tuning/policy_fields.h"
#include "tools/tune/jobs/reference.h"

namespace tegu::tune {

struct RunTime {
    double us = 0;       // on the device's own clock, where it has one
    double wall_us = 0;  // until the result is complete, as the thread that started the job sees it
};

// A job with its inputs in place. Its thread is the Bench's.
class MeasuredJob {
  public:
    virtual ~MeasuredJob() = default;
    // Runs once, on the next copy of the inputs. Errors: those of the backend; OutOfMemory and Internal do no
    // harm.
    virtual Result<RunTime> run(const tuning::PolicySet& policies, const kernels::StopToken& stop) = 0;
    // Runs once and compares the result with the reference: as difference(). Errors: as run().
    virtual Result<std::string> check(const tuning::PolicySet& policies, const kernels::StopToken& stop) = 0;
};

class Bench {
  public:
    virtual ~Bench() = default;
    virtual TuningBackend backend() const = 0;
    // Places the inputs of the reference's job in so many copies that a run does not find its input in a
    // cache. Errors: OutOfMemory, DeviceLost. The job must not outlive the bench.
    virtual Result<std::unique_ptr<MeasuredJob>> prepare(std::shared_ptr<const Reference> reference) = 0;
};

}  // namespace tegu::tune
