// SPDX-License-Identifier: Apache-2.0
#include "kernels/execution/cuda/stream_wait.h"

#include <cuda_runtime_api.h>
#include <sched.h>

#include <chrono>

#include "kernels/execution/cuda/context.h"

namespace tegu::cuda {
namespace {

using Clock = std::chrono::steady_clock;

// A small job takes less. Later the core is offered to other threads after each look.
constexpr std::chrono::microseconds kShort{100};

// Work that came meanwhile goes before the next launch of this stream, within limits.
Result<void> sleep_for(Stream stream, const Meanwhile& meanwhile) {
    constexpr std::chrono::milliseconds kMax{2};
    Result<void> done = check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    const Clock::time_point until = Clock::now() + kMax;
    while (done && Clock::now() < until && meanwhile()) continue;
    return done;
}

}  // namespace

Result<void> wait_for(Stream stream, const StreamWait& wait) {
    const Clock::time_point offers = Clock::now() + kShort;
    for (;;) {
        const cudaError_t state = cudaStreamQuery(stream);
        if (state != cudaErrorNotReady) return check_cuda(state, "cudaStreamSynchronize");
        static_cast<void>(cudaGetLastError());  // some runtimes keep it as the last error
        if (wait.meanwhile()) continue;
        if (Clock::now() < offers) continue;
        if (wait.sleeps) return sleep_for(stream, wait.meanwhile);
        static_cast<void>(::sched_yield());
    }
}

}  // namespace tegu::cuda
