// SPDX-License-Identifier: Apache-2.0
// What the tests of dot share: the job, running it on two vectors, and sizes around every boundary.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/kernels/execution/elementwise_run.h"

namespace tegu::test {

const std::uint64_t kDotSizes[] = {1,    2,    31,   32,   33,    127,   128,   129,
                                   1023, 1024, 1025, 5000, 16383, 16384, 16385, 100001};

template <class T>
Job dot_job(std::uint64_t n, bool skip_nans = false) {
    return job_of<T>(1, n, Axis::Whole, DotParams{skip_nans});
}

template <class T>
JobResult run_dot(const std::vector<T>& x, const std::vector<T>& y, bool skip_nans = false,
                  kernels::ThreadPool* pool = nullptr) {
    return run_elementwise(dot_job<T>(x.size(), skip_nans),
                           {dense_view(x, x.size()), dense_view(y, y.size())}, pool);
}

}  // namespace tegu::test
