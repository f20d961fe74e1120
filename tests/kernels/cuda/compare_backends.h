// SPDX-License-Identifier: Apache-2.0
// One job on the CPU and on the GPU backend, compared byte by byte.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "kernels/operation.h"
#include "tests/kernels/cuda/test_device.h"

namespace tegu::test {

struct TestInput {
    std::vector<std::byte> bytes;
    std::size_t offset = 0;        // of the first element
    std::uint64_t row_stride = 0;  // elements
};

// Equal arrays and filled columns, or equal errors. Inputs must be as they were. REQUIRES: the job can be
// planned. With $TEGU_TEST_ONE_IN set one in so many jobs of each test is run, from its first on: for tools
// that slow all down.
testing::AssertionResult same_on_both(const cuda::Context& context, const Job& job,
                                      const std::vector<TestInput>& inputs);
// The same in each of several contexts, which differ in their policies.
testing::AssertionResult same_on_both(const std::vector<cuda::Context>& contexts, const Job& job,
                                      const std::vector<TestInput>& inputs);

}  // namespace tegu::test
