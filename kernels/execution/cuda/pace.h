// SPDX-License-Identifier: Apache-2.0
// The pace of a job of several launches: each waits until the one before is done, so that a stop need not
// wait for more than one.
#pragma once

#include "kernels/execution/cuda/context.h"
#include "kernels/operation.h"

namespace tegu::cuda {

class Pace {
  public:
    // Both outlive it.
    Pace(const Context& context, const kernels::StopToken& stop) : context_(context), stop_(stop) {}
    // To be called before each launch that may take long. Errors: those of the stop token; DeviceLost.
    Result<void> next() {
        Result<void> waited = launched_ ? context_.workspace->synchronize() : Result<void>();
        launched_ = true;
        if (waited && stop_.stop_requested()) return stop_.error();
        return waited;
    }

  private:
    const Context& context_;
    const kernels::StopToken& stop_;
    bool launched_ = false;
};

}  // namespace tegu::cuda
