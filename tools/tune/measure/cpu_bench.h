// SPDX-License-Identifier: Apache-2.0
// The CPU backend as a Bench: the pool of threads, with times by the clock.
#pragma once

#include "kernels/execution/cpu/thread_pool.h"
#include "tools/tune/measure/bench.h"

namespace tegu::tune {

// `pool` outlives it.
std::unique_ptr<Bench> make_cpu_bench(kernels::ThreadPool& pool);

}  // namespace tegu::tune
